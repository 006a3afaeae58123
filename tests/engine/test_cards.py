"""Cards, unshuffled decks and columns: C1, M1, G3, X1, X11 and S4."""

import pytest
from hypothesis import given, strategies as st

from golfnet.engine.cards import CARDS, JOKER, RANKS, Card, column_slots, deck_text, parse_deck
from golfnet.engine.options import override
from golfnet.engine.rules import DeckKind
from golfnet.engine.variants import CACTUS, SIX_CARD
from tests.engine.strategies import cards


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


def test_x1_s4_columns_run_from_top_to_bottom() -> None:
    assert column_slots(2, 3) == ((1, 4), (2, 5), (3, 6))
    assert column_slots(1, 4) == ((1,), (2,), (3,), (4,))
