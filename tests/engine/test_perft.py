"""The counts of action sequences from pinned holes match tests/data, and the smallest ones match counts by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from golfnet.rulesets import catalogue
from tests.engine.drawing import FOUR, dealt
from tests.engine.perft import count, counts, pinned

if TYPE_CHECKING:
    from tests.golden import GoldenFiles

PERFT = Path(__file__).parents[1] / "data" / "perft"


@pytest.mark.parametrize("name", catalogue())
def test_action_counts_match_the_pinned_ones(name: str, golden: GoldenFiles) -> None:
    path = PERFT / f"{name}.txt"
    holes = pinned(catalogue()[name])
    if golden.renew:
        numbers = {place: counts(hole) for place, hole in holes.items()}
    else:
        numbers = {
            place: [count(holes[place], depth) for depth in range(1, len(known.split()) + 1)]
            for place, known in (line.split(": ") for line in path.read_text("utf-8").splitlines())
        }
    lines = [f"{place}: {' '.join(map(str, found))}" for place, found in numbers.items()]
    golden.check(path, "\n".join(lines) + "\n")
    assert list(numbers) == list(holes)


def test_the_pinned_files_are_exactly_those_of_the_rule_sets() -> None:
    assert {path.stem for path in PERFT.iterdir()} == set(catalogue())


# Counted by hand from the rules.


def test_the_first_choices_of_two_seats_match_a_count_by_hand() -> None:
    hole = dealt("four-turn", FOUR).hole
    assert count(hole, 1) == 2 * 3, "slot 3, slot 4, or both"
    assert count(hole, 2) == 2 * (1 * (0 + 3) + 2 * (1 + 3)), (
        "the other seat's three choices; after a single slot, also the second one"
    )
