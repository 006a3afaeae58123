"""What is measured of a claim: from the card's way out to the claim's way in, less what the link takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.layout import Position, Seat
from golfnet.server.session.roundtrip import ALLOWED, UNMEASURED, Link
from golfnet.server.table.arbiter import Claim

TIMES = st.integers(0, 10**12)


@given(shown=TIMES, waited=TIMES, round_trip=st.none() | TIMES)
def test_a_reaction_is_what_was_waited_less_a_round_trip_of_at_most_100_ms(
    shown: int, waited: int, round_trip: int | None
) -> None:
    claim = Claim(Seat(1), Position(Seat(0), 1), shown, Link(round_trip), shown + waited)
    assert claim.waited == waited
    assert claim.reaction == waited - min(round_trip or 0, 100_000)


@pytest.mark.parametrize(
    ("measured", "allowed"),
    [(0, 0), (99_999, 99_999), (100_000, 100_000), (100_001, 100_000), (10**9, ALLOWED)],
)
def test_the_round_trip_counts_up_to_100_ms(measured: int, allowed: int) -> None:
    assert Link(measured).allowance == allowed


@given(round_trip=TIMES, least=TIMES, limit=st.integers(0, ALLOWED))
def test_the_least_that_is_taken_off_is_never_more_than_what_is_taken_off(
    round_trip: int, least: int, limit: int
) -> None:
    link = Link(round_trip, 0, least, limit)
    assert 0 <= link.least_allowance <= link.allowance <= limit
    assert Link(round_trip).least_allowance == Link(round_trip).allowance, "where nothing less was measured"


def test_what_was_not_measured_is_not_taken_off() -> None:
    assert UNMEASURED.allowance == 0
