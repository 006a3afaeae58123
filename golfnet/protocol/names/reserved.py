"""Reserved names: those that mean seats, tables, bots, the server, or words of the protocol.

A word stays reserved however it is spelt: in look-alike letters, with digits around it, with ``-`` and ``_`` anywhere,
and with "the" before it.
"""

import re
from typing import Final

from golfnet.protocol.errors import Code
from golfnet.protocol.names.skeletons import skeleton

LEVELS: Final = ("random", "easy", "medium", "hard")
"""The levels of bots, weakest first: commands name them, and bots are named after them."""


def is_seat(name: str) -> bool:
    """Return whether a name means the letter of a seat."""
    return skeleton(name) in _SEATS


def is_table(name: str) -> bool:
    """Return whether a name means the id of a table, such as t12."""
    return name[1:].isdecimal() and skeleton(name)[0] == "t"


def is_bot(name: str) -> bool:
    """Return whether a name has the form of bots' names, such as easy-bot or easy-bot-2."""
    return _BOT.fullmatch(skeleton(name)) is not None


def is_reserved(name: str) -> bool:
    """Return whether a name could be mistaken for the server, or is a word of commands and replies."""
    return not _RESERVED.isdisjoint(_words(name))


def _words(name: str) -> set[str]:
    """Return the words that a name can mean, as skeletons: with its digits as letters, and without those around it."""
    parts = _SEPARATOR.split(name)
    if len(parts) > 1 and skeleton(parts[0]) == "the":
        parts = parts[1:]
    whole = "".join(parts)
    before, after = whole.lstrip(_DIGITS), whole.rstrip(_DIGITS)
    return set(map(skeleton, (whole, before, after, before.rstrip(_DIGITS))))


_DIGITS: Final = "0123456789"
_SEPARATOR: Final = re.compile("[-_]+")
_SEATS: Final = frozenset(map(skeleton, "ABCDEFGHIJKL"))
_BOT: Final = re.compile(rf"({'|'.join(map(skeleton, LEVELS))})_+{skeleton('bot')}[_0-9oi]*")
"""The skeletons of their names; in one ``-`` is ``_``, and 0 and 1 are letters."""

_WORDS: Final = """
server house golfnet root system sysop admin administrator operator mod moderator dealer
host bot bots table tables lobby me you myself
all everyone everybody anyone someone nobody none null nil undefined true false
"""
_RESERVED: Final = frozenset(
    skeleton(word.replace("_", "")) for word in (*_WORDS.split(), *(code.value for code in Code))
)
