"""A hole is folded from its events; what it waits for follows from its state alone."""

from __future__ import annotations

import pytest

from golfnet.engine.cards import CARDS
from golfnet.engine.events import (
    EVENTS,
    Committed,
    Dealt,
    HoleStarted,
    MatchEnded,
    MatchStarted,
    Reason,
)
from golfnet.engine.hole import _EVOLVE, EVERYBODY, Phase, Stage, evolve, phase, slot_at
from golfnet.engine.layout import MAX_SEATS, Position, Seat, Slot
from golfnet.engine.rules import FaceUp
from tests.engine.drawing import dealt, drawn, rules

FOUR = """
    7H 2C | 3S 4S
    7S 9C | 6S 7D
"""


def test_a_hole_is_changed_by_every_event_but_those_of_the_match() -> None:
    of_the_match = {Committed, MatchStarted, HoleStarted, Dealt, MatchEnded}
    assert set(_EVOLVE) == set(EVENTS.values()) - of_the_match


def test_a_deal_lies_face_down_and_unknown() -> None:
    played = dealt("four-turn", FOUR)
    assert {slot for layout in played.hole.layouts for slot in layout} == {
        Slot(CARDS[text], face_up=False, known=0) for text in FOUR.replace("|", "").split()
    }
    assert (played.hole.stage, played.hole.owed, played.hole.turn) == (Stage.START, (2, 2), None)


def test_every_seat_has_a_bit_of_what_is_known() -> None:
    assert all(EVERYBODY >> seat & 1 for seat in range(MAX_SEATS))


def test_evolve_leaves_the_hole_before_it_as_it_was() -> None:
    played = dealt("four-turn", FOUR)
    before, kept = played.hole, played.hole._replace()
    (event,) = played.plays("A peek 3")
    assert evolve(before, event) == played.hole != before == kept


def test_the_phase_is_the_stage_until_the_turn_is_done() -> None:
    played = dealt("six-card", "7H 2C KD | 3S 4S 5S\n7S 9C AH | 6S 7D 8S")
    seen = [phase(played.hole)]
    for line in ("A flip 1 2", "B flip 1 2", "A draw", "A discard", "A pass"):
        played.plays(line)
        seen.append(phase(played.hole))
    assert seen == [Phase.START, Phase.START, Phase.TURN, Phase.HOLDING, Phase.FLIP, Phase.TURN]


def test_a_gift_comes_before_a_power_before_a_window() -> None:
    played = dealt("cactus", "JH 2C | 3S 4S\n7S 9C | 6S 7D", stock="JC 5D").chosen()
    played.plays("A draw", "A discard")
    assert phase(played.hole) is Phase.POWER
    played.plays("B slam A1")
    assert phase(played.hole) is Phase.GIVE
    played.plays("B give 1")
    assert phase(played.hole) is Phase.POWER
    played.plays("A decline")
    assert phase(played.hole) is Phase.SLAM
    played.closes()
    assert phase(played.hole) is Phase.TURN


def test_after_the_end_all_is_over_and_open() -> None:
    played = dealt("cactus", FOUR, stock="JC", rest=False).chosen()
    played.plays("A draw")
    hole = played.hole
    assert (hole.stage, phase(hole), hole.window, hole.gift, hole.power) == (
        Stage.OVER,
        Phase.OVER,
        None,
        None,
        False,
    )
    assert drawn(hole) == (("7H", "2C", "7S", "9C"), ("3S", "4S", "6S", "7D"))
    assert hole.ended is played.log[-2]


def test_no_card_at_a_position_is_a_bug_not_a_refusal() -> None:
    played = dealt("cactus", FOUR, stock="7C").chosen()
    played.plays("A draw", "A discard", "A slam 1")
    with pytest.raises(LookupError):
        slot_at(played.hole, Position(Seat(0), 1))


@pytest.mark.parametrize(
    ("face_up", "final_turn", "closer", "ended"),
    [
        (FaceUp.OFF, False, None, False),
        (FaceUp.OFF, True, None, False),
        (FaceUp.FIRST, False, 0, True),
        (FaceUp.FIRST, True, 0, False),
        (FaceUp.EVERY, False, None, False),
        (FaceUp.EVERY, True, 0, False),
    ],
)
def test_whose_layout_closes(face_up: FaceUp, final_turn: bool, closer: int | None, ended: bool) -> None:
    rule_set = rules("multiples", face_up=face_up, final_turn=final_turn)
    played = dealt(rule_set, FOUR, upcard="9S").chosen()
    for slot in (1, 2, 3):
        played.plays(f"A take {slot}", "B take 1")
    played.plays("A take 4")
    assert (played.hole.closer, played.hole.closing) == (closer, None if closer is None else Reason.FACE_UP)
    assert (played.hole.ended is not None) is ended


def test_cards_placed_face_down_never_close() -> None:
    rule_set = rules("cactus", face_up=FaceUp.FIRST, rows=1)
    played = dealt(rule_set, "7H 2C | 3S 4S").chosen()
    for _ in range(3):
        played.plays("A draw", "A swap 1")
        played.closes()
        if played.hole.power:
            played.plays("A decline")
        played.plays("B draw", "B swap 2")
        played.closes()
        if played.hole.power:
            played.plays("B decline")
    assert played.hole.closer is None
