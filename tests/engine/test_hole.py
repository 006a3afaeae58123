"""What a hole waits for follows from its state alone."""

from __future__ import annotations

import pytest

from golfnet.engine.hole import Phase, phase, slot_at
from golfnet.engine.layout import Seat
from tests.engine.drawing import FOUR, dealt


def test_a_gift_is_settled_before_a_power_and_a_power_before_a_window() -> None:
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


def test_looking_up_an_empty_slot_is_a_bug_not_a_refusal() -> None:
    played = dealt("cactus", FOUR, stock="7C").chosen()
    played.plays("A draw", "A discard", "A slam 1")
    with pytest.raises(LookupError):
        slot_at(played.hole, Seat(0), 1)
