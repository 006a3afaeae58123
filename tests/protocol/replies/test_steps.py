"""Steps change one thing and leave the view they start from as it is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from golfnet.engine.cards import CARDS
from golfnet.engine.layout import Position, Seat
from golfnet.protocol.replies.steps import (
    Gap,
    closing,
    had_say,
    is_all_face_up,
    known,
    laid,
    moved,
    owed_less,
    put,
    slot_at,
)
from tests.client import tables

A, B = Seat(0), Seat(1)


def test_a_slot_is_put_and_read_back_and_no_other_changes() -> None:
    view = tables.six_card()
    after = put(view, Position(B, 3), "2S")
    assert slot_at(after, Position(B, 3)) == "2S"
    assert view == tables.six_card()
    changed = [
        (new.seat, slot)
        for new, old in zip(after.seats, view.seats, strict=True)
        for slot, (one, other) in enumerate(zip(new.slots, old.slots, strict=True), 1)
        if one != other
    ]
    assert changed == [("B", 3)]
    assert len(put(view, Position(B, 7), "?").seats[1].slots) == 7, "a penalty card lies in a slot of its own"


@pytest.mark.parametrize("slot", [0, 7])
def test_where_no_slot_is_a_gap_is(slot: int) -> None:
    with pytest.raises(Gap):
        slot_at(tables.six_card(), Position(A, slot))


def test_a_discard_covers_the_one_before() -> None:
    after = laid(tables.six_card(), CARDS["2S"], 4)
    assert (after.discard, after.beneath, after.discard_no, after.discard_count) == ("2S", "7H", 4, 4)


def test_only_views_that_remember_know_a_card_that_was_looked_at() -> None:
    view = tables.cactus()
    place = Position(A, 1)
    assert known(view, place, CARDS["9S"]) == view
    always = replace(view, options=view.options | {"recall": "always"})
    assert slot_at(known(always, place, CARDS["9S"]), place) == "?9S"
    watching = replace(always, you=None)
    assert known(watching, place, CARDS["9S"]) == watching


def test_positions_that_moved_are_kept_in_order_as_long_as_a_window_is_open() -> None:
    view = moved(moved(tables.cactus(), Position(B, 12)), Position(B, 2), Position(A, 5), Position(B, 12))
    assert view.slam is not None
    assert view.slam.moved == ("A5", "B2", "B12")
    assert moved(tables.six_card(), Position(A, 1)) == tables.six_card()


def test_a_viewer_is_told_of_its_own_say_only() -> None:
    assert had_say(tables.cactus(), B) == tables.cactus()
    own = had_say(tables.cactus(), A)
    assert own.slam is not None
    assert own.slam.passed


def test_owing_goes_down_for_one_seat() -> None:
    assert owed_less(replace(tables.six_card(), owed=(2, 2, 1, 0)), B, 2).owed == (2, 0, 1, 0)


def test_the_first_with_every_card_up_closes() -> None:
    view = tables.a_view("six-card", "5C KD 5H 2C 3C 4C", "? ? ? ? ? ?")
    assert closing(view, B).closer is None
    assert closing(view, A).closer == "A"
    assert closing(replace(view, closer="B"), A).closer == "B"
    assert not is_all_face_up(("-", "-"))
