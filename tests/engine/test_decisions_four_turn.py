"""Decisions F1–F6: four-turn; each test names its decision."""

from __future__ import annotations

import pytest

from golfnet.engine.errors import Refusal
from golfnet.engine.events import EndReason
from tests.engine.drawing import FOUR, begun, dealt, drawn, names, rules


@pytest.mark.parametrize("seats", range(2, 7))
def test_f1_each_seat_has_exactly_four_turns(seats: int) -> None:
    played = begun(rules("four-turn"), seats=seats)
    played.house_plays_on()
    assert played.hole.turns == (4,) * seats
    assert (played.ended.reason, played.ended.closer) == (EndReason.TURNS, None)


def test_f2_a_placed_card_lies_face_up_and_stays() -> None:
    played = dealt("four-turn", FOUR, upcard="9S", stock="5H 5D").chosen()
    played.plays("A take 3", "B draw", "B swap 1", "A draw")
    assert drawn(played.hole) == (
        ("(7H)", "(2C)", "9S", "(9C)"),
        ("5H", "(4S)", "(6S)", "(7D)"),
    )
    assert played.lines("A") == ["discard", "swap 1", "swap 2", "swap 4"]
    assert played.refuses("A swap 3") is Refusal.LOCKED


def test_f2_a_face_down_card_is_left_for_the_fourth_turn() -> None:
    played = dealt("four-turn", FOUR, upcard="9S").chosen()
    for slot in (1, 2, 3):
        played.plays(f"A take {slot}", f"B take {slot}")
    assert played.lines("A") == ["draw", "take", "take 4"]
    played.plays("A take 4")
    assert names(played.plays("B take 4")) == "took swapped hole_ended match_ended"


def test_f6_the_holes_option_makes_the_match_longer_than_one_hole() -> None:
    played = dealt(rules("four-turn", holes=2), FOUR)
    assert names(played.house_plays_on()[-2:]) == "discarded hole_ended"
    first = played.match.totals
    played.deals()
    assert names(played.house_plays_on()[-1:]) == "match_ended"
    assert played.ended.scores is not None
    assert played.match.totals == tuple(map(sum, zip(first, played.ended.scores, strict=True)))
    assert played.hole.deal.hole == 2
