"""What must hold, whatever fails, for everything players were told and for the contents of the database.

Invariants: a judge describes each problem in a sentence; nothing is judged that may still change.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import msgspec

from golfnet.storage.checks import check_database
from golfnet.storage.postgres import open_reads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.e2e.cluster.crowd import Connection, Crowd, Told
    from tests.e2e.cluster.history import History
    from tests.e2e.cluster.nodes import Node

NOT_LOGGED: Final = ("type", "table", "seq", "ms")
"""Fields of an event that are sent but not stored."""

LATE: Final = 0.5
"""Seconds that a line may take to reach its reader."""

OF_PLAY: Final = ("event", "view", "prompt", "chat", "rows")
"""What only the node that owns the table may send."""


class Judge:
    """Compares what a crowd is told with the history of a database; each event is checked once."""

    def __init__(self, history: History, *, is_verified: bool = True) -> None:
        self.told = 0
        """How many of the events sent to players have been judged."""
        self._history = history
        self._is_verified = is_verified
        """Whether this version can verify the database."""
        self._stored: dict[tuple[str, int], tuple[dict[str, Any], int]] = {}
        self._last: dict[str, int] = {}
        self._writers: dict[str, list[int]] = {}
        self._heirs: dict[str, float] = {}
        """When an event from the current owner of a table first reached a player."""
        self._seen: dict[Connection, dict[str, int]] = {}
        self._woken: list[tuple[float, Node]] = []
        self._records = 0

    def woke(self, at: float, node: Node) -> None:
        """Record when a node that others had declared gone resumed: from then on it must send nothing about play."""
        self._woken.append((at, node))

    def judge(self, crowd: Crowd) -> list[str]:
        """Return the problems in what was stored, and in what a crowd was told, since the last call."""
        told = _told(crowd)  # read first, so that all of it has been stored by now
        stored = [*self._read()]
        found = [*stored, *self._compare(told)]
        for player in crowd.players:
            found += player.faults
            player.faults.clear()
        return found

    def conclude(self, crowd: Crowd) -> list[str]:
        """Return the problems since the last call, and those in the database as a whole."""
        verified = unsound(self._history) if self._is_verified else ()
        return [*self.judge(crowd), *self.kept(), *self.placed(), *verified]

    def placed(self) -> Iterator[str]:
        """Yield players with two seats, and tables that no living node owns."""
        seats: dict[str, str] = {}
        for number, owner, aside, row, is_gone in self._history.rows(
            "SELECT number, owner, aside, row, gone FROM live LEFT JOIN node ON node.id = owner"
        ):
            if aside is not None:
                yield f"t{number} was set aside: {aside}"
            elif owner is None or is_gone:
                yield f"t{number} belongs to {owner}, which is gone"
            for chair in msgspec.json.decode(row)["chairs"]:
                player = chair and chair.get("player")
                if player and seats.setdefault(player, f"t{number}") != f"t{number}":
                    yield f"{player} has seats at t{number} and {seats[player]}"
        for player, node, table, owner in self._history.rows(
            "SELECT stay.player, stay.node, live.number, live.owner FROM stay JOIN live ON live.number = stay.live"
        ):
            if node != owner and seats.get(f"p{player}") == f"t{table}":
                yield f"p{player} is at node {node}, but its table t{table} belongs to {owner}"

    def owners(self, table: str) -> Sequence[int]:
        """Return the nodes that have written to a table, in order."""
        return self._writers.get(table, [])

    def _read(self) -> Iterator[str]:
        for table, seq, body, writer in self._history.new():
            last = self._last.get(table, 0)
            if seq != last + 1:
                yield f"event {seq} of {table} was stored after {last}"
            self._last[table] = seq
            self._stored[table, seq] = body, writer
            writers = self._writers.setdefault(table, [])
            if writer in writers[:-1]:
                yield f"node {writer} wrote event {seq} of {table} after {writers[-1]}"
            if writer not in writers[-1:]:
                writers.append(writer)
                self._heirs.pop(table, None)

    def _compare(self, told: list[tuple[Connection, Told]]) -> Iterator[str]:
        for connection, (at, said) in told:
            who = f"{connection.player.name} at {connection.door.name}"
            for woken, node in self._woken:
                is_late = connection.door is node and at > woken and said["type"] in OF_PLAY
                if is_late and node.number in self._writers.get(said.get("table", ""), ())[:-1]:
                    yield f"{who} was told {said} {at - woken:.3f} s after that node had resumed"
            if said["type"] == "event":
                self.told += 1
                yield from self._compare_event(connection, who, at, said)

    def _compare_event(
        self, connection: Connection, who: str, at: float, said: dict[str, Any]
    ) -> Iterator[str]:
        table, seq = said["table"], said["seq"]
        seen = self._seen.setdefault(connection, {})
        if seq <= seen.get(table, 0):
            yield f"{who} was told event {seq} of {table} after {seen[table]}"
        seen[table] = seq
        if (table, seq) not in self._stored:
            yield f"{who} was told event {seq} of {table}, which is not stored: {said}"
            return
        body, writer = self._stored[table, seq]
        if not _public(said).items() <= body.items():
            yield f"{who} was told {said}, but {body} is stored"
        owners = self._writers[table]
        if writer == owners[-1]:
            self._heirs.setdefault(table, at)
        elif at > self._heirs.get(table, at) + LATE:
            late = at - self._heirs[table]
            yield f"{who} was told event {seq} of {table} by {writer}, {late:.3f} s after {owners[-1]}"

    def kept(self) -> Iterator[str]:
        """Yield stored events that have been lost or changed; forget those that have been trimmed."""
        logs = self._history.events()
        for ordinal, match, table, lines in self._history.records(self._records):
            self._records = ordinal
            for line in map(msgspec.json.decode, lines):
                body, _ = self._stored.get((table, line.get("seq", 0)), (None, 0))
                if body is not None and not _public(line).items() <= body.items():
                    yield f"the record of {match} has a different event {line['seq']}: {line}"
        begins = {table: min(log, default=0) for table, log in logs.items()}
        for table, begin in begins.items():
            if not begin:
                yield f"{table} is open and has no log"
        for (table, seq), (body, _) in list(self._stored.items()):
            if seq < begins.get(table, seq + 1):
                del self._stored[table, seq]
            elif logs[table].get(seq) != body:
                yield f"event {seq} of {table} was {body} and is now {logs[table].get(seq)}"


def unsound(history: History) -> Iterator[str]:
    """Yield the problems that ``golfnet verify --database`` finds."""
    with closing(open_reads(history.url)) as reads:
        for finding in check_database(reads):
            if finding.problem is not None:
                yield f"{finding.what} does not verify: {finding.problem}"


def _told(crowd: Crowd) -> list[tuple[Connection, Told]]:
    """Return what a crowd was told since the last call, in order of arrival."""
    with crowd.changed:
        told = [(it, each) for it in crowd.connections for each in it.told[it.judged :]]
        for connection in crowd.connections:
            connection.judged = len(connection.told)
    return sorted(told, key=lambda each: each[1].at)


def _public(event: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an event that are also stored."""
    return {key: value for key, value in event.items() if key not in NOT_LOGGED}
