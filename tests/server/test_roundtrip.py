"""Round trips: measured by the server, never told by a peer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.protocol.telnet_wire import Command, Option, negotiation
from golfnet.server.roundtrip import RoundTrips, is_measured_by_kernel
from tests.server.house import open_house

if TYPE_CHECKING:
    from trio.testing import MockClock


def test_nothing_is_known_before_the_first_measurement() -> None:
    trips = RoundTrips()
    assert (trips.smallest, trips.jitter) == (None, 0.0)


def test_the_smallest_of_all_counts() -> None:
    trips = RoundTrips()
    for seconds in (0.09, 0.05, 0.07):
        trips.note(seconds)
    assert trips.smallest == 0.05
    trips.note_smallest(0.06)
    assert trips.smallest == 0.05
    trips.note_smallest(0.04)
    assert trips.smallest == 0.04


def test_jitter_is_how_much_samples_exceed_their_smallest_on_average() -> None:
    trips = RoundTrips()
    for seconds in (0.050, 0.060, 0.100):
        trips.note(seconds)
    assert trips.jitter == pytest.approx(0.020)
    trips.note_smallest(0.001)
    assert trips.jitter == pytest.approx(0.020), "what the kernel says does not make a link unsteady"


def test_old_samples_are_forgotten_and_the_smallest_is_not() -> None:
    trips = RoundTrips()
    trips.note(0.020)
    for _ in range(16):
        trips.note(0.090)
    assert trips.smallest == 0.020
    assert trips.jitter == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("address", "is_measured"),
    [
        ("192.0.2.7", True),
        ("10.1.2.3", True),
        ("2001:db8::1", True),
        ("127.0.0.1", False),
        ("127.3.2.1", False),
        ("::1", False),
        ("somewhere", False),
    ],
)
def test_the_kernel_measures_the_way_to_the_peer_unless_it_ends_on_this_machine(
    address: str, is_measured: bool
) -> None:
    assert is_measured_by_kernel(address) is is_measured


async def test_a_program_is_pinged_at_every_turn_of_a_race(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, bob = await house.far("Ann", delay=0.02), await house.far("Bob", delay=0.15)
        await ann.send("create cactus seats=2")
        await trio.sleep(1)
        await bob.send("join t1")
        await trio.sleep(10)
        sessions = {chair.name: chair.session for _, chair in house.lobby.tables["t1"].seating}
        latencies = {name: session and session.latency for name, session in sessions.items()}
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
        assert session.latency is None


async def test_a_wrong_key_measures_nothing(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, _ = await house.table("cactus seats=2", "Ann", "Bob")
        key = ann.last("ping")["key"]
        session = next(session for session in house.lobby.sessions if session.player)
        await ann.send(f"pong x{key}")
        await ann.settle()
        assert session.latency is None
        await trio.sleep(0.25)
        await ann.send(f"pong {key}")
        await ann.settle()
        assert session.latency == pytest.approx(0.25)
        await ann.send(f"pong {key}")
        await ann.settle()
        assert session.latency == pytest.approx(0.25), "once"


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
        assert session.latency == pytest.approx(5), "ten seconds less the five before the start"


async def test_the_kernel_s_smallest_counts_with_the_others(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        far = await house.far("Ann", delay=0.05, address="192.0.2.7")
        session = next(iter(house.lobby.sessions))
        monkeypatch.setattr(session.transport, "round_trip", lambda: 0.08)
        assert session.latency == 0.08
        session.measure()
        await trio.sleep(1)
        assert session.latency == 0.08, "100 ms by ping"
        monkeypatch.setattr(session.transport, "round_trip", lambda: None)
        assert session.latency == 0.08
        await far.drop()
