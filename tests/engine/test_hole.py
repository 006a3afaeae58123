"""What a hole is waiting for, and when a layout closes."""

from __future__ import annotations

import pytest

from golfnet.engine.events import EndReason
from golfnet.engine.hole import slot_at
from golfnet.engine.layout import Seat
from golfnet.engine.rules import FaceUp
from tests.engine.drawing import FOUR, dealt, rules


def test_looking_up_an_empty_slot_is_a_bug_not_a_refusal() -> None:
    played = dealt("cactus", FOUR, stock="7C").chosen()
    played.plays("A draw", "A discard", "A slam 1")
    with pytest.raises(LookupError):
        slot_at(played.hole, Seat(0), 1)


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
