"""Decisions K1–K3: four-card-knock; each test names its decision."""

from __future__ import annotations

from golfnet.engine.events import EndReason, Peeked
from tests.engine.drawing import THREE, cards, dealt, drawn, names, only, rules


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


def test_k2_a_layout_all_face_up_has_the_same_effect_as_a_knock() -> None:
    played = dealt("four-card-knock", THREE, upcard="9S").chosen()
    for slot in (1, 2, 3):
        played.plays(f"A take {slot}", "B take 1", "C take 1")
    assert names(played.plays("A take 4")) == "took swapped turn"
    played.plays("B draw", "B discard", "C draw")
    assert names(played.plays("C discard")) == "discarded hole_ended"
    assert (played.ended.reason, played.ended.closer) == (EndReason.FACE_UP, 0)


def test_k2_without_a_final_turn_a_knock_still_gives_every_other_seat_its_one_more_turn() -> None:
    played = dealt(rules("four-card-knock", final_turn=False), THREE, upcard="9S").chosen()
    assert names(played.plays("A knock", "B draw", "B discard")) == "knocked turn drew discarded turn"
    assert names(played.plays("C draw", "C discard")) == "drew discarded hole_ended"
    played = dealt(rules("four-card-knock", final_turn=False), THREE, upcard="9S").chosen()
    for slot in (1, 2, 3):
        played.plays(f"A take {slot}", "B take 1", "C take 1")
    assert names(played.plays("A take 4")) == "took swapped hole_ended"
    assert played.ended.reason is EndReason.FACE_UP
