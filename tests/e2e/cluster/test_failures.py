"""Play continues after every failure, and everything players were told is stored."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trustme

from tests.e2e.cluster.failures import FAILURES, drain, inject, kill
from tests.e2e.cluster.judges import Judge
from tests.e2e.cluster.next_version import VERSION, make_next_version
from tests.e2e.cluster.nodes import Nodes
from tests.e2e.cluster.scene import Scene, told
from tests.e2e.service import GOLFNET, PATIENCE
from tests.server.net.test_tls import node_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.cluster.failures import Failure
    from tests.e2e.cluster.nodes import Node
    from tests.postgres import PostgresServer


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
def test_play_continues_and_nothing_players_were_told_is_lost(
    scene: Scene, postgres: PostgresServer, failure: Failure
) -> None:
    first, second, third = scene.nodes.well
    scene.seat(first, second, third)
    inject(scene, postgres, failure)


def test_nothing_players_were_told_is_lost_when_a_standby_is_promoted(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    with contextlib.ExitStack() as running:
        primary = running.enter_context(contextlib.closing(postgres.another()))
        standby = running.enter_context(contextlib.closing(primary.standby()))
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        url = f"postgresql://golf@{hosts}/postgres?target_session_attrs=read-write"
        nodes = running.enter_context(contextlib.closing(Nodes(url, primary.port, tmp_path)))
        first, second = nodes.be(2)

        def fail_over(scene: Scene, database: PostgresServer) -> list[Node]:
            primary.kill()
            standby.promote()
            return []

        with Scene(nodes, Judge(nodes.history)) as scene:
            scene.seat(first, second)
            inject(scene, primary, fail_over)


def test_play_works_over_tls_links_and_a_node_without_tls_is_named(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url, files = postgres.new_url(), node_files(tmp_path / "tls", trustme.CA())
    with contextlib.closing(Nodes(url, postgres.port, tmp_path, tls=files)) as nodes:
        first, second, third = nodes.be(3)
        with Scene(nodes, Judge(nodes.history)) as scene:
            scene.seat(first, second, third)
            inject(scene, postgres, kill)
            nodes.tls = ()
            plain = nodes.start()
            plain.service.wait_for(r"cannot link to node \d: it has cluster_tls, but this node does not")
            second.service.wait_for(r"cannot link to node \d: it has no cluster_tls, but this node does")
            seen = subprocess.run([GOLFNET, "cluster", "--database", url, "--json"], capture_output=True)
            assert "tls" in [each["code"] for each in json.loads(seen.stdout)["problems"]]


def test_nobody_is_dropped_during_a_rolling_upgrade(postgres: PostgresServer, tmp_path: Path) -> None:
    later = make_next_version(tmp_path / "later")
    with contextlib.closing(Nodes(postgres.new_url(), postgres.port, tmp_path)) as nodes:
        one, other = nodes.be(2)
        with Scene(nodes, Judge(nodes.history, is_verified=False)) as scene:
            scene.seat(one, other)
            scene.seat(other, one, other)
            for old in (one, other):
                new = nodes.start(env=later)
                scene.seat(new, old)
                elsewhere = [each for each in scene.kept() if each.door is not old]
                here = {player.name for player in scene.crowd.players if player.home is old}
                since = time.monotonic()
                inject(scene, postgres, partial(drain, node=old))
                for connection in elsewhere:
                    events = [each.said for each in told(connection, since, "event")]
                    assert {each["name"] for each in events if each["event"] == "dropped"} <= here
            versions = "SELECT DISTINCT split_part(version, '+', 1) FROM node WHERE NOT gone"
            assert nodes.history.rows(versions) == [(VERSION,)]
        verified = subprocess.run(
            [GOLFNET, "verify", "--database", nodes.url],
            env=os.environ | later,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert verified.returncode == 0, verified.stdout + verified.stderr
