"""The host lets somebody play for a player who is away; the owner gets the seat back on returning."""

from random import Random

import pytest
import trio

from golfnet.storage.writes import SeatEnding
from tests.server.house import House, Program, play_at_random
from tests.server.table.test_membership import at_a_turn

LINE = "four-turn seats=2 clock=0"


async def lent(house: House) -> tuple[Program, Program, Program]:
    """Let Ann, the host, seat Cid for Bob, who is away; return all three."""
    bob, ann = await at_a_turn(house, LINE)
    await bob.drop()
    cid = await house.program("Cid")
    await ann.done("seat B Cid")
    await cid.done("join t1")
    return ann, bob, cid


async def test_a_match_in_a_lent_seat_counts_only_for_the_owner(house: House) -> None:
    store = house.lobby.store
    ann, bob, cid = await lent(house)
    await play_at_random([ann, cid], Random(1))
    (match,) = store.matches()
    owner, stranger = store.player_by_name("Bob"), store.player_by_name("Cid")
    assert owner is not None
    assert stranger is not None
    assert (match.seats[1].player, match.seats[1].ending) == (owner.id, SeatEnding.ABSENT)
    assert not store.matches(player=stranger.id)
    await ann.done("rematch")
    assert [each["name"] for each in ann.last("view")["seats"]] == ["Ann", "Cid"]
    again = await house.program()
    assert "table" not in await again.done(f"resume {bob.token}")


async def test_a_seat_left_for_good_can_be_lent_but_is_free_in_the_next_match(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await bob.done("leave")
    await ann.done("seat B Bob")
    await bob.done("join t1", "leave")
    await play_at_random([ann], Random(1))
    (match,) = house.lobby.store.matches()
    assert match.seats[1].ending is SeatEnding.LEFT, "a player who has left does not get the seat back"
    await ann.done("rematch")
    assert [each["name"] for each in ann.last("view")["seats"]] == ["Ann"]


async def test_a_table_still_has_a_host_after_the_hosts_seat_was_lent(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await ann.drop()
    cid = await house.program("Cid")
    await bob.done("seat A Cid")
    await cid.done("join t1")
    await play_at_random([cid, bob], Random(1))
    await bob.done("rematch")
    assert bob.events("host")[-1]["name"] in ("Bob", "Cid")


@pytest.mark.settings(chat_per_10_seconds=3)
async def test_lending_offers_count_as_chat(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await bob.drop()
    cid = await house.program("Cid")
    assert await ann.codes(*["seat B Cid"] * 5) == ["ok"] * 3 + ["RATE_LIMITED"] * 2
    await cid.done("mute Ann")
    await trio.sleep(11)
    before = len(cid.objects)
    await ann.done("seat B Cid")
    assert not await cid.poll()
    assert len(cid.objects) == before


async def test_an_owner_who_returns_after_match_and_borrower_are_gone_has_no_table(house: House) -> None:
    ann, bob, cid = await lent(house)
    await play_at_random([ann, cid], Random(1))
    await cid.done("leave")
    again = await house.program()
    assert "table" not in await again.done(f"resume {bob.token}")
    assert (await ann.done("look"))["table"] == "t1"
