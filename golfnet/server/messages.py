"""The messages between nodes on the bus, and their encoding; unknown ones are ignored."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct


class _BusMessage(Struct, frozen=True, kw_only=True, tag=True):
    """A message from one node to others."""


class Told(_BusMessage, frozen=True, kw_only=True):
    """Chat from one player to another."""

    speaker: str
    to: str
    text: str


class Invited(_BusMessage, frozen=True, kw_only=True):
    """An invitation to a table with ``players``; ``game`` is a human-readable description.

    ``is_next`` means that a match is running, so the invitation is for the next one.
    """

    speaker: str
    to: str
    table: str
    game: str
    players: tuple[str, ...] = ()
    is_next: bool = False


class Shouted(_BusMessage, frozen=True, kw_only=True):
    """Chat from a player to everyone without a seat."""

    speaker: str
    text: str


class Announced(_BusMessage, frozen=True, kw_only=True):
    """A notice from the operator to everyone."""

    text: str


class Kicked(_BusMessage, frozen=True, kw_only=True):
    """The operator has closed a player's connection."""

    name: str


class TableEnded(_BusMessage, frozen=True, kw_only=True):
    """The operator has closed a table."""

    table: str


class SanctionsChanged(_BusMessage, frozen=True, kw_only=True):
    """The operator has changed who is banned or muted."""


class TablesWait(_BusMessage, frozen=True, kw_only=True):
    """A node has been declared gone, so its tables can be taken now."""


Message = Told | Invited | Shouted | Announced | Kicked | TableEnded | SanctionsChanged | TablesWait

encode: Final = msgspec.json.Encoder().encode
"""Return a message as bytes."""

_DECODER: Final[msgspec.json.Decoder[Message]] = msgspec.json.Decoder(Message)


def decode(payload: bytes) -> Message | None:
    """Return the message in a payload, or None if this version does not know it."""
    try:
        return _DECODER.decode(payload)
    except msgspec.MsgspecError:
        return None
