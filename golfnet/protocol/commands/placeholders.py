"""Values in the text of the manual: ``{name}`` or ``{name:form}`` stands for a number of the server.

What stays true: a name or a form that does not exist is an error and never shown; a brace that begins no placeholder
is plain text. Times are in seconds, sizes in bytes.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Final

from golfnet.engine.wording import word

PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z0-9_]*)(?::([^{}\n]+))?\}")
"""The name of a value, and the form that it takes."""


class ManualError(Exception):
    """A mistake in a file of the manual; names the file."""


def fill_in(text: str, values: Mapping[str, float], *, file: str) -> str:
    """Return a text with its values; raises ``ManualError`` for an unknown name or form."""

    def value_of(found: re.Match[str]) -> str:
        name, form = found.groups()
        if name not in values:
            raise ManualError(f"{file}: no value has the name {name}")
        if form is None:
            return _plain(values[name])
        if "|" in form:
            one, many = form.split("|", 1)
            return f"{_plain(values[name])} {one if values[name] == 1 else many}"
        if form not in FORMS:
            raise ManualError(f"{file}: {form} is none of the forms {', '.join(FORMS)} and ONE|MANY")
        return FORMS[form](values[name])

    return PLACEHOLDER.sub(value_of, text)


def _plain(number: float) -> str:
    return f"{number:.15g}"


def _time(seconds: float, number: Callable[[int], str] = str) -> str:
    """Return a time in the largest unit of which it is a whole number above one."""
    if 0 < seconds < 1:
        return f"{round(seconds * 1000)} ms"
    whole = math.ceil(seconds)
    for length, unit in _UNITS:
        if whole >= 2 * length and whole % length == 0:
            return f"{number(whole // length)} {unit}s"
    return f"{number(whole)} second{'s' * (whole != 1)}"


def _time_in_words(seconds: float) -> str:
    share = _share(seconds) if 0 < seconds < 1 else ""
    return f"{share} of a second" if share in _SHARES.values() else _time(seconds, word)


def _limit(seconds: float) -> str:
    return _time(seconds) if seconds else "as long as you like"


def _ordinal(number: float) -> str:
    return _ORDINALS.get(int(number), f"{_plain(number)}th")


def _share(part: float) -> str:
    return _SHARES.get(part, f"{part:.0%}")


def _size(octets: float) -> str:
    return f"{_plain(octets / 1024**2)} MiB" if octets % 1024**2 == 0 else f"{round(octets / 1024)} KiB"


FORMS: Final[Mapping[str, Callable[[float], str]]] = {
    "words": lambda number: word(int(number)),
    "ordinal": _ordinal,
    "share": _share,
    "time": _time,
    "time in words": _time_in_words,
    "limit": _limit,
    "size": _size,
}
"""How a value may stand in a sentence: ``three``, ``third``, ``half``, ``2 minutes``, ``two minutes``, ``2 minutes`` or
for 0 ``as long as you like``, ``256 KiB``. ``{name:line|lines}`` is the number with the word that fits it."""

_DAY: Final = 24 * 3600
_UNITS: Final = ((30 * _DAY, "month"), (_DAY, "day"), (3600, "hour"), (60, "minute"))
_ORDINALS: Final = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth"}
_SHARES: Final = {0.5: "half", 0.25: "a quarter", 0.75: "three quarters"}
