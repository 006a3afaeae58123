"""Rows of the matrix: what becomes of tables and players when nodes do not reach each other, or the engine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.cluster.nodes import FENCED, LEASE, until
from tests.e2e.cluster.scene import codes, first_view

if TYPE_CHECKING:
    from tests.e2e.cluster.scene import Scene


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
