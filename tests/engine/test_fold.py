"""Each event changes a hole in its own way, and leaves the hole before it as it was."""

from __future__ import annotations

import pytest

from golfnet.engine.events import (
    EVENTS,
    Committed,
    Dealt,
    EndReason,
    HoleStarted,
    MatchEnded,
    MatchStarted,
)
from golfnet.engine.fold import _EVOLVE, EVERYBODY, evolve
from golfnet.engine.hole import Phase, Stage, phase
from golfnet.engine.layout import MAX_SEATS
from golfnet.engine.rules import FaceUp
from tests.engine.drawing import dealt, drawn, rules

FOUR = """
    7H 2C | 3S 4S
    7S 9C | 6S 7D
"""


def test_a_hole_is_changed_by_every_event_but_those_of_the_match() -> None:
    of_the_match = {Committed, MatchStarted, HoleStarted, Dealt, MatchEnded}
    assert set(_EVOLVE) == set(EVENTS.values()) - of_the_match


def test_every_seat_has_a_bit_of_what_is_known() -> None:
    assert all(EVERYBODY >> seat & 1 for seat in range(MAX_SEATS))


def test_evolve_leaves_the_hole_before_it_as_it_was() -> None:
    played = dealt("four-turn", FOUR)
    before, kept = played.hole, played.hole._replace()
    (event,) = played.plays("A peek 3")
    assert evolve(before, event) == played.hole != before == kept


@pytest.mark.parametrize("lines", [("A draw", "A swap 1"), ("A draw", "A discard"), ("A take", "A swap 1")])
def test_a_held_card_is_held_until_it_lies_somewhere(lines: tuple[str, str]) -> None:
    played = dealt("multiples", FOUR, upcard="9S").chosen()
    first, second = lines
    played.plays(first)
    assert played.view("B").holding == 0
    played.plays(second)
    assert played.view("B").holding is None


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
    assert (played.hole.closer, played.hole.closing) == (
        closer,
        None if closer is None else EndReason.FACE_UP,
    )
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
