"""Nodes with a crowd playing at them: what a test does, waits for, and has judged when it ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple, Self

from tests.e2e.cluster.crowd import Crowd, Player

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.e2e.cluster.crowd import Connection, Told
    from tests.e2e.cluster.judges import Judge
    from tests.e2e.cluster.nodes import Node, Nodes

OPEN = "create four-turn seats={} holes=1 pause=1 clock=20"
"""Matches so short that some begin and end in every test."""


class Table(NamedTuple):
    """A table at which a crowd plays."""

    name: str
    players: tuple[Player, ...]


class Scene:
    """One test's crowd at nodes that other tests use too; everything is judged when it ends."""

    def __init__(self, nodes: Nodes, judge: Judge, *, seed: int = 1) -> None:
        self.nodes = nodes
        self.judge = judge
        self.crowd = Crowd(lambda: nodes.well, seed)
        self.tables: list[Table] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, problem: object, *_: object) -> None:
        self.crowd.leave()
        self.nodes.tidy()
        if problem is None:
            found = self.judge.conclude(self.crowd)
            assert not found, "\n".join(found)

    def seat(self, owner: Node, *guests: Node) -> Table:
        """Open a table at a node, for a host there and guests at other nodes, and wait until they play.

        The host starts no match before all have joined, since latecomers can hardly get in between two matches.
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
        self.tables.append(table)
        self.goes_on()
        return table

    def owner(self) -> Node:
        """Return the node that owns one of the tables, chosen at random."""
        number = self.nodes.history.owners()[self.crowd.chance.choice(self.tables).name]
        return next(node for node in self.nodes.all if node.number == number)

    def goes_on(self, events: int = 5) -> None:
        """Wait until every player has been told this many more events."""
        since = time.monotonic()
        players = [player for table in self.tables for player in table.players]

        def is_over() -> bool:
            is_told = all([len([*told(each.connection, since, "event")]) >= events for each in players])
            return is_told or any(player.faults for player in players)

        self.crowd.until(is_over, "playing on")

    def kept(self, *players: Player) -> list[Connection]:
        """Return the current connections of the given players, or of all, to check later that they still exist."""
        with self.crowd.changed:
            connections = [player.connection for player in players or self.crowd.players]
        return [connection for connection in connections if connection is not None]


def told(connection: Connection | None, since: float, kind: str) -> Iterator[Told]:
    """Yield what a connection has been told since a given time, latest first."""
    for each in () if connection is None else reversed(connection.told):
        if each.at <= since:
            return
        if each.said["type"] == kind:
            yield each


def first_view(connection: Connection, since: float) -> float | None:
    """Return when a connection first got a view after it was told that its table is moving."""
    moved = [at for at, said in told(connection, since, "notice") if said["code"] == "MOVING"]
    views = [at for at, _ in told(connection, since, "view")]
    return min([at for at in views if moved and at >= min(moved)], default=None)


def codes(connection: Connection, since: float, kind: str = "notice") -> Sequence[str]:
    """Return the codes of the notices, or byes, that a connection was sent."""
    return [each.said["code"] for each in told(connection, since, kind)][::-1]
