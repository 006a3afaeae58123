"""The golden playthroughs in tests/data are played again, line for line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from golfnet.engine.events import EVENTS, Slammed, SlamResult
from golfnet.rulesets import catalogue
from tests.engine.golden import golden_steps, playthrough

if TYPE_CHECKING:
    from tests.golden import GoldenFiles

PLAYTHROUGHS = Path(__file__).parents[1] / "data" / "playthroughs"


@pytest.mark.parametrize("name", catalogue())
def test_a_playthrough_is_played_again_line_for_line(name: str, golden: GoldenFiles) -> None:
    golden.check(PLAYTHROUGHS / f"{name}.txt", playthrough(catalogue()[name]))


def test_nothing_else_is_golden() -> None:
    assert {path.stem for path in PLAYTHROUGHS.iterdir()} == set(catalogue())


def test_the_playthroughs_show_every_kind_of_event() -> None:
    shown = [event for rules in catalogue().values() for step in golden_steps(rules) for event in step.events]
    assert {event.name for event in shown} == set(EVENTS)
    assert {event.result for event in shown if isinstance(event, Slammed)} == set(SlamResult)
