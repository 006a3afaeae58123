"""Every counted value falls into exactly one bucket, the smallest it fits, and none is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.server.budget import (
    LATENCIES,
    MARGINS,
    ROUND_TRIPS,
    WAITS,
    Buckets,
)

BOUNDS = {
    "latencies": LATENCIES,
    "waits": WAITS,
    "round trips": ROUND_TRIPS,
    "margins": MARGINS,
}

sizes = st.floats(0, 1e6)
bounds = st.lists(sizes, min_size=1, max_size=8, unique=True).map(lambda chosen: tuple(sorted(chosen)))


def bucket_of(value: float, bounds: tuple[float, ...]) -> int:
    """Return the one bucket that a value falls into."""
    buckets = Buckets(bounds)
    buckets.add(value)
    assert sum(buckets.counts) == 1
    return buckets.counts.index(1)


@pytest.mark.parametrize("known", BOUNDS.values(), ids=BOUNDS)
def test_bucket_bounds_are_ascending(known: tuple[float, ...]) -> None:
    assert list(known) == sorted(set(known))
    assert known[0] > 0


@given(bounds, sizes)
def test_a_value_falls_into_the_smallest_bucket_it_fits(bounds: tuple[float, ...], value: float) -> None:
    fits = [value <= bound for bound in (*bounds, float("inf"))]
    assert bucket_of(value, bounds) == fits.index(True)


@given(bounds, st.lists(sizes, max_size=20))
def test_every_value_is_in_one_bucket_and_in_the_sum(bounds: tuple[float, ...], values: list[float]) -> None:
    buckets = Buckets(bounds)
    for value in values:
        buckets.add(value)
    assert len(buckets.counts) == len(bounds) + 1
    assert sum(buckets.counts) == len(values)
    assert buckets.total == pytest.approx(sum(values))
