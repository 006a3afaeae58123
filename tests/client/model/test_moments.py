"""What lasts for a while: no second is shown that is over, and none is kept back that is left."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from golfnet_client.model.moments import GLIMPSE_SECONDS, Timed, glimpse, timed

times = st.floats(0, 1e6)
spans = st.integers(0, 3_600_000)
"""Milliseconds."""


@given(spans, times, st.floats(0, 4000))
def test_seconds_left_are_whole_never_negative_and_less_than_one_too_many(
    ms: int, now: float, later: float
) -> None:
    moment = timed("A", ms, now)
    left = moment.seconds_left(now + later)
    truth = moment.ends - (now + later)
    assert isinstance(left, int)
    assert left >= 0
    assert truth <= left < max(truth, 0) + 1
    assert (left == 0) == (truth <= 0), "what has begun to run out is not over"


@given(spans, times, st.lists(st.floats(0, 4000), min_size=2, max_size=8))
def test_seconds_only_become_fewer(ms: int, now: float, laters: list[float]) -> None:
    moment = timed("A", ms, now)
    left = [moment.seconds_left(now + later) for later in sorted(laters)]
    assert left == sorted(left, reverse=True)


@given(spans, times)
def test_a_time_lasts_as_long_as_it_was_told(ms: int, now: float) -> None:
    moment = timed("A", ms, now)
    assert (moment.what, moment.ends, moment.lasts) == ("A", now + ms / 1000, ms / 1000)


@given(st.integers(1, 3_600_000), times, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_a_clock_that_is_told_again_on_its_way_keeps_the_length_it_began_with(
    ms: int, now: float, parts: list[float]
) -> None:
    begun = latest = timed("A", ms, now)
    for part in sorted(parts):
        then = now + part * ms / 1000
        assume(latest.ends > then)
        left = round((begun.ends - then) * 1000)
        latest = timed("A", left, then, latest)
        assert latest.lasts >= begun.lasts
        assert latest.lasts - begun.lasts < 0.001 + 1e-6 * now
        assert latest.ends == then + left / 1000


@given(spans, spans, times, st.floats(0, 1e4))
def test_another_clock_or_one_after_the_end_has_its_own_length(
    ms: int, next_ms: int, now: float, later: float
) -> None:
    before = timed("A", ms, now)
    assert timed("B", next_ms, now + later, before).lasts == next_ms / 1000
    over = before.ends + later
    assert timed("A", next_ms, over, before).lasts == next_ms / 1000


@given(spans, spans, times)
def test_a_clock_that_gains_time_is_as_long_as_it_became(ms: int, more: int, now: float) -> None:
    assert timed("A", ms + more, now, timed("A", ms, now)).lasts == (ms + more) / 1000


@given(times, st.floats(0, 20))
def test_a_glimpse_is_over_after_its_seconds(now: float, later: float) -> None:
    seen = glimpse("7H", now)
    assert isinstance(seen, Timed)
    assert (seen.what, seen.lasts) == ("7H", GLIMPSE_SECONDS)
    assert (seen.seconds_left(now + later) > 0) == (now + later < now + GLIMPSE_SECONDS)
