"""Text forms of values that people may choose: how each kind of value is read and written.

Rule set options, the settings for ``set`` and a server's configuration are tables of fields with such forms.
Reading a text that ``write`` returned gives an equal value.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from golfnet.engine.notation import listed

Json = bool | int | str | Mapping[str, int] | None
"""A value in JSON or TOML; None means that an optional number is not set."""

T = TypeVar("T")
Word = TypeVar("Word", bound=StrEnum)


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueForm(Generic[T]):
    """The text form of one kind of value; ``read`` raises ``ValueError`` for a text that is not allowed.

    The forms here read lower-case text. ``takes`` describes what ``read`` accepts; ``words`` explains each word in a
    fixed list; ``bounds`` are the limits for a number.
    """

    takes: str
    read: Callable[[Any], T]
    write: Callable[[T], str]
    json: Callable[[T], Json] = _as_it_is
    words: Mapping[str, str] = field(default_factory=dict)
    bounds: tuple[float, float] | None = None


_PARTS: Final = tuple([each.name for each in fields(ValueForm)])


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField(ValueForm[T]):
    """The form of a named value, and a sentence that says what the value means."""

    name: str
    meaning: str


def table(*rows: tuple[str, ValueForm[Any], str]) -> Mapping[str, FormField[Any]]:
    """Return fields by name; each row has a name, a form and a meaning."""
    return MappingProxyType(
        {name: FormField(name=name, meaning=text, **parts_of(form)) for name, form, text in rows}
    )


def parts_of(form: ValueForm[Any]) -> dict[str, Any]:
    """Return the attributes of a form by name, as keyword arguments for ``FormField``."""
    return {name: getattr(form, name) for name in _PARTS}


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


def words(meanings: Mapping[Word, str]) -> ValueForm[Word]:
    """Return an enumeration's form, with the meaning of each of its words."""
    return ValueForm(
        takes=listed(meanings, "or"),
        read=type(next(iter(meanings))),
        write=str,
        json=str,
        words={word.value: meaning for word, meaning in meanings.items()},
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
