"""How long a bot takes depends on its level and its seed alone; the level ``random`` takes any allowed action."""

from collections import Counter
from itertools import chain, product
from math import log, sqrt
from random import Random
from statistics import fmean, median, stdev

import pytest

from golfnet.bots.bot import LEVELS, QUICKER, THINKING_SPREAD, RandomBot
from golfnet.engine.actions import Action, Pass, Slam, Switch
from golfnet.engine.cards import Position, Seat
from golfnet.engine.hole import Phase
from golfnet.engine.legality import legal_actions
from golfnet.engine.views import View
from golfnet.rulesets import catalogue
from tests.bots.samples import samples

CATALOGUE = catalogue()
MANY = 4000
FEWER = 400
SURE = 4.0
"""The number of standard errors by which a measured number may differ from the expected one."""

SLAM = Slam(Position(Seat(0), 1), 1)


class Claimant(RandomBot):
    """Claims the same slam, or none, in every view."""

    def __init__(self, level: str, seed: int, slam: Slam | None = SLAM) -> None:
        super().__init__(CATALOGUE["cactus"], Random(seed))
        self.traits = LEVELS[level]
        self.slam = slam

    def claim(self, view: View) -> Slam | None:
        return self.slam


@pytest.fixture(scope="module")
def seen() -> View:
    return next(samples(CATALOGUE["cactus"], 2, "tempo")).view


def assert_log_normal(seconds: list[float], middle: float, spread: float) -> None:
    """Check that times are positive and log-normal, with this median and spread."""
    logs = [log(each) for each in seconds]
    assert min(seconds) > 0.0
    assert fmean(logs) == pytest.approx(log(middle), abs=SURE * spread / sqrt(len(logs)))
    assert stdev(logs) == pytest.approx(spread, abs=SURE * spread / sqrt(2 * len(logs)))
    assert median(seconds) == pytest.approx(middle, rel=0.1)


@pytest.mark.parametrize("level", LEVELS)
def test_reaction_times_and_the_rate_of_missed_slams_are_those_of_the_level(level: str, seen: View) -> None:
    bot, traits = Claimant(level, 1), LEVELS[level]
    assert Claimant(level, 1, slam=None).reaction(seen) is None
    reactions = [bot.reaction(seen) for _ in range(MANY)]
    assert_log_normal([each for each in reactions if each is not None], traits.reaction, traits.spread)
    error = sqrt(traits.misses * (1 - traits.misses) / MANY)
    assert reactions.count(None) / MANY == pytest.approx(traits.misses, abs=SURE * error)


@pytest.mark.parametrize(
    ("level", "phase"), sorted({*product(LEVELS, [Phase.TURN]), *product(["easy"], Phase)})
)
def test_thinking_times_have_the_levels_distribution_and_are_shorter_in_some_phases(
    level: str, phase: Phase, seen: View
) -> None:
    bot = Claimant(level, 2)
    seconds = [bot.think(seen._replace(phase=phase)) for _ in range(MANY // 4)]
    assert_log_normal(seconds, LEVELS[level].thinking * QUICKER.get(phase, 1.0), THINKING_SPREAD)


def test_a_slam_does_not_change_later_times(seen: View) -> None:
    """Bots are therefore equally quick in two deals that have the same seed but different cards."""
    one, other = Claimant("easy", 4), Claimant("easy", 4, slam=None)
    for bot in (one, other):
        bot.reaction(seen)
    assert one.think(seen) == other.think(seen)


# --- the level random


@pytest.mark.parametrize("name", CATALOGUE)
def test_allowed_actions_are_equally_likely_if_all_switches_count_as_one_action(name: str) -> None:
    rules, phases = CATALOGUE[name].for_seats(3), set()
    for sample in chain(*[samples(rules, 3, f"{name}/{seed}") for seed in range(5)]):
        if not sample.may_act or sample.view.phase in phases:
            continue
        phases.add(sample.view.phase)
        bot = RandomBot(rules, Random(1))
        counts = Counter(kind(bot.choose(sample.view)) for _ in range(FEWER))
        allowed = {kind(action) for action in legal_actions(sample.hole, sample.seat)}
        if sample.view.window is not None:  # a bot slams with claim(), and never chooses to pass
            allowed = {action for action in allowed if not isinstance(action, Slam | Pass)}
        assert set(counts) <= allowed
        share = 1 / len(allowed)
        error = sqrt(share * (1 - share) / FEWER)
        for action in allowed:
            assert counts[action] / FEWER == pytest.approx(share, abs=SURE * error)
    assert {Phase.TURN, Phase.HOLDING} <= phases
    assert Phase.POWER in phases or not rules.power


def test_the_level_random_slams_any_allowed_card_and_none_after_a_successful_slam() -> None:
    rules, windows = CATALOGUE["cactus"].for_seats(3), 0
    for sample in samples(rules, 3, "slams"):
        bot, window = RandomBot(rules, Random(1)), sample.view.window
        slams = {bot.claim(sample.view) for _ in range(1 if window is None else FEWER)}
        if window is None or window.won:
            assert slams == {None}
        else:
            assert slams == {Slam(at, window.discard_no) for at in sample.view.choices.slammable}
            windows += 1
    assert windows


def kind(action: Action | None) -> Action | str | None:
    """Return an action, or ``switch`` for any switch."""
    return "switch" if isinstance(action, Switch) else action
