"""The level ``random`` does anything that is allowed, each as likely as the others."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from math import sqrt
from random import Random

import pytest

from golfnet.bots.random_bot import RandomBot
from golfnet.engine.actions import Action, Pass, Slam, Switch
from golfnet.engine.hole import Phase
from golfnet.engine.legality import legal_actions
from golfnet.rulesets import catalogue
from tests.bots.moments import moments

CATALOGUE = catalogue()
MANY = 400
SURE = 5.0
"""Standard errors within which a measured share has to be."""


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_allowed_action_is_as_likely_as_the_others_and_all_switches_are_one(name: str) -> None:
    rules, phases = CATALOGUE[name].for_seats(3), set()
    for moment in chain(*[moments(rules, 3, f"{name}/{seed}") for seed in range(5)]):
        if not moment.is_asked or moment.view.phase in phases:
            continue
        phases.add(moment.view.phase)
        bot = RandomBot(rules, Random(1))
        counts = Counter(kind(bot.choose(moment.view)) for _ in range(MANY))
        allowed = {kind(action) for action in legal_actions(moment.hole, moment.seat)}
        if moment.view.window is not None:  # slams are claimed, and a window passes by itself
            allowed = {action for action in allowed if not isinstance(action, Slam | Pass)}
        assert set(counts) <= allowed
        share = 1 / len(allowed)
        error = sqrt(share * (1 - share) / MANY)
        for action in allowed:
            assert counts[action] / MANY == pytest.approx(share, abs=SURE * error)
    assert {Phase.TURN, Phase.HOLDING} <= phases
    assert Phase.POWER in phases or not rules.power


def test_it_slams_any_card_that_may_be_slammed_and_none_when_that_is_over() -> None:
    rules, windows = CATALOGUE["cactus"].for_seats(3), 0
    for moment in moments(rules, 3, "slams"):
        bot, window = RandomBot(rules, Random(1)), moment.view.window
        slams = (
            {bot.claim(moment.view) for _ in range(MANY)} if window is not None else {bot.claim(moment.view)}
        )
        if window is None or window.won:
            assert slams == {None}
        else:
            assert slams == {Slam(at, window.discard_no) for at in moment.view.choices.slammable}
            windows += 1
    assert windows


def kind(action: Action | None) -> Action | str | None:
    """Return an action, all switches as one."""
    return "switch" if isinstance(action, Switch) else action
