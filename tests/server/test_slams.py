"""Slams in whole matches: nothing that people do stalls one, and equally fast people win equally often."""

from __future__ import annotations

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.benchmarks.slams import ONE_KEY, ROUND_TRIPS, TYPED, WAYS, Hand, Wire, gains, is_fair, shares
from tests.server.mayhem import mayhem

pytestmark = pytest.mark.usefixtures("each_transport")

THOROUGH = settings.default is not None and settings.default.max_examples > 100

HONEST = [Wire(round_trip) for round_trip in ROUND_TRIPS]


@settings(max_examples=1000 if THOROUGH else 15)
@given(seed=st.integers(0, 2**32))
def test_whatever_people_do_a_cactus_match_ends_and_its_log_is_its_state(seed: int) -> None:
    outcome = trio.run(mayhem, seed, clock=trio.testing.MockClock(autojump_threshold=0))
    assert outcome.events > 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hand", [TYPED, ONE_KEY], ids=lambda hand: hand.name)
def test_somebody_wins_every_card_under_every_way_to_judge(way: str, hand: Hand) -> None:
    assert sum(shares(way, HONEST, hand, cards=200)) == pytest.approx(100)


def test_with_typed_slams_a_race_gives_every_honest_seat_its_share() -> None:
    assert all(map(is_fair, shares("race", HONEST, TYPED, cards=2500)))
    assert not all(map(is_fair, shares("arrival", HONEST, TYPED, cards=2500))), "which arrival order does not"


def test_looking_slower_gains_nothing_for_a_link_that_has_its_whole_allowance() -> None:
    gained = gains(TYPED, cards=1000)
    assert abs(gained[-1]) < 1, "180 ms: 100 of them count, and no more with 150 added"
    assert max(gained) < 15, "nor much for the others: no cheat wins more than a third of the cards or so"
