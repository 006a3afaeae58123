"""The line for the next match: who is waiting, who is told, and who gets which seat."""

from random import Random

import pytest
import trio

from golfnet.protocol.replies.presence import TableState
from golfnet.server.table.gallery import MOST_WAITING
from tests.server.house import House, all_done, hole_played, play_at_random
from tests.server.table.test_sealing import TEXT, sealed

LINE = "four-turn seats=3 clock=0"


async def test_a_full_table_refuses_programs_that_do_not_ask_for_a_place_in_line(house: House) -> None:
    await house.table(LINE, "Ann", "Bob")
    cid = await house.program("Cid")
    assert await cid.codes("join t1", "join t1 wait=soon") == ["BAD_PHASE", "BAD_ARGUMENT"]
    assert (await cid.done("join t1 wait=on"))["table"] == "t1"
    assert cid.last("view")["you"] is None


async def test_the_next_match_has_a_seat_for_those_in_line_and_waits_for_them(house: House) -> None:
    ann, bob = await house.table(LINE, "Ann", "Bob")
    cid, dee = await house.programs("Cid", "Dee")
    assert [(await each.done("join t1 wait=on"))["place"] for each in (cid, dee)] == [1, 2]
    await play_at_random([ann, bob], Random(1))
    await all_done((bob, ann), "rematch")
    assert [each.notices("IN_LINE")[-1]["place"] for each in (cid, dee)] == [0, 1]
    assert cid.last("view")["you"] == "C"
    assert not house.lobby.tables["t1"].is_running
    await cid.done("ready")
    assert house.lobby.tables["t1"].is_running


@pytest.mark.parametrize(
    "when", ["after the match", "in a hole", "between holes", "while a sealed text is awaited"]
)
async def test_those_in_line_get_the_table_when_all_other_people_have_left(house: House, when: str) -> None:
    ann, bob = await house.table(f"{LINE} holes=2", "Ann", "Bob")
    cid = await house.program("Cid", "join t1 wait=on")
    if when == "after the match":
        await play_at_random([ann, bob], Random(1))
    elif when != "in a hole":
        await hole_played([ann, bob])
    if when == "while a sealed text is awaited":
        await bob.done(f"seal {sealed('Bob', hole=2)}")
        await all_done((ann, bob), "ready")
        assert cid.events("seals_closed")
    await all_done((ann, bob), "leave")
    await trio.sleep(60)
    assert house.lobby.tables["t1"].state is TableState.OPEN, "no timer of the old match is left"
    view = cid.last("view")
    assert (view["you"], view["state"], cid.events("host")[-1]["name"]) == ("A", "open", "Cid")
    assert len(cid.events("match_ended")) == 1, "a match in play is abandoned"
    assert not cid.events("closed")
    await cid.done(f"seal {sealed('Cid', match='m2')}", "bot easy", "start", f"cut {TEXT}")
    assert cid.events("hole_started")[-1]["unrevealed"] == []


@pytest.mark.parametrize("how", ["quit", "unwatch", "kick", "create six-card"])
async def test_players_who_go_away_lose_their_place_in_line(house: House, how: str) -> None:
    ann, _ = await house.table(LINE, "Ann", "Bob")
    cid, dee = await house.programs("Cid", "Dee")
    await all_done((cid, dee), "join t1 wait=on")
    await (ann.done("kick Cid") if how == "kick" else cid.ask(how))
    table = house.lobby.tables["t1"]
    assert [player.name for player in house.lobby.accounts if table.waiting.place(player)] == ["Dee"]


async def test_the_line_is_limited_and_a_player_waits_in_only_one(house: House) -> None:
    await house.table(LINE, "Ann", "Bob")
    await house.table("four-turn seats=2", "Eve", "Fay")
    for number in range(MOST_WAITING):
        waiting = await house.program(f"Waiting{number}", "join t1 wait=on")
    assert (await waiting.ask("join t2 wait=on"))["code"] == "ALREADY_SEATED"
    late = await house.person("Late")
    assert "TOO_MANY" in (said := " ".join((await late.say("join t1")).split()))
    assert "To play at once, type: play" in said
    assert "number 1 in line" in " ".join((await late.say("join t2")).split())


async def test_announcements_of_joining_the_line_are_limited(house: House) -> None:
    ann, _ = await house.table(LINE, "Ann", "Bob")
    cid = await house.program("Cid")
    for _ in range(20):
        await cid.done("join t1 wait=on", "leave")
        await trio.sleep(0.5)
    assert len(ann.notices("WAITING")) == 6
