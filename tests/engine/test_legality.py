"""Who is awaited, and in which order sealed claims are judged; ``test_laws`` compares legal actions with refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.engine import fairdeal
from golfnet.engine.legality import claim_order
from golfnet.engine.rules import SlamMode
from tests.engine.drawing import begun, rules

if TYPE_CHECKING:
    from golfnet.engine.hole import Hole


def first_window(slam: SlamMode, seats: int = 4) -> Hole:
    """Return a hole in the slam window of the first discard, made by seat A."""
    played = begun(rules("cactus", slam=slam), seats=seats).chosen()
    played.plays("A draw", "A discard")
    return played.hole


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_claims_are_ordered_clockwise_from_the_discarders_left_to_the_discarder(seats: int) -> None:
    assert claim_order(first_window(SlamMode.ORDER, seats)) == (*range(1, seats), 0)


def test_claims_are_drawn_by_lot_using_the_deal_key() -> None:
    hole = first_window(SlamMode.LOT)
    assert hole.window is not None
    assert claim_order(hole) == fairdeal.lot_order(hole.deal.key, hole.window.discard_no, (1, 2, 3, 0))


def test_without_a_window_there_are_no_claims() -> None:
    assert claim_order(first_window(SlamMode.ORDER)._replace(window=None)) == ()
