"""Rule sets validate themselves (X15): one that can be created can be played; otherwise the error names the option."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given

from golfnet.engine.cards import JOKER
from golfnet.engine.errors import RuleError
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import BOUNDS, Packs, Placed, RuleSet, SlamMode, Span, Start, StartMode
from golfnet.engine.variants import CACTUS, FOUR_TURN, MULTIPLES, SIX_CARD, SIX_CARD_FINAL
from tests.engine.strategies import rule_sets


@given(rule_sets())
def test_x15_every_valid_rule_set_can_be_played_by_every_number_of_seats_it_allows(rules: RuleSet) -> None:
    for seats in range(rules.seats.low, rules.seats.high + 1):
        deck = rules.deck_for(seats)
        assert rules.deck_size(seats) == len(deck)
        stock = len(deck) - seats * rules.rows * rules.columns - (1 if rules.upcard else 0)
        assert stock >= seats * (1 if rules.turns is None else rules.turns)
        played = rules.for_seats(seats)
        assert (played.seats, played.deck_for(seats)) == ((seats, seats), deck)
        assert replaced(played, seats=rules.seats, decks=rules.decks) == rules, "nothing else has changed"
    assert {card.rank for card in deck} <= rules.values.keys()
    assert (rules.holes, rules.target) != (None, None)
    assert (rules.turns, rules.turn_cap) != (None, None)


def test_rule_sets_with_different_titles_or_notes_are_equal_but_keep_their_titles_and_notes() -> None:
    assert SIX_CARD.for_seats(4) is SIX_CARD.for_seats(4)
    for worded in (replaced(SIX_CARD, title="Our Golf"), replaced(SIX_CARD, notes=("Be kind.",))):
        assert (worded, hash(worded)) == (SIX_CARD, hash(SIX_CARD))
        assert replaced(worded, target=26) != SIX_CARD
        played = worded.for_seats(4)
        assert (played.title, played.notes) == (worded.title, worded.notes)


def test_for_seats_refuses_more_or_fewer_seats_than_allowed() -> None:
    for seats in (1, 7):
        with pytest.raises(RuleError, match=f"seats: four-turn is played by 2 to 6 seats, not by {seats}"):
            FOUR_TURN.for_seats(seats)


@given(rule_sets())
def test_copies_and_pickles_of_a_rule_set_are_equal_and_hash_alike(rules: RuleSet) -> None:
    for twin in (copy.copy(rules), copy.deepcopy(rules), pickle.loads(pickle.dumps(rules)), replaced(rules)):
        assert twin == rules
        assert hash(twin) == hash(rules)
        assert (twin.title, twin.notes) == (rules.title, rules.notes)


def test_nothing_in_a_rule_set_can_be_changed_not_even_through_the_values_it_was_given() -> None:
    values = dict(SIX_CARD.values)
    rules = replaced(SIX_CARD, values=values)
    values["K"] = 99
    assert rules.values["K"] == 0
    with pytest.raises(AttributeError):
        rules.target = 26  # type: ignore[misc]
    with pytest.raises(TypeError):
        rules.values["K"] = 13  # type: ignore[index]


def test_the_order_in_which_ranks_are_given_makes_no_difference() -> None:
    values = dict(reversed(list(CACTUS.values.items())))
    backwards = replaced(CACTUS, values=values, power=tuple(reversed(CACTUS.power)) * 2)
    assert backwards == CACTUS
    assert list(backwards.values) == list(CACTUS.values)


@pytest.mark.parametrize("option", sorted(BOUNDS.keys() - {"seats", "decks", "values"}))
def test_the_refusal_of_a_number_out_of_bounds_names_the_option(option: str) -> None:
    low, high = BOUNDS[option]
    for wrong in (low - 1, high + 1):
        changes: dict[str, Any] = {option: wrong}
        with pytest.raises(RuleError, match=f"^{option}: a number from {low} to {high}, not {wrong}$"):
            replaced(CACTUS, **changes)


UNPLAYABLE: list[tuple[RuleSet, dict[str, Any], str]] = [
    (SIX_CARD, {"seats": Span(1, 4)}, "seats: from 2 to 12"),
    (SIX_CARD, {"seats": Span(2, 13)}, "seats: from 2 to 12"),
    (SIX_CARD, {"seats": Span(5, 4)}, "seats: .* the lower number first, not 5 to 4 seats"),
    (SIX_CARD, {"rows": 3, "columns": 5}, "columns: rows times columns from 2 to 12 cards, not 3 times 5"),
    (SIX_CARD, {"rows": 1, "columns": 1}, "columns: rows times columns from 2 to 12"),
    (SIX_CARD, {"decks": Packs(((1, 9),))}, "decks: a number from 1 to 8, not 9"),
    (SIX_CARD, {"decks": Packs(((1, 1), (4, 0)))}, "decks: a number from 1 to 8 from 4 seats on, not 0"),
    (SIX_CARD, {"decks": Packs(((2, 1),))}, "decks: steps that begin at 1 seat and increase"),
    (SIX_CARD, {"decks": Packs(((1, 1), (8, 2), (4, 3)))}, "decks: steps that begin at 1 seat and increase"),
    (SIX_CARD, {"decks": Packs(())}, "decks: steps"),
    (SIX_CARD, {"values": {**SIX_CARD.values, "K": 101}}, "values: a number from -100 to 100 for K, not 101"),
    (SIX_CARD, {"values": {"A": 1}}, "values: points for every rank in the deck; none for 10, 2"),
    (SIX_CARD, {"values": {**SIX_CARD.values, "X": 1}}, "values: ranks of .*, not X"),
    (CACTUS, {"power": ("J", "11")}, "power: ranks of .*, not 11"),
    (SIX_CARD, {"start": Start(StartMode.NONE, 1)}, "start: none, without"),
    (SIX_CARD, {"start": Start(StartMode.PEEK_ANY, 0)}, "start: peek-any-1 to peek-any-4 .*, not peek-any-0"),
    (SIX_CARD, {"start": Start(StartMode.FLIP_ANY, 5)}, "start: flip-any-1 to flip-any-4 .*, not flip-any-5"),
    (MULTIPLES, {"start": Start(StartMode.FLIP_ANY, 4)}, "start: flip-any-1 to flip-any-3 with 4 cards each"),
    (SIX_CARD, {"holes": None}, "holes: 1 to 99, or else a target"),
    (SIX_CARD, {"turn_cap": None}, "turn_cap: 1 to 200, or else a fixed number of turns"),
    (SIX_CARD, {"slam": SlamMode.RACE}, "slam: off if cards are placed face up"),
    (SIX_CARD, {"power": ("J",)}, "power: off if cards are placed face up"),
    (SIX_CARD, {"placed": Placed.DOWN, "slam": SlamMode.LOT}, "flip: off if there are powers or slams"),
    (FOUR_TURN, {"seats": Span(2, 7)}, "decks: 2 or more decks or at most 6 seats; 7 seats need 57 cards"),
    (
        SIX_CARD_FINAL,
        {"decks": Packs(((1, 1),))},
        "decks: 2 or more decks or at most 7 seats; 8 seats need 57",
    ),
    (
        SIX_CARD,
        {"turns": 100, "seats": Span(8, 8)},
        "decks: fewer cards or turns per seat; 8 seats need 849 cards",
    ),
]


@pytest.mark.parametrize(("rules", "changes", "said"), UNPLAYABLE)
def test_the_refusal_of_unplayable_rules_names_the_option_and_the_bound(
    rules: RuleSet, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(RuleError, match=f"^{said}"):
        replaced(rules, **changes)


def test_jokers_need_points_only_if_there_are_any() -> None:
    values = {rank: points for rank, points in SIX_CARD.values.items() if rank != JOKER}
    assert JOKER not in replaced(SIX_CARD, values=values).values
    with pytest.raises(RuleError, match=r"values: points for every rank in the deck; none for \*"):
        replaced(SIX_CARD, values=values, jokers=1)
