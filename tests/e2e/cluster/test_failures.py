"""Play continues after every failure, and everything players were told is stored."""

import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import trio
import trustme

from golfnet.storage.postgres.connections import steps
from tests.e2e.cluster.next_version import VERSION, make_next_version
from tests.e2e.cluster.nodes import FENCED, Node, Nodes, until
from tests.e2e.cluster.scene import Scene, open_scene
from tests.e2e.service import GOLFNET
from tests.postgres import PostgresServer
from tests.server.net.test_tls import node_files

Failure = Callable[[Scene, PostgresServer], Awaitable[list[Node]]]
"""Causes a failure, waits for its effect, repairs it, and returns the nodes that have exited."""


async def restart_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Make the database server exit at once, and start it again."""
    await trio.to_thread.run_sync(database.stop, signal.SIGQUIT)
    await trio.to_thread.run_sync(database.start)
    return []


async def hold_from_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Silently stop all traffic between a node and the database server until the node has been declared gone."""
    node = scene.owner()
    node.is_well = False
    node.database.hold()
    await until(lambda: node.number in scene.nodes.gone(), f"node {node.number} being declared gone")
    for player in scene.avoid(node):
        await player.hang_up()
    await scene.all_act(5)
    node.database.heal()
    await scene.exits(node, FENCED)
    return [node]


async def kill(scene: Scene, database: PostgresServer) -> list[Node]:
    """Kill a node that owns a table, as with ``kill -9``."""
    node = scene.owner()
    scene.avoid(node)
    node.signal(signal.SIGKILL)
    await scene.exits(node, -signal.SIGKILL)
    return [node]


async def drain(scene: Scene, database: PostgresServer, node: Node) -> list[Node]:
    """Ask a node to stop after handing its tables to others."""
    scene.avoid(node)
    node.signal(signal.SIGTERM)
    await scene.exits(node, 0)
    return [node]


async def inject(scene: Scene, database: PostgresServer, failure: Failure) -> None:
    """Cause a failure; check that play continues, and that only the nodes it hits and their players are affected."""
    owners, gone = scene.nodes.owners(), scene.nodes.gone()
    before = [
        (player, home, player.table, player.connections, len(player.notices))
        for player, home in scene.homes.items()
    ]
    hurt = await failure(scene, database)
    await scene.all_act(5)
    for player, home, table, connections, notices in before:
        assert player.table == table, f"{player.name} has lost its seat"
        if home not in hurt:
            assert player.connections == connections, f"{player.name} was cut off from node {home.number}"
            if owners[table] in [node.number for node in hurt]:
                assert "MOVING" in player.notices[notices:]
    if not hurt:
        assert scene.nodes.gone() == gone, "a node was declared gone"
    assert not (missing := scene.missing()), "\n".join(missing)


@pytest.mark.slow
async def test_play_continues_over_tls_links_whatever_fails(postgres: PostgresServer, tmp_path: Path) -> None:
    files = node_files(tmp_path / "tls", trustme.CA())
    async with open_scene(Nodes(postgres.new_url(), postgres.port, tmp_path, tls=files), 3) as scene:
        for failure in (restart_database, hold_from_database, kill):
            await inject(scene, postgres, failure)


@pytest.mark.slow
async def test_nothing_is_lost_when_a_standby_is_promoted(postgres: PostgresServer, tmp_path: Path) -> None:
    with closing(postgres.another()) as primary, closing(primary.standby()) as standby:
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        url = f"postgresql://golf@{hosts}/postgres?target_session_attrs=read-write"

        async def fail_over(scene: Scene, database: PostgresServer) -> list[Node]:
            primary.kill()
            await trio.to_thread.run_sync(standby.execute, "SELECT pg_promote()")
            return []

        async with open_scene(Nodes(url, primary.port, tmp_path), 2) as scene:
            await inject(scene, primary, fail_over)


@pytest.mark.slow
async def test_nobody_is_dropped_during_a_rolling_upgrade(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = make_next_version(tmp_path / "later")
    newer = [*steps(), "the step of the next version"]
    monkeypatch.setattr("golfnet.storage.postgres.connections.steps", lambda: newer)
    nodes = Nodes(postgres.new_url(), postgres.port, tmp_path)
    async with open_scene(nodes, 2) as scene:
        for old in [*nodes.all]:
            new = await trio.to_thread.run_sync(partial(nodes.start, env=later))
            await scene.open(new, old)
            here = {player.name for player, home in scene.homes.items() if home is old}
            before = [(player, {*player.seen}) for player in scene.homes]
            await inject(scene, postgres, partial(drain, node=old))
            for player, known in before:
                told = [event for seq, event in player.seen.items() if seq not in known]
                assert {event["name"] for event in told if event["event"] == "dropped"} <= here
        versions = "SELECT DISTINCT split_part(version, '+', 1) FROM node WHERE NOT gone"
        assert nodes.rows(versions) == [(VERSION,)]
        command = [str(GOLFNET), "verify", "--database", nodes.url]
        await trio.run_process(command, env=os.environ | later)
