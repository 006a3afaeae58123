"""Decisions M1–M4: multiples; each test names its decision."""

from __future__ import annotations

from golfnet.engine.errors import Refusal
from golfnet.engine.events import EndReason
from tests.engine.drawing import FOUR, Played, dealt, drawn, names, rules


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


def test_m3_without_a_last_card_turned_up_the_hole_ends_by_the_stock_or_the_cap() -> None:
    capped = dealt("multiples", FOUR)
    capped.house_plays_on()
    assert capped.ended.reason is EndReason.CAP
    short = dealt("multiples", FOUR, stock="9H 9D 9C", rest=False)
    short.house_plays_on()
    assert short.ended.reason is EndReason.STOCK, "the stock is not reshuffled"
    assert "reshuffled" not in names(short.log)


def test_m3_with_lock_on_face_up_cards_stay_where_they_are() -> None:
    played = one_open(lock=True)
    assert played.lines("A") == ["draw"]
    assert played.refuses("A take") is Refusal.LOCKED
    assert played.refuses("A take 1") is Refusal.LOCKED
    played.plays("A draw")
    assert played.lines("A") == ["discard"]
    assert played.refuses("A swap 1") is Refusal.LOCKED
    played.plays("A discard", "B take 2", "A draw", "A discard")
    assert played.lines("B") == ["draw", "take", "take 1", "take 3", "take 4"]


def test_m3_with_reveal_on_turning_up_a_card_is_a_whole_turn() -> None:
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
