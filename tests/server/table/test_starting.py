"""Before the first deal: rematches, notices about connections that are too slow for a slam race, and pings."""

import random

import pytest
import trio

from golfnet.protocol.replies.presence import NoticeCode
from golfnet.protocol.telnet.wire import Command, TelnetOption, negotiation
from golfnet.server.net.transport import StreamTransport
from golfnet.server.session.session import Session
from golfnet.server.table.distances import PING_SECONDS, REACTING, SELDOM
from tests.server.house import Far, House, Program, play_at_random
from tests.server.slamming import slam_table


async def test_the_first_request_opens_a_rematch_and_the_last_starts_it(house: House) -> None:
    programs = ann, bob, cid = await house.table("four-turn seats=3 holes=1", "Ann", "Bob", "Cid")
    assert (await cid.ask("rematch"))["code"] == "BAD_PHASE"
    await play_at_random(programs, random.Random(1))
    assert cid.last("prompt")["actions"] == ["rematch"]
    for each, line, state in ((bob, "rematch", "open"), (ann, "rematch", "open"), (cid, "ready", "playing")):
        await each.done(line)
        committed, view = cid.events("committed")[-1], await cid.look()
        assert (committed["match"], committed["hole"], view["match"]) == ("m2", 1, "m2"), "at once"
        assert (view["commitment"], view["state"]) == (committed["commitment"], state)
    assert [event["name"] for event in ann.events("ready")][-3:] == ["Bob", "Ann", "Cid"]
    assert (await cid.ask("ready"))["code"] == "BAD_PHASE", "too late"


async def seated(house: House, *delays: float, create: str = "cactus") -> list[Far]:
    """Seat one program for each delay, over a connection with that delay, at a table that has not started."""
    people = zip(("Ann", "Bob", "Cem"), delays, strict=False)
    fars = [await house.far(name, delay=delay) for name, delay in people]
    await fars[0].send(f"create {create} seats={len(delays)}")
    await trio.sleep(1)
    for far in fars[1:]:
        await far.send("join t1")
    await trio.sleep(2 * PING_SECONDS)
    return fars


async def test_a_connection_slower_than_the_cap_is_mentioned_once_to_each_with_a_remedy(house: House) -> None:
    ann, bob = await seated(house, 0.0, 0.09)
    assert house.lobby.tables["t1"].match.rules is None, "the match has not started"
    (told,) = bob.notices(NoticeCode.LONG_ROUND_TRIP)
    assert told["ms"] == 180
    assert told["text"] == (
        "Your connection takes 180 ms there and back. A slam race makes up for at most 100 ms, so you are 80 ms "
        "late in each race. The host can open a table where speed does not count: create cactus slam=order"
    )
    (told,) = ann.notices(NoticeCode.LONG_ROUND_TRIP)
    assert told["text"].startswith("Bob's connection takes 180 ms there and back.")
    assert told["text"].endswith("You can open a table where speed does not count: create cactus slam=order")
    for line in ("leave", "join t1", "leave"):
        await bob.send(line)
        await trio.sleep(2 * PING_SECONDS)
    cem = await house.far("Cem", delay=0.09)
    await cem.send("join t1")
    await trio.sleep(2 * PING_SECONDS)
    assert [len(far.notices(NoticeCode.LONG_ROUND_TRIP)) for far in (ann, bob, cem)] == [2, 1, 1]


@pytest.mark.parametrize(("create", "delay"), [("cactus", 0.05), ("cactus slam=order", 0.09)])
async def test_slowness_is_mentioned_only_if_it_matters(create: str, delay: float, house: House) -> None:
    for far in await seated(house, 0.0, delay, create=create):
        assert far.notices(NoticeCode.LONG_ROUND_TRIP) == []


async def test_a_slow_connection_is_mentioned_before_a_match_that_starts_at_once(house: House) -> None:
    ann, bob = await house.far("Ann", delay=0.0), await house.far("Bob", delay=0.09)
    await ann.send("create cactus seats=2")
    await bob.send("join t1")
    await trio.sleep(0.1)
    await bob.send("ready")
    await ann.send("ready")
    await trio.sleep(0.5)
    told = [thing.get("code") or thing.get("event") for thing in bob.objects]
    assert told.index(NoticeCode.LONG_ROUND_TRIP) < told.index("match_started")


async def test_the_lower_cap_for_measured_answers_is_explained_unless_a_player_is_alone_with_bots(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StreamTransport, "round_trip", lambda transport: None)
    ann = await house.far("Ann", delay=0.04)
    await ann.send("create cactus seats=3\nbot")
    await trio.sleep(2 * PING_SECONDS)
    assert ann.notices(NoticeCode.LONG_ROUND_TRIP) == []
    bob = await house.far("Bob", delay=0.0)
    await bob.done("join t1")
    await trio.sleep(2 * PING_SECONDS)
    (told,) = ann.notices(NoticeCode.LONG_ROUND_TRIP)
    assert told["text"].startswith(
        "Your connection takes 80 ms there and back. A slam race makes up for at most 30 ms if it has only your own "
        "answers to go by, so you are 50 ms late in each race. "
    )


def usually(session: Session | None) -> float:
    assert session is not None
    return (session.round_trips.link(trio.current_time()).round_trip or 0) / 1e6


def pings(program: Program) -> int:
    return len([thing for thing in program.objects if thing["type"] == "ping"])


async def test_programs_are_pinged_when_they_sit_down_and_in_every_turn_of_a_race(house: House) -> None:
    ann, bob = await seated(house, 0.02, 0.15)
    await trio.sleep(8)
    known = [usually(chair.session) for chair in house.lobby.tables["t1"].seating]
    assert known == [pytest.approx(0.04), pytest.approx(0.3)]
    before = pings(bob)
    for program in (ann, bob):
        await program.send("peek 3 4")
    await trio.sleep(1)
    assert pings(bob) == before + 1


async def test_programs_are_pinged_again_in_a_long_turn_but_not_at_every_step(house: House) -> None:
    slam = await slam_table(house, stock="7C 8S", delays=(0.01, 0.01))
    bob = slam.seats["B"]
    await trio.sleep(SELDOM)
    before = pings(bob)
    await slam.asks("A", "draw")
    assert pings(bob) == before + 1
    await slam.asks("A", "look")
    await slam.asks("B", "say hello")
    assert pings(bob) == before + 1


async def test_programs_are_pinged_when_a_slam_window_closes_and_the_next_turn_begins(house: House) -> None:
    slam = await slam_table(house, stock="7C 8S", delays=(0.01, 0.01))
    await slam.discards("A")
    bob = slam.seats["B"]
    await slam.until(2900)
    before = pings(bob)
    await slam.until(3100)
    assert bob.events()[-1]["event"] == "turn"
    assert pings(bob) == before + 1


async def test_in_a_window_everybody_is_pinged_once_at_an_unpredictable_moment(house: House) -> None:
    slam = await slam_table(house, stock="7C 8S 8C 9S", delays=(0.01, 0.01))
    moments = set()
    for turn in range(4):
        await trio.sleep(1)
        await slam.discards("AB"[turn % 2])
        before = pings(slam.seats["B"])
        seen = []
        for _ in range(100):
            seen.append(pings(slam.seats["B"]) - before)
            await trio.sleep(0.01)
        assert sorted(set(seen)) == [0, 1], "once"
        moments.add(seen.index(1))
        for seat in "AB":
            await slam.asks(seat, "pass")
    assert len(moments) > 1
    assert all(REACTING[0] <= moment / 100 + 0.03 <= REACTING[1] + 0.06 for moment in moments)


@pytest.mark.parametrize("variant", ["four-turn", "cactus slam=order"])
async def test_nobody_is_pinged_if_speed_does_not_count(variant: str, house: House) -> None:
    assert [pings(program) for program in await house.table(f"{variant} seats=2", "Ann", "Bob")] == [0, 0]


async def test_telnet_is_measured_by_timing_marks_and_plain_text_is_not_pinged(house: House) -> None:
    ann, bob = await house.connect(telnet=True), await house.person("bob")
    await ann.say("name ann")
    await ann.send("create cactus seats=2")
    assert negotiation(Command.DO, TelnetOption.TIMING_MARK) in await ann.take()
    assert "\xff" not in await bob.say("join t1")
    await trio.sleep(10)
    assert b"\xff" not in await bob.take()
    await ann.send(negotiation(Command.WONT, TelnetOption.TIMING_MARK))
    await ann.settle()
    session = next(session for session in house.lobby.sessions if session.player)
    assert usually(session) == pytest.approx(10), "it was pinged when it sat down"
