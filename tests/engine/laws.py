"""Laws of the rules, tested on every rule set that comes with golfnet and on random house rules."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from golfnet.engine.hole import Hole
from golfnet.engine.rules import RuleSet
from golfnet.rulesets import catalogue
from tests.engine.random_play import Step, play_match
from tests.engine.strategies import rule_sets

CATALOGUE = catalogue()
HOUSE_RULES = "random house rules"


@dataclass(frozen=True)
class Line:
    """The rules, number of seats and seed that determine a random match."""

    rules: RuleSet
    seats: int
    seed: int

    @property
    def chance(self) -> Random:
        return Random(self.seed)

    def steps(self, *, holes: int | None = 1) -> Iterator[Step]:
        return play_match(self.rules, self.seats, self.chance, holes=holes)

    def holes(self, *, every: int = 1) -> Iterator[Hole]:
        """Yield the state of the first hole before each action, or before one in ``every`` actions."""
        for number, step in enumerate(self.steps()):
            if number % every == 0 and step.before.is_playing and step.before.hole is not None:
                yield step.before.hole


@st.composite
def lines(draw: st.DrawFn, name: str) -> Line:
    rules = draw(rule_sets()) if name == HOUSE_RULES else CATALOGUE[name]
    return Line(rules, draw(st.integers(*rules.seats)), draw(st.integers(0, 2**32)))


def law(examples: int) -> Callable[[Callable[[Line], None]], Callable[[str], None]]:
    """Turn a law into a test of every rule set and of random house rules.

    In the quick profile each rule set is tested with ``examples`` matches, house rules with three times as many.
    """
    several = max(1, examples * settings().max_examples // 50)

    def decorate(holds: Callable[[Line], None]) -> Callable[[str], None]:
        def test(name: str) -> None:
            @settings(max_examples=several * (3 if name == HOUSE_RULES else 1))
            @given(lines(name))
            def check(line: Line) -> None:
                holds(line)

            check()

        return pytest.mark.parametrize("name", [*CATALOGUE, HOUSE_RULES])(test)

    return decorate
