"""Ownership of tables: in PostgreSQL, and in the fake directory for tests with several nodes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.store import LoggedEvent, TableLog
from golfnet.storage.writes import AppendEvent, CloseTable, GiveTable, OpenTable, SaveTable, SetAside
from tests.storage.conftest import refused
from tests.storage.rows import player

if TYPE_CHECKING:
    from tests.storage.conftest import NodeSide, Three


def open_tables(node: NodeSide, *tables: str) -> None:
    node.store.write([OpenTable(table, b"row") for table in tables])
    node.store.write([AppendEvent(table, 1, b"a") for table in tables])


def log(table: str, row: bytes = b"row", *, was_given: bool = False) -> TableLog:
    return TableLog(table, row, (LoggedEvent(1, b"a"),), is_unrestored=True, was_given=was_given)


def test_every_batch_shows_that_a_node_is_alive_and_a_probe_does_not(nodes: Three) -> None:
    one, two, _ = nodes
    before = two.directory.look().nodes
    assert [node.node for node in before] == [side.number for side in nodes]
    one.store.write([])
    one.store.probe()
    after = two.directory.look().nodes
    assert [late.batch - early.batch for early, late in zip(before, after, strict=True)] == [1, 0, 0]


def test_a_node_that_has_committed_since_it_was_seen_is_not_declared_gone(nodes: Three) -> None:
    one, two, _ = nodes
    seen = one.seen()
    one.store.write([])
    assert not two.directory.declare_gone(seen)
    assert two.directory.declare_gone(one.seen())
    assert not two.directory.declare_gone(seen)
    assert one.number not in [node.node for node in two.directory.look().nodes]
    with pytest.raises(StoreError):  # its connection has been closed
        one.store.write([])
    with refused(StoreReason.FENCED):
        one.store.write([])


def test_the_tables_of_a_node_that_is_gone_are_taken_once(nodes: Three) -> None:
    one, two, three = nodes
    open_tables(one, "t1", "t2", "t3")
    one.store.write([SetAside("t2", "a fault")])
    assert not two.directory.look().are_tables_waiting
    assert two.take() == []
    assert two.directory.declare_gone(one.seen())
    assert two.directory.look().are_tables_waiting
    assert two.take(limit=1) == [log("t1")]
    assert three.take() == [log("t3")]
    assert two.take("t1") == three.take("t3") == []
    two.store.write([AppendEvent("t1", 2, b"b"), SaveTable("t1", b"new")])
    three.store.write([CloseTable("t3")])
    for node in (two, three):
        assert not node.directory.look().are_tables_waiting
        assert node.take() == []


def test_a_taken_table_waits_until_its_node_has_restored_it(nodes: Three) -> None:
    one, two, three = nodes
    open_tables(one, "t1")
    two.directory.declare_gone(one.seen())
    assert two.take() == [log("t1")]
    assert three.take() == []
    assert two.take() == [log("t1")]  # the first reply was lost
    assert two.directory.look().are_tables_waiting
    assert not three.directory.look().are_tables_waiting
    two.store.write([SaveTable("t1", b"row")])
    assert two.take() == []


def test_a_table_handed_over_belongs_to_the_other_node_at_once(nodes: Three) -> None:
    one, two, three = nodes
    stay = one.directory.arrive("p1")
    open_tables(one, "t1")
    one.store.write([GiveTable("t1", b"given", two.number, (("p1", stay.number),))])
    with refused(StoreReason.CONFLICT):
        one.store.write([AppendEvent("t1", 2, b"b")])
    assert three.take() == one.take() == []
    assert two.take() == [log("t1", b"given", was_given=True)]
    assert three.directory.place_of("p1") == two.number
    assert two.directory.keep(["p1"]) == {"p1": stay.number}
    taken = two.directory.take("p1", stay.number)
    assert taken is not None
    assert taken.node == two.number


def test_a_table_handed_to_a_node_that_is_gone_can_be_taken_by_any_node(nodes: Three) -> None:
    one, two, three = nodes
    open_tables(one, "t1")
    stay = one.directory.arrive("p1")
    one.directory.declare_gone(two.seen())
    one.store.write([GiveTable("t1", b"given", two.number, (("p1", stay.number),))])
    assert three.take() == [log("t1", b"given", was_given=True)]
    assert three.directory.keep(["p1"]) == {"p1": stay.number}


def test_a_table_whose_new_node_dies_before_restoring_it_waits_for_another(nodes: Three) -> None:
    one, two, three = nodes
    open_tables(one, "t1")
    one.store.write([GiveTable("t1", b"given", two.number, ())])
    assert two.take() == [log("t1", b"given", was_given=True)]
    three.directory.declare_gone(two.seen())
    assert three.take() == [log("t1", b"given", was_given=True)]


def test_a_draining_node_takes_only_tables_handed_to_it(nodes: Three) -> None:
    one, two, three = nodes
    open_tables(one, "t1", "t2")
    open_tables(three, "t3")
    assert one.directory.heirs() == ((two.number, 0), (three.number, 1))
    two.directory.drain()
    assert one.directory.heirs() == ((three.number, 1),)
    one.store.write([GiveTable("t1", b"given", two.number, ())])
    three.directory.declare_gone(one.seen())
    assert two.take() == [log("t1", b"given", was_given=True)]
    assert three.take() == [log("t2")]


def test_a_node_declared_gone_takes_no_tables(nodes: Three) -> None:
    one, two, three = nodes
    open_tables(one, "t1")
    three.directory.declare_gone(two.seen())
    three.directory.declare_gone(one.seen())
    assert two.take() == []
    assert three.take() == [log("t1")]


def test_a_player_has_one_seat_at_a_time_and_its_table_is_known(nodes: Three) -> None:
    one, two, _ = nodes
    players = ("p1", "p2", "p3")

    def seats() -> list[str | None]:
        return [one.directory.arrive(player).table for player in players]

    one.store.write(
        [OpenTable("t1", b"row", ("p1",)), OpenTable("t2", b"row"), OpenTable("t3", b"row", ("p3",))]
    )
    assert seats() == ["t1", None, "t3"]
    one.store.write([SaveTable("t1", b"row", ("p2", "p1")), AppendEvent("t1", 1, b"a")])
    assert seats() == ["t1", "t1", "t3"]
    one.store.write([SaveTable("t1", b"row", ("p2",)), SaveTable("t2", b"row", ("p1",))])
    assert seats() == ["t2", "t1", "t3"]
    one.store.write([SetAside("t1", "a fault"), CloseTable("t3")])
    assert seats() == ["t2", None, None]
    stay = one.directory.arrive("p1")
    one.store.write([GiveTable("t2", b"row", two.number, (("p1", stay.number),))])
    assert two.directory.arrive("p1").table == "t2"


def test_a_seated_player_stays_with_the_dead_node_until_the_table_is_taken(nodes: Three) -> None:
    one, two, three = nodes
    assert one.directory.claim_name(player(1, "Ann"), None) is not None
    one.store.write([OpenTable("t1", b"row", ("p1",))])  # the last write of the node
    assert two.directory.declare_gone(one.seen())
    assert two.directory.arrive("p1").node == one.number
    assert two.directory.take("p1", two.directory.arrive("p1").number) is None
    assert two.directory.claim_name(player(2, "Ann"), "p1") is None, "the name is not free either"
    assert three.take() == [TableLog("t1", b"row", (), is_unrestored=True)]
    assert three.directory.keep(["p1"])
    assert two.directory.arrive("p1").node == three.number
    assert three.directory.arrive("p1").table == "t1"


def test_two_nodes_that_take_tables_at_once_get_different_ones(nodes: Three) -> None:
    one, two, three = nodes
    tables = [f"t{number}" for number in range(1, 61)]
    open_tables(one, *tables)
    two.directory.declare_gone(one.seen())

    def take_all(node: NodeSide) -> set[str]:
        taken: set[str] = set()
        while found := node.take(*taken, limit=3):
            taken |= {each.table for each in found}
        return taken

    with ThreadPoolExecutor(2) as threads:
        ours, theirs = threads.map(take_all, (two, three))
    assert ours | theirs == set(tables)
    assert not ours & theirs
