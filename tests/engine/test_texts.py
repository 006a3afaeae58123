"""Seats, positions, slots, cards and actions survive being written and read; anything else is refused."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from golfnet.engine import actions as do
from golfnet.engine.actions import action_text, parse_action
from golfnet.engine.cards import CARDS, Position, Seat, parse_card, parse_position, parse_seat, parse_slot
from golfnet.engine.forms import count, listed, times, word
from tests.engine.strategies import actions, seats


@given(actions(), seats())
def test_actions_survive_being_written_and_read(action: do.Action, seat: Seat) -> None:
    assert parse_action(action_text(action, seat), seat) == action
    assert parse_action(action_text(action, seat).upper().replace(" ", "  "), seat) == action


def test_cards_survive_being_written_and_read() -> None:
    for text, card in CARDS.items():
        assert parse_card(text) is parse_card(text.lower()) is card


def test_slots_may_be_given_in_any_order_and_as_positions() -> None:
    assert parse_action("flip 4 2", Seat(0)) == do.Flip((2, 4))
    assert parse_action("peek a4 3", Seat(0)) == parse_action("peek 3 4", Seat(0))


def test_a_slam_without_a_number_means_the_latest_discard() -> None:
    assert parse_action("slam B3", Seat(0), discard_no=7) == do.Slam(Position(Seat(1), 3), 7)


NO_ACTIONS = """
    dance, close, draw 1, take 0, take x, take 1 2, take -1, take 1000, swap, swap B1, give, discard 1, flip,
    flip B1, peek, peek M1, peek 3 x, switch 1, switch 1 2 3, slam, slam B, slam 3 12, slam 3 #, slam 3 #0,
    slam 3 #x, slam 3 #1 #2, slam 3 #1234567890, take 1_0, take +1, pass pass
"""


@pytest.mark.parametrize(
    "text", ["", " ", "take \xb2", "peek \u01313", *[each.strip() for each in NO_ACTIONS.split(",")]]
)
def test_the_refusal_of_text_that_is_not_an_action_says_what_was_expected(text: str) -> None:
    with pytest.raises(ValueError, match="such as"):
        parse_action(text, Seat(0))


@given(st.text(max_size=20))
def test_any_text_is_read_and_written_back_or_raises_a_value_error(text: str) -> None:
    for read in (parse_seat, parse_slot, parse_position, parse_card):
        with suppress(ValueError):
            assert read(text) is not None
    with suppress(ValueError):
        action = parse_action(text, Seat(0))
        assert parse_action(action_text(action, Seat(0)), Seat(0)) == action


@pytest.mark.parametrize(
    ("read", "texts", "expected"),
    [
        (parse_seat, ["", "M", "AB", "1", "\u0131", "\u017f", "\u0391"], "A to L"),
        (parse_card, ["", "7", "H", "11H", "7 H", "?", "-", "?7H", "2\u017f", "**"], "7H"),
    ],
)
def test_text_that_is_not_a_seat_or_a_card_is_refused(
    read: Callable[[str], object], texts: list[str], expected: str
) -> None:
    for text in texts:
        with pytest.raises(ValueError, match=expected):
            read(text)


def test_numbers_are_written_with_their_nouns_and_lists_with_a_conjunction() -> None:
    cards = {0: "no cards", 1: "one card", 2: "two cards", 12: "twelve cards", 13: "13 cards", -1: "-1 cards"}
    assert {number: count(number, "card") for number in cards} == cards
    assert [word(number) for number in (0, 12, 13)] == ["no", "twelve", "13"]
    assert [times(number) for number in (1, 2, 3, 20)] == ["once", "twice", "three times", "20 times"]
    assert [listed([1]), listed([1, 2]), listed("ABC", "or")] == ["1", "1 and 2", "A, B or C"]
