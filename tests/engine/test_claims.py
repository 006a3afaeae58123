from __future__ import annotations

import pytest

from golfnet.engine import fairdeal
from golfnet.engine import match as matches
from golfnet.engine.actions import Decline, Discard, Draw
from golfnet.engine.hole import Hole, Phase, phase
from golfnet.engine.layout import Seat
from golfnet.engine.legality import claim_order, house_action
from golfnet.engine.match import Match
from golfnet.engine.options import override
from golfnet.engine.variants import CACTUS


def window(slam: str, seats: int = 4) -> Hole:
    """Return a hole with the window of the first discard, which seat A made."""
    _, match = matches.commit(Match("m1"), bytes(32))
    _, match = matches.start(match, override(CACTUS, {"slam": slam}), ("Ann", "Bo", "Cy", "Di")[:seats])
    _, match = matches.deal(match, ("",) * seats)
    assert match.hole is not None
    for seat in match.hole.seats:
        action = house_action(match.hole, Seat(seat))
        assert action is not None
        _, match = matches.act(match, Seat(seat), action)
        assert match.hole is not None
    for step in (Draw(), Discard()):
        _, match = matches.act(match, Seat(0), step)
    assert match.hole is not None
    if phase(match.hole) is Phase.POWER:
        _, match = matches.act(match, Seat(0), Decline())
    assert match.hole is not None
    assert match.hole.turn == 0
    return match.hole


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_order_goes_clockwise_from_the_discarders_left_and_ends_with_the_discarder(seats: int) -> None:
    assert claim_order(window("order", seats)) == (*range(1, seats), 0)


def test_lot_is_drawn_from_the_key_of_the_deal() -> None:
    hole = window("lot")
    assert hole.window is not None
    assert sorted(claim_order(hole)) == [0, 1, 2, 3]
    assert claim_order(hole) == fairdeal.lot_order(hole.deal.key, hole.window.discard_no, (1, 2, 3, 0))


def test_without_a_window_no_seat_claims() -> None:
    assert claim_order(window("order")._replace(window=None)) == ()
