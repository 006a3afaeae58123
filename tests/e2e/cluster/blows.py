"""What can happen to a cluster, each as a function that does it, waits for what must come of it, and heals it.

What stays true: a blow returns the moment at which it fell; afterwards nothing is frozen, cut or held, and whatever it
ended is to be started again by who called it.
"""

from __future__ import annotations

import contextlib
import signal
import time
from typing import TYPE_CHECKING, Final

import psycopg

from tests.e2e.cluster.nodes import FENCED, LEASE, Node, until

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.e2e.cluster.scene import Scene
    from tests.postgres import Engine


class Field:
    """A scene, its engine, and chance: what a blow needs."""

    def __init__(
        self, scene: Scene, engine: Engine, chance: random.Random, revive: Callable[[], None]
    ) -> None:
        self.scene = scene
        self.engine = engine
        self.chance = chance
        self.revive = revive
        """Begins to start what is missing; a blow calls it where others need not be alone for long."""

    def owner(self) -> Node:
        """Return a node that has a table, or any."""
        owners = set(self.scene.nodes.history.owners().values())
        well = self.scene.nodes.well
        return self.chance.choice([node for node in well if node.number in owners] or well)

    def front(self) -> Node:
        """Return a node with players whose tables are elsewhere, or any."""
        owners = self.scene.nodes.history.owners()
        fronts = {
            player.connection.door.name
            for table in self.scene.tables
            for player in table.players
            if player.connection is not None and player.connection.door.number != owners.get(table.name)
        }
        well = self.scene.nodes.well
        return self.chance.choice([node for node in well if node.name in fronts] or well)

    def lasts(self, leases: float) -> None:
        """Let some time pass."""
        end = time.monotonic() + leases * LEASE
        until(lambda: time.monotonic() >= end, "time")

    def until_gone(self, node: Node) -> None:
        """Wait until others have declared a node gone."""
        until(lambda: node.number in self.scene.nodes.history.gone(), f"{node.name} being declared gone", 30)

    def wakes_and_ends(self, node: Node, wake: Callable[[], None]) -> None:
        """Wake a node that is gone: it ends, and nobody is told anything late."""
        self.scene.judge.woke(time.monotonic(), node)
        wake()
        status = node.wait()
        assert status == FENCED, f"{node.name} ended with {status} after it had been declared gone"


def kill_owner(field: Field) -> float:
    """Kill a node with tables."""
    return _kill(field, field.owner())


def kill_front(field: Field) -> float:
    """Kill a node with players of other tables."""
    return _kill(field, field.front())


def kill_two(field: Field) -> float:
    """Kill all nodes but one."""
    return _kill(field, *field.scene.nodes.well[1:])


def kill_all(field: Field) -> float:
    """Kill all nodes."""
    return _kill(field, *field.scene.nodes.well)


def freeze_owner(field: Field) -> float:
    """Let a node with tables stand still until it is gone, and then go on."""
    return _freeze(field, field.owner())


def freeze_front(field: Field) -> float:
    """Freeze a relaying node until it is declared gone, then resume it."""
    return _freeze(field, field.front())


def freeze_in_transaction(field: Field) -> float:
    """Let a node stand still in the middle of a transaction."""
    node = field.owner()
    activity = f"SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'golfnet:{node.number}@%'"
    with psycopg.connect(field.scene.nodes.url) as other:
        other.execute("LOCK TABLE live IN SHARE ROW EXCLUSIVE MODE")  # a row is saved whenever a hole begins
        with contextlib.suppress(AssertionError):  # nobody began one
            until(
                lambda: field.scene.nodes.history.rows(f"{activity} AND wait_event_type = 'Lock'"),
                "a lock",
                3,
            )
        since = time.monotonic()
        node.freeze()
    return _leave_frozen(field, node, since)


def blink(field: Field) -> float:
    """Let a node stand still for a while that is too short to judge it, or just not."""
    node = field.chance.choice(field.scene.nodes.well)
    since = time.monotonic()
    node.freeze()
    field.lasts(field.chance.uniform(0.1, 1.1))
    node.thaw()
    with contextlib.suppress(AssertionError):
        until(lambda: not node.is_running, "an end", LEASE)
    node.is_well = node.is_running
    return since


def lose_engine(field: Field) -> float:
    """Keep a node from the engine until it is gone."""
    node = field.owner()
    node.is_well = False
    since = time.monotonic()
    field.chance.choice([node.engine.cut, node.engine.hold])()
    field.revive()
    field.until_gone(node)
    field.lasts(field.chance.uniform(0, 1))
    field.wakes_and_ends(node, node.engine.heal)
    return since


def snap_engine(field: Field) -> float:
    """End all connections of all nodes to the engine."""
    since = time.monotonic()
    for node in field.scene.nodes.well:
        node.engine.snap()
    return since


def freeze_engine(field: Field) -> float:
    """Let the engine stand still for more than a lease."""
    since = time.monotonic()
    gone = field.scene.nodes.history.gone()
    field.engine.freeze()
    field.lasts(field.chance.uniform(1.2, 2.5))
    field.engine.thaw()
    field.lasts(2)
    assert field.scene.nodes.history.gone() == gone, "somebody was declared gone while the engine stood still"
    return since


def restart_engine(field: Field) -> float:
    """Let the engine die at once and start again."""
    since = time.monotonic()
    field.engine.stop(signal.SIGQUIT)
    field.engine.start()
    return since


def part_links(field: Field) -> float:
    """Let no node reach another one for a while."""
    nodes, is_cut = field.scene.nodes.well, field.chance.random() < 0.5
    since = time.monotonic()
    for node in nodes:
        node.links.cut() if is_cut else node.links.hold()
    field.lasts(field.chance.uniform(0.2, 2))
    for node in nodes:
        node.links.heal()
    return since


def drain(field: Field) -> float:
    """Ask a node to end; its tables go on elsewhere."""
    node = field.owner()
    since = time.monotonic()
    node.drain()
    field.revive()
    status = node.wait()
    assert status == 0, f"{node.name} ended with {status} when it was asked to end"
    return since


KINDS: Final[dict[Callable[[Field], float], int]] = {
    kill_owner: 8,
    kill_front: 5,
    kill_two: 2,
    kill_all: 1,
    freeze_owner: 6,
    freeze_front: 4,
    freeze_in_transaction: 4,
    blink: 2,
    lose_engine: 4,
    snap_engine: 2,
    freeze_engine: 1,
    restart_engine: 2,
    part_links: 2,
    drain: 3,
}
"""Every blow, and how often it falls beside the others."""


def _kill(field: Field, *nodes: Node) -> float:
    since = time.monotonic()
    for node in nodes:
        node.kill()
    field.revive()
    return since


def _freeze(field: Field, node: Node) -> float:
    since = time.monotonic()
    node.freeze()
    return _leave_frozen(field, node, since)


def _leave_frozen(field: Field, node: Node, since: float) -> float:
    field.revive()
    field.until_gone(node)
    field.lasts(field.chance.uniform(0, 2))
    field.wakes_and_ends(node, node.thaw)
    return since
