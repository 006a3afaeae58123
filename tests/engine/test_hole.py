"""A hole is dealt as it is drawn; what it waits for follows from its state alone."""

from __future__ import annotations

import pytest

from golfnet.engine.cards import CARDS
from golfnet.engine.hole import Phase, Stage, phase, slot_at
from golfnet.engine.layout import Seat, Slot
from tests.engine.drawing import dealt

FOUR = """
    7H 2C | 3S 4S
    7S 9C | 6S 7D
"""


def test_a_deal_lies_face_down_and_unknown() -> None:
    played = dealt("four-turn", FOUR)
    assert {slot for layout in played.hole.layouts for slot in layout} == {
        Slot(CARDS[text], face_up=False, known=0) for text in FOUR.replace("|", "").split()
    }
    assert (played.hole.stage, played.hole.owed, played.hole.turn) == (Stage.START, (2, 2), None)


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


def test_no_card_at_a_position_is_a_bug_not_a_refusal() -> None:
    played = dealt("cactus", FOUR, stock="7C").chosen()
    played.plays("A draw", "A discard", "A slam 1")
    with pytest.raises(LookupError):
        slot_at(played.hole, Seat(0), 1)
