"""Frozen records: compared by their fields, immutable, and intact when copied."""

import copy
import pickle
from typing import ClassVar

import pytest
from hypothesis import given, strategies as st

from golfnet.engine.actions import Draw, Knock, Swap, Take
from golfnet.engine.cards import Position, Seat
from golfnet.engine.events import Flipped, TurnBegan
from golfnet.engine.frozen import Frozen, fields_of, replaced
from golfnet.engine.hole import changed


class Point(Frozen, kw_only=True):
    """A record whose field ``name`` was added later."""

    kind: ClassVar[str] = "point"
    x: int
    y: int
    name: str = "here"


points = st.builds(Point, x=st.integers(0, 3), y=st.integers(0, 3), name=st.sampled_from(["here", "there"]))


@given(points, points)
def test_records_compare_and_hash_by_their_fields_and_equal_their_copies(one: Point, other: Point) -> None:
    assert (one == other) == (fields_of(one) == fields_of(other))
    assert one != other or hash(one) == hash(other)
    for twin in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one)), replaced(one)):
        assert twin == one
    assert replaced(one, x=9) == Point(x=9, y=one.y, name=one.name)


def test_records_can_neither_be_changed_nor_given_more_fields() -> None:
    turn = TurnBegan(seat=Seat(0), turn=1)
    for name in ("turn", "other"):
        with pytest.raises(AttributeError):
            setattr(turn, name, 2)
    with pytest.raises(AttributeError):
        del turn.turn
    assert turn == TurnBegan(seat=Seat(0), turn=1)


def test_records_take_fields_by_keyword_or_position_as_declared() -> None:
    assert Point(x=1, y=2).name == "here"
    assert Swap(3) == Swap(slot=3)
    with pytest.raises(TypeError):
        Point(1, 2)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Point(x=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        replaced(Point(x=1, y=2), z=3)
    with pytest.raises(KeyError):
        changed(Position(Seat(0), 1), row=3)


def test_records_of_different_types_are_never_equal_and_their_repr_names_the_type() -> None:
    assert len({Take(3), Swap(3), Take(3)}) == 2
    assert len({Draw(), Knock(), Draw()}) == 2
    assert [repr(Take(3)), repr(TurnBegan(seat=Seat(1), turn=2))] == [
        "Take(slot=3)",
        "TurnBegan(seat=1, turn=2)",
    ]
    assert Flipped.__doc__
