"""Rows of the matrix: what becomes of players when the node that they came in at dies or stands still."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.e2e.cluster.nodes import FENCED, until
from tests.e2e.cluster.scene import codes

if TYPE_CHECKING:
    from tests.e2e.cluster.scene import Scene


def test_players_of_a_killed_front_resume_elsewhere_and_the_table_stays(scene: Scene) -> None:
    first, second, third = scene.nodes.well
    table = scene.seat(first, second, third)
    untouched = scene.kept(table.players[0], table.players[2])
    second.kill()
    scene.goes_on()
    assert scene.kept(table.players[0], table.players[2]) == untouched
    assert table.players[1].home is not second
    assert scene.judge.judge(scene.crowd) == []
    assert scene.judge.owners(table.name) == [first.number]


def test_a_front_that_stood_still_for_long_ends_when_it_wakes(scene: Scene) -> None:
    first, second, third = scene.nodes.well
    table = scene.seat(first, second, third)
    host, guest, _ = table.players
    (old,) = scene.kept(guest)
    second.freeze()
    until(
        lambda: scene.nodes.history.rows(f"SELECT 1 FROM node WHERE gone AND id = {second.number}"),
        "a node that is declared gone",
    )
    guest.go_to(third)
    scene.goes_on()
    until(lambda: second.number in scene.nodes.history.gone(), "being declared gone")
    woken = time.monotonic()
    second.thaw()
    assert second.wait() == FENCED
    scene.crowd.until(lambda: old.ended, "the goodbye")
    assert {"SHUTDOWN", "TAKEN_OVER"} & set(codes(old, woken, "bye"))
    scene.goes_on()
    assert scene.judge.judge(scene.crowd) == []
    assert scene.judge.owners(table.name) == [first.number]
    assert host.home is first
