"""What nodes say to each other over the bus, as values: read both ways, and ignored where it cannot be read."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct


class _BusWord(Struct, frozen=True, kw_only=True, tag=True):
    """Something that one node says to another."""


class Told(_BusWord, frozen=True, kw_only=True):
    """One player tells another something."""

    speaker: str
    to: str
    text: str


class Invited(_BusWord, frozen=True, kw_only=True):
    """A player invites another to a table, where these ``players`` sit; ``game`` is what is played, for people to read.

    ``is_next`` says that a match runs, so that the other can only play the one after it.
    """

    speaker: str
    to: str
    table: str
    game: str
    players: tuple[str, ...] = ()
    is_next: bool = False


class Shouted(_BusWord, frozen=True, kw_only=True):
    """A player tells everybody who sits at no table something."""

    speaker: str
    text: str


class Announced(_BusWord, frozen=True, kw_only=True):
    """The operator tells everybody something."""

    text: str


class Kicked(_BusWord, frozen=True, kw_only=True):
    """The operator closes a player's connection."""

    name: str


class TableEnded(_BusWord, frozen=True, kw_only=True):
    """The operator closes a table."""

    table: str


class SanctionsChanged(_BusWord, frozen=True, kw_only=True):
    """Somebody was banned or muted, or is not any more."""


class TablesWait(_BusWord, frozen=True, kw_only=True):
    """A node was declared gone: whoever takes tables is to look at once."""


Word = Told | Invited | Shouted | Announced | Kicked | TableEnded | SanctionsChanged | TablesWait

encode: Final = msgspec.json.Encoder().encode
"""Return a word as bytes."""

_DECODER: Final[msgspec.json.Decoder[Word]] = msgspec.json.Decoder(Word)


def decode(payload: bytes) -> Word | None:
    """Return the word in some bytes, None for one that this version does not know."""
    try:
        return _DECODER.decode(payload)
    except msgspec.MsgspecError:
        return None
