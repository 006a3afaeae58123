"""Commands during play: refusals, confirmations, empty lines and ``moves``."""

import random
import re
from typing import Any

import pytest
import trio

from golfnet.server.commands.handlers import NO_NAME
from golfnet.server.commands.identity import NEXT
from golfnet.server.session.session import CONFIRM_SECONDS, ENTER_SECONDS
from golfnet.storage.sqlite import MemoryStore
from tests.engine.drawing import THREE
from tests.server.house import House, Peer, Program, choose_line, hole_played, open_house
from tests.server.slamming import open_window


async def seated(house: House, create: str) -> tuple[Peer, Program]:
    """Seat a person, then a program, at a table whose match has begun."""
    ann, bob = await house.person("Ann"), await house.program("Bob")
    await ann.say(f"create {create}")
    await bob.done("join t1")
    await bob.done("ready")
    await ann.say("start")
    return ann, bob


@pytest.mark.settings(seed=7)
async def test_refusals_use_names_for_people_and_letters_for_programs(house: House) -> None:
    ann, bob = await seated(house, "four-turn")
    await ann.say("peek 3 4")
    await bob.done("peek 3 4")
    turn = house.lobby.tables["t1"].view(None).turn
    if turn == "B":
        assert "It is Bob's turn." in await ann.say("draw")
    else:
        await ann.say("draw")
        assert (await bob.ask("draw"))["message"] == "It is A's turn."
        await ann.say("discard")
        assert "It is Bob's turn." in await ann.say("draw")
    await bob.done("draw")
    await bob.done("discard")
    assert (await bob.ask("draw"))["message"] == "It is A's turn."


@pytest.mark.settings(seed=7)
async def test_a_person_declines_a_power_with_pass(house: House) -> None:
    ann, bob = await seated(house, "cactus slam=off power=0,1,2,3,4,5,6,7,8,9,10,J,Q clock=0")
    await ann.say("peek 3 4")
    await bob.done("peek 3 4")
    if house.lobby.tables["t1"].view(None).turn == "B":
        await bob.done("draw")
        await bob.done("discard")
        await bob.done("decline")
    await ann.say("draw")
    assert "You have a power" in await ann.say("discard")
    assert "You leave the power unused" in await ann.say("pass")
    await bob.done("draw")
    await bob.done("discard")
    assert (await bob.ask("pass"))["code"] == "BAD_PHASE"


@pytest.mark.settings(seed=7)
async def test_a_person_is_asked_to_confirm_once_before_leaving_a_match(house: House) -> None:
    ann, _ = await seated(house, "four-turn seats=2")
    asked = (await ann.say("leave")).replace("\r\n ", "")
    assert asked.startswith("? CONFIRM Leave for good? A bot takes over your seat and the match counts")
    await trio.sleep(CONFIRM_SECONDS + 1)
    assert "? CONFIRM" in await ann.say("leave")
    await ann.say("score")
    await trio.sleep(CONFIRM_SECONDS - 1)
    assert "You have left t1." in await ann.say("leave")


@pytest.mark.parametrize(
    ("create", "loss"),
    [
        ("create four-turn clock=0", "A bot takes over your seat. Type leave again"),
        ("create four-turn", "The match ends. Type leave again"),
    ],
)
async def test_the_confirmation_prompt_says_what_will_be_lost(house: House, create: str, loss: str) -> None:
    ann = await house.person("Ann")
    await ann.say(create)
    if "clock" in create:
        await house.program("Bob", "join t1", "ready")
    else:
        await ann.say("bot")
    await ann.say("start")
    assert loss in (await ann.say("leave")).replace("\r\n ", "")


async def test_no_confirmation_is_asked_before_a_match_or_from_programs(house: House) -> None:
    ann = await house.person("Ann", "create four-turn")
    assert "You have left t1." in await ann.say("leave")
    bob, _ = await house.table("four-card-knock", "Bob", "Cid")
    await bob.done("leave")


@pytest.mark.settings(seed=7)
async def test_a_knock_on_the_first_turn_needs_one_confirmation(house: House) -> None:
    ann, bob = await seated(house, "four-card-knock clock=0")
    assert "? CONFIRM" not in await ann.say("knock")
    await ann.say("peek 3 4")
    await bob.done("peek 3 4")
    if house.lobby.tables["t1"].view(None).turn == "B":
        await bob.done("draw")
        await bob.done("discard")
    assert "? CONFIRM Knock on your first turn?" in await ann.say("knock")
    assert "You knock" in await ann.say("k")


@pytest.mark.settings(seed=7)
async def test_later_knocks_and_those_of_programs_need_no_confirmation(house: House) -> None:
    ann, bob = await seated(house, "four-card-knock clock=0")
    await ann.say("peek 3 4")
    await bob.done("peek 3 4")
    if house.lobby.tables["t1"].view(None).turn == "A":
        await ann.say("draw")
        await ann.say("discard")
    await bob.done("draw")
    await bob.done("discard")
    if house.lobby.tables["t1"].view(None).seats[0].turns == 1:
        await ann.say("draw")
        await ann.say("discard")
        await bob.done("draw")
        await bob.done("discard")
    assert "You knock" in await ann.say("knock")
    programs = await house.table("four-card-knock clock=0", "Cid", "Dan")
    for program in programs:
        await program.done("peek 3 4")
    leader = programs["AB".index(house.lobby.tables["t2"].view(None).turn or "")]
    await leader.done("knock")


async def test_the_answers_to_a_pass_and_a_slam_in_a_sealed_window_differ(house: House) -> None:
    slam = await open_window(house, THREE, options="slam=order")
    passed, slammed = await slam.asks("B", "pass"), await slam.asks("C", "slam 1")
    assert passed["note"] == "You pass on this card. That stays secret until the window closes."
    assert slammed["note"] == "Your claim is in. It stays secret until the window closes."


@pytest.mark.settings(seed=7)
async def test_a_pass_in_a_race_is_answered_and_nobody_else_is_told(house: House) -> None:
    ann, bob = await house.person("Ann"), await house.person("Bob")
    await ann.say("create cactus seats=2 slam=race slam_window=10")
    await bob.say("join t1")
    for peer, line in ((ann, "ready"), (bob, "ready"), (ann, "peek 3 4"), (bob, "peek 3 4"), (ann, "d")):
        await peer.say(line)
    await ann.say("x")
    await bob.take()
    assert await ann.say("p") == "= You pass.\r\n"
    assert await bob.take() == b""
    assert "pass" not in await bob.say("p"), "the closed window is the answer"


@pytest.mark.settings(seed=7)
async def test_an_empty_line_shows_what_can_be_done_now(house: House) -> None:
    ann, bob = await house.person("Ann"), await house.program("Bob")
    assert await ann.say("") == f"= {NEXT}\r\n"
    await ann.say("create four-turn clock=0")
    await trio.sleep(ENTER_SECONDS)
    assert (await ann.say("")).endswith("= To play at once, type: bot, then start\r\n")
    await bob.done("join t1")
    await bob.done("ready")
    await ann.say("start")
    await trio.sleep(ENTER_SECONDS)
    assert "= Look at two of your cards: type peek 3 4.\r\n" in await ann.say("")
    eve = await house.person("Eve", "watch t1")
    assert await eve.say("") == "= Ann (A) and Bob (B) still have to look at two cards.\r\n"


async def test_empty_lines_are_ignored_before_the_first_command_and_from_programs(house: House) -> None:
    stranger, bob = await house.connect(), await house.program("Bob")
    await stranger.take()
    assert await stranger.say("") == ""
    await stranger.say("who")
    assert await stranger.say("") == f"= {NO_NAME}\r\n"
    await bob.done("create six-card")
    await bob.send("")
    assert await bob.poll() == []


@pytest.mark.parametrize("telnet", [False, True])
async def test_an_empty_line_gets_one_answer_however_sent_and_a_held_key_one_per_second(
    house: House, *, telnet: bool
) -> None:
    ann = await house.connect(telnet=telnet)
    await ann.say("name Ann")
    for pieces in ([b"\r\n"], [b"\r\0"], [b"\n"], [b"\r", b"\n"], [b"\r", b"\0"], [b"\n\n\n"]):
        await trio.sleep(ENTER_SECONDS)
        told = "".join([await ann.say(piece) for piece in pieces])
        assert told.count("Next:") == 1, pieces
    await trio.sleep(ENTER_SECONDS)
    told = ""
    for _ in range(60):
        told += await ann.say(b"\r\n")
        await trio.sleep(ENTER_SECONDS / 30)
    assert told.count("Next:") == 2


@pytest.mark.settings(clock=0, pause=60)
async def test_x10_moves_does_not_repeat_cards_shown_only_once(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2 clock=0", "Ann", "Bob")
    await ann.done("peek 3 4")
    assert (await ann.rows("moves"))[-1] == "You look at slots 3 and 4."
    assert (await bob.rows("moves"))[-1] == "Ann looks at slots 3 and 4."


@pytest.mark.parametrize("rules", ["cactus slam=order", "cactus slam=race recall=always", "four-turn"])
async def test_the_move_list_reveals_no_card_the_viewer_has_not_seen(house: House, rules: str) -> None:
    players = await house.table(f"{rules} seats=3 holes=1", "Ann", "Bob", "Cid")
    eve = await house.program("Eve", "watch t1")
    chance = random.Random(5)
    for _ in range(120):
        for viewer in [*players, eve]:
            await viewer.poll()
            known = cards_in(viewer.objects)
            before = len(viewer.objects)
            await viewer.done("moves")
            assert cards_in(viewer.objects[before:]) <= known
            del viewer.objects[before:]
        ready = [program for program in players if program.last("prompt")["actions"]]
        if not ready:
            await trio.sleep(1)
            continue
        program = chance.choice(ready)
        await program.ask(choose_line(program.last("prompt"), chance))
    assert eve.events("hole_ended")


def cards_in(objects: list[dict[str, Any]]) -> set[str]:
    """Return the cards named in the given objects."""
    return set(re.findall(r"(?:10|[0-9AJQK])[SHDC]\b", str(objects)))


async def test_the_moves_of_the_last_hole_are_kept_after_it_and_after_a_restart(
    autojump_clock: object,
) -> None:
    store = MemoryStore()
    async with open_house(store=store, clock=0, pause=600) as house:
        players = await house.table("four-turn seats=2 holes=2", "Ann", "Bob")
        await hole_played(players)
        await players[0].done("moves")
        told = players[0].last("rows")["rows"]
        assert told[-4].startswith("A Ann, you  1 ")
        assert " points" in told[-4]
        token = players[0].token
    async with open_house(store=store, clock=0, pause=600) as house:
        ann = await house.program()
        await ann.done(f"resume {token}")
        assert (await ann.rows("moves")) == told
