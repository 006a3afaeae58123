"""Clocks in virtual time: starts, pauses, warnings, and what the house does when nobody acts (X12, X13)."""

from typing import Any

import pytest
import trio

from tests.server.held_journal import HeldJournal
from tests.server.house import House, Program, hole_played
from tests.server.table.test_membership import at_a_turn


async def times_of(program: Program, name: str, seconds: float, step: float = 0.5) -> list[tuple[float, Any]]:
    """Wait, and return when each event with the given name arrived, in seconds from now, rounded to the step."""
    start, found = trio.current_time(), []
    count = len(program.events(name))
    while trio.current_time() - start < seconds:
        await trio.sleep(step)
        found += [(trio.current_time() - start, event) for event in program.events(name)[count:]]
        count = len(program.events(name))
    return found


async def test_the_next_hole_is_dealt_after_the_pause_or_when_everybody_is_ready(house: House) -> None:
    ann, bob = await house.table("four-turn seats=2 holes=3 pause=20", "Ann", "Bob")
    await hole_played([ann, bob])
    view = await ann.look()
    assert (view["state"], view["phase"], view["actions"]) == ("between", "over", ["ready"])
    assert view["pause_ms"] == 20_000
    assert ann.events("committed")[-1]["hole"] == 2
    [(when, _event)] = await times_of(ann, "hole_started", 22)
    assert when == pytest.approx(20, abs=0.6)
    await hole_played([ann, bob], 2)
    await ann.done("ready")
    assert len(ann.events("hole_started")) == 2
    await bob.done("ready")
    assert len(bob.events("hole_started")) == 3


async def test_a_turn_is_announced_with_its_clock_and_warnings_follow_at_half_time_and_10_s(
    house: House,
) -> None:
    player, other = await at_a_turn(house, "six-card seats=2 clock=60")
    assert player.events("turn")[-1]["ms"] == 60_000
    assert player.last("prompt")["ms"] == 60_000
    assert (await other.look())["clock"] == {"seat": player.events("turn")[-1]["seat"], "ms": 60_000}
    warned = await times_of(other, "clock", 59)
    assert [(round(when), event["ms"]) for when, event in warned] == [(30, 30_000), (50, 10_000)]
    assert not other.events("timed_out")
    await trio.sleep(2)
    assert other.events("timed_out")


async def test_a_clock_starts_when_the_decision_it_is_for_has_been_shown(house: House) -> None:
    store = house.lobby.store
    ann, bob = await house.table("six-card seats=2 clock=40", "Ann", "Bob")
    await ann.done("flip 1 2")
    journal = HeldJournal(store, is_open=False)
    house.lobby.gate._submit = journal.submit
    await bob.send("flip 1 2")
    await trio.sleep(30)
    journal.go_on()
    assert (await bob.look())["clock"] == {"seat": "B", "ms": 40_000}
    await trio.sleep(1)
    assert (await bob.look())["clock"] == {"seat": "B", "ms": 39_000}


async def test_one_clock_covers_the_whole_turn_even_if_the_player_drops(house: House) -> None:
    player, other = await at_a_turn(house, "six-card seats=2 clock=60")
    await trio.sleep(40)
    await player.done("draw")
    assert player.last("prompt")["ms"] == 20_000
    await player.drop()
    await trio.sleep(21)
    assert other.events("timed_out")
    assert other.last("prompt")["actions"]


async def test_a_table_may_have_no_clock(house: House) -> None:
    ann, _ = await house.table("six-card seats=2 clock=off", "Ann", "Bob")
    await trio.sleep(1000)
    assert not ann.events("timed_out")
    assert ann.last("prompt")["ms"] is None


async def test_at_the_start_the_house_chooses_cards_for_everybody_whose_clock_runs_out(house: House) -> None:
    ann, _ = await house.table("four-turn seats=2 clock=20", "Ann", "Bob")
    await trio.sleep(20.5)
    happened = [event["event"] for event in ann.events()]
    assert happened.count("timed_out") == happened.count("peeked") == 2


async def test_the_house_finishes_the_turn_of_a_player_whose_clock_runs_out(house: House) -> None:
    _, other = await at_a_turn(house, "six-card seats=2 clock=20")
    before = len(other.events())
    await trio.sleep(20.5)
    happened = [event["event"] for event in other.events()[before:] if event["event"] != "clock"]
    assert happened == ["timed_out", "drew", "discarded", "passed", "turn"]


async def test_after_three_timeouts_in_a_row_the_house_plays_until_the_player_acts(house: House) -> None:
    ann, bob = await house.table("multiples seats=2 clock=10", "Ann", "Bob")
    while not bob.events("house_plays"):
        await trio.sleep(1)
        if ann.last("prompt")["actions"]:
            await ann.done(ann.last("prompt")["actions"][0])
    assert len([event for event in bob.events("timed_out") if event["seat"] == "B"]) == 3
    assert [(event["seat"], event["cause"]) for event in bob.events("house_plays")] == [("B", "idle")]
    while not bob.last("prompt")["actions"]:
        if ann.last("prompt")["actions"]:
            await ann.done(ann.last("prompt")["actions"][0])
    await bob.done(bob.last("prompt")["actions"][0])
    assert bob.events("returned")[-1]["name"] == "Bob"
    assert [seat["kind"] for seat in (await bob.look())["seats"]] == ["human", "human"]
