"""The price of closing depends on the rules, the seat's unknown cards, and what the others may score."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from golfnet.bots.action_values import ClosingCost, others_up, survival, turns_left
from golfnet.bots.seat_knowledge import UNKNOWN, SeatKnowledge
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import Penalty, RuleSet
from golfnet.rulesets import catalogue
from tests.bots.samples import samples

CATALOGUE = catalogue()
SIX_CARD_FINAL, CACTUS = CATALOGUE["six-card-final"], CATALOGUE["cactus"]


def knowledge_of(rules: RuleSet) -> SeatKnowledge:
    """Return what the first seat knows when the cards are dealt."""
    return next(samples(rules, 2, "dealt")).knowledge


def known(knowledge: SeatKnowledge, *values: int) -> tuple[int, ...]:
    """Return the symbols of known cards with these points."""
    return tuple(knowledge.pack.values.index(value) for value in values)


@pytest.mark.parametrize(
    ("penalty", "most"), [(Penalty.NONE, 0), (Penalty.FIVE, 5), (Penalty.TEN, 10), (Penalty.DOUBLE, 12)]
)
def test_the_price_rises_as_the_layouts_of_others_get_lower(penalty: Penalty, most: int) -> None:
    knowledge = knowledge_of(replaced(SIX_CARD_FINAL, penalty=penalty))
    layout = known(knowledge, 1, 2, 3, 4, 0, 2)
    prices = [ClosingCost(knowledge, [float(other)], 1).of(layout, 12.0) for other in range(60, -60, -5)]
    assert prices == sorted(prices)
    assert prices[0] == pytest.approx(0, abs=0.01)
    assert prices[-1] == pytest.approx(most, abs=0.01)


def test_the_sum_of_known_cards_is_doubled_only_above_five() -> None:
    """C9: exactly 5 is safe."""
    knowledge = knowledge_of(replaced(CACTUS, power=()))
    price = ClosingCost(knowledge, [20.0], 1)
    assert price.of(known(knowledge, 0, 0, 2, 3), 5.0) == 0.0
    assert price.of(known(knowledge, 0, 0, 3, 3), 6.0) == 6.0


def test_unknown_cards_and_powers_of_others_put_a_low_score_at_risk() -> None:
    safe, switched = knowledge_of(replaced(CACTUS, power=())), knowledge_of(CACTUS)
    layout = known(safe, 0, 0, 0, 1)
    assert ClosingCost(safe, [20.0], 1).of(layout, 1.0) == 0.0
    assert ClosingCost(switched, [20.0], 1).of(layout, 1.0) > 0.0
    hidden = (*layout[:3], UNKNOWN)
    more = [chance * value for chance, value in zip(safe.hidden, safe.pack.values, strict=True) if value > 5]
    assert ClosingCost(safe, [20.0], 1).of(hidden, safe.mean) == pytest.approx(sum(more), abs=1e-5)


def first_seat(rules: RuleSet) -> Iterator[SeatKnowledge]:
    """Yield what the first of three seats knows in the course of a random hole."""
    return (sample.knowledge for sample in samples(rules, 3, "course") if sample.seat == 0)


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_further_turn_is_no_more_likely_than_the_turn_before(name: str) -> None:
    ends_early = name not in {"four-turn", "multiples"}
    fell = 0
    for knowledge in first_seat(CATALOGUE[name]):
        courses = [[20.0, 10.0, 5.0, 0.0]] * len(knowledge.others)
        chances = survival(knowledge, courses)
        assert chances[0] == 1.0
        assert len(chances) == len(courses[0]) + 1
        assert all(1.0 >= sooner >= later >= 0.0 for sooner, later in pairwise(chances))
        fell += chances[-1] < 1.0
        assert sum(others_up(knowledge, 5)) == pytest.approx(1.0)
    assert bool(fell) is ends_early


@pytest.mark.parametrize("name", CATALOGUE)
def test_turns_left_never_exceed_the_limit_of_the_rules(name: str) -> None:
    rules = CATALOGUE[name].for_seats(3)
    for knowledge in first_seat(rules):
        had, left = knowledge.view.turns[0], turns_left(knowledge)
        assert left >= 0
        assert had + left <= max(had, rules.turns or rules.turn_cap or 0)
        if knowledge.view.closer is not None:
            assert left == 0
