"""Round trips: measured by the kernel and by answers to pings, and counted in full only if the two agree."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from golfnet.server.net.kernel import KernelRoundTrip, ProxyRoundTrip, RoundTrip
from golfnet.server.session.roundtrip import (
    ALLOWED,
    DELAYED_ACK,
    LATELY,
    RECENT,
    SLACK,
    STALE,
    UNCONFIRMED,
    UNMEASURED,
    KernelSamples,
    Link,
    RoundTrips,
)
from tests.server.null_transport import NullTransport

CONFIRMED = ALLOWED / 1e6

EVERY = 5.0
"""Seconds between pings in these tests."""


class Peer:
    """A peer whose acknowledgements and answers arrive after times that the test chooses."""

    def __init__(self, figures: RoundTrip | None = None, address: str = "192.0.2.7") -> None:
        self.wire = NullTransport()
        self.wire.address, self.wire.figures = address, figures
        self.trips = RoundTrips(self.wire)
        self.now = 100.0

    def acknowledges(self, seconds: float) -> None:
        """Let the kernel measure a sample."""
        assert isinstance(self.wire.figures, KernelRoundTrip)
        self.wire.figures = after(self.wire.figures, seconds)

    def answers(self, took: Sequence[float], acknowledged: Sequence[float] | None = None) -> None:
        """Answer pings, one every few seconds; without ``acknowledged``, the answers also acknowledge them."""
        for number, seconds in enumerate(took):
            self.now += EVERY
            key = self.trips.ping(self.now)
            assert key is not None
            if isinstance(self.wire.figures, KernelRoundTrip):
                self.acknowledges(seconds if acknowledged is None else acknowledged[number])
            self.trips.pong(key, self.now + seconds)

    @property
    def link(self) -> Link:
        return self.trips.link(self.now + 1)

    @property
    def counted(self) -> float:
        """How much is subtracted from a reaction time, in seconds."""
        return self.link.allowance / 1e6


def after(figures: KernelRoundTrip, sample: float) -> KernelRoundTrip:
    """Return a kernel's figures after one more sample (RFC 6298)."""
    smoothed = figures.smoothed + (sample - figures.smoothed) / 8
    return KernelRoundTrip(min(figures.smallest, sample), smoothed, figures.delivered + 1)


def near(usually: float, least: float, jitter: float = 0.0, limit: int = ALLOWED) -> Link:
    """Return a link with these times in seconds."""
    return Link(round(1e6 * usually), round(1e6 * jitter), round(1e6 * least), limit)


def shaken_hands(seconds: float) -> KernelRoundTrip:
    """Return what a kernel knows about a new connection."""
    return KernelRoundTrip(seconds, seconds, 1)


AT_62_MS = shaken_hands(0.062)

# --- kernel and answers agree


@given(seconds=st.floats(0.001, 0.3))
def test_a_steady_round_trip_counts_in_full_up_to_100_ms(seconds: float) -> None:
    peer = Peer(shaken_hands(seconds))
    peer.answers([seconds] * 5)
    assert peer.counted == pytest.approx(min(seconds, CONFIRMED), abs=2e-6)


@pytest.mark.parametrize(
    ("figures", "answers", "acknowledged", "link"),
    [
        # the typical round trip and not the smallest, but at most 20 ms above the smallest, unless that is old
        (AT_62_MS, [0.062, 0.080, 0.083, 0.078, 0.081, 0.095], None, near(0.080, 0.062, 0.0065)),
        (AT_62_MS, [0.030, 0.090, 0.110, 0.095, 0.070], None, near(0.030 + SLACK, 0.030, 0.021)),
        (AT_62_MS, [0.020, *[0.035] * 10], None, near(0.035, 0.035)),
        # neither acknowledgements later than the answers, nor jitter that the kernel does not measure
        (AT_62_MS, [0.004] * 6, [0.062] * 6, near(0.004, 0.004)),
        (AT_62_MS, [0.062, 0.160, 0.080, 0.120, 0.015, 0.050], [0.010] * 6, near(0.010, 0.010)),
        # a proxy's figure or the answers, whichever is smaller
        (ProxyRoundTrip(0.030), [0.130] * 5, None, near(0.030, 0.030)),
        (ProxyRoundTrip(0.080), [0.060, 0.060, 0.064], None, near(0.060, 0.060)),
        (ProxyRoundTrip(0.080), [], None, near(0.080, 0.080)),
        # answers alone, without their jitter
        (None, [0.150, 0.080, 0.090], None, near(0.090, 0.080, limit=UNCONFIRMED)),
    ],
)
def test_the_round_trip_is_what_figures_and_answers_confirm(
    figures: RoundTrip | None, answers: list[float], acknowledged: list[float] | None, link: Link
) -> None:
    peer = Peer(figures)
    peer.answers(answers, acknowledged)
    assert peer.link == link


def test_a_route_that_has_become_slower_counts_in_full_after_a_while() -> None:
    peer = Peer(shaken_hands(0.030))
    peer.answers([0.030] * 6)
    assert peer.counted == pytest.approx(0.030)
    peer.answers([0.110] * 12)
    assert peer.counted == pytest.approx(0.030), (
        "not at once: delaying everything but slams would look the same"
    )
    peer.answers([0.110] * 25)
    assert (peer.counted, peer.link) == (CONFIRMED, near(0.110, 0.110))


# --- kernel and answers disagree


@given(true=st.floats(0.002, 0.05), held=st.floats(0.025, 0.5))
def test_delayed_answers_gain_nothing(true: float, held: float) -> None:
    peer = Peer(shaken_hands(true))
    peer.answers([true + held] * 8, [true] * 8)
    assert peer.counted == pytest.approx(true, abs=1e-6)


@given(true=st.floats(0.002, 0.05), held=st.floats(0.021, DELAYED_ACK))
def test_answers_delayed_together_with_their_acknowledgements_gain_nothing(true: float, held: float) -> None:
    peer = Peer(shaken_hands(true))
    peer.answers([true + held] * 60)
    assert peer.counted == pytest.approx(true, abs=1e-6), "even if for minutes all were delayed"


@given(
    true=st.floats(0.002, 0.05), held=st.lists(st.floats(0, 0.2), min_size=6, max_size=16), late=st.booleans()
)
def test_randomly_delayed_answers_gain_at_most_20_ms(true: float, held: list[float], late: bool) -> None:
    peer = Peer(shaken_hands(true))
    acknowledged = [true + (min(each, DELAYED_ACK) if late else 0) for each in held]
    peer.answers([true + each for each in held], acknowledged)
    assert peer.counted <= true + SLACK + 1e-6


def test_delaying_everything_but_slams_is_exposed_by_the_slams_acknowledgements() -> None:
    peer = Peer(shaken_hands(0.104))
    peer.answers([0.104] * 8)
    peer.acknowledges(0.040)
    peer.trips.look(peer.now)
    assert peer.counted == pytest.approx(0.040)
    peer.answers([0.104] * 16)
    assert peer.counted == pytest.approx(0.040), "the quick acknowledgement is remembered for a while"
    peer.acknowledges(0.060)
    peer.trips.look(peer.now)
    peer.answers([0.104] * 16)
    assert peer.counted == pytest.approx(0.040)


# --- without answers


def test_a_peer_that_never_answers_gets_the_kernels_minimum() -> None:
    peer = Peer(shaken_hands(0.150))
    peer.acknowledges(0.040)
    peer.acknowledges(0.200)
    assert peer.link == near(0.040, 0.040)


def test_old_answers_are_forgotten() -> None:
    peer = Peer(shaken_hands(0.010))
    peer.answers([0.025, *[0.012] * round(RECENT / EVERY + 1)])
    assert peer.link == near(0.012, 0.012)
    peer.now += STALE
    assert peer.link == near(0.010, 0.010), "like a peer that never answers"


# --- pings


def test_one_ping_is_sent_at_a_time_and_its_answer_counts_only_once() -> None:
    trips = RoundTrips(NullTransport())
    assert [trips.ping(1.0), trips.ping(2.0)] == ["1", None]
    known = []
    for key in ("2", "1"):
        trips.pong(key, 1.02)
        known.append(trips.link(1.02))
    assert known == [UNMEASURED, near(0.02, 0.02, limit=UNCONFIRMED)]
    trips.pong("1", 3.5)
    assert trips.link(3.5) == known[1], "once"
    assert trips.ping(4.0) == "2"


def test_on_this_machine_only_answers_count_and_only_up_to_30_ms() -> None:
    for address in ("192.0.2.7", "10.1.2.3", "2001:db8::1"):
        assert Peer(shaken_hands(0.040), address).link == near(0.040, 0.040)
    for address in ("127.0.0.1", "127.3.2.1", "::1"):
        peer = Peer(shaken_hands(0.040), address)
        assert peer.link == UNMEASURED
        peer.answers([0.150, 0.080, 0.090])
        assert peer.link == near(0.090, 0.080, limit=UNCONFIRMED)
        assert peer.counted == 0.030


SECONDS = st.floats(0.001, 0.5)


@given(first=SECONDS, sample=SECONDS)
def test_a_sample_between_two_readings_is_recovered_exactly_and_once(first: float, sample: float) -> None:
    figures, samples = KernelRoundTrip(first, first, 1), KernelSamples()
    samples.look(figures, 1.0)
    samples.look(figures, 2.0)
    assert (samples.lowest_since(0.5), samples.lowest_since(1.0)) == (first, math.inf)
    samples.look(after(figures, sample), 3.0)
    assert samples.lowest_since(2.0) == pytest.approx(sample, abs=1e-9)


@given(gap=st.floats(LATELY, 10 * LATELY))
def test_the_minimum_of_the_last_minutes_expires_on_time_and_not_sooner(gap: float) -> None:
    figures, samples = KernelRoundTrip(0.01, 0.05, 1), KernelSamples()
    samples.look(KernelRoundTrip(0.05, 0.05, 1), 0.0)
    samples.look(figures, 1.0)
    assert samples.lowest_lately(1.0 + LATELY / 2) == 0.01
    assert samples.lowest_lately(1.0 + LATELY / 2 + gap) == math.inf


def test_only_the_samples_of_a_few_turns_are_kept() -> None:
    samples = KernelSamples()
    for number in range(400):
        samples.look(KernelRoundTrip(0.03, 0.03, number), float(number))
    assert len(samples._samples) <= 32
