"""How long a bot takes depends only on its level's numbers and its own random generator."""

from __future__ import annotations

import itertools
from math import log, sqrt
from random import Random
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.bot import LEVELS, QUICKER, THINKING_SPREAD, TimedChoices
from golfnet.engine.actions import Slam
from golfnet.engine.hole import Phase
from golfnet.engine.layout import Position, Seat
from golfnet.rulesets import catalogue
from tests.bots.samples import samples

if TYPE_CHECKING:
    from golfnet.engine.views import View

MANY = 4000
SURE = 4.0
"""Standard errors by which a measured number may be off."""

SLAM = Slam(Position(Seat(0), 1), 1)
LEVEL = pytest.mark.parametrize("level", LEVELS)


class Claimant(TimedChoices):
    """Wants one slam, or none, whatever it sees."""

    def __init__(self, level: str, seed: int, slam: Slam | None = SLAM) -> None:
        super().__init__(LEVELS[level], Random(seed))
        self.slam = slam

    def claim(self, view: View) -> Slam | None:
        return self.slam


@pytest.fixture(scope="module")
def seen() -> View:
    return next(samples(catalogue()["cactus"], 2, "tempo")).view


def assert_log_normal(seconds: list[float], middle: float, spread: float) -> None:
    """Check the median and the spread of times that are log-normal, and that none is negative."""
    logs = [log(each) for each in seconds]
    assert min(seconds) > 0.0
    assert fmean(logs) == pytest.approx(log(middle), abs=SURE * spread / sqrt(len(logs)))
    assert stdev(logs) == pytest.approx(spread, abs=SURE * spread / sqrt(2 * len(logs)))
    assert median(seconds) == pytest.approx(middle, rel=0.1)


@LEVEL
def test_reactions_have_the_levels_distribution_and_are_missed_at_its_rate(level: str, seen: View) -> None:
    bot, traits = Claimant(level, 1), LEVELS[level]
    reactions = [bot.reaction(seen) for _ in range(MANY)]
    assert_log_normal([each for each in reactions if each is not None], traits.reaction, traits.spread)
    error = sqrt(traits.misses * (1 - traits.misses) / MANY)
    assert reactions.count(None) / MANY == pytest.approx(traits.misses, abs=SURE * error)


@LEVEL
@pytest.mark.parametrize("phase", Phase)
def test_thinking_times_have_the_levels_distribution_and_are_shorter_in_some_phases(
    level: str, phase: Phase, seen: View
) -> None:
    bot = Claimant(level, 2)
    seconds = [bot.think(seen._replace(phase=phase)) for _ in range(MANY // 4)]
    assert_log_normal(seconds, LEVELS[level].thinking * QUICKER.get(phase, 1.0), THINKING_SPREAD)


@LEVEL
def test_there_is_no_reaction_without_a_slam(level: str, seen: View) -> None:
    bot = Claimant(level, 3, slam=None)
    assert {bot.reaction(seen) for _ in range(50)} == {None}


@LEVEL
def test_bots_with_the_same_seed_take_the_same_times(level: str, seen: View) -> None:
    def times(seed: int) -> list[float | None]:
        bot = Claimant(level, seed)
        return [time(seen) for _ in range(50) for time in (bot.reaction, bot.think)]

    assert times(1) == times(1)
    assert times(1) != times(2)


def test_a_slam_does_not_change_later_times(seen: View) -> None:
    """So bots are equally quick in two deals that have the same seed but different cards."""
    one, other = Claimant("easy", 4), Claimant("easy", 4, slam=None)
    for bot in (one, other):
        bot.reaction(seen)
    assert one.think(seen) == other.think(seen)


def test_better_levels_are_quicker_surer_and_forget_less() -> None:
    levels = list(LEVELS.values())
    for weaker, better in itertools.pairwise(levels):
        assert better.reaction < weaker.reaction
        assert better.spread < weaker.spread
        assert better.misses < weaker.misses
        assert better.recall > weaker.recall
