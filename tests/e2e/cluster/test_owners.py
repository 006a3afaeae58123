"""Rows of the matrix: what becomes of tables and players when the node that has the table dies or stands still."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.e2e.cluster.nodes import FENCED, LEASE, Node, until
from tests.e2e.cluster.scene import Scene, Table, codes, first_view
from tests.e2e.program import Program

if TYPE_CHECKING:
    from tests.e2e.cluster.crowd import Connection


def moved_without_hanging_up(connections: list[Connection], since: float) -> None:
    """Check that relayed players were told that their table moves, and then shown it, by the same connection."""
    for connection in connections:
        assert connection.ended is None
        assert "MOVING" in codes(connection, since)
        assert first_view(connection, since) is not None


def wakes_and_ends(scene: Scene, node: Node, table: Table, old: Connection) -> None:
    """Wake a node whose table others have by now: it says goodbye to who is still there, nothing more, and ends."""
    old.send("9 look\n")
    woken = time.monotonic()
    scene.judge.woke(woken, node)
    node.thaw()
    assert node.wait() == FENCED
    print(f"{node.name} ended {time.monotonic() - woken:.2f} s after it had woken")
    scene.crowd.until(lambda: old.ended, "the goodbye")
    assert codes(old, woken, "bye") == ["SHUTDOWN"]
    scene.goes_on(table)


def test_the_tables_of_a_killed_owner_go_on_elsewhere_and_relayed_players_stay_connected(
    scene: Scene,
) -> None:
    first, second, third = scene.nodes.well
    table = scene.seat(first, second, third)
    relayed = scene.kept(*table.players[1:])
    since = time.monotonic()
    first.kill()
    scene.comes_back(table, since)
    scene.goes_on()
    moved_without_hanging_up(relayed, since)


def test_an_owner_that_stood_still_for_long_ends_when_it_wakes_and_says_nothing_late(scene: Scene) -> None:
    first, second, third = scene.nodes.well
    table = scene.seat(first, second, third)
    (old,), relayed = scene.kept(table.players[0]), scene.kept(*table.players[1:])
    since = time.monotonic()
    first.freeze()
    scene.comes_back(table, since, but=first)
    table.players[0].go_to(second)
    scene.goes_on()
    moved_without_hanging_up(relayed, since)
    until(lambda: time.monotonic() > since + 2 * LEASE, "two leases")
    wakes_and_ends(scene, first, table, old)


@pytest.mark.parametrize(
    "locked",
    [
        "live",  # a table is opened, and the engine waits for the rest of the transaction
        "match",  # a match ends: it waits for what depends on an answer
    ],
)
def test_an_owner_that_stands_still_within_a_transaction_keeps_no_lock(scene: Scene, locked: str) -> None:
    first, second, _ = scene.nodes.well
    table = scene.seat(first, second)
    (old,) = scene.kept(table.players[0])
    activity = f"FROM pg_stat_activity WHERE application_name LIKE 'golfnet:{first.number}@%'"
    with psycopg.connect(scene.nodes.url) as other, contextlib.closing(Program(first.port)) as opening:
        opening.ask("hello 1")
        opening.ask(f"name o{time.monotonic_ns() % 10**9}")
        other.execute(f"LOCK TABLE {locked} IN SHARE ROW EXCLUSIVE MODE".encode())
        opening.sock.sendall(b"7 create six-card\n")
        until(
            lambda: scene.nodes.history.rows(f"SELECT 1 {activity} AND wait_event_type = 'Lock'"), "waiting"
        )
        since = time.monotonic()
        first.freeze()
    until(
        lambda: not scene.nodes.history.rows(f"SELECT 1 {activity} AND wait_event <> 'ClientRead'"),
        "a transaction that nobody goes on with",
    )
    scene.comes_back(table, since, but=first)
    table.players[0].go_to(second)
    scene.goes_on()
    wakes_and_ends(scene, first, table, old)


def test_whoever_comes_in_while_tables_are_taken_is_given_its_seat(scene: Scene) -> None:
    first = scene.nodes.well[0]
    table = scene.seat(first, first)
    since = time.monotonic()
    with psycopg.connect(scene.nodes.url) as other:
        other.execute("LOCK TABLE match IN ACCESS EXCLUSIVE MODE")  # who takes a table asks for its match
        first.kill()
        until(lambda: scene.nodes.history.owners()[table.name] != first.number, "a new owner")
        heir = scene.nodes.owner(table.name)
        assert heir is not None
        for player in table.players:
            player.go_to(heir)
        with contextlib.suppress(AssertionError):
            scene.crowd.until(lambda: any(player.faults for player in table.players), "a wrong answer", 0.7)
    scene.comes_back(table, since)
    scene.goes_on()
    assert [fault for player in table.players for fault in player.faults] == []


def test_a_connection_that_was_given_up_while_its_table_moved_does_not_come_back(scene: Scene) -> None:
    first, second, third = scene.nodes.well
    table = scene.seat(first, second)
    host, guest = table.players
    since = time.monotonic()
    first.kill()
    for player in (host, guest):
        player.go_to(third)  # the guest's connection before is still open, and relayed by the second
    scene.comes_back(table, since)
    scene.goes_on(table)
    assert [*host.faults, *guest.faults] == []
