"""What can happen to nodes and engine, each as a function that does it, waits for what must come of it, and heals it.

Invariants: a blow returns the nodes that have ended by it; afterwards nothing is frozen, cut or held.
"""

from __future__ import annotations

import contextlib
import signal
import time
from typing import TYPE_CHECKING, Final

import psycopg

from tests.e2e.cluster.nodes import FENCED, LEASE, Node, until
from tests.e2e.cluster.scene import codes, first_view
from tests.e2e.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.cluster.scene import Scene
    from tests.postgres import Engine

    Blow = Callable[[Scene, Engine], list[Node]]


def kill(scene: Scene, engine: Engine) -> list[Node]:
    """Kill a node that has a table, as by ``kill -9``."""
    node = scene.owner()
    node.kill()
    return [node]


def freeze_in_transaction(scene: Scene, engine: Engine) -> list[Node]:
    """Let a node stand still while the database waits for the rest of its transaction; wake it when it is gone."""
    node = scene.owner()
    activity = f"FROM pg_stat_activity WHERE application_name LIKE 'golfnet:{node.number}@%'"
    with psycopg.connect(scene.nodes.url) as other, contextlib.closing(Program(node.port)) as opening:
        opening.ask("hello 1")
        opening.ask(f"name o{time.monotonic_ns() % 10**9}")
        other.execute("LOCK TABLE live IN SHARE ROW EXCLUSIVE MODE")
        opening.sock.sendall(b"7 create six-card\n")
        until(lambda: scene.nodes.history.rows(f"SELECT 1 {activity} AND wait_event_type = 'Lock'"), "a lock")
        node.freeze()
    _gone_meanwhile(scene, node, node.thaw)
    return [node]


def cut_from_engine(scene: Scene, engine: Engine) -> list[Node]:
    """End a node's connections to the engine, and let no new one come about until it is gone."""
    node = scene.owner()
    node.is_well = False
    node.engine.cut()
    _gone_meanwhile(scene, node, node.engine.heal)
    return [node]


def hold_from_engine(scene: Scene, engine: Engine) -> list[Node]:
    """Let nothing pass between a node and the engine, without a word to either, until the node is gone."""
    node = scene.owner()
    node.is_well = False
    node.engine.hold()
    _gone_meanwhile(scene, node, node.engine.heal)
    return [node]


def drain(scene: Scene, engine: Engine, node: Node | None = None) -> list[Node]:
    """Ask a node to end."""
    node = node or scene.owner()
    node.drain()
    status = node.wait()
    assert status == 0, f"{node.name} ended with {status} when it was asked to end"
    return [node]


def freeze_engine(scene: Scene, engine: Engine) -> list[Node]:
    """Let the engine stand still for more than two leases."""
    engine.freeze()
    _pass(2.5)
    engine.thaw()
    scene.goes_on()
    _pass(2)
    return []


def restart_engine(scene: Scene, engine: Engine) -> list[Node]:
    """Let the engine die at once, and start it again."""
    engine.stop(signal.SIGQUIT)
    engine.start()
    return []


BLOWS: Final[tuple[Blow, ...]] = (
    kill,
    freeze_in_transaction,
    cut_from_engine,
    hold_from_engine,
    drain,
    freeze_engine,
    restart_engine,
)


def strike(scene: Scene, engine: Engine, blow: Blow) -> None:
    """Let something happen, and see that play goes on and that nobody else lost a connection or was declared gone."""
    history, since = scene.nodes.history, time.monotonic()
    owners, gone, before = history.owners(), history.gone(), scene.kept()
    hurt = blow(scene, engine)
    scene.goes_on()
    for connection in before:
        if connection.door in hurt:
            continue
        assert connection.ended is None, f"{connection.player.name} was cut off from {connection.door.name}"
        if owners.get(connection.player.table) in [node.number for node in hurt]:
            assert "MOVING" in codes(connection, since)
            shown = first_view(connection, since)
            assert shown is not None
            print(f"{connection.player.name} was shown its table after {shown - since:.2f} s")
    if not hurt:
        assert history.gone() == gone, "somebody was declared gone"
    found = scene.judge.judge(scene.crowd)
    assert not found, "\n".join(found)


def _gone_meanwhile(scene: Scene, node: Node, heal: Callable[[], None]) -> None:
    """Wait until others have declared a node gone; then it can do all again, ends, and says no more than goodbye."""
    until(lambda: node.number in scene.nodes.history.gone(), f"{node.name} being declared gone")
    there = [connection for connection in scene.kept() if connection.door is node]
    for connection in there:
        connection.player.go_to(scene.crowd.chance.choice(scene.nodes.well))
    scene.goes_on()
    woken = time.monotonic()
    scene.judge.woke(woken, node)
    heal()
    status = node.wait()
    assert status == FENCED, f"{node.name} ended with {status} after it had been declared gone"
    scene.crowd.until(lambda: all(connection.ended for connection in there), "goodbyes")
    for connection in there:
        assert {*codes(connection, woken, "bye")} <= {"SHUTDOWN", "TAKEN_OVER"}


def _pass(leases: float) -> None:
    end = time.monotonic() + leases * LEASE
    until(lambda: time.monotonic() >= end, "time")
