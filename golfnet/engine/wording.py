"""Words for numbers and lists, for sentences that are made from data."""

from collections.abc import Iterable
from typing import Final

_WORDS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def word(number: int) -> str:
    """Return a number of things as a word up to twelve, as digits above: ``no``, ``one``, ``13``."""
    return _WORDS[number] if 0 <= number < len(_WORDS) else str(number)


def count(number: int, thing: str) -> str:
    """Return a count in words: ``no jokers``, ``one card``, ``13 cards``."""
    return f"{word(number)} {thing if number == 1 else thing + 's'}"


def times(number: int) -> str:
    """Return how often: ``once``, ``twice``, ``three times``."""
    return {1: "once", 2: "twice"}.get(number) or count(number, "time")


def listed(things: Iterable[object], last: str = "and") -> str:
    """Return things with commas and a word before the last: ``1, 2 and 3``."""
    *others, final = map(str, things)
    return f"{', '.join(others)} {last} {final}" if others else final
