"""The host lets somebody play for a player who is away; the owner gets the seat back on returning."""

from random import Random

import pytest
import trio

from golfnet.server.table.hosts import OFFER_SECONDS
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import SeatEnding
from tests.server.following import Follower
from tests.server.house import House, Program, open_house, play_at_random
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


async def test_a_borrower_is_asked_first_and_then_plays_under_their_own_name(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    eve, cid = await house.programs("Eve", "Cid")
    await eve.done("watch t1")
    await bob.drop()
    followers = [Follower(program) for program in (ann, eve)]
    for follower in followers:
        await follower.peer.done("look")
        await follower.compare()
    await ann.done("seat B Cid")
    assert (cid.last("notice")["code"], cid.last("notice")["table"]) == ("SEAT_OFFERED", "t1")
    assert "view" not in [thing["type"] for thing in cid.objects], "nobody is seated without being asked"
    await cid.done("join t1")
    view = cid.last("view")
    assert (view["you"], [seat["name"] for seat in view["seats"]]) == ("B", ["Ann", "Bob"])
    for program in (ann, eve):
        returned = program.events("returned")[-1]
        assert (returned["seat"], returned["name"]) == ("B", "Cid")
    for follower in followers:
        await follower.compare()
    await cid.done("peek 3 4")
    await ann.done("peek 3 4")
    await cid.done("draw")
    await cid.done("discard")
    assert (await cid.ask("join t1"))["code"] == "ALREADY_SEATED"


@pytest.mark.settings(grace=60)
@pytest.mark.parametrize("is_played_by_house", [False, True])
async def test_a_returning_owner_gets_the_seat_back_at_once(
    house: House, *, is_played_by_house: bool
) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await bob.drop()
    if is_played_by_house:
        await trio.sleep(61)
    cid = await house.program("Cid")
    await ann.done("seat B Cid")
    await cid.done("join t1")
    again = await house.resumed(bob)
    assert (again.last("ok")["table"], again.last("view")["you"]) == ("t1", "B")
    assert cid.last("notice")["code"] == "SEAT_BACK"
    assert (await cid.ask("peek 3 4"))["code"] == "NOT_SEATED"
    await cid.done("create six-card seats=2")


@pytest.mark.settings(grace=60)
@pytest.mark.parametrize("how", ["leave", "drop"])
async def test_a_borrower_may_leave_and_the_owner_may_still_return(house: House, how: str) -> None:
    ann, bob, cid = await lent(house)
    if how == "leave":
        assert "last place" not in (await cid.done("leave"))["note"]
    else:
        await cid.drop()
        await trio.sleep(61)
    assert ann.events("house_plays")[-1]["seat"] == "B"
    dee = await house.program("Dee")
    await ann.done("seat B Dee")
    await dee.done("join t1")
    await house.resumed(bob)
    assert dee.last("notice")["code"] == "SEAT_BACK"


async def test_the_match_counts_only_for_the_owner(house: House) -> None:
    store = house.lobby.store
    ann, bob, cid = await lent(house)
    await play_at_random([ann, cid], Random(1))
    (match,) = store.matches()
    owner, stranger = store.player_by_name("Bob"), store.player_by_name("Cid")
    assert owner is not None
    assert stranger is not None
    seat = match.seats[1]
    assert (seat.player, seat.name, seat.ending) == (owner.id, "Bob", SeatEnding.ABSENT)
    assert not store.matches(player=stranger.id)
    await ann.done("rematch")
    assert [each["name"] for each in ann.last("view")["seats"]] == ["Ann", "Cid"]
    again = await house.program()
    assert "table" not in await again.done(f"resume {bob.token}")


async def test_a_seat_left_for_good_can_also_be_lent(house: House) -> None:
    store = house.lobby.store
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await bob.done("leave")
    await ann.done("seat B Bob")
    await bob.done("join t1")
    await play_at_random([ann, bob], Random(1))
    (match,) = store.matches()
    assert match.seats[1].ending is SeatEnding.LEFT, "a player who has left does not get the seat back"


async def test_a_seat_left_by_owner_and_borrower_is_free_in_the_next_match(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await bob.done("leave")
    await ann.done("seat B Bob")
    await bob.done("join t1")
    await bob.done("leave")
    await play_at_random([ann], Random(1))
    await ann.done("rematch")
    assert [each["name"] for each in ann.last("view")["seats"]] == ["Ann"]


async def test_a_lent_seat_survives_a_restart(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        _, bob, cid = await lent(house)
        await trio.sleep(1)
    async with open_house(store=store) as house:
        back = await house.resumed(cid)
        await back.done("draw")
        again = await house.resumed(bob)
        assert again.last("view")["holding"] == "B"
        assert back.last("notice")["code"] == "SEAT_BACK"


async def test_invalid_requests_to_lend_a_seat_are_refused(house: House) -> None:
    ann, bob = await house.table("four-turn seats=3 clock=0", "Ann", "Bob")
    cid = await house.program("Cid")
    for line, code in (
        ("seat B Cid", "BAD_ARGUMENT"),
        ("seat A Cid", "BAD_ARGUMENT"),
        ("seat H Cid", "BAD_PHASE"),
        ("seat B Nobody", "NO_SUCH_PLAYER"),
    ):
        assert (await ann.ask(line))["code"] == code
    assert (await bob.ask("seat A Cid"))["code"] == "NOT_HOST"
    await bob.drop()
    assert (await cid.ask("join t1"))["code"] == "BAD_PHASE"
    assert (await ann.ask("seat B Ann"))["code"] == "ALREADY_SEATED"
    await cid.done("noplay Ann")
    assert (await ann.ask("seat B Cid"))["code"] == "NOT_AVAILABLE"
    await cid.done("noplay Ann off")
    await ann.done("seat B Cid")
    await trio.sleep(OFFER_SECONDS + 1)
    assert (await cid.ask("join t1"))["code"] == "BAD_PHASE"
    await ann.done("seat B Cid")
    await house.resumed(bob)
    assert (await cid.ask("join t1"))["code"] == "BAD_PHASE", "the owner returned first"


@pytest.mark.settings(chat_per_10_seconds=3)
async def test_lending_offers_count_as_chat(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await bob.drop()
    cid = await house.program("Cid")
    codes = [(await ann.ask("seat B Cid")).get("code", "ok") for _ in range(5)]
    assert codes == ["ok"] * 3 + ["RATE_LIMITED"] * 2
    await cid.done("mute Ann")
    await trio.sleep(11)
    before = len(cid.objects)
    await ann.done("seat B Cid")
    assert not await cid.poll()
    assert len(cid.objects) == before


async def test_a_table_still_has_a_host_after_the_hosts_seat_was_lent(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    await ann.drop()
    cid = await house.program("Cid")
    await bob.done("seat A Cid")
    await cid.done("join t1")
    await play_at_random([cid, bob], Random(1))
    await bob.done("rematch")
    table = house.lobby.tables["t1"]
    assert table.host is not None
    assert table.seating.of(table.host) is not None


async def test_an_owner_who_returns_once_match_and_borrower_are_gone_has_no_table(house: House) -> None:
    ann, bob, cid = await lent(house)
    await play_at_random([ann, cid], Random(1))
    await cid.done("leave")
    again = await house.program()
    assert "table" not in await again.done(f"resume {bob.token}")
    assert (await ann.done("look"))["table"] == "t1"
