"""The peer of a connection, as its front and the owner of its session describe it to each other.

Invariants: every field has a default and unknown fields are ignored, so that two versions can work together; no field
holds a card, a view, a token or a password: the front has checked tokens and passwords, and sends only a token's hash.
"""

from __future__ import annotations

from typing import Self

import msgspec
from msgspec import Struct

from golfnet.protocol.errors import RemoteProtocolError


class LimitedStruct(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The base of all JSON frame payloads."""

    @property
    def encoded(self) -> bytes:
        """The payload as JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Return the payload decoded from JSON. Raise ``RemoteProtocolError`` for anything else."""
        try:
            return msgspec.json.decode(data, type=cls)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise RemoteProtocolError(f"a {cls.__name__}: {error}") from None


class PreferencesState(LimitedStruct, frozen=True, kw_only=True):
    """Settings as words: set on this connection, kept from earlier ones, suggested by the terminal, or to be kept."""

    here: dict[str, str] = {}
    before: dict[str, str] = {}
    suggested: dict[str, str] = {}
    chosen: dict[str, str] = {}


class TelnetAgreed(LimitedStruct, frozen=True, kw_only=True):
    """What a peer has agreed to over telnet, as far as a session needs to know: end-of-record marks, and objects."""

    started: bool = False
    marks: bool = False
    objects: bool = False


class TelnetNews(LimitedStruct, frozen=True, kw_only=True):
    """One change in a peer's telnet state; ``took`` is how many seconds the answer to a timing mark took."""

    window: tuple[int, int] | None = None
    abilities: int | None = None
    utf_8: bool | None = None
    took: float | None = None
    agreed: TelnetAgreed | None = None


class Caller(LimitedStruct, frozen=True, kw_only=True):
    """One peer: its address, its player (an id, empty if there is none) and how it wants to be answered."""

    address: str = ""
    carrier: str = "plain"
    connected: float = 0.0
    """How many seconds ago the peer connected."""
    client: str = ""
    player: str = ""
    token: bytes = b""
    """The hash of the token that the player used."""
    stay: int = 0
    """The number of the player's connection in the directory; a later connection has a different one."""
    table: str = ""
    """The table at which the player sits."""
    watched: tuple[str, ...] = ()
    muted: dict[str, str] = {}
    avoided: dict[str, str] = {}
    machine: bool = False
    tells: bool = False
    """Whether the peer is a program that gets each event with its sentence."""
    settings: PreferencesState = PreferencesState()
    objects_word: bytes = b""
    objects_table: bool = False
    telnet: TelnetAgreed | None = None
