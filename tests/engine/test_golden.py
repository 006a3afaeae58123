"""Playthroughs and counts of action sequences match the files in tests/data; one count is checked by hand."""

from pathlib import Path

import pytest

from golfnet.engine.events import EVENTS, Slammed, SlamResult
from golfnet.engine.variants import VARIANTS
from golfnet.rulesets import catalogue
from tests.engine.drawing import FOUR, dealt
from tests.engine.golden import SEEDS, golden_steps, playthrough
from tests.engine.perft import count, counts, pinned
from tests.golden import GoldenFiles

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("name", SEEDS)
def test_playthroughs_replay_line_for_line(name: str, golden: GoldenFiles) -> None:
    golden.check(DATA / "playthroughs" / f"{name}.txt", playthrough(VARIANTS[name]))


def test_there_is_one_golden_file_for_each_rule_set() -> None:
    assert {path.stem for path in (DATA / "playthroughs").iterdir()} == set(SEEDS)
    assert {path.stem for path in (DATA / "perft").iterdir()} == set(catalogue())


def test_the_playthroughs_show_every_kind_of_event_except_a_reshuffle() -> None:
    shown = [event for name in SEEDS for step in golden_steps(VARIANTS[name]) for event in step.events]
    assert {event.name for event in shown} == EVENTS.keys() - {"reshuffled"}
    assert {event.result for event in shown if isinstance(event, Slammed)} == set(SlamResult)


@pytest.mark.parametrize("name", catalogue())
def test_action_counts_match_the_pinned_ones(name: str, golden: GoldenFiles) -> None:
    path = DATA / "perft" / f"{name}.txt"
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


def test_the_first_choices_of_two_seats_match_a_count_made_by_hand() -> None:
    hole = dealt("four-turn", FOUR).hole
    assert count(hole, 1) == 2 * 3, "slot 3, slot 4, or both"
    assert count(hole, 2) == 2 * (1 * (0 + 3) + 2 * (1 + 3)), (
        "the other seat's three choices; after a single slot, also the second one"
    )
