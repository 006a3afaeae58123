"""Failures of nodes and of the database server: each function causes one, waits for its effect, and repairs it.

Invariants: each function returns the nodes that have exited; afterwards nothing is frozen or held.
"""

from __future__ import annotations

import contextlib
import signal
import time
from typing import TYPE_CHECKING, Final

import psycopg
import trio

from tests.e2e.cluster.nodes import FENCED, until
from tests.e2e.program import Program

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.e2e.cluster.nodes import Node
    from tests.e2e.cluster.scene import Scene
    from tests.postgres import PostgresServer

    Failure = Callable[[Scene, PostgresServer], Awaitable[list[Node]]]


async def kill(scene: Scene, database: PostgresServer) -> list[Node]:
    """Kill a node that owns a table, as with ``kill -9``."""
    node = scene.owner()
    scene.avoid(node)
    node.kill()
    return [node]


async def freeze_in_transaction(scene: Scene, database: PostgresServer) -> list[Node]:
    """Freeze a node in the middle of a transaction; thaw it once it has been declared gone."""
    node = scene.owner()
    waits = (
        f"SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'golfnet:{node.number}@%'"
        " AND wait_event_type = 'Lock'"
    )
    with psycopg.connect(scene.nodes.url) as other, contextlib.closing(Program(node.port)) as opening:
        opening.ask("hello 1")
        opening.ask(f"name o{time.monotonic_ns() % 10**9}")
        other.execute("LOCK TABLE live IN SHARE ROW EXCLUSIVE MODE")
        opening.sock.sendall(b"7 create six-card\n")
        await until(lambda: scene.nodes.rows(waits), "a lock")
        node.freeze()
    await _gone_meanwhile(scene, node, node.thaw)
    return [node]


async def hold_from_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Silently stop all traffic between a node and the database server until the node has been declared gone."""
    node = scene.owner()
    node.is_well = False
    node.database.hold()
    await _gone_meanwhile(scene, node, node.database.heal)
    return [node]


async def drain(scene: Scene, database: PostgresServer, node: Node) -> list[Node]:
    scene.avoid(node)
    node.drain()
    await until(lambda: not node.is_running, f"the end of {node.name}")
    assert node.status() == 0, f"{node.name} exited with {node.status()} when it was asked to stop"
    return [node]


async def restart_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Make the database server exit at once, and start it again."""
    await trio.to_thread.run_sync(database.stop, signal.SIGQUIT)
    await trio.to_thread.run_sync(database.start)
    return []


FAILURES: Final[tuple[Failure, ...]] = (
    freeze_in_transaction,
    hold_from_database,
    restart_database,
)


async def inject(scene: Scene, database: PostgresServer, failure: Failure) -> None:
    """Cause a failure; check that play continues, and that only the nodes it hits and their players are affected."""
    owners, gone = scene.nodes.owners(), scene.nodes.gone()
    before = [
        (player, player.home, player.table, player.connections, len(player.notices))
        for player in scene.players
    ]
    hurt = await failure(scene, database)
    await scene.goes_on()
    for player, home, table, connections, notices in before:
        assert player.table == table, f"{player.name} has lost its seat"
        if home not in hurt:
            assert player.connections == connections, f"{player.name} was cut off from {home.name}"
            if owners[table] in [node.number for node in hurt]:
                assert "MOVING" in player.notices[notices:]
    if not hurt:
        assert scene.nodes.gone() == gone, "a node was declared gone"
    assert not (missing := scene.missing()), "\n".join(missing)


async def _gone_meanwhile(scene: Scene, node: Node, heal: Callable[[], None]) -> None:
    """Wait until others have declared a node gone; then repair it, and check that it exits."""
    await until(lambda: node.number in scene.nodes.gone(), f"{node.name} being declared gone")
    for player in scene.avoid(node):
        await player.hang_up()
    await scene.goes_on()
    heal()
    await until(lambda: not node.is_running, f"the end of {node.name}")
    assert node.status() == FENCED, f"{node.name} exited with {node.status()} after it had been declared gone"
