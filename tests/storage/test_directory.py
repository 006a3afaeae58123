"""What every directory does: the one in PostgreSQL, and the fake one for tests with several nodes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import pytest

from golfnet.storage.directory import (
    Directory,
    IdKind,
    ListedTable,
    PlayerPlace,
    SanctionKind,
    SanctionRow,
    SharedDirectory,
    Stay,
    TableOffer,
)
from golfnet.storage.faults import StoreReason
from golfnet.storage.writes import OpenTable, PlayerKind, SavePlayer, SaveTable
from tests.server.shared_directory import FakeDirectory
from tests.storage.conftest import refused
from tests.storage.rows import player

if TYPE_CHECKING:
    from golfnet.storage.store import Store
    from tests.server.cluster import SharedStore
    from tests.storage.conftest import Three


class Two(NamedTuple):
    """A store, and the directory as two nodes see it; the first node writes to the store."""

    store: Store | SharedStore
    one: SharedDirectory
    two: SharedDirectory


@pytest.fixture(name="nodes")
def two_nodes(nodes: Three) -> Two:
    one, two, _ = nodes
    return Two(one.store, one.directory, two.directory)


def offer(number: int, node: int, fit: str = "six-card", *, is_opening: bool = False) -> TableOffer:
    row = b"" if is_opening else b'{"table":"t%d"}' % number
    return TableOffer(table=f"t{number}", node=node, fit=fit, terms=b"{}", row=row, is_opening=is_opening)


def test_numbers_are_reserved_once(nodes: Two) -> None:
    blocks = [each.reserve(IdKind.TABLE, 10) for each in (nodes.one, nodes.two, nodes.one)]
    assert [number for block in blocks for number in block] == [*range(1, 31)]
    assert nodes.two.reserve(IdKind.MATCH, 2) == range(1, 3)


def test_a_name_goes_to_the_first_who_claims_it(nodes: Two) -> None:
    ann, other = player(1, "Ann"), player(2, "ANN")
    stay = nodes.one.claim_name(ann, None)
    assert stay is not None
    assert stay.node == nodes.one.node
    assert nodes.two.claim_name(other, None) is None
    assert nodes.store.player("p2") is None
    stored = nodes.store.player("p1")
    assert stored is not None
    assert stored.name == "Ann"


def test_a_freed_name_goes_to_somebody_else_unless_its_owner_is_back(nodes: Two) -> None:
    stay = nodes.one.claim_name(player(1, "Ann"), None)
    assert stay is not None
    assert nodes.two.claim_name(player(2, "Ann"), "p1") is None
    nodes.one.depart("p1", stay.number)
    assert nodes.two.claim_name(player(2, "Ann"), "p1") is not None
    assert nodes.store.player("p1") is None


def test_a_player_belongs_to_the_first_node_until_they_depart(nodes: Two) -> None:
    first = nodes.one.arrive("p1")
    assert nodes.two.arrive("p1") == first
    again = nodes.one.arrive("p1")
    assert again.number > first.number
    nodes.one.depart("p1", first.number)  # an old number: the player has arrived again since
    assert nodes.two.place_of("p1") == nodes.one.node
    nodes.two.depart("p1", again.number)  # the player is not at this node
    assert nodes.two.place_of("p1") == nodes.one.node
    nodes.one.depart("p1", again.number)
    assert nodes.two.place_of("p1") == nodes.two.node  # no node has the player, so the node that asks may
    assert nodes.two.arrive("p1").node == nodes.two.node


def test_keep_changes_neither_players_of_living_nodes_nor_known_stay_numbers(nodes: Two) -> None:
    stay = nodes.one.arrive("p1")
    assert nodes.two.keep(["p1", "p2"]).keys() == {"p2"}  # p1 is at a living node
    assert nodes.one.keep(["p1"]) == {"p1": stay.number}


def test_a_player_is_taken_once_and_only_with_the_current_stay_number(nodes: Two) -> None:
    stay = nodes.one.arrive("p1")
    taken = nodes.two.take("p1", stay.number)
    assert taken is not None
    assert (taken.node, taken.number > stay.number) == (nodes.two.node, True)
    assert nodes.two.take("p1", stay.number) is None
    assert nodes.one.staying(["p1", "p7"]) == {"p1"}
    assert nodes.two.staying(["p1"]) == frozenset()


def test_a_player_who_has_since_departed_can_still_be_taken(nodes: Two) -> None:
    stay = nodes.one.arrive("p1")
    nodes.one.depart("p1", stay.number)  # for example since a link has broken
    taken = nodes.two.take("p1", stay.number)
    assert taken is not None
    assert (taken.node, taken.number > stay.number) == (nodes.two.node, True)


def test_concurrent_arrivals_of_a_player_lead_to_one_node(nodes: Two) -> None:
    with ThreadPoolExecutor(8) as threads:
        stays = list(threads.map(lambda n: (nodes.one, nodes.two)[n % 2].arrive(f"p{1 + n // 8}"), range(64)))
    for number in range(8):
        assert len({stay.node for stay in stays[8 * number : 8 * number + 8]}) == 1


def test_players_elsewhere_are_found_by_name_and_listed_with_their_place(nodes: Two) -> None:
    stay = nodes.one.claim_name(player(1, "Zoë"), None)
    assert stay is not None
    nodes.store.write([OpenTable("t4", b"row", ("p1",))])
    nodes.one.publish((), (), {"p1": False, "p9": True})
    found = nodes.two.find(player(1, "Zoë").skeleton)
    assert found is not None
    assert (found.id, found.name, found.kind, found.node) == ("p1", "Zoë", PlayerKind.GUEST, nodes.one.node)
    assert found.place == PlayerPlace("t4", False)
    assert nodes.two.residents(10) == (1, (found,))
    nodes.store.write([SaveTable("t4", b"row")])
    assert nodes.two.residents(10) == (0, ()), "a player who has left but may return"
    assert nodes.one.find(player(1, "Zoë").skeleton) is None
    assert nodes.one.residents(10) == (0, ())


def test_tables_are_listed_elsewhere_until_they_close(nodes: Two) -> None:
    nodes.one.publish([offer(3, nodes.one.node), offer(2, nodes.one.node, "")], (), {})
    assert nodes.one.listed(10) == (0, ())
    assert nodes.two.listed(1)[0] == 2
    assert nodes.two.unowned(10) == ()
    assert {table.row for table in nodes.two.listed(10)[1]} == {b'{"table":"t2"}', b'{"table":"t3"}'}
    nodes.one.publish((), ["t3"], {})
    assert nodes.two.listed(10) == (1, (ListedTable(nodes.one.node, b'{"table":"t2"}'),))


def test_if_two_players_seek_the_same_table_one_opens_it_and_the_other_finds_it(nodes: Two) -> None:
    mine, yours = offer(1, nodes.one.node, is_opening=True), offer(11, nodes.two.node, is_opening=True)
    assert nodes.one.seek(mine, ()) == ()
    assert nodes.two.seek(yours, ()) == (mine,)
    assert nodes.two.listed(10) == (0, ())
    opened = offer(1, nodes.one.node)
    nodes.one.publish([opened], (), {})
    assert nodes.two.seek(yours, ()) == (opened,)
    assert nodes.two.seek(yours, ["t1"]) == ()
    other = offer(2, nodes.one.node, "four-turn", is_opening=True)
    assert nodes.one.seek(other, ()) == ()


def test_sanctions_are_shared_by_all_nodes(nodes: Two) -> None:
    row = SanctionRow(kind=SanctionKind.BAN, whom="Ann", reason="rude", since=5.0)
    nodes.one.sanction(row)
    nodes.one.sanction(SanctionRow(kind=SanctionKind.MUTE, whom="Ann", reason="", since=6.0))
    assert [each.kind for each in nodes.two.sanctions()] == [SanctionKind.BAN, SanctionKind.MUTE]
    nodes.two.lift(SanctionKind.MUTE, "Ann")
    assert nodes.one.sanctions() == (row,)


@pytest.mark.parametrize("nodes", ["postgres"], indirect=True)
def test_a_node_declared_gone_takes_no_players_and_has_none(nodes: Two) -> None:
    nodes.store.write([SavePlayer(player(1, "Ann")), SavePlayer(player(2, "Bob"))])
    nodes.store.write([OpenTable("t1", b"row", ("p2",))])
    for name in ("p1", "p2"):
        nodes.one.arrive(name)
    nodes.one.publish([offer(1, nodes.one.node)], (), {})
    assert nodes.two.owner("t1") == nodes.one.node
    assert nodes.two.link_of(nodes.two.node) == "10.0.0.2:7790"
    nodes.two._do("UPDATE node SET gone = true WHERE id = %s", nodes.one.node)  # type: ignore[attr-defined]
    with refused(StoreReason.FENCED):
        nodes.one.arrive("p3")
    assert (nodes.two.owner("t1"), nodes.two.listed(10), nodes.two.residents(10)) == (None, (0, ()), (0, ()))
    assert nodes.two.unowned(10) == (b'{"table":"t1"}',)
    assert nodes.two.unowned(0) == ()
    assert nodes.two.arrive("p1").node == nodes.two.node
    assert nodes.two.arrive("p2").node == nodes.one.node, "nobody has taken over their table yet"
    assert nodes.two.link_of(nodes.one.node) is None


@pytest.mark.parametrize("nodes", ["postgres"], indirect=True)
def test_a_player_of_a_node_that_is_gone_belongs_to_the_new_node_of_the_table(nodes: Two) -> None:
    nodes.store.write([OpenTable("t1", b"row", ("p1",))])
    stay = nodes.one.arrive("p1")
    ask = nodes.two._all  # type: ignore[attr-defined]
    ((heir,),) = ask("INSERT INTO node (name, link, version) VALUES ('heir', 'x', '0') RETURNING id")
    ask("UPDATE node SET gone = true WHERE id = ? RETURNING id", nodes.one.node)
    ask("UPDATE live SET owner = ? RETURNING number", heir)
    assert nodes.two.arrive("p1") == Stay(stay.number, heir), "the new node has not registered the player yet"
    ask("UPDATE node SET gone = true WHERE id = ? RETURNING id", heir)
    assert nodes.two.arrive("p1").node != nodes.two.node, "their table has no owner again"
    ask("UPDATE live SET owner = ? RETURNING number", nodes.two.node)
    arrived = nodes.two.arrive("p1")
    assert (arrived.node, arrived.table) == (nodes.two.node, "t1")


def test_a_shared_directory_overrides_every_method_of_the_single_server_one() -> None:
    from golfnet.storage.postgres.directory import PostgresDirectory

    asked = [name for name, each in vars(Directory).items() if callable(each) and not name.startswith("_")]
    assert len(asked) > 10
    for shared in (FakeDirectory, PostgresDirectory):
        assert [name for name in asked if getattr(shared, name) is getattr(Directory, name)] == []
