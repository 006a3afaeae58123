"""When round trips are measured: at the turns of a race, by what each peer speaks, and never else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.protocol.telnet.wire import Command, TelnetOption, negotiation
from golfnet.server.session.roundtrip import RoundTrips
from golfnet.server.slams.measuring import REACTING, SELDOM
from tests.server.house import open_house
from tests.server.slamming import slam_table

if TYPE_CHECKING:
    from trio.testing import MockClock

    from golfnet.server.session.player import PlayerSession
    from tests.server.house import Program


def usually(session: PlayerSession) -> float:
    """Return what the session's line takes as a rule, as far as is known."""
    known = session.round_trips.estimate(trio.current_time())
    assert known is not None
    return known.usually


async def pings(program: Program) -> int:
    """Return how often a program was asked for a sign of life."""
    await program.poll()
    return len([thing for thing in program.objects if thing["type"] == "ping"])


async def test_a_program_is_pinged_at_every_turn_of_a_race(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, bob = await house.far("Ann", delay=0.02), await house.far("Bob", delay=0.15)
        await ann.send("create cactus seats=2")
        await trio.sleep(1)
        await bob.send("join t1")
        await trio.sleep(10)
        sessions = {chair.name: chair.session for _, chair in house.lobby.tables["t1"].seating}
        known = {name: session and usually(session) for name, session in sessions.items()}
        assert known == {"Ann": pytest.approx(0.04), "Bob": pytest.approx(0.3)}
        before = await pings(bob)
        for program in (ann, bob):
            await program.send("peek 3 4")
        await trio.sleep(1)
        assert await pings(bob) == before + 1


async def test_a_turn_that_lasts_is_measured_again_and_not_at_every_step(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="7C 8S", delays=(0.01, 0.01))
        bob = slam.seats["B"]
        await trio.sleep(SELDOM)
        before = await pings(bob)
        await slam.asks("A", "draw")
        assert await pings(bob) == before + 1
        await slam.asks("A", "look")
        await slam.asks("B", "say hello")
        assert await pings(bob) == before + 1


async def test_in_a_window_everybody_is_asked_once_at_a_moment_nobody_can_foresee(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="7C 8S 8C 9S", delays=(0.01, 0.01))
        moments = set()
        for turn in range(4):
            await trio.sleep(1)
            await slam.discards("AB"[turn % 2])
            before = await pings(slam.seats["B"])
            seen = []
            for _ in range(100):
                seen.append(await pings(slam.seats["B"]) - before)
                await trio.sleep(0.01)
            assert sorted(set(seen)) == [0, 1], "once"
            moments.add(seen.index(1))
            for seat in "AB":
                await slam.asks(seat, "pass")
    assert len(moments) > 1
    assert all(REACTING[0] <= moment / 100 + 0.03 <= REACTING[1] + 0.06 for moment in moments)


async def test_a_slam_shows_what_the_kernel_saw_of_it(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        slam = await slam_table(house, stock="7C 8S", delays=(0.01, 0.01))
        await slam.discards()
        looks: list[float] = []
        monkeypatch.setattr(RoundTrips, "look", lambda trips, now: looks.append(now))
        await slam.says("B", "slam 4 #1", at=400)
        await slam.until(420)
        assert [when for when in looks if when == pytest.approx(slam.opened + 0.4)], looks


@pytest.mark.parametrize("variant", ["four-turn", "cactus slam=order", "cactus slam=lot"])
async def test_where_speed_does_not_count_nobody_is_pinged(variant: str, autojump_clock: MockClock) -> None:
    async with open_house() as house:
        for program in await house.table(f"{variant} seats=2", "Ann", "Bob"):
            assert not [thing for thing in program.objects if thing["type"] == "ping"]


async def test_who_does_not_answer_is_not_pinged_again_and_has_no_allowance(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        ann, bob = await house.table("cactus seats=2", "Ann", "Bob")
        for program in (ann, bob):
            await program.done("peek 3 4")
        await trio.sleep(5)
        assert await pings(ann) == 1
        session = next(session for session in house.lobby.sessions if session.player)
        assert session.round_trips.estimate(trio.current_time()) is None


async def test_telnet_is_measured_by_its_timing_mark_and_plain_lines_get_nothing(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        ann, bob = await house.connect(telnet=True), await house.person("bob")
        await ann.say("name ann")
        await ann.send("create cactus seats=2")
        assert negotiation(Command.DO, TelnetOption.TIMING_MARK) in await ann.take()
        await bob.say("join t1")
        await bob.take()
        await trio.sleep(10)
        assert b"\xff" not in await bob.take()
        await ann.send(negotiation(Command.WONT, TelnetOption.TIMING_MARK))
        await ann.settle()
        session = next(session for session in house.lobby.sessions if session.player)
        assert usually(session) == pytest.approx(10), "asked when it sat down"
