"""A partition loses no card, makes no unit too large, and parts no equal cards that cancel."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from golfnet.bots.knowledge.pack import pack_of
from golfnet.bots.knowledge.seat_knowledge import EMPTY, KEPT, LOCKED, UNKNOWN
from golfnet.bots.values.unit_values import UnitValues
from golfnet.bots.values.units import MOST, LayoutPartition
from golfnet.engine.cards import Card
from golfnet.engine.rules import MAX_SLOTS, Cancel, RuleSet
from golfnet.engine.scoring import layout_score
from golfnet.rulesets import catalogue

CACTUS = catalogue()["cactus"].for_seats(2)
"""Layouts grow in it."""

SYMBOLS = st.sampled_from((UNKNOWN, KEPT, EMPTY, *range(13), *range(LOCKED, LOCKED + 13)))

SHAPES = [
    (rows, columns) for rows in range(1, 5) for columns in range(1, 7) if 2 <= rows * columns <= MAX_SLOTS
]


def rules_of(cancel: Cancel, rows: int, columns: int) -> RuleSet:
    return replace(CACTUS, cancel=cancel, rows=rows, columns=columns)


@given(st.sampled_from(Cancel), st.sampled_from(SHAPES), st.integers(0, 3), st.data())
def test_every_card_is_in_one_unit(
    cancel: Cancel, shape: tuple[int, int], more: int, data: st.DataObject
) -> None:
    """Penalty cards make layouts longer (C15)."""
    partition = LayoutPartition(rules_of(cancel, *shape))
    slots = shape[0] * shape[1] + more
    symbols = tuple(data.draw(st.lists(SYMBOLS, min_size=slots, max_size=slots)))
    units = partition.units(symbols)
    assert all(len(unit) <= partition.largest <= MOST for unit in units)
    assert all(unit == tuple(sorted(unit)) for unit in units)
    cards = [symbol for unit in units for symbol in unit if symbol != EMPTY]
    assert sorted(cards) == sorted(symbol for symbol in symbols if symbol != EMPTY)


@pytest.mark.parametrize("cancel", Cancel)
@given(st.lists(st.integers(0, 12), min_size=6, max_size=6))
def test_units_count_together_what_the_layout_counts(cancel: Cancel, ranks: list[int]) -> None:
    assume(max(ranks.count(rank) for rank in ranks) <= MOST)
    rules, pack = rules_of(cancel, 2, 3), pack_of(CACTUS, 2)
    chances = [1 / len(pack.ranks)] * len(pack.ranks)
    unit_values = UnitValues(
        rules, pack, draws=chances, offers=chances, hidden=chances, kept=chances, slams=None
    )
    counted = sum(unit_values.value(unit, 0) for unit in LayoutPartition(rules).units(tuple(ranks)))
    assert counted == pytest.approx(layout_score(rules, [Card(pack.ranks[rank], "S") for rank in ranks]))
