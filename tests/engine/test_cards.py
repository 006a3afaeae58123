"""Cards and unshuffled decks: C1, M1, G3 and X11; layouts, whose slots keep their numbers: X1, C13 and C15."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.cards import CARDS, JOKER, RANKS, Card, deck_text, parse_deck
from golfnet.engine.layout import MAX_SEATS, Layout, Slot, column_slots
from golfnet.engine.options import override
from golfnet.engine.rules import DeckKind
from golfnet.engine.variants import CACTUS, SIX_CARD
from tests.engine.strategies import cards

slots = st.none() | st.builds(Slot, cards(), st.booleans(), st.integers(0, 4095))
layouts = st.lists(slots, max_size=8).map(Layout)


def test_x11_each_rank_and_suit_has_one_card_and_there_is_only_one_joker() -> None:
    assert len(CARDS) == 15 * 4 + 1
    assert set(CARDS) >= {"AS", "10D", "0S", "1C", "KH", "*"}
    assert [text for text, card in CARDS.items() if card.rank == JOKER] == ["*"]
    assert {card.rank for card in CARDS.values()} == set(RANKS)
    for text, card in CARDS.items():
        assert text == str(card) == card.text == card.rank + card.suit
        assert card.known_text == "?" + text


def test_c1_extra_suits_follow_the_packs_in_cyclic_order_from_spades() -> None:
    extra = CACTUS.deck_for(10)[52:]
    assert [card.suit for card in extra] == [suit for suit in "SHDCS" for _ in range(13)]
    assert [card.rank for card in extra] == list(DeckKind.NUMBERED.ranks) * 5


def test_m1_g3_each_pack_has_every_card_once_and_its_jokers_last() -> None:
    deck = override(SIX_CARD, {"decks": "2", "jokers": "2"}).deck_for(3)
    assert [n for n, card in enumerate(deck) if card.rank == JOKER] == [52, 53, 106, 107]
    assert deck[:54] == deck[54:]
    assert len(set(deck[:52])) == 52


@given(st.lists(cards()))
def test_a_deck_survives_being_written_as_text_and_parsed(deck: list[Card]) -> None:
    assert parse_deck(deck_text(deck)) == tuple(deck)
    with pytest.raises(KeyError, match="1S1"):
        parse_deck("AS 1S1 2S")


# --- layouts


def test_x1_s4_columns_run_from_top_to_bottom() -> None:
    assert column_slots(2, 3) == ((1, 4), (2, 5), (3, 6))
    assert column_slots(1, 4) == ((1,), (2,), (3,), (4,))


@given(layouts, st.data())
def test_c13_c15_setting_a_slot_changes_only_that_slot_or_adds_a_slot_at_the_end(
    layout: Layout, data: st.DataObject
) -> None:
    number = data.draw(st.integers(1, len(layout) + 1))
    slot = data.draw(slots)
    before = tuple(layout)
    changed = layout.with_slot(number, slot)
    assert changed[number - 1] == slot
    assert len(changed) == max(len(layout), number)
    assert [n for n in range(len(layout)) if changed[n] != layout[n]] in ([], [number - 1])
    assert layout == before


@given(layouts)
def test_x16_a_layout_lists_its_cards_and_remembers_who_has_seen_face_down_cards(
    layout: Layout,
) -> None:
    there = layout.occupied
    assert set(layout.face_down) <= set(there)
    assert [card is not None for card in layout.cards] == [n in there for n in range(1, len(layout) + 1)]
    assert layout.is_empty == (not there)
    assert layout.is_all_face_up == (bool(there) and not layout.face_down)
    hidden = [slot for slot in layout if slot is not None and not slot.face_up]
    for seat in range(MAX_SEATS):
        assert bool(layout.remembered >> seat & 1) is any(slot.known >> seat & 1 for slot in hidden)
