"""Rows of the matrix: what becomes of tables and players when nodes do not reach each other, or the engine."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
import trustme

from tests.e2e.cluster.judges import Judge
from tests.e2e.cluster.nodes import FENCED, LEASE, Nodes, until
from tests.e2e.cluster.scene import Scene, codes, first_view
from tests.e2e.service import GOLFNET
from tests.server.net.test_tls import node_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.cluster.wires import Wires
    from tests.postgres import Engine


@pytest.mark.parametrize("how", ["cut", "held"])
def test_while_links_are_interrupted_owners_go_on_and_fronts_keep_their_players(
    scene: Scene, how: str
) -> None:
    first, second, third = scene.nodes.well
    direct, relayed = scene.seat(first, first), scene.seat(second, third)
    before = scene.kept(*direct.players, *relayed.players)
    gone = scene.nodes.history.gone()
    since = time.monotonic()
    for node in (first, second, third):
        node.links.cut() if how == "cut" else node.links.hold()
    scene.goes_on(direct)
    until(lambda: time.monotonic() > since + 2 * LEASE, "two leases")
    for node in (first, second, third):
        node.links.heal()
    scene.goes_on()
    assert scene.kept(*direct.players, *relayed.players) == before
    assert scene.nodes.history.gone() == gone
    if how == "cut":
        assert "MOVING" in codes(before[-1], since)
        assert first_view(before[-1], since) is not None
    assert scene.judge.judge(scene.crowd) == []
    assert scene.judge.owners(relayed.name) == [second.number]


def test_links_under_tls_carry_play_and_a_node_without_tls_is_named(
    postgres: Engine, wires: Wires, tmp_path: Path
) -> None:
    url, files = postgres.new_url(), node_files(tmp_path / "tls", trustme.CA())
    with contextlib.ExitStack() as running:
        nodes = running.enter_context(
            contextlib.closing(Nodes(url, postgres.port, tmp_path, wires, tls=files))
        )
        first, second, _ = nodes.be(3)
        scene = Scene(nodes, Judge(nodes.history))
        running.callback(scene.crowd.close)
        table = scene.seat(first, second)
        (relayed,) = scene.kept(table.players[1])
        since = time.monotonic()
        first.kill()
        scene.comes_back(table, since)
        scene.goes_on()
        assert (relayed.ended, "MOVING" in codes(relayed, since)) == (None, True)
        nodes.tls = ()
        plain = nodes.start()
        plain.service.wait_for(r"node \d cannot be linked to: it has cluster_tls, and this node has none")
        second.service.wait_for(r"node \d cannot be linked to: it has no cluster_tls, and this node has")
        seen = subprocess.run([GOLFNET, "cluster", "--database", url, "--json"], capture_output=True)
        assert "tls" in [each["code"] for each in json.loads(seen.stdout)["problems"]]
        scene.crowd.leave()
        scene.conclude()


@pytest.mark.parametrize("how", ["cut", "held"])
def test_a_node_that_cannot_reach_the_engine_loses_its_tables_and_ends(scene: Scene, how: str) -> None:
    first, second, third = scene.nodes.well
    table = scene.seat(first, second, third)
    (old,) = scene.kept(table.players[0])
    since = time.monotonic()
    first.is_well = False
    first.engine.cut() if how == "cut" else first.engine.hold()
    scene.comes_back(table, since, but=first)
    woken = time.monotonic()
    scene.judge.woke(woken, first)
    first.engine.heal()
    assert first.wait() == FENCED
    scene.crowd.until(lambda: old.ended, "the goodbye")
    assert codes(old, woken, "bye") == ["SHUTDOWN"]
    scene.goes_on()
