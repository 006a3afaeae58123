"""Cards and unshuffled decks: C1, M1, G3 and X11."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.engine.cards import CARDS, JOKER, RANKS, Card, DeckKind, deck_text, parse_deck, unshuffled_deck
from tests.engine.strategies import cards


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
