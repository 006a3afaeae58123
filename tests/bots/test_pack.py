"""A pack is the deck sorted by points and counted by rank."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from golfnet.bots.seat_knowledge import pack_of, rank_text
from golfnet.engine.layout import EMPTY, HIDDEN
from tests.engine.strategies import cards, rule_sets

if TYPE_CHECKING:
    from golfnet.engine.cards import Card
    from golfnet.engine.rules import RuleSet


@given(rule_sets(), st.data())
def test_a_pack_counts_every_card_of_the_deck_and_nothing_else(rules: RuleSet, data: st.DataObject) -> None:
    seats = data.draw(st.integers(rules.seats.low, rules.seats.high))
    pack = pack_of(rules, seats)
    deck = Counter(card.rank for card in rules.deck_for(seats))
    assert dict(zip(pack.ranks, pack.counts, strict=True)) == deck
    assert dict(zip(pack.ranks, pack.values, strict=True)) == {rank: rules.values[rank] for rank in deck}


@given(rule_sets())
def test_a_higher_number_never_has_fewer_points_and_names_its_rank(rules: RuleSet) -> None:
    pack = pack_of(rules, rules.seats.low)
    assert list(pack.values) == sorted(pack.values)
    assert pack.numbers == {rank: pack.ranks.index(rank) for rank in pack.ranks}


@given(cards())
def test_a_slot_shows_the_rank_of_a_face_up_or_known_card(card: Card) -> None:
    assert rank_text(card.text) == rank_text(card.known_text) == card.rank


def test_a_slot_that_shows_no_card_has_no_rank() -> None:
    assert rank_text(HIDDEN) is None
    assert rank_text(EMPTY) is None
