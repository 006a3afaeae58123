"""Play continues after every failure, and everything players were told is stored."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio
import trustme

from golfnet.storage.postgres import connections
from golfnet.storage.postgres.connections import steps
from tests.e2e.cluster.failures import FAILURES, drain, inject, kill
from tests.e2e.cluster.next_version import VERSION, make_next_version
from tests.e2e.cluster.nodes import Nodes
from tests.e2e.cluster.scene import open_scene
from tests.e2e.service import GOLFNET
from tests.server.net.test_tls import node_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.cluster.failures import Failure
    from tests.e2e.cluster.nodes import Node
    from tests.e2e.cluster.scene import Scene
    from tests.postgres import PostgresServer


@pytest.fixture(scope="module")
def shared(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    with contextlib.closing(
        Nodes(postgres.new_url(), postgres.port, tmp_path_factory.mktemp("nodes"))
    ) as nodes:
        yield nodes


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
async def test_play_continues_and_nothing_players_were_told_is_lost(
    shared: Nodes, postgres: PostgresServer, failure: Failure
) -> None:
    first, second, third = shared.be(3)
    async with open_scene(shared) as scene:
        await scene.seat(first, second, third)
        await inject(scene, postgres, failure)


async def test_nothing_players_were_told_is_lost_when_a_standby_is_promoted(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    with contextlib.ExitStack() as running:
        primary = running.enter_context(contextlib.closing(postgres.another()))
        standby = running.enter_context(contextlib.closing(primary.standby()))
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        url = f"postgresql://golf@{hosts}/postgres?target_session_attrs=read-write"
        nodes = running.enter_context(contextlib.closing(Nodes(url, primary.port, tmp_path)))
        first, second = nodes.be(2)

        async def fail_over(scene: Scene, database: PostgresServer) -> list[Node]:
            primary.kill()
            await trio.to_thread.run_sync(standby.promote)
            return []

        async with open_scene(nodes) as scene:
            await scene.seat(first, second)
            await inject(scene, primary, fail_over)


async def test_a_killed_nodes_players_play_on_over_tls_links(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    files = node_files(tmp_path / "tls", trustme.CA())
    with contextlib.closing(Nodes(postgres.new_url(), postgres.port, tmp_path, tls=files)) as nodes:
        first, second, third = nodes.be(3)
        async with open_scene(nodes) as scene:
            await scene.seat(first, second, third)
            await inject(scene, postgres, kill)


async def test_nobody_is_dropped_during_a_rolling_upgrade(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = make_next_version(tmp_path / "later")
    monkeypatch.setattr(connections, "steps", lambda: [*steps(), "the step of the next version"])
    with contextlib.closing(Nodes(postgres.new_url(), postgres.port, tmp_path)) as nodes:
        one, other = nodes.be(2)
        async with open_scene(nodes) as scene:
            await scene.seat(one, other)
            await scene.seat(other, one, other)
            for old in (one, other):
                new = await trio.to_thread.run_sync(partial(nodes.start, env=later))
                await scene.seat(new, old)
                here = {player.name for player in scene.players if player.home is old}
                before = [(player, {*player.seen}) for player in scene.players]
                await inject(scene, postgres, partial(drain, node=old))
                for player, known in before:
                    told = [event for seq, event in player.seen.items() if seq not in known]
                    assert {event["name"] for event in told if event["event"] == "dropped"} <= here
            versions = "SELECT DISTINCT split_part(version, '+', 1) FROM node WHERE NOT gone"
            assert nodes.rows(versions) == [(VERSION,)]
        command = [str(GOLFNET), "verify", "--database", nodes.url]
        await trio.run_process(command, env=os.environ | later)
