"""The value of a unit is what the engine counts for its cards, and another turn never makes it worse."""

from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import given, strategies as st

from golfnet.bots.seat_knowledge import EMPTY, KEPT, LOCKED, UNKNOWN, pack_of
from golfnet.bots.unit_values import MOST, LayoutPartition, UnitValues
from golfnet.engine.cards import Card
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import MAX_SLOTS, Cancel, RuleSet
from golfnet.engine.scoring import layout_score
from golfnet.rulesets import catalogue

CATALOGUE = catalogue()


def whole_deck_values(rules: RuleSet) -> UnitValues:
    """Return unit values for which an unseen card may be any card of the deck."""
    pack = pack_of(rules, 2)
    deck = [count / sum(pack.counts) for count in pack.counts]
    return UnitValues(rules, pack, draws=deck, offers=deck, hidden=deck, kept=deck, slams=None)


def cards_of(rules: RuleSet, symbols: tuple[int, ...]) -> list[Card | None]:
    ranks = pack_of(rules, 2).ranks
    return [None if symbol == EMPTY else Card(ranks[symbol % LOCKED], "S") for symbol in symbols]


@pytest.mark.parametrize("name", CATALOGUE)
def test_known_cards_have_the_points_that_the_engine_counts(name: str) -> None:
    rules = CATALOGUE[name].for_seats(2)
    chance, unit_values, partition = Random(name), whole_deck_values(rules), LayoutPartition(rules)
    ranks = range(len(pack_of(rules, 2).ranks))
    for _ in range(300):
        few = chance.sample(ranks, 3)  # so that some ranks are equal
        symbols = tuple(chance.choice(few) + chance.choice([0, LOCKED]) for _ in range(rules.slots))
        counted = sum(unit_values.value(unit, 0) for unit in partition.units(symbols))
        assert counted == pytest.approx(layout_score(rules, cards_of(rules, symbols)))


@pytest.mark.parametrize("name", CATALOGUE)
def test_another_turn_never_makes_a_unit_worse(name: str) -> None:
    """A turn can always be used to change nothing."""
    rules = CATALOGUE[name].for_seats(2)
    chance, unit_values, partition = Random(name), whole_deck_values(rules), LayoutPartition(rules)
    kinds = (UNKNOWN, *range(len(pack_of(rules, 2).ranks)))
    lower = 0
    for _ in range(8):
        for unit in partition.units(tuple(chance.choice(kinds) for _ in range(rules.slots))):
            values = [unit_values.value(unit, turns) for turns in range(4)]
            assert all(later <= sooner + 1e-9 for sooner, later in pairwise(values))
            assert unit_values.between(unit, 1.5) == pytest.approx((values[1] + values[2]) / 2)
            lower += values[3] < values[0]
    assert lower


def test_one_turn_for_one_card_is_worth_the_best_of_taking_drawing_and_passing() -> None:
    rules = CATALOGUE["cactus"].for_seats(2)
    pack = pack_of(rules, 2)
    low, high = 0, len(pack.ranks) - 1
    draws = [0.0] * len(pack.ranks)
    draws[low] = draws[high] = 0.5
    unit_values = UnitValues(rules, pack, draws=draws, offers=draws, hidden=draws, kept=draws, slams=None)
    points = float(pack.values[high])
    assert unit_values.value((high,), 0) == points
    # The discard is low half of the time; if it is not, the stock card is low half of the time.
    assert unit_values.value((high,), 1) == pytest.approx(points / 4)
    assert unit_values.value((high + LOCKED,), 1) == points


SYMBOLS = st.sampled_from((UNKNOWN, KEPT, EMPTY, *range(13), *range(LOCKED, LOCKED + 13)))

SHAPES = [each for each in product(range(1, 5), range(1, 7)) if 2 <= each[0] * each[1] <= MAX_SLOTS]


@given(st.sampled_from(Cancel), st.sampled_from(SHAPES), st.integers(0, 3), st.data())
def test_every_card_is_in_one_unit(
    cancel: Cancel, shape: tuple[int, int], more: int, data: st.DataObject
) -> None:
    """Penalty cards make layouts longer (C15)."""
    rows, columns = shape
    rules = CATALOGUE["cactus"].for_seats(2)  # for more seats, a pack has too few cards for some shapes
    partition = LayoutPartition(replaced(rules, cancel=cancel, rows=rows, columns=columns))
    slots = rows * columns + more
    symbols = tuple(data.draw(st.lists(SYMBOLS, min_size=slots, max_size=slots)))
    units = partition.units(symbols)
    assert all(len(unit) <= partition.largest <= MOST for unit in units)
    assert all(unit == tuple(sorted(unit)) for unit in units)
    cards = [symbol for unit in units for symbol in unit if symbol != EMPTY]
    assert sorted(cards) == sorted(symbol for symbol in symbols if symbol != EMPTY)
