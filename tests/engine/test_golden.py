"""The golden playthroughs in tests/data are played again, line for line."""

from __future__ import annotations

import pytest

from golfnet.engine.events import EVENTS, Slammed, SlamResult
from golfnet.rulesets import catalogue
from tests.engine.golden import golden_steps, playthrough
from tests.engine.regenerate import PLAYTHROUGHS


@pytest.mark.parametrize("name", catalogue())
def test_a_playthrough_is_played_again_line_for_line(name: str) -> None:
    golden = (PLAYTHROUGHS / f"{name}.txt").read_text(encoding="utf-8")
    assert playthrough(catalogue()[name]).splitlines() == golden.splitlines()


def test_nothing_else_is_golden() -> None:
    assert {path.stem for path in PLAYTHROUGHS.iterdir()} == set(catalogue())


def test_the_playthroughs_show_every_kind_of_event() -> None:
    shown = [event for rules in catalogue().values() for step in golden_steps(rules) for event in step.events]
    assert {event.name for event in shown} == set(EVENTS)
    assert {event.result for event in shown if isinstance(event, Slammed)} == set(SlamResult)
