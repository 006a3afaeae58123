"""Decisions F1–F6: four-turn; each test names its decision."""

from __future__ import annotations

import pytest

from golfnet.engine.errors import Refusal, RuleError
from golfnet.engine.events import EndReason
from golfnet.engine.rules import Packs
from tests.engine.drawing import FOUR, begun, dealt, drawn, names, rules


@pytest.mark.parametrize("seats", range(2, 7))
def test_f1_each_seat_has_exactly_four_turns(seats: int) -> None:
    played = begun(rules("four-turn"), seats=seats)
    played.house_plays_on()
    assert played.hole.turns == (4,) * seats
    assert (played.ended.reason, played.ended.closer) == (EndReason.TURNS, None)


def test_f1_there_is_no_knocking_and_no_passing() -> None:
    played = dealt("four-turn", FOUR).chosen()
    assert played.lines("A") == ["draw", "take", "take 1", "take 2", "take 3", "take 4"]
    assert played.refuses("A knock") is Refusal.NOT_IN_RULES
    assert played.refuses("A pass") is Refusal.BAD_PHASE
    played.plays("A draw")
    assert played.refuses("A pass") is Refusal.BAD_PHASE


def test_f1_discarding_a_drawn_card_is_a_turn() -> None:
    played = dealt("four-turn", FOUR).chosen()
    assert names(played.plays("A draw", "A discard")) == "drew discarded turn"
    assert (played.hole.turn, played.hole.turns) == (1, (1, 1))


def test_f1_a_deck_too_small_for_four_turns_each_is_refused() -> None:
    with pytest.raises(RuleError, match="decks"):
        rules("four-turn", seats=rules("cactus").seats, decks=Packs(((1, 1),)))


def test_f2_a_placed_card_lies_face_up_and_stays() -> None:
    played = dealt("four-turn", FOUR, upcard="9S", stock="5H 5D").chosen()
    played.plays("A take 3", "B draw", "B swap 1", "A draw")
    assert drawn(played.hole) == (
        ("(7H)", "(2C)", "9S", "(9C)"),
        ("5H", "(4S)", "(6S)", "(7D)"),
    )
    assert played.lines("A") == ["discard", "swap 1", "swap 2", "swap 4"]
    assert played.refuses("A swap 3") is Refusal.LOCKED


def test_f2_a_taken_card_must_replace_a_face_down_one() -> None:
    played = dealt("four-turn", FOUR, upcard="9S").chosen()
    played.plays("A take 3", "B take 1")
    assert played.lines("A") == ["draw", "take", "take 1", "take 2", "take 4"]
    assert played.refuses("A take 3") is Refusal.LOCKED


def test_f2_a_face_down_card_is_left_for_the_fourth_turn() -> None:
    played = dealt("four-turn", FOUR, upcard="9S").chosen()
    for slot in (1, 2, 3):
        played.plays(f"A take {slot}", f"B take {slot}")
    assert played.lines("A") == ["draw", "take", "take 4"]
    played.plays("A take 4")
    assert names(played.plays("B take 4")) == "took swapped hole_ended match_ended"


def test_f5_both_worked_examples_score_as_written() -> None:
    played = dealt("four-turn", "6S QS | 7D 5S\nJC 6D | 5H 7C")
    played.house_plays_on()
    assert played.ended.scores == (10, 0)


def test_f6_one_hole_is_a_match() -> None:
    played = dealt("four-turn", FOUR)
    assert names(played.house_plays_on()[-2:]) == "hole_ended match_ended"


def test_f6_the_holes_option_makes_the_match_longer() -> None:
    played = dealt(rules("four-turn", holes=2), FOUR)
    assert names(played.house_plays_on()[-2:]) == "discarded hole_ended"
    first = played.match.totals
    played.deals()
    assert names(played.house_plays_on()[-1:]) == "match_ended"
    assert played.ended.scores is not None
    assert played.match.totals == tuple(map(sum, zip(first, played.ended.scores, strict=True)))
    assert played.hole.deal.hole == 2
