"""Cards and unshuffled decks: C1, M1, G3 and X11; layouts, whose slots keep their numbers: X1, C13 and C15."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.cards import CARDS, JOKER, RANKS, Card, DeckKind, deck_text, parse_deck, unshuffled_deck
from golfnet.engine.layout import MAX_SEATS, Layout, Slot, column_slots
from tests.engine.strategies import cards

slots = st.none() | st.builds(Slot, cards(), st.booleans(), st.integers(0, 4095))
layouts = st.lists(slots, max_size=8).map(Layout)


def test_there_is_one_card_per_rank_and_suit_and_a_single_joker() -> None:
    assert len(CARDS) == 15 * 4 + 1
    assert set(CARDS) >= {"AS", "10D", "0S", "1C", "KH", "*"}
    assert [text for text, card in CARDS.items() if card.rank == JOKER] == ["*"], (
        "X11: all jokers are one rank"
    )
    assert {card.rank for card in CARDS.values()} == set(RANKS)


@given(cards())
def test_cards_are_looked_up_by_text_and_have_a_text_for_known_cards(card: Card) -> None:
    assert CARDS[str(card)] is card
    assert card.text == card.rank + card.suit
    assert card.known_text == "?" + card.text


def test_c1_extra_suits_follow_the_packs_starting_with_spades_and_repeating() -> None:
    deck = unshuffled_deck(DeckKind.NUMBERED, packs=1, jokers=0, extra_suits=5)
    extra = deck[52:]
    assert [card.suit for card in extra[::13]] == list("SHDCS")
    assert all(
        [card.rank for card in extra[n : n + 13]] == list(DeckKind.NUMBERED.ranks) for n in range(0, 65, 13)
    )


def test_g3_jokers_come_last_in_each_pack() -> None:
    deck = unshuffled_deck(DeckKind.STANDARD, packs=2, jokers=2, extra_suits=0)
    assert [n for n, card in enumerate(deck) if card.rank == JOKER] == [52, 53, 106, 107]


def test_m1_two_packs_hold_every_card_twice_and_no_joker() -> None:
    counts = Counter(unshuffled_deck(DeckKind.STANDARD, packs=2, jokers=0, extra_suits=0))
    assert len(counts) == 52
    assert set(counts.values()) == {2}


@given(st.lists(cards()))
def test_a_deck_survives_being_written_as_text_and_parsed(deck: list[Card]) -> None:
    assert parse_deck(deck_text(deck)) == tuple(deck)


def test_parsing_a_deck_names_the_word_that_is_not_a_card() -> None:
    with pytest.raises(KeyError, match="1S1"):
        parse_deck("AS 1S1 2S")


# --- layouts


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (2, 2, ((1, 3), (2, 4))),
        (2, 3, ((1, 4), (2, 5), (3, 6))),
        (3, 3, ((1, 4, 7), (2, 5, 8), (3, 6, 9))),
        (1, 4, ((1,), (2,), (3,), (4,))),
    ],
)
def test_x1_s4_columns_run_from_top_to_bottom(
    rows: int, columns: int, expected: tuple[tuple[int, ...], ...]
) -> None:
    assert column_slots(rows, columns) == expected


@given(layouts, st.data())
def test_c13_c15_setting_a_slot_changes_only_that_slot_or_adds_one_at_the_end(
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
def test_face_down_slots_are_occupied_slots(layout: Layout) -> None:
    there = layout.occupied
    assert set(layout.face_down) <= set(there)
    assert [card is not None for card in layout.cards] == [n in there for n in range(1, len(layout) + 1)]
    assert layout.is_empty == (not there)
    assert layout.is_all_face_up == (bool(there) and not layout.face_down)


@given(layouts)
def test_x16_a_layout_remembers_who_has_seen_a_card_that_lies_face_down(layout: Layout) -> None:
    hidden = [slot for slot in layout if slot is not None and not slot.face_up]
    for seat in range(MAX_SEATS):
        assert bool(layout.remembered >> seat & 1) is any(slot.known >> seat & 1 for slot in hidden)
