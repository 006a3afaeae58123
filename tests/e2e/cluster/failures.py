"""Failures of nodes and of the database server: each function causes one, waits for its effect, and repairs it.

Invariants: each function returns the nodes that have exited; afterwards nothing is frozen, cut or held.
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
    from tests.postgres import PostgresServer

    Failure = Callable[[Scene, PostgresServer], list[Node]]


def kill(scene: Scene, database: PostgresServer) -> list[Node]:
    """Kill a node that owns a table, as with ``kill -9``."""
    node = scene.owner()
    node.kill()
    return [node]


def freeze_in_transaction(scene: Scene, database: PostgresServer) -> list[Node]:
    """Freeze a node in the middle of a transaction; thaw it once it has been declared gone."""
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


def cut_from_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Cut a node's connections to the database server, and allow no new ones until it has been declared gone."""
    node = scene.owner()
    node.is_well = False
    node.database.cut()
    _gone_meanwhile(scene, node, node.database.heal)
    return [node]


def hold_from_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Silently stop all traffic between a node and the database server until the node has been declared gone."""
    node = scene.owner()
    node.is_well = False
    node.database.hold()
    _gone_meanwhile(scene, node, node.database.heal)
    return [node]


def drain(scene: Scene, database: PostgresServer, node: Node | None = None) -> list[Node]:
    """Ask a node to stop."""
    node = node or scene.owner()
    node.drain()
    status = node.wait()
    assert status == 0, f"{node.name} exited with {status} when it was asked to stop"
    return [node]


def freeze_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Freeze the database server for more than two leases."""
    database.freeze()
    _pass(2.5)
    database.thaw()
    scene.goes_on()
    _pass(2)
    return []


def restart_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Make the database server exit at once, and start it again."""
    database.stop(signal.SIGQUIT)
    database.start()
    return []


FAILURES: Final[tuple[Failure, ...]] = (
    kill,
    freeze_in_transaction,
    cut_from_database,
    hold_from_database,
    drain,
    freeze_database,
    restart_database,
)


def inject(scene: Scene, database: PostgresServer, failure: Failure) -> None:
    """Cause a failure; check that play continues, and that only the nodes it hits and their players are affected."""
    history, since = scene.nodes.history, time.monotonic()
    owners, gone, before = history.owners(), history.gone(), scene.kept()
    hurt = failure(scene, database)
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
        assert history.gone() == gone, "a node was declared gone"
    found = scene.judge.judge(scene.crowd)
    assert not found, "\n".join(found)


def _gone_meanwhile(scene: Scene, node: Node, heal: Callable[[], None]) -> None:
    """Wait until others have declared a node gone; then repair it, and check that it only says goodbye and exits."""
    until(lambda: node.number in scene.nodes.history.gone(), f"{node.name} being declared gone")
    there = [connection for connection in scene.kept() if connection.door is node]
    for connection in there:
        connection.player.go_to(scene.crowd.chance.choice(scene.nodes.well))
    scene.goes_on()
    woken = time.monotonic()
    scene.judge.woke(woken, node)
    heal()
    status = node.wait()
    assert status == FENCED, f"{node.name} exited with {status} after it had been declared gone"
    scene.crowd.until(lambda: all(connection.ended for connection in there), "goodbyes")
    for connection in there:
        assert {*codes(connection, woken, "bye")} <= {"SHUTDOWN", "TAKEN_OVER"}


def _pass(leases: float) -> None:
    end = time.monotonic() + leases * LEASE
    until(lambda: time.monotonic() >= end, "time")
