"""What is allowed in each phase, and who is awaited; ``test_laws`` tests the same for every rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited, legal_actions
from golfnet.engine.notation import parse_action
from golfnet.engine.refusals import check
from tests.engine.phases import flip, gift, holding, over, power, start, taken, turn, window

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engine.drawing import Played

OFTEN = ["draw", "take", "take 1", "swap 1", "discard", "flip 1", "pass", "knock"]
OFTEN += ["peek 1", "give 1", "slam 1 #1"]


@pytest.mark.parametrize(
    ("made", "seat", "allowed"),
    [
        (start, "A", {"peek 1"}),
        (start, "B", {"peek 1"}),
        (turn, "A", {"draw", "take", "take 1", "knock"}),
        (turn, "B", set()),
        (holding, "A", {"swap 1", "discard"}),
        (holding, "B", set()),
        (taken, "A", {"swap 1"}),
        (flip, "A", {"pass"}),
        (flip, "B", set()),
        (power, "A", {"peek 1", "pass", "slam 1 #1"}),
        (power, "B", {"pass", "slam 1 #1"}),
        (window, "A", {"pass", "slam 1 #1"}),
        (window, "B", {"pass", "slam 1 #1"}),
        (gift, "A", set()),
        (gift, "B", {"give 1"}),
        (over, "A", set()),
    ],
)
def test_only_the_allowed_actions_are_legal_in_each_phase(
    made: Callable[[], Played], seat: str, allowed: set[str]
) -> None:
    played = made()
    assert {line for line in OFTEN if line in played.lines(seat)} == allowed
    for line in OFTEN:
        if line not in allowed:
            played.refuses(f"{seat} {line}")


def test_a_switch_is_listed_once_and_accepted_in_either_order() -> None:
    played = power()
    assert "switch 1 B2" in played.lines("A")
    assert "switch B2 1" not in played.lines("A")
    check(played.hole, Seat(0), parse_action("switch B2 1", Seat(0)))


def test_a_window_waits_for_all_seats_that_have_not_passed() -> None:
    played = window()
    assert awaited(played.hole) == (0, 1)
    played.plays("A pass")
    assert awaited(played.hole) == (1,)
    assert awaited(gift().hole) == (1,)
    assert awaited(power().hole) == (0,)
    assert awaited(over().hole) == ()
    assert legal_actions(over().hole, Seat(0)) == ()
