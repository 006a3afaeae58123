"""The level ``random`` does anything that is allowed, with equal probability."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from math import sqrt
from random import Random

import pytest

from golfnet.bots.bot import RandomBot
from golfnet.engine.actions import Action, Pass, Slam, Switch
from golfnet.engine.hole import Phase
from golfnet.engine.legality import legal_actions
from golfnet.rulesets import catalogue
from tests.bots.samples import samples

CATALOGUE = catalogue()
MANY = 400
SURE = 5.0
"""Standard errors by which a measured share may be off."""


@pytest.mark.parametrize("name", CATALOGUE)
def test_all_allowed_actions_are_equally_likely_with_all_switches_as_one(name: str) -> None:
    rules, phases = CATALOGUE[name].for_seats(3), set()
    for sample in chain(*[samples(rules, 3, f"{name}/{seed}") for seed in range(5)]):
        if not sample.may_act or sample.view.phase in phases:
            continue
        phases.add(sample.view.phase)
        bot = RandomBot(rules, Random(1))
        counts = Counter(kind(bot.choose(sample.view)) for _ in range(MANY))
        allowed = {kind(action) for action in legal_actions(sample.hole, sample.seat)}
        if sample.view.window is not None:  # slams are claimed, and a window closes without a choice
            allowed = {action for action in allowed if not isinstance(action, Slam | Pass)}
        assert set(counts) <= allowed
        share = 1 / len(allowed)
        error = sqrt(share * (1 - share) / MANY)
        for action in allowed:
            assert counts[action] / MANY == pytest.approx(share, abs=SURE * error)
    assert {Phase.TURN, Phase.HOLDING} <= phases
    assert Phase.POWER in phases or not rules.power


def test_it_slams_any_allowed_card_and_none_once_the_window_is_won() -> None:
    rules, windows = CATALOGUE["cactus"].for_seats(3), 0
    for sample in samples(rules, 3, "slams"):
        bot, window = RandomBot(rules, Random(1)), sample.view.window
        slams = (
            {bot.claim(sample.view) for _ in range(MANY)} if window is not None else {bot.claim(sample.view)}
        )
        if window is None or window.won:
            assert slams == {None}
        else:
            assert slams == {Slam(at, window.discard_no) for at in sample.view.choices.slammable}
            windows += 1
    assert windows


def kind(action: Action | None) -> Action | str | None:
    """Return an action, or ``switch`` for any switch."""
    return "switch" if isinstance(action, Switch) else action
