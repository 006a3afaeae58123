"""A guest who has lost the token can reclaim the name from the same address, and nobody can lock the owner out."""

from typing import Any

import pytest
import trio
from hypothesis import given, strategies as st

from golfnet.server.accounts import claims
from golfnet.server.accounts.accounts import CLAIM_SECONDS, TOKENS
from golfnet.storage.sqlite import MemoryStore
from golfnet.storage.writes import PlayerKind, PlayerRow, Token
from tests.server.house import House, Program, open_house

pytestmark = pytest.mark.usefixtures("quick_passwords", "late_answers")

HOME, CAFE = "8.8.8.8", "9.9.9.9"


async def playing(house: House) -> tuple[Program, Program]:
    """Seat Ann, who connects from home, and Bob at a table."""
    ann = await house.program("Ann", "create four-turn seats=2 clock=0", address=HOME)
    bob = await house.program("Bob", "join t1", "ready")
    await ann.done("ready")
    return ann, bob


async def claims_name(house: House, name: str = "Ann", address: str = HOME) -> tuple[Program, dict[str, Any]]:
    program = await house.program(address=address)
    return program, await program.ask(f"name {name}")


async def test_a_guest_who_lost_the_token_gets_name_and_seat_back_by_giving_the_name(house: House) -> None:
    ann, bob = await playing(house)
    await ann.drop()
    again, ok = await claims_name(house)
    assert (ok["name"], ok["table"]) == ("Ann", "t1")
    assert ok["token"] not in ("", ann.token)
    assert again.last("view")["you"] == "A"
    assert [thing["type"] for thing in again.objects].index("view") < len(again.objects) - 1
    await bob.poll()
    assert bob.events("returned")[-1]["seat"] == "A"
    await again.done("peek 3 4")
    await again.drop()
    await house.program(None, f"resume {again.token}", address=CAFE)


async def test_a_name_is_reclaimed_only_from_its_guests_address_and_in_their_absence(house: House) -> None:
    ann, _ = await playing(house)
    for name, address in (("Ann", HOME), ("Ann", CAFE)):
        assert (await claims_name(house, name, address))[1]["code"] == "NAME_TAKEN"
    await ann.poll()
    assert not ann.is_closed
    await ann.drop()
    for name, address in (("Ann", CAFE), ("\u0410nn", HOME), ("A\u0578n", HOME)):
        assert (await claims_name(house, name, address))[1]["code"] in ("NAME_TAKEN", "BAD_NAME")
    _, ok = await claims_name(house, "ann")
    assert ok["name"] == "Ann", "upper and lower case are the same"


@pytest.mark.settings(reclaim=False)
async def test_an_operator_can_disable_reclaiming(house: House) -> None:
    ann, _ = await playing(house)
    await ann.drop()
    assert (await claims_name(house))[1]["code"] == "NAME_TAKEN"
    await (await house.program()).done(f"resume {ann.token}")


async def test_a_name_without_a_seat_can_also_be_reclaimed(autojump_clock: object) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        await house.program("Ann", "create six-card seats=2", "leave", "quit", address=HOME)
        new = await house.program("Ned", address=HOME)
        await new.drop()
        assert (await claims_name(house, "Ned"))[1]["type"] == "ok"
    async with open_house(store=store) as house:
        _, ok = await claims_name(house)
        assert ok["name"] == "Ann"


async def test_the_name_of_an_absent_guest_is_free_for_everybody_after_a_day(house: House) -> None:
    ann = await house.program("Ann", "create six-card seats=2", "leave", "quit")
    await trio.sleep(CLAIM_SECONDS - 1)
    assert (await claims_name(house, address=CAFE))[1]["code"] == "NAME_TAKEN"
    await trio.sleep(2)
    assert (await claims_name(house, address=CAFE))[1]["type"] == "ok"
    assert (await (await house.program()).ask(f"resume {ann.token}"))["code"] == "BAD_TOKEN"


async def test_the_older_token_gets_the_seat_back_and_invalidates_the_newer_one(house: House) -> None:
    ann, _ = await playing(house)
    await ann.drop()
    thief, _ = await claims_name(house)
    owner = await house.program(address=CAFE)
    ok = await owner.done(f"resume {ann.token}")
    assert (ok["name"], ok["table"]) == ("Ann", "t1")
    assert "Somebody logged in under your name" in ok["note"]
    await thief.poll()
    assert thief.objects[-1]["code"] == "TAKEN_OVER"
    other = await house.program(address=HOME)
    assert (await other.ask(f"resume {thief.token}"))["code"] == "BAD_TOKEN"
    again = await house.program()
    assert "note" not in await again.done(f"resume {ann.token}"), "the note is sent only once"


async def test_the_first_of_several_claims_prevails_over_later_ones(house: House) -> None:
    ann, _ = await playing(house)
    await ann.drop()
    owner, _ = await claims_name(house)
    await owner.drop()
    for _ in range(2 * TOKENS):
        thief, _ = await claims_name(house)
        await thief.drop()
    player = house.lobby.accounts.find("Ann")
    assert player is not None
    assert len(player.tokens) == TOKENS
    await house.program(None, f"resume {owner.token}", address=CAFE)
    assert len(player.tokens) == 2, "the first owner's and this one"
    assert (await (await house.program()).ask(f"resume {thief.token}"))["code"] == "BAD_TOKEN"
    await (await house.program()).done(f"resume {ann.token}")


ATTACKS = {
    "registers": ["register stolen-name"],
    "changes the password": ["register stolen-name", "passwd stolen-name other-name"],
    "logs the others out": ["logout others"],
    "logs out one by one": ["logout 1", "logout 1", "logout 1"],
    "registers and logs in often": ["register stolen-name", *["login Ann stolen-name"] * 3 * TOKENS],
    "registers and logs all out": ["register stolen-name", "logout all"],
    "leaves and quits": ["leave", "quit"],
}


@pytest.mark.parametrize("does", ATTACKS)
async def test_nothing_a_thief_does_locks_the_owner_out(autojump_clock: object, does: str) -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        ann, bob = await playing(house)
        await bob.done("leave")
        await ann.done("leave")
        await ann.drop()
        thief, _ = await claims_name(house)
        for line in ATTACKS[does]:
            await thief.ask(line)
            await trio.sleep(1)
        await trio.sleep(CLAIM_SECONDS - 3600)
    async with open_house(store=store) as house:
        owner = await house.program(address=CAFE)
        assert (await owner.done(f"resume {ann.token}"))["name"] == "Ann"
        assert (await (await house.program()).ask("login Ann stolen-name"))["code"] == "LOGIN_FAILED"
        assert (await (await house.program()).ask("login Ann other-name"))["code"] == "LOGIN_FAILED"
        row = store.player_by_name("Ann")
        assert row is not None
        assert (row.kind, row.password_hash, len(row.tokens)) == (PlayerKind.GUEST, None, 1)
        await owner.done("register seven-hearts")


async def test_older_tokens_are_invalid_a_day_after_a_reclaimed_name_is_registered(house: House) -> None:
    ann, _ = await playing(house)
    await ann.drop()
    back, _ = await claims_name(house)
    assert "older token" in (await back.done("register seven-hearts"))["note"]
    for _ in range(25):
        await trio.sleep(CLAIM_SECONDS / 24)
        await back.done("ping")
    late = await house.program(address=CAFE)
    assert (await late.ask(f"resume {ann.token}"))["code"] == "BAD_TOKEN"
    await late.done("login Ann seven-hearts")


@pytest.mark.settings(names_per_hour=3)
async def test_claims_count_as_new_names(house: House) -> None:
    ann = await house.program("Ann", "create four-turn seats=2", address=HOME)
    await ann.drop()
    codes = []
    for _ in range(4):
        program, answer = await claims_name(house)
        codes.append(answer.get("code", "ok"))
        await program.drop()
    assert codes == ["ok", "ok", "RATE_LIMITED", "RATE_LIMITED"]


origins = st.sampled_from([HOME, CAFE, ""])


@given(st.sampled_from(list(PlayerKind)), origins, origins)
def test_only_a_guests_name_can_be_reclaimed(kind: PlayerKind, origin: str, address: str) -> None:
    row = PlayerRow(
        id="p1", name="Ann", skeleton="ann", kind=kind, password_hash=None, created=0.0, seen=0.0,
        tokens=(Token(hash=b"", issued=0.0, used=0.0, origin=origin),),
    )  # fmt: skip
    may = claims.may_claim(row, "ANN", address)
    assert may == (kind is PlayerKind.GUEST and address != "" and origin == address)
