"""Text forms of values: those that people may choose, and numbers and lists in sentences.

Rule set options, the settings for ``set`` and a server's configuration are tables of fields whose forms say how a value
is read and written. Reading a text that ``write`` returned gives an equal value.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Generic, Self, TypeVar

from golfnet.engine.frozen import Frozen, replaced

Json = bool | int | str | Mapping[str, int] | None
"""A value in JSON or TOML; None means that an optional number is not set."""

T = TypeVar("T")


class Explained(StrEnum):
    """The base of enumerations of words; each member is written as a tuple of the word and its meaning."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "", *_: object) -> Self:
        """Create a member; further values are for the ``__init__`` of a subclass."""
        word = str.__new__(cls, value)
        word._value_, word.meaning = value, meaning
        return word


Word = TypeVar("Word", bound=Explained)


class ValueForm(Frozen, Generic[T], kw_only=True):
    """The text form of one kind of value; ``read`` raises ``ValueError`` for a text that is not allowed.

    The forms here read lower-case text. ``takes`` describes what ``read`` accepts; ``words`` explains each word in a
    fixed list; ``bounds`` are the limits for a number. In a table of fields, ``name`` is the field's name, and
    ``meaning`` is a sentence that says what its value means.
    """

    takes: str
    read: Callable[[Any], T]
    write: Callable[[T], str]
    json: Callable[[T], Any] = lambda value: value
    words: Mapping[str, str] = MappingProxyType({})
    bounds: tuple[float, float] | None = None
    name: str = ""
    meaning: str = ""


def table(*rows: tuple[str, ValueForm[Any], str]) -> Mapping[str, ValueForm[Any]]:
    """Return fields by name; each row has a name, a form and a meaning."""
    return MappingProxyType({name: replaced(form, name=name, meaning=text) for name, form, text in rows})


def text_of(value: object) -> str:
    """Return a value from JSON or TOML as text (a string unchanged), or raise ``ValueError``."""
    match value:
        case bool():
            return "on" if value else "off"
        case int() | str():
            return str(value)
        case None:
            return "none"
        case Mapping():
            return ",".join([f"{key}:{item}" for key, item in value.items()])
        case _:
            raise ValueError(f"no option is written as {type(value).__name__}")


def number(low: int, high: int) -> ValueForm[int]:
    """Return the form of a whole number; the rule set or the settings check its bounds, not the form."""
    return ValueForm(takes=f"a number from {low} to {high}", read=whole, write=str, bounds=(low, high))


def or_none(form: ValueForm[T]) -> ValueForm[T | None]:
    """Return a form that also allows ``none``."""
    return ValueForm(
        takes=f"{form.takes}, or none",
        read=lambda text: None if text == "none" else form.read(text),
        write=lambda value: "none" if value is None else form.write(value),
        json=lambda value: None if value is None else form.json(value),
    )


def words(kind: type[Word]) -> ValueForm[Word]:
    """Return an enumeration's form, with the meaning of each of its words."""
    return ValueForm(
        takes=listed(kind, "or"),
        read=kind,
        write=str,
        json=str,
        words={str(word): word.meaning for word in kind},
    )


def whole(text: str) -> int:
    """Return the whole number in a text, or raise ``ValueError``."""
    if not re.fullmatch(r"[+-]?[0-9]{1,6}", text):
        raise ValueError(text)
    return int(text)


def _read_switch(text: str) -> bool:
    if text not in _SWITCHES:
        raise ValueError(text)
    return _SWITCHES[text]


_SWITCHES: Final = {
    **dict.fromkeys(("on", "yes", "true"), True),
    **dict.fromkeys(("off", "no", "false"), False),
}

SWITCH: Final[ValueForm[bool]] = ValueForm(
    takes="on or off", read=_read_switch, write=lambda on: "on" if on else "off"
)


# --- in sentences


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
