"""Changed records are what ``_replace`` makes of them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from golfnet.engine.records import changed, merged
from tests.engine.drawing import dealt


class Pair(NamedTuple):
    first: int
    second: str = ""


def test_the_named_fields_change_and_no_others() -> None:
    pair = Pair(1, "a")
    assert changed(pair, second="b") == Pair(1, "b")
    assert changed(pair, second="b", first=2) == Pair(2, "b")
    assert changed(pair) == pair == Pair(1, "a")
    assert type(changed(pair)) is Pair


def test_a_whole_hole_is_changed_as_replace_would() -> None:
    hole = dealt("four-turn", "7H 2C | 3S 4S\n7S 9C | 6S 7D").hole
    assert changed(hole, stock=(), power=True) == hole._replace(stock=(), power=True)


def test_a_mapping_of_fields_changes_the_same() -> None:
    pair, fields = Pair(1, "a"), {"second": "b"}
    assert merged(pair, fields) == changed(pair, **fields) == Pair(1, "b")
    assert merged(pair, {}) == pair == Pair(1, "a")
    assert fields == {"second": "b"}


def test_a_field_that_is_none_is_an_error() -> None:
    with pytest.raises(KeyError):
        changed(Pair(1), third=3)
    with pytest.raises(KeyError):
        merged(Pair(1), {"third": 3})
