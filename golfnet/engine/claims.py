"""The order in which sealed slams are judged: not by who was fastest, but by where they sit or by lot.

``order`` goes clockwise from the discarder's left, the discarder last; ``lot`` shuffles that with the deal's key, so
anybody can check it once the seed is known. In both, a seat has one claim per window (C21).
"""

from golfnet.engine import fairdeal
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.rules import SlamMode


def claim_order(hole: Hole) -> tuple[Seat, ...]:
    """Return all seats in the order in which their claims for the open window are judged, empty without a window."""
    if hole.turn is None or hole.window is None:
        return ()
    seats = len(hole.layouts)
    clockwise = tuple(Seat((hole.turn + step) % seats) for step in range(1, seats + 1))
    if hole.rules.slam is SlamMode.LOT:
        return fairdeal.lot_order(hole.deal.key, hole.window.discard_no, clockwise)
    return clockwise
