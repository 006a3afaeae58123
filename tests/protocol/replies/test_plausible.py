"""Replies that contradict themselves are as if they could not be decoded."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from golfnet.engine.cards import CARDS
from golfnet.engine.events import EndReason, HoleEnded, MatchEnded, Peeked
from golfnet.engine.layout import Position, Seat
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import Happened, Rows
from tests.client import tables


def is_refused(line: bytes) -> bool:
    try:
        data.decode(line)
    except msgspec.ValidationError:
        return True
    return False


@pytest.mark.parametrize(
    "changes",
    [
        {"you": "Ann"},
        {"you": "L"},
        {"turn": "AA"},
        {"discard": "HH"},
        {"drawn": "?"},
        {"options": {}},
        {"options": {"tea": "green"}},
        {"seats": ()},
        {"seats": (tables.six_card().seats[0],) * 2},
        {"seats": (replace(tables.six_card().seats[0], seat="a"),)},
        {"seats": (replace(tables.six_card().seats[0], slots=("7H", "H7")),)},
        {"seats": (replace(tables.six_card().seats[0], total=10**12),)},
    ],
    ids=str,
)
def test_a_view_of_no_table_is_refused(changes: dict[str, Any]) -> None:
    assert not is_refused(data.encode(tables.six_card()))
    assert is_refused(data.encode(replace(tables.six_card(), **changes)))


A, SEVEN = Seat(0), CARDS["7H"]
HOLE: dict[str, Any] = {
    "reason": EndReason.TURNS,
    "closer": None,
    "layouts": ((SEVEN,),),
    "seed": bytes(32),
    "cuts": ("",),
}


@pytest.mark.parametrize(
    ("event", "refused"),
    [
        (Peeked(seat=A, at=(Position(A, 1),), cards=(SEVEN,)), False),
        (Peeked(seat=A, at=(Position(A, 1),), cards=(SEVEN, SEVEN)), True),
        (Peeked(seat=A, at=(), cards=None), True),
        (HoleEnded(**HOLE, scores=(7,), totals=(7,)), False),
        (HoleEnded(**HOLE, scores=(7, 8), totals=(7,)), True),
        (HoleEnded(**HOLE, scores=None, totals=()), True),
        (MatchEnded(match="m1", totals=(7, 8), places=(1, 2)), False),
        (MatchEnded(match="m1", totals=(7, 8), places=(1,)), True),
        (MatchEnded(match="m1", totals=(7, 8), places=(2, 3)), True),
    ],
)
def test_an_event_whose_lists_do_not_fit_is_refused(event: Any, refused: bool) -> None:
    assert is_refused(data.encode(Happened(table="t1", seq=3, event=event, names=()))) is refused


TABLE = {"table": "t1", "variant": "cactus", "state": "open", "seats": 2, "taken": 1}


@pytest.mark.parametrize(
    ("kind", "row", "refused"),
    [
        ("tables", TABLE, False),
        ("tables", TABLE | {"table": 7}, True),
        ("tables", {key: TABLE[key] for key in TABLE if key != "variant"}, True),
        ("who", "Ann", True),
        ("help", "Type name.", False),
        ("fireworks", 7, False),
    ],
)
def test_a_row_that_is_none_of_its_list_is_refused(kind: str, row: object, refused: bool) -> None:
    assert is_refused(data.encode(Rows(kind=kind, rows=(row,)))) is refused
