"""English in sentences: numbers, lists, and the words that were meant."""

from collections.abc import Iterable
from typing import Final

_WORDS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def word(number: int) -> str:
    """Return a number as a word if it is at most twelve, otherwise in digits: ``no``, ``one``, ``13``."""
    return _WORDS[number] if 0 <= number < len(_WORDS) else str(number)


def count(number: int, thing: str) -> str:
    """Return a count in words: ``no jokers``, ``one card``, ``13 cards``."""
    return f"{word(number)} {thing if number == 1 else thing + 's'}"


def times(number: int) -> str:
    """Return a number of times in words: ``once``, ``twice``, ``three times``."""
    return {1: "once", 2: "twice"}.get(number) or count(number, "time")


def listed(things: Iterable[object], last: str = "and") -> str:
    """Return the things joined by commas, with a word before the last: ``1, 2 and 3``."""
    *others, final = map(str, things)
    return f"{', '.join(others)} {last} {final}" if others else final


def alike(word: str, words: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the words that a mistyped word may stand for, the most similar one first."""
    from difflib import get_close_matches  # imported on first use, to keep startup fast

    return get_close_matches(word, words, most, cutoff)
