"""Words for numbers and lists."""

from __future__ import annotations

import pytest

from golfnet.engine.wording import count, listed, times, word


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "no cards"),
        (1, "one card"),
        (2, "two cards"),
        (12, "twelve cards"),
        (13, "13 cards"),
        (-1, "-1 cards"),
    ],
)
def test_a_count_of_things(number: int, said: str) -> None:
    assert count(number, "card") == said
    assert said.startswith(word(number))


@pytest.mark.parametrize(
    ("number", "said"), [(1, "once"), (2, "twice"), (3, "three times"), (20, "20 times")]
)
def test_a_count_of_times(number: int, said: str) -> None:
    assert times(number) == said


def test_lists() -> None:
    assert listed([1]) == "1"
    assert listed([1, 2]) == "1 and 2"
    assert listed("ABC", "or") == "A, B or C"
