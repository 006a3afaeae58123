"""Decisions F1–F6, K1–K3 and M1–M4: the rule sets with four cards, except cactus; each test names its decision."""

from __future__ import annotations

import pytest

from golfnet.engine.errors import Refusal
from golfnet.engine.events import EndReason, Peeked
from tests.engine.drawing import FOUR, THREE, Played, begun, cards, dealt, drawn, names, only, rules

# four-turn


@pytest.mark.parametrize("seats", range(2, 7))
def test_f1_each_seat_has_exactly_four_turns(seats: int) -> None:
    played = begun(rules("four-turn"), seats=seats)
    played.house_plays_on()
    assert played.hole.turns == (4,) * seats
    assert (played.ended.reason, played.ended.closer) == (EndReason.TURNS, None)


def test_f2_a_face_down_card_is_left_for_the_fourth_turn() -> None:
    played = dealt("four-turn", FOUR, upcard="9S").chosen()
    for slot in (1, 2, 3):
        played.plays(f"A take {slot}", f"B take {slot}")
    assert played.lines("A") == ["draw", "take", "take 4"]
    played.plays("A take 4")
    assert names(played.plays("B take 4")) == "took swapped hole_ended match_ended"


def test_f6_the_holes_option_makes_the_match_longer_than_one_hole() -> None:
    played = dealt(rules("four-turn", holes=2), FOUR)
    assert names(played.house_plays_on()[-1:]) == "hole_ended"
    played.deals()
    assert names(played.house_plays_on()[-2:]) == "hole_ended match_ended"


# four-card-knock


def test_k1_each_seat_looks_at_any_two_of_its_cards() -> None:
    played = dealt("four-card-knock", THREE)
    assert only(Peeked, played.plays("A peek 2 3")).cards == cards("2C 7S")
    assert played.lines("B") == [
        *("peek 1", "peek 2", "peek 3", "peek 4"),
        *("peek 1 2", "peek 1 3", "peek 1 4", "peek 2 3", "peek 2 4", "peek 3 4"),
    ]
    assert drawn(played.hole)[0] == ("(7H)", "(2C)", "(7S)", "(9C)")
    played.plays("B peek 1", "B peek 4")
    assert played.lines("B") == []


def test_k2_a_knock_replaces_a_turn_and_gives_every_other_seat_one_more() -> None:
    played = dealt("four-card-knock", THREE).chosen()
    played.plays("A draw", "A discard")
    assert names(played.plays("B knock")) == "knocked turn"
    assert (played.view("A").closer, played.hole.turn) == (1, 2)
    assert names(played.plays("C draw", "C swap 1", "A draw", "A swap 1")) == (
        "drew swapped turn drew swapped hole_ended"
    )
    assert (played.ended.reason, played.ended.closer) == (EndReason.KNOCK, 1)


def test_k2_without_a_final_turn_a_knock_still_gives_every_other_seat_its_one_more_turn() -> None:
    played = dealt(rules("four-card-knock", final_turn=False), THREE, upcard="9S").chosen()
    assert names(played.plays("A knock", "B draw", "B discard")) == "knocked turn drew discarded turn"
    assert names(played.plays("C draw", "C discard")) == "drew discarded hole_ended"


# multiples


def one_open(**changes: object) -> Played:
    """Return a hole in which all of A's cards lie face up and none of B's, with A to play."""
    stock = "10S 10H 10D 10C JS JH JD JC"
    played = dealt(rules("multiples", **changes), FOUR, upcard="9S", stock=stock).chosen()
    for slot in (1, 2, 3, 4):
        played.plays("A draw", f"A swap {slot}", "B draw", "B discard")
    return played


def test_m2_a_seat_with_all_cards_face_up_keeps_playing_and_may_not_pass() -> None:
    played = one_open()
    assert drawn(played.hole) == (("10S", "10D", "JS", "JD"), ("(3S)", "(4S)", "(6S)", "(7D)"))
    assert played.hole.turn == 0
    assert played.hole.closer is None
    assert played.lines("A") == ["draw", "take", "take 1", "take 2", "take 3", "take 4"]
    assert played.refuses("A pass") is Refusal.BAD_PHASE
    assert names(played.plays("A draw", "A swap 2")) == "drew swapped turn"
    assert names(played.plays("B take 1")) == "took swapped turn"
    assert names(played.plays("A take 1")) == "took swapped turn"


def test_m3_play_ends_as_soon_as_every_layout_is_all_face_up() -> None:
    played = dealt("multiples", FOUR, upcard="9S").chosen()
    for slot in (1, 2, 3):
        played.plays(f"A take {slot}", f"B take {slot}")
    assert names(played.plays("A take 4")) == "took swapped turn"
    assert names(played.plays("B take 4")) == "took swapped hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.FACE_UP, 1), (
        "the closer is the seat whose card ended the hole"
    )
    assert played.hole.turns == (4, 4)


def test_m3_if_a_card_stays_face_down_the_hole_ends_by_the_stock_or_the_turn_cap() -> None:
    capped = dealt("multiples", FOUR)
    capped.house_plays_on()
    assert capped.ended.reason is EndReason.CAP
    short = dealt("multiples", FOUR, stock="9H 9D 9C", rest=False)
    short.house_plays_on()
    assert short.ended.reason is EndReason.STOCK, "the stock is not reshuffled"
    assert "reshuffled" not in names(short.log)


def test_m3_with_the_option_lock_face_up_cards_stay_where_they_are() -> None:
    played = one_open(lock=True)
    assert played.lines("A") == ["draw"]
    assert played.refuses("A take") is Refusal.LOCKED
    assert played.refuses("A take 1") is Refusal.LOCKED
    played.plays("A draw")
    assert played.lines("A") == ["discard"]
    assert played.refuses("A swap 1") is Refusal.LOCKED
    played.plays("A discard", "B take 2", "A draw", "A discard")
    assert played.lines("B") == ["draw", "take", "take 1", "take 3", "take 4"]


def test_m3_with_the_option_reveal_turning_up_a_card_is_a_whole_turn() -> None:
    played = dealt(rules("multiples", reveal=True), FOUR, upcard="9S").chosen()
    assert played.lines("A")[-4:] == ["flip 1", "flip 2", "flip 3", "flip 4"]
    assert names(played.plays("A flip 2")) == "flipped turn"
    assert drawn(played.hole)[0] == ("(7H)", "2C", "(7S)", "(9C)")
    played.plays("B draw")
    assert played.refuses("B flip 1") is Refusal.BAD_PHASE
    played.plays("B discard")
    assert played.refuses("A flip 2") is Refusal.BAD_SLOT
    assert played.refuses("A flip 1 3") is Refusal.BAD_SLOT
    assert played.refuses("B flip 1") is Refusal.NOT_YOUR_TURN


def test_m3_the_last_card_may_be_turned_up_by_a_revealing_turn() -> None:
    played = dealt(rules("multiples", reveal=True), FOUR).chosen()
    for slot in (1, 2, 3, 4):
        played.plays(f"A flip {slot}", f"B flip {slot}")
    assert (played.ended.reason, played.ended.closer) == (EndReason.FACE_UP, 1)
