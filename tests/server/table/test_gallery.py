"""Watchers, the stage, and the line for the next match: who is told what, and who gets which seat."""

import random
from random import Random
from typing import Any

import pytest
import trio

from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.text.stage import Joining
from golfnet.server.table.gallery import ANNOUNCED, ANNOUNCED_SECONDS, MAX_WATCHERS
from tests.server.house import House, Program, all_done, hole_played, open_house, play_at_random
from tests.server.table.test_membership import at_a_turn
from tests.server.table.test_sealing import TEXT, sealed

HOME = "\x1b[H"
WILL_NAWS = b"\xff\xfb\x1f"
WINDOW_OF_100_BY_30 = b"\xff\xfa\x1f\x00\x64\x00\x1e\xff\xf0"


def told(program: Program) -> list[tuple[str, str]]:
    """Return what a program was told about watchers."""
    return [
        (event["event"], event["name"])
        for event in program.events()
        if event["event"] == "watching" or (event["event"] == "left" and event["seat"] is None)
    ]


async def test_a_watcher_who_keeps_coming_and_going_is_announced_a_few_times_only(house: House) -> None:
    ann, eve, zoe = await house.programs("Ann", "Eve", "Zoe")
    await ann.done("create four-turn")
    journaled = house.lobby.tables["t1"].seq
    for _ in range(20):
        await eve.done("watch t1", "unwatch t1")
    await zoe.done("watch t1")
    assert len(told(ann)) == ANNOUNCED == house.lobby.tables["t1"].seq - journaled
    await trio.sleep(ANNOUNCED_SECONDS + 1)
    assert told(ann)[ANNOUNCED:] == [("watching", "Zoe")], "only the difference is announced later"
    numbers = [event["seq"] for event in ann.events()]
    assert numbers == list(range(numbers[0], house.lobby.tables["t1"].seq + 1))


async def test_the_number_of_watchers_in_a_view_is_what_was_announced(house: House) -> None:
    chance = random.Random(9)
    [ann] = await house.opened("four-turn", "Ann")
    crowd = [await house.program(f"Eve{number}") for number in range(6)]
    await ann.done(f"mute {crowd[0].name}")
    for _ in range(40):
        await chance.choice(crowd).ask(chance.choice(("watch t1", "unwatch t1")))
        await trio.sleep(chance.uniform(0, 20))
        await ann.done("look")
        counted = sum(1 if event == "watching" else -1 for event, _ in told(ann))
        assert ann.last("view")["watchers"] == counted
        assert counted <= len(house.lobby.tables["t1"].watchers)


@pytest.mark.parametrize("verb", ["mute", "noplay"])
async def test_muted_watchers_are_not_announced_and_only_they_see_themselves(house: House, verb: str) -> None:
    ann, bob = await house.opened("four-turn seats=3", "Ann", "Bob")
    eve, zoe = await house.programs("Eve", "Zoe")
    await eve.done("watch t1")
    await bob.done(f"{verb} eve")
    await eve.done("unwatch t1")
    if verb == "mute":
        await eve.done("watch t1")
        ian = await house.program()
        await ian.done("hello 1 caps=view", "name Ian")
        await bob.done("mute ian")
        await ian.done("watch t1")
        await all_done((ann, bob), "ready")
        assert [viewer.last("view")["watchers"] for viewer in (eve, ian)] == [1, 1]
        await bob.done("look")
        assert bob.last("view")["watchers"] == 0
    else:
        assert (await eve.ask("watch t1"))["code"] == "NOT_AVAILABLE"
    await zoe.done("watch t1")
    assert told(ann) == [("watching", "Eve"), ("left", "Eve"), ("watching", "Zoe")]


async def test_the_number_of_watchers_is_limited(house: House) -> None:
    await house.table("four-turn seats=2", "Ann", "Bob")
    table = house.lobby.tables["t1"]
    stranger: Any = house.lobby.accounts.find("Ann")
    table.watchers |= {f"p{n}": stranger for n in range(1000, 1000 + MAX_WATCHERS)}
    eve = await house.program("Eve")
    assert (await eve.ask("watch t1"))["code"] == "TOO_MANY"


async def test_a_closed_table_announces_nothing_later(house: House) -> None:
    [ann], eve = await house.opened("four-turn", "Ann"), await house.program("Eve")
    for _ in range(ANNOUNCED):
        await eve.done("watch t1", "unwatch t1")
    await eve.done("watch t1")
    await ann.done("leave")
    assert eve.events()[-1]["event"] == "closed"
    await trio.sleep(2 * ANNOUNCED_SECONDS)
    assert eve.events()[-1]["event"] == "closed"


# the stage, for a big screen


async def test_over_telnet_the_stage_is_redrawn_in_place(house: House) -> None:
    bob, ann = await at_a_turn(house, "four-turn seats=2")
    eve = await house.person("Eve")
    await eve.send(WILL_NAWS + WINDOW_OF_100_BY_30 + b"\r\n")
    await eve.say("watch t1 style=stage")
    for line in ("draw", "swap 1"):
        await bob.done(line)
        said = (await eve.take()).decode(errors="replace")
        assert said.count(HOME) == 1
        drawn = said.partition(HOME)[2]
        assert drawn.count("\r\n") < 30
        assert "\x1b[J" in drawn
    await eve.say("watch t1")
    await ann.done("draw", "swap 1")
    assert HOME not in (await eve.take()).decode(errors="replace")


@pytest.mark.parametrize(
    ("address", "is_lan", "is_told"),
    [("192.168.1.9", False, True), ("8.8.8.8", False, False), ("8.8.8.8", True, True)],
)
async def test_without_lan_the_servers_addresses_are_shown_only_on_its_network(
    autojump_clock: object, address: str, is_lan: bool, is_told: bool
) -> None:
    async with open_house(lan=is_lan) as house:
        house.lobby.joining = Joining(ways=(("", "nc 192.168.1.20 7777"),))
        await house.opened("six-card", "Ann")
        eve = await house.connect(address=address)
        await eve.say("name Eve")
        said = await eve.say("watch t1 style=stage")
        assert "    join t1\r\n" in said
        assert ("192.168.1.20" in said) is is_told


# --- the line for the next match


LINE = "four-turn seats=3 clock=0"


async def test_a_full_table_refuses_programs_that_do_not_ask_for_a_place_in_line(house: House) -> None:
    await house.table(LINE, "Ann", "Bob")
    cid = await house.program("Cid")
    assert await cid.codes("join t1", "join t1 wait=soon") == ["BAD_PHASE", "BAD_ARGUMENT"]
    assert (await cid.done("join t1 wait=on"))["table"] == "t1"
    assert cid.last("view")["you"] is None


@pytest.mark.parametrize("when", ["after the match", "in a hole", "between holes", "while texts are awaited"])
async def test_those_in_line_get_the_table_when_all_other_people_have_left(house: House, when: str) -> None:
    ann, bob = await house.table(f"{LINE} holes=2", "Ann", "Bob")
    cid = await house.program("Cid", "join t1 wait=on")
    if when == "after the match":
        await play_at_random([ann, bob], Random(1))
        soon = "The next match opens in 15 seconds, or as soon as somebody with a seat types rematch."
        assert ann.notices("WAITING")[-1]["text"] == f"Cid is waiting for a seat. {soon}"
    elif when != "in a hole":
        await hole_played([ann, bob])
    if when == "while texts are awaited":
        await bob.done(f"seal {sealed('Bob', hole=2)}")
        await all_done((ann, bob), "ready")
        assert cid.events("seals_closed")
    await all_done((ann, bob), "leave")
    await trio.sleep(60)
    assert house.lobby.tables["t1"].state is TableState.OPEN, "no timer of the old match is left"
    view = cid.last("view")
    assert (view["you"], view["state"], cid.events("host")[-1]["name"]) == ("A", "open", "Cid")
    assert cid.notices("IN_LINE")[-1]["place"] == 0
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
    await dee.poll()
    assert [notice["place"] for notice in dee.notices("IN_LINE")] == [1] * (how != "create six-card")


async def test_announcements_of_joining_the_line_are_limited(house: House) -> None:
    ann, _ = await house.table(LINE, "Ann", "Bob")
    cid = await house.program("Cid")
    for _ in range(20):
        await cid.done("join t1 wait=on", "leave")
        await trio.sleep(0.5)
    assert len(ann.notices("WAITING")) == 6
