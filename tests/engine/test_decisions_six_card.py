"""Decisions S1–S5 and G1–G6: six-card and six-card-final; each test names its decision."""

from __future__ import annotations

from golfnet.engine.events import EndReason
from golfnet.engine.rules import Penalty
from tests.engine.drawing import FOUR, SIX, Played, dealt, drawn, names, rules

THREE = """
    7H 2C KD | 3S 4S 5S | 2S 2H KS
    7S 9C AH | 6S 7D 8S | 10S JS QS
"""


def almost_all_face_up() -> Played:
    """Return a hole in which A's next card closes."""
    played = dealt("six-card", THREE, upcard="9S").chosen()
    for slot in (3, 4, 5):
        played.plays(f"A take {slot}", "B take 1", "C take 1")
    return played


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


def test_s5_a_match_has_nine_holes_and_the_long_course_eighteen() -> None:
    for holes in (9, 18):
        longer = {} if holes == 9 else {"holes": holes}
        played = dealt(rules("six-card", turn_cap=1, **longer), SIX)
        played.house_plays_on()
        while played.match.places is None:
            played.deals()
            played.house_plays_on()
        assert len(played.match.scores) == played.hole.deal.hole == holes


# six-card-final


def test_g1_the_second_card_may_be_chosen_after_seeing_the_first() -> None:
    played = dealt("six-card-final", SIX)
    played.plays("A flip 3")
    assert played.view("A").layouts[0] == ("?", "?", "KD", "?", "?", "?")
    assert played.lines("A") == ["flip 1", "flip 2", "flip 4", "flip 5", "flip 6"]
    played.plays("A flip 6")
    assert drawn(played.hole)[0] == ("(7H)", "(2C)", "KD", "(7S)", "(9C)", "AH")


def test_g2_after_a_layout_is_all_face_up_every_other_seat_has_exactly_one_more_turn() -> None:
    played = dealt("six-card-final", THREE, upcard="9S").chosen()
    for slot in (3, 4, 5):
        played.plays("A take 1", f"B take {slot}", "C take 1")
    played.plays("A take 1")
    assert names(played.plays("B take 6")) == "took swapped turn"
    assert (played.view("C").closer, played.hole.turn) == (1, 2)
    assert names(played.plays("C draw", "C discard")) == "drew discarded turn"
    assert names(played.plays("A draw", "A swap 6")) == "drew swapped hole_ended", "B has no more"
    assert (played.ended.reason, played.ended.closer, played.hole.turns) == (EndReason.FACE_UP, 1, (5, 4, 4))


def test_g2_a_second_layout_all_face_up_grants_no_further_turns() -> None:
    played = dealt("six-card-final", SIX, upcard="9S").chosen()
    for slot in (3, 4, 5):
        played.plays(f"A take {slot}", f"B take {slot}")
    played.plays("A take 6")
    assert names(played.plays("B take 6")) == "took swapped hole_ended"
    assert played.ended.closer == 0


def test_g4_the_price_applies_however_the_hole_ended() -> None:
    rule_set = rules("four-card-knock", penalty=Penalty.TEN, reshuffles=0)
    layouts = "7H 2C | 3S 4S | AS AH\n9S 8C | 6S 7D | 2S 2H"
    played = dealt(rule_set, layouts, stock="5H", rest=False).chosen()
    played.plays("A knock", "B draw", "B discard")
    assert (played.ended.reason, played.ended.scores) == (EndReason.STOCK, (36, 20, 6))
