"""The price of closing follows from the rules, the own unknown cards, and what the others may come to."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from golfnet.bots.knowledge.memory import Memory
from golfnet.bots.knowledge.seat_knowledge import UNKNOWN, SeatKnowledge
from golfnet.bots.values.closing_cost import ClosingCost
from golfnet.engine.layout import Seat
from golfnet.engine.rules import Penalty
from golfnet.engine.views import view
from golfnet.rulesets import catalogue
from tests.engine.random_play import play_match

if TYPE_CHECKING:
    from golfnet.engine.rules import RuleSet

CATALOGUE = catalogue()
SIX_CARD_FINAL, CACTUS = CATALOGUE["six-card-final"], CATALOGUE["cactus"]


def knowledge_of(rules: RuleSet) -> SeatKnowledge:
    """Return what the first seat knows when the cards are dealt."""
    rules = rules.for_seats(2)
    dealt = next(step.after for step in play_match(rules, 2, Random(1)) if step.after.is_playing)
    assert dealt.hole is not None
    return SeatKnowledge(view(dealt.hole, Seat(0)), Memory(rules, Random(1), recall=1.0))


def known(knowledge: SeatKnowledge, *values: int) -> tuple[int, ...]:
    """Return known cards of given points."""
    return tuple(knowledge.pack.values.index(value) for value in values)


def test_closing_is_free_where_the_rules_set_no_price() -> None:
    knowledge = knowledge_of(SIX_CARD_FINAL)
    assert ClosingCost(knowledge, [0.0], 1).of(known(knowledge, 9, 8, 7, 6, 5, 4), 39.0) == 0.0


@pytest.mark.parametrize(("penalty", "most"), [(Penalty.FIVE, 5), (Penalty.TEN, 10), (Penalty.DOUBLE, 12)])
def test_the_price_is_the_dearer_the_lower_the_others_are(penalty: Penalty, most: int) -> None:
    knowledge = knowledge_of(replace(SIX_CARD_FINAL, penalty=penalty))
    layout = known(knowledge, 1, 2, 3, 4, 0, 2)
    prices = [ClosingCost(knowledge, [float(other)], 1).of(layout, 12.0) for other in range(60, -60, -5)]
    assert prices == sorted(prices)
    assert prices[0] == pytest.approx(0, abs=0.01)
    assert prices[-1] == pytest.approx(most, abs=0.01)


def test_known_cards_are_doubled_over_five_and_only_then() -> None:
    """C9: 5 itself is safe."""
    knowledge = knowledge_of(replace(CACTUS, power=()))
    price = ClosingCost(knowledge, [20.0], 1)
    assert price.of(known(knowledge, 0, 0, 2, 3), 5.0) == 0.0
    assert price.of(known(knowledge, 0, 0, 3, 3), 6.0) == 6.0


def test_unknown_cards_and_powers_of_others_put_a_low_score_at_risk() -> None:
    safe, switched = knowledge_of(replace(CACTUS, power=())), knowledge_of(CACTUS)
    layout = known(safe, 0, 0, 0, 1)
    assert ClosingCost(safe, [20.0], 1).of(layout, 1.0) == 0.0
    assert ClosingCost(switched, [20.0], 1).of(layout, 1.0) > 0.0
    hidden = (*layout[:3], UNKNOWN)
    more = [chance * value for chance, value in zip(safe.hidden, safe.pack.values, strict=True) if value > 5]
    assert ClosingCost(safe, [20.0], 1).of(hidden, safe.mean) == pytest.approx(sum(more), abs=1e-5)
