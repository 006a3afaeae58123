"""Who is too far away for a race is told before it starts, with what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

from golfnet.server.table.distances import ANSWERED, CODE
from golfnet.server.transport.stream import StreamTransport
from tests.server.house import Far, House, open_house

if TYPE_CHECKING:
    from trio.testing import MockClock


async def notices(far: Far) -> list[dict[str, Any]]:
    """Return what a player was told of long connections."""
    await far.poll()
    return [thing for thing in far.objects if thing["type"] == "notice" and thing["code"] == CODE]


async def seated(house: House, *delays: float, create: str = "cactus") -> list[Far]:
    """Seat programs at the ends of lines at a table that has not started."""
    fars = [
        await house.far(name, delay=delay) for name, delay in zip(("Ann", "Bob", "Cem"), delays, strict=False)
    ]
    await fars[0].send(f"create {create} seats={len(delays)}")
    await trio.sleep(1)
    for far in fars[1:]:
        await far.send("join t1")
    await trio.sleep(2 * ANSWERED)
    return fars


async def test_who_is_beyond_the_cap_is_told_before_the_match_starts(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, bob = await seated(house, 0.0, 0.09)
        assert house.lobby.tables["t1"].match.rules is None, "it has not started"
        (told,) = await notices(bob)
        assert (told["code"], told["ms"]) == ("LONG_ROUND_TRIP", 180)
        assert told["text"] == (
            "Your connection takes 180 ms there and back. A slam race takes off at most 100 ms, so you are 80 ms "
            "late in each race. The host can open a table where speed does not count: create cactus slam=order"
        )
        (told,) = await notices(ann)
        assert told["text"].startswith("Bob's connection takes 180 ms there and back.")
        assert told["text"].endswith(
            "You can open a table where speed does not count: create cactus slam=order"
        )


async def test_what_is_offered_can_be_typed(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, *_ = await seated(house, 0.0, 0.09)
        (told,) = await notices(ann)
        await ann.done("leave")
        opened = await ann.done(told["text"].rpartition(": ")[2])
        assert house.lobby.tables[opened["table"]].rules.slam.value == "order"


@pytest.mark.parametrize(
    ("create", "delay"),
    [("cactus", 0.05), ("cactus slam=order", 0.09), ("cactus slam=lot", 0.09), ("x", 0.09)],
)
async def test_nobody_is_told_where_it_makes_no_difference(
    create: str, delay: float, autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        for far in await seated(house, 0.0, delay, create=create):
            assert await notices(far) == []


async def test_nobody_is_told_twice_and_who_comes_later_is_told_too(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, bob = await house.far("Ann", delay=0.0), await house.far("Bob", delay=0.09)
        await ann.done("create cactus seats=3")
        await bob.send("join t1")
        await trio.sleep(2 * ANSWERED)
        assert [len(await notices(far)) for far in (ann, bob)] == [1, 1]
        cem = await house.far("Cem", delay=0.0)
        await cem.done("join t1")
        await trio.sleep(2 * ANSWERED)
        assert [len(await notices(far)) for far in (ann, bob, cem)] == [1, 1, 1]


async def test_coming_and_going_tells_nothing_again_and_leaves_nothing(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, bob = await seated(house, 0.0, 0.09, create="cactus")
        distances = house.lobby.tables["t1"].parts.distances
        for _ in range(30):
            await bob.send("leave")
            await trio.sleep(0.5)
            await bob.send("join t1")
            await trio.sleep(0.5)
        await trio.sleep(2 * ANSWERED)
        assert [len(await notices(far)) for far in (ann, bob)] == [1, 1]
        assert len(distances._asked) == 2


async def test_before_the_next_match_all_are_told_again(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, bob = await seated(house, 0.0, 0.09, create="cactus")
        table = house.lobby.tables["t1"]
        table.parts.starting.new_match()
        table.settle()
        await trio.sleep(2 * ANSWERED)
        assert [len(await notices(far)) for far in (ann, bob)] == [2, 2]


async def test_a_match_that_starts_at_once_is_told_of_first(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, bob = await house.far("Ann", delay=0.0), await house.far("Bob", delay=0.09)
        await ann.send("create cactus seats=2")
        await bob.send("join t1")
        await trio.sleep(0.1)
        await bob.send("ready")
        await ann.send("ready")
        await trio.sleep(0.5)
        await bob.poll()
        told = [
            thing.get("code") or thing.get("event")
            for thing in bob.objects
            if thing.get("code") == CODE or thing.get("event") == "match_started"
        ]
        assert told == [CODE, "match_started"]


async def test_where_only_answers_tell_the_time_the_cap_is_said_with_its_reason(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StreamTransport, "round_trip", lambda transport: None)
    async with open_house() as house:
        _, bob = await seated(house, 0.0, 0.04)
        (told,) = await notices(bob)
        assert told["text"].startswith(
            "Your connection takes 80 ms there and back. A slam race takes off at most 30 ms where only your own "
            "answers tell the time, so you are 50 ms late in each race. "
        )


async def test_nor_is_somebody_alone_with_bots_who_is_slow_to_answer(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StreamTransport, "round_trip", lambda transport: None)
    async with open_house() as house:
        ann = await house.far("Ann", delay=0.04)
        await ann.send("create cactus seats=2")
        await trio.sleep(1)
        await ann.send("bot")
        await trio.sleep(2 * ANSWERED)
        assert await notices(ann) == []
