"""A TOML parser for untrusted text: it returns plain values of limited size, or raises one error.

What stays true of the values: whole numbers have 64 bits (TOML 1.0 promises no more) and lists and tables are nested at
most ``MAX_DEPTH`` deep, so that showing, comparing or converting them cannot fail because of their size.
"""

import tomllib
from typing import Any, Final

MAX_DEPTH: Final = 16
"""Levels of lists and tables in each other; rule sets and settings have two."""

_MAX_NUMBER: Final = 2**63 - 1


class BadToml(Exception):
    """A text that is not TOML, or exceeds the limits; the message is what was expected and where, if known."""


def load(text: str) -> dict[str, Any]:
    """Return the values of a TOML text by their keys; raises ``BadToml``."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadToml(str(error)) from None
    except ValueError:  # Python limits the number of digits
        raise BadToml(_NUMBER) from None
    except RecursionError:
        raise BadToml(_DEPTH) from None
    _check(values)
    return values


def dump(value: object) -> str:
    """Return the text of a switch, a number, a text or a tuple of these."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{"".join(_escaped(character) for character in value)}"'
        case tuple():
            return f"[{', '.join(dump(each) for each in value)}]"
        case _:
            return str(value)


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"


_NUMBER: Final = "expected whole numbers of at most 64 bits"
_DEPTH: Final = f"expected lists and tables nested at most {MAX_DEPTH} deep"


def _check(values: dict[str, Any]) -> None:
    """Raise ``BadToml`` for values of no ordinary size."""
    level: list[Any] = [values]
    for _ in range(MAX_DEPTH):
        if any(isinstance(each, int) and not -_MAX_NUMBER - 1 <= each <= _MAX_NUMBER for each in level):
            raise BadToml(_NUMBER)
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    if level:
        raise BadToml(_DEPTH)
