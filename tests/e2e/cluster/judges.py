"""What must hold whatever happens to nodes, links and engine: of all that was told, and of what the database has.

Invariants: a judge says what is wrong in a sentence; nothing is judged that may still change.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import msgspec

from golfnet.storage.database_check import check_database
from golfnet.storage.postgres.opening import open_reads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.e2e.cluster.crowd import Connection, Crowd, Told
    from tests.e2e.cluster.history import History
    from tests.e2e.cluster.nodes import Node

NOT_LOGGED: Final = ("type", "table", "seq", "ms")
"""What an event has on the wire only."""

LATE: Final = 0.5
"""Seconds that a line may have been on its way to its reader."""

OF_PLAY: Final = ("event", "view", "prompt", "chat", "rows")
"""What only a node speaks of that has the table."""


class Judge:
    """Compares what a crowd is told with the history of a database; each event is looked at once."""

    def __init__(self, history: History, *, is_verified: bool = True) -> None:
        self.told = 0
        """Events that were told and judged."""
        self._history = history
        self._is_verified = is_verified
        """Whether this version can verify the database."""
        self._stored: dict[tuple[str, int], tuple[dict[str, Any], int]] = {}
        self._last: dict[str, int] = {}
        self._writers: dict[str, list[int]] = {}
        self._heirs: dict[str, float] = {}
        """When the present owner of a table was first told of."""
        self._seen: dict[Connection, dict[str, int]] = {}
        self._woken: list[tuple[float, Node]] = []
        self._records = 0

    def woke(self, at: float, node: Node) -> None:
        """Note when a node went on that others had taken for dead: from then on it tells nothing of play."""
        self._woken.append((at, node))

    def judge(self, crowd: Crowd) -> list[str]:
        """Return what is wrong with what was stored, and told to a crowd, since the last time."""
        told = _told(crowd)  # first: what was told is stored by now
        stored = [*self._read()]
        found = [*stored, *self._compare(told)]
        for player in crowd.players:
            found += player.faults
            player.faults.clear()
        return found

    def conclude(self, crowd: Crowd) -> list[str]:
        """Return what is wrong with that, and with the database as a whole."""
        verified = unsound(self._history) if self._is_verified else ()
        return [*self.judge(crowd), *self.kept(), *self.placed(), *verified]

    def placed(self) -> Iterator[str]:
        """Yield players with two places, and places that nobody has."""
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
                    yield f"{player} has a seat at t{number} and at {seats[player]}"
        for player, node, table, owner in self._history.rows(
            "SELECT stay.player, stay.node, live.number, live.owner FROM stay JOIN live ON live.number = stay.live"
        ):
            if node != owner and seats.get(f"p{player}") == f"t{table}":
                yield f"p{player} stays at {node}, and its table t{table} is at {owner}"

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
                    yield f"{who} was told {said} {at - woken:.3f} s after that node had woken"
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
            yield f"{who} was told {said}, and stored is {body}"
        owners = self._writers[table]
        if writer == owners[-1]:
            self._heirs.setdefault(table, at)
        elif at > self._heirs.get(table, at) + LATE:
            late = at - self._heirs[table]
            yield f"{who} was told event {seq} of {table} by {writer}, {late:.3f} s after {owners[-1]}"

    def kept(self) -> Iterator[str]:
        """Yield what was stored and is neither in the log of its table nor in a record; forget what is over."""
        logs = self._history.events()
        for ordinal, match, table, lines in self._history.records(self._records):
            self._records = ordinal
            for line in map(msgspec.json.decode, lines):
                body, _ = self._stored.get((table, line.get("seq", 0)), (None, 0))
                if body is not None and not _public(line).items() <= body.items():
                    yield f"the record of {match} has another event {line['seq']}: {line}"
        begins = {table: min(log, default=0) for table, log in logs.items()}
        for table, begin in begins.items():
            if not begin:
                yield f"{table} is open and has no log"
        for (table, seq), (body, _) in list(self._stored.items()):
            if seq < begins.get(table, seq + 1):
                del self._stored[table, seq]
            elif logs[table].get(seq) != body:
                yield f"event {seq} of {table} was {body} and is {logs[table].get(seq)}"


def unsound(history: History) -> Iterator[str]:
    """Yield what ``golfnet verify --database`` finds."""
    with closing(open_reads(history.url)) as reads:
        for finding in check_database(reads):
            if finding.problem is not None:
                yield f"{finding.what} does not verify: {finding.problem}"


def _told(crowd: Crowd) -> list[tuple[Connection, Told]]:
    """Return what a crowd was told since the last time, in the order in which it came."""
    with crowd.changed:
        told = [(it, each) for it in crowd.connections for each in it.told[it.judged :]]
        for connection in crowd.connections:
            connection.judged = len(connection.told)
    return sorted(told, key=lambda each: each[1].at)


def _public(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event as it is stored, as far as it was told."""
    return {key: value for key, value in event.items() if key not in NOT_LOGGED}
