"""The chances of how long a hole will last never exceed what the rules allow."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.knowledge.memory import Memory
from golfnet.bots.knowledge.seat_knowledge import SeatKnowledge
from golfnet.bots.values.hole_length import others_up, survival, turns_left
from golfnet.engine.layout import Seat
from golfnet.engine.views import view
from golfnet.rulesets import catalogue
from tests.engine.random_play import play_match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.engine.rules import RuleSet

CATALOGUE = catalogue()


def knowledge_samples(rules: RuleSet, seats: int = 3) -> Iterator[SeatKnowledge]:
    """Yield what the first seat reads in the course of a hole of random play."""
    memory = Memory(rules, Random(1), recall=1.0)
    for step in play_match(rules, seats, Random(2), holes=1):
        hole = step.after.hole
        if hole is not None and step.after.is_playing:
            yield SeatKnowledge(view(hole, Seat(0)), memory)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_chance_that_a_hole_lasts_only_falls(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    ends_early = name not in {"four-turn", "multiples"}
    fell = 0
    for knowledge in knowledge_samples(rules):
        courses = [[20.0, 10.0, 5.0, 0.0]] * len(knowledge.others)
        chances = survival(knowledge, courses)
        assert chances[0] == 1.0
        assert len(chances) == len(courses[0]) + 1
        assert all(1.0 >= sooner >= later >= 0.0 for sooner, later in pairwise(chances))
        fell += chances[-1] < 1.0
        assert sum(others_up(knowledge, 5)) == pytest.approx(1.0)
    assert bool(fell) is ends_early


def test_lower_cards_knock_sooner() -> None:
    knowledge = next(knowledge_samples(CATALOGUE["cactus"].for_seats(2), 2))
    low, high = (survival(knowledge, [[points] * 4]) for points in (0.0, 30.0))
    assert low[-1] < high[-1]


@pytest.mark.parametrize("name", CATALOGUE)
def test_turns_left_are_never_more_than_the_rules_leave(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    for knowledge in knowledge_samples(rules):
        had, left = knowledge.view.turns[0], turns_left(knowledge)
        assert left >= 0
        assert had + left <= max(had, rules.turns or rules.turn_cap or 0)
        if knowledge.view.closer is not None:
            assert left == 0
