"""Rows of the matrix: a node is asked to stop, and its tables go on elsewhere first, with their clocks and cards."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.e2e.cluster.scene import codes, told

if TYPE_CHECKING:
    from tests.e2e.cluster.scene import Scene


def test_tables_of_a_node_that_stops_move_before_it_and_nobody_is_dropped(scene: Scene) -> None:
    first, second, third = scene.nodes.well
    tables = [scene.seat(first, second, third), scene.seat(first, third), scene.seat(first, second)]
    relayed = [player for table in tables for player in table.players[1:]]
    before = scene.kept(*relayed)
    since = time.monotonic()
    first.drain()
    for table in tables:
        scene.comes_back(table, since)
    assert all(scene.nodes.history.owners()[table.name] != first.number for table in tables)
    scene.goes_on()
    assert first.is_running, "those whose sockets it has are relayed until its time is up"
    direct = scene.kept(*(table.players[0] for table in tables))
    assert {connection.door for connection in direct} == {first}
    assert not [
        each for connection in before for each in told(connection, since, "event") if is_drop(each.said)
    ]
    assert first.wait() == 0
    scene.goes_on()
    assert scene.kept(*relayed) == before
    assert not any(codes(connection, since, "bye") for connection in before)
    assert [codes(connection, since, "bye") for connection in direct] == [["SHUTDOWN"]] * len(direct)


def is_drop(event: dict[str, object]) -> bool:
    """Tell whether an event says that somebody's connection is gone."""
    return event["event"] == "dropped"
