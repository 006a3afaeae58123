"""Getting ready: those who are not ready yet are named, the order makes no difference, and it counts once."""

import random
from itertools import permutations

import pytest
import trio

from tests.server.house import House, Program, hole_played, play_at_random

NAMES = ("Ann", "Bob", "Cid")


async def opened(house: House, create: str = "four-turn") -> dict[str, Program]:
    """Seat people at a new table, the first of them its host."""
    return dict(zip(NAMES, await house.opened(create, *NAMES), strict=True))


async def state_of(house: House, people: dict[str, Program]) -> str:
    """Return the table's state, after everybody has read everything."""
    for program in people.values():
        await program.poll()
    return house.lobby.tables["t1"].state.value


def said_ready(program: Program) -> list[str]:
    """Return who is ready, in order, as a peer was told."""
    return [event["name"] for event in program.events("ready")]


@pytest.mark.parametrize("order", list(permutations(["Ann start", "Bob ready", "Cid ready"])))
async def test_the_match_starts_with_the_last_ready_in_whatever_order(
    order: tuple[str, ...], house: House
) -> None:
    people = await opened(house)
    for line in order:
        assert await state_of(house, people) == "open"
        name, word = line.split()
        await people[name].done(word)
    assert await state_of(house, people) == "playing"
    assert said_ready(people["Cid"]) == [line.split()[0] for line in order]


@pytest.mark.parametrize("ready", [(), ("Bob",), ("Cid",), ("Bob", "Cid")])
async def test_only_the_host_is_told_who_is_still_missing(ready: tuple[str, ...], house: House) -> None:
    people = await opened(house)
    for name in ready:
        await people[name].done("ready")
    note = (await people["Ann"].done("start")).get("note", "")
    missing = {"Bob", "Cid"} - set(ready)
    assert {name for name in NAMES if name in note} == missing
    assert (await state_of(house, people) == "playing") == (not missing)


async def test_saying_ready_again_changes_nothing(house: House) -> None:
    people = await opened(house)
    for name, line in [("Bob", "ready"), ("Ann", "start")] * 3:
        await people[name].done(line)
    assert await state_of(house, people) == "open"
    assert said_ready(people["Cid"]) == ["Bob", "Ann"]


@pytest.mark.parametrize("line", ["ready", "start", "rematch"])
async def test_during_play_there_is_nothing_to_start(line: str, house: House) -> None:
    ann, *_ = await house.table("four-turn seats=3", *NAMES)
    table = house.lobby.tables["t1"]
    before = table.seq
    assert (await ann.ask(line))["code"] == "BAD_PHASE"
    assert table.seq == before
    assert table.state.value == "playing"


async def test_rematch_before_the_match_means_ready(house: House) -> None:
    people = await opened(house)
    for name in ("Bob", "Cid"):
        await people[name].done("rematch")
    assert await state_of(house, people) == "open"
    assert said_ready(people["Ann"]) == ["Bob", "Cid"]
    await people["Ann"].done("start")
    assert await state_of(house, people) == "playing"


@pytest.mark.parametrize("first", NAMES)
async def test_the_first_request_opens_a_rematch_and_the_last_starts_it(first: str, house: House) -> None:
    programs = await house.table("four-turn seats=3 holes=1", *NAMES)
    await play_at_random(programs, random.Random(1))
    people, table = dict(zip(NAMES, programs, strict=True)), house.lobby.tables["t1"]
    match = table.match.id
    words = [first, *[name for name in NAMES if name != first]]
    for name, line in zip(words, ("rematch", "rematch", "ready"), strict=True):
        assert table.state.value == ("finished" if name == first else "open")
        await people[name].done(line)
        assert table.match.id != match, "the new match has its own number at once"
    assert await state_of(house, people) == "playing"
    assert said_ready(people["Ann"])[-3:] == words


async def test_a_person_ready_too_late_is_told_so_and_a_program_is_refused(house: House) -> None:
    ann, bob = await house.person("Ann"), await house.program("Bob")
    await ann.say("create four-turn seats=2")
    await bob.done("join t1")
    await trio.sleep(6)
    assert (await ann.say("ready")).startswith("= The hole has already begun")
    assert (await bob.ask("ready"))["code"] == "BAD_PHASE"


@pytest.mark.settings(grace=30)
async def test_players_who_are_away_are_not_dealt_in(house: House) -> None:
    people = await opened(house)
    await people["Bob"].done("ready")
    await people["Cid"].drop()
    note = (await people["Ann"].done("start"))["note"]
    assert note == "Cid is away. To start without Cid, type: kick Cid"
    assert await state_of(house, people) == "open"
    await trio.sleep(31)
    assert await state_of(house, people) == "playing"
    assert people["Ann"].events("match_started")[-1]["seats"] == ["Ann", "Bob"]


async def test_a_host_can_start_at_once_without_somebody_who_is_away(house: House) -> None:
    people = await opened(house)
    await people["Bob"].done("ready")
    await people["Cid"].drop()
    await people["Ann"].done("start")
    await people["Ann"].done("kick Cid")
    assert await state_of(house, people) == "playing"


@pytest.mark.settings(grace=60)
@pytest.mark.parametrize(("seats", "how"), [(2, "kick Ann and then bot"), (3, "bot")])
async def test_nobody_starts_alone_against_an_empty_chair(seats: int, how: str, house: House) -> None:
    ann, bob = await house.opened(f"four-turn seats={seats}", "Ann", "Bob")
    await ann.done("quit")
    await trio.sleep(11)  # Bob is the host by then
    await bob.poll()
    assert "start" not in bob.last("prompt")["actions"]
    expected = f"four-turn needs 2 players, and t1 has 1. Ann is away. To add a bot, type: {how}"
    assert (await bob.ask("start"))["message"] == expected
    await bob.done("ready")
    await trio.sleep(30)
    assert not house.lobby.tables["t1"].is_running
    for line in how.split(" and then "):
        await bob.done(line)
    await bob.ask("start")
    await trio.sleep(60)
    assert house.lobby.tables["t1"].is_running


async def test_play_outside_a_hole_is_told_what_comes_next(house: House) -> None:
    people = await opened(house, "four-turn seats=3 holes=2 pause=15 clock=0")
    programs = list(people.values())
    for line in ("draw", "pass hole"):
        expected = "There are no slams" if line == "pass hole" else "Type ready when you are."
        assert expected in (await programs[0].ask(line))["message"]
    for program in programs:
        await program.done("ready")
    await hole_played(programs)
    assert "Wait for the next deal." in (await programs[0].ask("draw"))["message"]
    await play_at_random(programs, random.Random(2))
    for line in ("draw", "take 1", "ready", "start", "bot", "bot fill=10", "cut x", "seal " + 64 * "0"):
        answer = await programs[0].ask(line)
        assert answer["message"] == "The match is over. Type rematch to play another."


@pytest.mark.usefixtures("quick_passwords")
async def test_a_guest_is_told_the_aim_only_at_their_first_deal(house: House) -> None:
    ann, bob, cid = await house.person("Ann"), await house.person("Bob"), await house.program("Cid")
    await bob.say("register seven-hearts")
    for at in (1, 2):
        await ann.say("create six-card holes=1")
        await bob.say(f"join t{at}")
        await cid.done(f"join t{at}")
        await bob.say("ready")
        await cid.done("ready")
        told = await ann.say("start")
        assert told.count("Low score wins") == (at == 1)
        assert at == 2 or told.index("The match begins") < told.index("Low score") < told.index("Hole 1")
        assert "Low score wins" not in (await bob.take()).decode()
        for person in (ann, bob):
            await person.say("leave")
            await person.say("leave")
        await cid.done("leave")
    assert not [thing for thing in cid.objects if thing.get("code") == "AIM"]
