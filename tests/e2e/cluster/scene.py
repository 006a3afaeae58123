"""Nodes with a crowd that plays at them: what a test of the matrix does, waits for, and has judged at its end."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, NamedTuple

from tests.e2e.cluster.crowd import Crowd, Player
from tests.e2e.cluster.nodes import LEASE, Node, Nodes
from tests.e2e.service import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.e2e.cluster.crowd import Connection, Told
    from tests.e2e.cluster.judges import Judge

OPEN = "create four-turn seats={} holes=1 pause=1 clock=20"
"""Matches so short that some begin and end in every test."""


class Table(NamedTuple):
    """A table at which a crowd plays."""

    name: str
    players: tuple[Player, ...]


class Scene:
    """One test's crowd at nodes that other tests use, too."""

    def __init__(self, nodes: Nodes, judge: Judge, *, seed: int = 1) -> None:
        self.nodes = nodes
        self.judge = judge
        self.crowd = Crowd(lambda: nodes.well, seed)
        self.tables: list[Table] = []

    def seat(self, owner: Node, *guests: Node, patience: float | None = None) -> Table:
        """Open a table at a node, for players of it and of others, and wait until they play.

        The host begins no match before all are there: who comes later can hardly get in between two matches.
        """
        prefix = f"{chr(ord('a') + self.crowd.chance.randrange(26))}{time.monotonic_ns() % 10**10}"
        host = self.crowd.player(f"h{prefix}", owner, OPEN.format(1 + len(guests)), is_patient=True)
        self.crowd.until(lambda: host.table, "opening a table")
        others = [
            self.crowd.player(f"g{number}{prefix}", door, f"join {host.table}")
            for number, door in enumerate(guests)
        ]
        table = Table(host.table, (host, *others))
        self.crowd.until(lambda: all([player.table for player in others]), f"sitting down at {host.table}")
        host.is_patient = False
        if patience is not None:
            for player in table.players:
                player.patience = patience
        self.tables.append(table)
        self.goes_on(table)
        return table

    def unseat(self, table: Table) -> None:
        """Let the players of a table leave it, and hang up."""
        with self.crowd.changed:
            for player in table.players:
                player.retire()
        with contextlib.suppress(AssertionError):
            self.crowd.until(lambda: all(player.has_left for player in table.players), "leaving", 3)
        with self.crowd.changed:
            for player in table.players:
                self.crowd.players.remove(player)
                if player.connection is not None:
                    player.connection.close()
        self.tables.remove(table)

    def goes_on(self, *tables: Table, events: int = 5, patience: float = PATIENCE) -> None:
        """Wait until all players of some tables, or of all, are told of so many events more."""
        since = time.monotonic()
        players = [player for table in tables or self.tables for player in table.players]

        def behind() -> list[Player]:
            return [player for player in players if count(player.connection, since, "event") < events]

        names = [table.name for table in tables or self.tables]
        what = f"playing on at {names}"
        self.crowd.until(lambda: not behind() or any(player.faults for player in players), what, patience)

    def comes_back(self, table: Table, since: float, *, but: Node | None = None) -> float:
        """Wait until somebody was shown a table again after a blow, and return the seconds that took.

        That is the first view by a connection that is new or was told that its table moves, but not by one to a node.
        """
        self.crowd.until(
            lambda: first_shown(self.crowd, table, since, but) is not None, f"{table.name} comes back"
        )
        took = (first_shown(self.crowd, table, since, but) or since) - since
        print(f"{table.name} was back after {took:.2f} s (lease {LEASE:g} s)")
        return took

    def kept(self, *players: Player) -> list[Connection]:
        """Return the connections that players have now, to see later that they have them still."""
        with self.crowd.changed:
            connections = [player.connection for player in players]
        return [connection for connection in connections if connection is not None]

    def conclude(self) -> None:
        """Have everything judged; nobody may be in the middle of something."""
        found = self.judge.conclude(self.crowd)
        assert not found, "\n".join(found)


def first_shown(crowd: Crowd, table: Table, since: float, but: Node | None = None) -> float | None:
    """Return when a player first had a view again: by a connection that is new or was moved, and not to some node."""
    with crowd.changed:
        shown = [
            at
            for connection in crowd.connections
            if connection.player in table.players and connection.door is not but
            if (at := first_view(connection, since)) is not None
        ]
    return min(shown, default=None)


def told(connection: Connection | None, since: float, kind: str) -> Iterable[Told]:
    """Yield what a connection was told since some moment."""
    for each in () if connection is None else reversed(connection.told):
        if each.at <= since:
            return
        if each.said["type"] == kind:
            yield each


def count(connection: Connection | None, since: float, kind: str) -> int:
    """Return how many objects of a type a connection was told."""
    return sum(1 for _ in told(connection, since, kind))


def first_view(connection: Connection, since: float) -> float | None:
    """Return when a connection that is new or was moved since some moment first had a view."""
    moved = connection.opened if connection.opened > since else None
    for at, said in connection.told:
        if at <= since:
            continue
        if moved is None and said["type"] == "notice" and said["code"] == "MOVING":
            moved = at
        if moved is not None and said["type"] == "view":
            return at
    return None


def codes(connection: Connection, since: float, kind: str = "notice") -> Sequence[str]:
    """Return the codes of notices, or of byes, that a connection was told."""
    return [each.said["code"] for each in told(connection, since, kind)][::-1]
