"""Which events change a hole, and when a layout closes."""

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
from golfnet.engine.fold import _EVOLVE, EVERYBODY
from golfnet.engine.layout import MAX_SEATS
from golfnet.engine.rules import FaceUp
from tests.engine.drawing import FOUR, dealt, rules


def test_every_event_changes_a_hole_except_match_level_ones() -> None:
    of_the_match = {Committed, MatchStarted, HoleStarted, Dealt, MatchEnded}
    assert set(_EVOLVE) == set(EVENTS.values()) - of_the_match


def test_the_everybody_mask_has_a_bit_for_every_seat() -> None:
    assert all(EVERYBODY >> seat & 1 for seat in range(MAX_SEATS))


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
def test_whether_a_layout_all_face_up_closes_depends_on_face_up_and_final_turn(
    face_up: FaceUp, final_turn: bool, closer: int | None, ended: bool
) -> None:
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
