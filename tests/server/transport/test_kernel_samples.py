"""The kernel's average, taken apart into what was measured between two looks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.server.transport.kernel_samples import LATELY, KernelSamples
from golfnet.server.transport.transport import KernelRoundTrip

SECONDS = st.floats(0.001, 0.5)


def after(figures: KernelRoundTrip, *samples: float) -> KernelRoundTrip:
    """Return a kernel's figures after more samples (RFC 6298)."""
    smallest, smoothed, delivered = figures
    for sample in samples:
        smoothed += (sample - smoothed) / 8
    return KernelRoundTrip(min(smallest, *samples), smoothed, delivered + len(samples))


@given(first=SECONDS, sample=SECONDS)
def test_one_sample_between_two_looks_is_told_exactly(first: float, sample: float) -> None:
    figures, samples = KernelRoundTrip(first, first, 1), KernelSamples()
    samples.look(figures, 1.0)
    samples.look(after(figures, sample), 2.0)
    assert samples.lowest_since(1.0) == pytest.approx(sample, abs=1e-9)


@given(first=SECONDS, between=st.lists(SECONDS, min_size=1, max_size=12))
def test_several_are_told_as_one_that_lies_among_them(first: float, between: list[float]) -> None:
    figures, samples = KernelRoundTrip(first, first, 1), KernelSamples()
    samples.look(figures, 1.0)
    samples.look(after(figures, *between), 2.0)
    told = samples.lowest_since(1.0)
    assert min(between) - 1e-9 <= told <= max(between) + 1e-9
    if min(between) < first:
        assert told == pytest.approx(min(between)), "a new smallest is told exactly"


def test_where_nothing_was_acknowledged_nothing_is_told() -> None:
    figures, samples = KernelRoundTrip(0.03, 0.03, 7), KernelSamples()
    samples.look(figures, 1.0)
    samples.look(figures, 2.0)
    assert samples.lowest_since(1.0) == math.inf
    assert samples.lowest_since(0.5) == 0.03


@given(gap=st.floats(LATELY, 10 * LATELY))
def test_the_lowest_of_the_last_minutes_is_forgotten_in_time_and_no_sooner(gap: float) -> None:
    figures, samples = KernelRoundTrip(0.01, 0.05, 1), KernelSamples()
    samples.look(KernelRoundTrip(0.05, 0.05, 1), 0.0)
    samples.look(figures, 1.0)
    assert samples.lowest_lately(1.0 + LATELY / 2) == 0.01
    assert samples.lowest_lately(1.0 + LATELY / 2 + gap) == math.inf


@given(looks=st.integers(1, 400))
def test_no_more_is_kept_than_the_looks_of_a_few_turns(looks: int) -> None:
    samples = KernelSamples()
    for number in range(looks):
        samples.look(KernelRoundTrip(0.03, 0.03, number), float(number))
    assert len(samples._samples) <= 32
