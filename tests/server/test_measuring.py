"""When round trips are measured: at the turns of a race, by what each peer speaks, and never else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.protocol.telnet_wire import Command, Option, negotiation
from tests.server.house import open_house

if TYPE_CHECKING:
    from trio.testing import MockClock


async def test_a_program_is_pinged_at_every_turn_of_a_race(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, bob = await house.far("Ann", delay=0.02), await house.far("Bob", delay=0.15)
        await ann.send("create cactus seats=2")
        await trio.sleep(1)
        await bob.send("join t1")
        await trio.sleep(10)
        sessions = {chair.name: chair.session for _, chair in house.lobby.tables["t1"].seating}
        latencies = {name: session and session.round_trips.smallest for name, session in sessions.items()}
        assert latencies == {"Ann": pytest.approx(0.04), "Bob": pytest.approx(0.3)}
        await bob.poll()
        assert [thing["key"] for thing in bob.objects if thing["type"] == "ping"] == ["1"]
        for program in (ann, bob):
            await program.send("peek 3 4")
        await trio.sleep(1)
        await bob.poll()
        assert [thing["key"] for thing in bob.objects if thing["type"] == "ping"] == ["1", "2"]


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
        await ann.poll()
        assert len([thing for thing in ann.objects if thing["type"] == "ping"]) == 1
        session = next(session for session in house.lobby.sessions if session.player)
        assert session.round_trips.smallest is None


async def test_telnet_is_measured_by_its_timing_mark_and_plain_lines_get_nothing(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        ann, bob = await house.connect(telnet=True), await house.person("bob")
        await ann.say("name ann")
        await ann.say("create cactus seats=2")
        await bob.say("join t1")
        await bob.take()
        await trio.sleep(10)
        mark = negotiation(Command.DO, Option.TIMING_MARK)
        assert mark in await ann.take()
        assert b"\xff" not in await bob.take()
        await ann.send(negotiation(Command.WONT, Option.TIMING_MARK))
        await ann.settle()
        session = next(session for session in house.lobby.sessions if session.player)
        assert session.round_trips.smallest == pytest.approx(5), "ten seconds less the five before the start"
