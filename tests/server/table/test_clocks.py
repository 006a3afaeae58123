"""Clocks in virtual time: starts, pauses, warnings, and what the house does when nobody acts (X12, X13)."""

import trio

from tests.server.held_journal import HeldJournal
from tests.server.house import House


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
