"""Decisions G1–G6: six-card-final; each test names its decision."""

from __future__ import annotations

from golfnet.engine.events import EndReason
from golfnet.engine.rules import Penalty
from tests.engine.drawing import SIX, Played, cells, dealt, drawn, names, rules


def test_g1_the_second_card_may_be_chosen_after_seeing_the_first() -> None:
    played = dealt("six-card-final", SIX)
    played.plays("A flip 3")
    assert played.view("A").layouts[0] == ("?", "?", "KD", "?", "?", "?")
    assert played.lines("A") == ["flip 1", "flip 2", "flip 4", "flip 5", "flip 6"]
    played.plays("A flip 6")
    assert drawn(played.hole)[0] == ("(7H)", "(2C)", "KD", "(7S)", "(9C)", "AH")


def test_g2_after_a_layout_is_all_face_up_every_other_seat_has_exactly_one_more_turn() -> None:
    layouts = "7H 2C KD | 3S 4S 5S | 2S 2H KS\n7S 9C AH | 6S 7D 8S | 10S JS QS"
    played = dealt("six-card-final", layouts, upcard="9S").chosen()
    for slot in (3, 4, 5):
        played.plays("A take 1", f"B take {slot}", "C take 1")
    played.plays("A take 1")
    assert names(played.plays("B take 6")) == "took swapped turn"
    assert (played.view("C").closer, played.hole.turn) == (1, 2)
    assert names(played.plays("C draw", "C discard")) == "drew discarded turn"
    assert names(played.plays("A draw", "A swap 6")) == "drew swapped hole_ended", "B has no more"
    assert (played.ended.reason, played.ended.closer, played.hole.turns) == (EndReason.FACE_UP, 1, (5, 4, 4))


def test_g2_a_second_layout_all_face_up_grants_no_further_turns() -> None:
    played = closing(SIX)
    played.plays("A take 6")
    assert names(played.plays("B take 6")) == "took swapped hole_ended"
    assert played.ended.closer == 0


def test_g2_discarding_the_drawn_card_ends_the_turn() -> None:
    played = dealt("six-card-final", SIX).chosen()
    assert names(played.plays("A draw", "A discard")) == "drew discarded turn"


def closing(layouts: str, **changes: object) -> Played:
    """Return a hole in which A's next card closes, as does B's."""
    played = dealt(rules("six-card-final", **changes), layouts, upcard="9S").chosen()
    for slot in (3, 4, 5):
        played.plays(f"A take {slot}", f"B take {slot}")
    return played


def test_g4_the_price_applies_however_the_hole_ended() -> None:
    rule_set = rules("four-card-knock", penalty=Penalty.TEN, reshuffles=0)
    layouts = "7H 2C | 3S 4S | AS AH\n9S 8C | 6S 7D | 2S 2H"
    played = dealt(rule_set, layouts, stock="5H", rest=False).chosen()
    played.plays("A knock", "B draw", "B discard")
    assert (played.ended.reason, played.ended.scores) == (EndReason.STOCK, (36, 20, 6))


def test_g4_without_a_closer_there_is_no_price() -> None:
    played = dealt(rules("six-card-final", penalty=Penalty.TEN, turn_cap=1), SIX)
    played.house_plays_on()
    assert (played.ended.reason, played.ended.scores) == (EndReason.CAP, (12, 33))


def test_g4_the_price_is_the_same_if_the_last_card_was_turned_up() -> None:
    played = closing("AS 2S 3S | AH 2H 3H\n5S 6S 7S | 5H 6H 7H", penalty=Penalty.FIVE)
    played.plays("A take 6", "B take 6")
    assert drawn(played.hole) == cells("AS 2S 9S | AH 2H 3S\n3H 5H 6H | 5S 6S 7S")
    assert (played.ended.closer, played.ended.scores) == (0, (26 + 5, 24))


def test_g5_a_target_ends_the_match_when_a_total_reaches_it() -> None:
    rule_set = rules("six-card-final", holes=None, target=50, turn_cap=1)
    for before, over in ((37, False), (38, True)):
        played = dealt(rule_set, SIX, totals=(before, 0))
        played.house_plays_on()
        assert played.ended.totals == (before + 12, 33)
        assert (played.match.places is not None) is over
