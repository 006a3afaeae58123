"""What no numbered decision covers: an empty stock, layouts that close, and the order of sealed claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golfnet.engine import fairdeal
from golfnet.engine.events import EndReason, Penalized, Reshuffled
from golfnet.engine.hole import slot_at
from golfnet.engine.layout import Seat
from golfnet.engine.legality import claim_order
from golfnet.engine.rules import FaceUp, SlamMode
from tests.engine.drawing import FOUR, begun, cards, dealt, names, only, rules

if TYPE_CHECKING:
    from golfnet.engine.hole import Hole


def test_no_penalty_is_dealt_if_there_is_no_card_left() -> None:
    rule_set = rules("cactus", stock_end=rules("six-card").stock_end)
    played = dealt(rule_set, FOUR, stock="5H", rest=False).chosen()
    played.plays("A draw", "A discard")
    assert names(played.plays("B slam 1")) == "slammed"


def test_a_penalty_may_need_a_reshuffle() -> None:
    played = dealt(rules("cactus", reshuffles=1), FOUR, stock="5H 8D 8C", rest=False).chosen()
    for seat in "ABA":
        assert played.hole.ended is None
        played.plays(f"{seat} draw", f"{seat} discard")
        window = played.hole
        if seat != "A" or window.discard_no == 1:
            played.closes()
    assert window.stock == ()
    events = played.plays("A slam 1")
    assert names(events) == "slammed reshuffled penalty"
    order = only(Reshuffled, events).order or ()
    assert sorted(order, key=str) == list(cards("5H 8D"))
    assert only(Penalized, events).card == order[0]
    assert played.hole.discards == cards("8C")
    assert names(played.plays("A slam 1")) == "slammed penalty hole_ended match_ended", (
        "this time it is the last card"
    )


def test_without_a_second_discard_the_last_stock_card_still_ends_a_cactus_hole() -> None:
    played = dealt(rules("cactus", reshuffles=1), FOUR, stock="5H", rest=False).chosen()
    assert names(played.plays("A draw")) == "drew discarded hole_ended match_ended"


def test_the_discard_may_be_taken_even_if_that_leaves_nothing_to_reshuffle() -> None:
    played = dealt(rules("cactus", reshuffles=1), FOUR, stock="5H 8D 8C", rest=False).chosen()
    played.plays("A draw", "A discard")
    played.closes()
    assert (
        names(played.plays("B draw", "B discard", "A slam 1")) == "drew discarded slam_opened slammed penalty"
    )
    assert names(played.closes()) == "slam_closed turn"
    assert (played.hole.stock, played.hole.discards) == ((), cards("5H 8D"))
    assert names(played.plays("A take")) == "took"
    assert names(played.plays("A swap 1")) == "swapped slam_opened"


# --- layouts


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


# --- sealed claims


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
