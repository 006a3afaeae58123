"""The counts of all action lines from pinned holes are what tests/data says, and the smallest what the rules say."""

from __future__ import annotations

import json

import pytest

from golfnet.rulesets import catalogue
from tests.engine.drawing import dealt
from tests.engine.perft import count, pinned
from tests.engine.regenerate import PERFT

PINNED = json.loads(PERFT.read_text(encoding="utf-8"))


def test_every_rule_set_is_counted() -> None:
    assert set(PINNED) == set(catalogue())


@pytest.mark.parametrize("place", ["deal", "first turn", "middle"])
@pytest.mark.parametrize("name", PINNED)
def test_the_numbers_of_lines_are_the_pinned_ones(name: str, place: str) -> None:
    hole = pinned(catalogue()[name])[place]
    numbers = PINNED[name][place]
    assert numbers == [count(hole, depth) for depth in range(1, len(numbers) + 1)]


# By hand, as the rules have it.

FOUR = "7H 2C | 3S 4S\n7S 9C | 6S 7D"


def test_the_first_choices_of_two_seats_by_hand() -> None:
    hole = dealt("four-turn", FOUR).hole
    assert count(hole, 1) == 2 * 3, "3, 4, or both"
    assert count(hole, 2) == 2 * (1 * (0 + 3) + 2 * (1 + 3)), (
        "the other one's 3; after a single, the second one"
    )


def test_the_first_turn_by_hand() -> None:
    hole = dealt("four-card-knock", FOUR).chosen().hole
    draw, take, take_to, knock = 1, 1, 4, 1
    assert count(hole, 1) == draw + take + take_to + knock
    assert count(hole, 2) == draw * 5 + take * 4 + take_to * 7 + knock * 6


def test_a_slam_window_by_hand() -> None:
    played = dealt("cactus", FOUR, stock="8H").chosen()
    assert count(played.hole, 1) == 2
    played.plays("A draw", "A discard")
    passes, slams, closing = 2, 2 * 8, 1
    assert count(played.hole, 1) == passes + slams + closing
