"""Round trips: measured by the server, never told by a peer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from golfnet.server.roundtrip import RoundTrips, is_measured_by_kernel
from tests.server.house import open_house

if TYPE_CHECKING:
    from trio.testing import MockClock


class Wire:
    """A transport whose kernel has measured ``by_kernel``."""

    address = "192.0.2.7"

    def __init__(self) -> None:
        self.by_kernel: float | None = None

    def write(self, data: bytes) -> None:
        """Throw them away."""

    def close(self) -> None:
        """Stay as it is."""

    def round_trip(self) -> float | None:
        """Return what the kernel has measured."""
        return self.by_kernel

    def stamp_arrivals(self) -> None:
        """Go on as before."""


def test_nothing_is_known_before_the_first_measurement() -> None:
    trips = RoundTrips(Wire())
    assert (trips.smallest, trips.jitter) == (None, 0.0)


def test_the_smallest_of_all_counts() -> None:
    wire = Wire()
    trips = RoundTrips(wire)
    for seconds in (0.09, 0.05, 0.07):
        trips.note(seconds)
    assert trips.smallest == 0.05
    wire.by_kernel = 0.06
    assert trips.smallest == 0.05
    wire.by_kernel = 0.04
    assert trips.smallest == 0.04
    wire.by_kernel = None
    assert trips.smallest == 0.04


def test_jitter_is_how_much_samples_exceed_their_smallest_on_average() -> None:
    wire = Wire()
    trips = RoundTrips(wire)
    for seconds in (0.050, 0.060, 0.100):
        trips.note(seconds)
    assert trips.jitter == pytest.approx(0.020)
    wire.by_kernel = 0.001
    assert trips.smallest == 0.001
    assert trips.jitter == pytest.approx(0.020), "what the kernel says does not make a link unsteady"


def test_old_samples_are_forgotten_and_the_smallest_is_not() -> None:
    trips = RoundTrips(Wire())
    trips.note(0.020)
    for _ in range(16):
        trips.note(0.090)
    assert trips.smallest == 0.020
    assert trips.jitter == pytest.approx(0.0)


def test_one_ping_is_under_way_at_a_time_and_its_key_answers_it_once() -> None:
    trips = RoundTrips(Wire())
    assert [trips.ping(1.0), trips.ping(2.0)] == ["1", None]
    smallest = []
    for key in ("2", "1"):
        trips.pong(key, 3.0)
        smallest.append(trips.smallest)
    assert smallest == [None, 2.0]
    trips.pong("1", 3.5)
    assert trips.jitter == 0.0, "once"
    assert trips.ping(4.0) == "2"


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


async def test_a_wrong_key_measures_nothing(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        ann, _ = await house.table("cactus seats=2", "Ann", "Bob")
        key = ann.last("ping")["key"]
        session = next(session for session in house.lobby.sessions if session.player)
        await ann.send(f"pong x{key}")
        await ann.settle()
        assert session.round_trips.smallest is None
        await trio.sleep(0.25)
        await ann.send(f"pong {key}")
        await ann.settle()
        assert session.round_trips.smallest == pytest.approx(0.25)
        await ann.send(f"pong {key}")
        await ann.settle()
        assert session.round_trips.smallest == pytest.approx(0.25), "once"


async def test_the_kernel_s_smallest_counts_with_the_others(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        far = await house.far("Ann", delay=0.05, address="192.0.2.7")
        session = next(iter(house.lobby.sessions))
        monkeypatch.setattr(session.transport, "round_trip", lambda: 0.08)
        assert session.round_trips.smallest == 0.08
        session.measure()
        await trio.sleep(1)
        assert session.round_trips.smallest == 0.08, "100 ms by ping"
        monkeypatch.setattr(session.transport, "round_trip", lambda: None)
        assert session.round_trips.smallest == 0.08
        await far.drop()
