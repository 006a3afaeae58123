"""The golden playthroughs in tests/data are replayed line by line."""

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
def test_playthroughs_replay_line_for_line(name: str, golden: GoldenFiles) -> None:
    golden.check(PLAYTHROUGHS / f"{name}.txt", playthrough(catalogue()[name]))


def test_no_stray_golden_playthroughs_exist() -> None:
    assert {path.stem for path in PLAYTHROUGHS.iterdir()} == set(catalogue())


def test_the_playthroughs_show_every_kind_of_event() -> None:
    shown = [event for rules in catalogue().values() for step in golden_steps(rules) for event in step.events]
    assert {event.name for event in shown} == set(EVENTS)
    assert {event.result for event in shown if isinstance(event, Slammed)} == set(SlamResult)
