"""Decisions S1–S5: six-card; each test names its decision."""

from __future__ import annotations

from golfnet.engine.events import EndReason
from golfnet.engine.hole import Phase
from tests.engine.drawing import FOUR, SIX, Played, dealt, drawn, names, rules

THREE = """
    7H 2C KD | 3S 4S 5S | 2S 2H KS
    7S 9C AH | 6S 7D 8S | 10S JS QS
"""


def almost_all_face_up(name: str = "six-card", **changes: object) -> Played:
    """Return a hole in which A's next card closes."""
    played = dealt(rules(name, **changes), THREE, upcard="9S").chosen()
    for slot in (3, 4, 5):
        played.plays(f"A take {slot}", "B take 1", "C take 1")
    return played


def test_s1_after_discarding_a_stock_card_the_seat_may_turn_up_one_of_its_own_cards() -> None:
    played = dealt("six-card", SIX, stock="JC JD").chosen()
    assert names(played.plays("A draw", "A discard")) == "drew discarded"
    assert played.view("B").phase is Phase.FLIP
    assert played.lines("A") == ["flip 3", "flip 4", "flip 5", "flip 6", "pass"]
    assert names(played.plays("A flip 5")) == "flipped turn"
    assert drawn(played.hole)[0] == ("7H", "2C", "(KD)", "(7S)", "9C", "(AH)")
    assert names(played.plays("B draw", "B discard", "B pass")) == "drew discarded passed turn"


def test_s1_the_last_card_may_be_turned_up_and_ends_the_hole() -> None:
    played = almost_all_face_up()
    assert names(played.plays("A draw", "A discard", "A flip 6")) == "drew discarded flipped hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.FACE_UP, 0)


def test_s1_with_no_face_down_card_left_there_is_no_flip() -> None:
    played = dealt(rules("multiples", flip=True), FOUR, upcard="9S").chosen()
    for slot in (1, 2, 3, 4):
        played.plays(f"A take {slot}", "B take 1")
    assert names(played.plays("A draw", "A discard")) == "drew discarded turn"


def test_s2_the_hole_ends_as_soon_as_one_layout_is_all_face_up() -> None:
    played = almost_all_face_up()
    assert names(played.plays("A take 6")) == "took swapped hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.FACE_UP, 0)
    assert played.hole.turns == (4, 3, 3), "seats may have had different numbers of turns"


def test_s2_final_turn_gives_every_other_seat_one_more_turn() -> None:
    played = almost_all_face_up(final_turn=True)
    assert names(played.plays("A take 6")) == "took swapped turn"
    played.plays("B take 1", "C draw", "C discard")
    assert names(played.plays("C pass")) == "passed hole_ended"
    assert (played.ended.reason, played.ended.closer, played.hole.turns) == (EndReason.FACE_UP, 0, (4, 4, 4))


def test_s5_a_match_has_nine_holes_and_the_long_course_eighteen() -> None:
    for holes in (9, 18):
        longer = {} if holes == 9 else {"holes": holes}
        played = dealt(rules("six-card", turn_cap=1, **longer), SIX)
        played.house_plays_on()
        while played.match.places is None:
            played.deals()
            played.house_plays_on()
        assert len(played.match.scores) == played.hole.deal.hole == holes
