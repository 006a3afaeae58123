"""Who is at the other end of a connection, as its front tells an owner, and an owner its front.

What stays true: every field has a default and unknown fields are ignored, so that two versions understand each other;
no field holds a card or a view, and no token or password: the front has checked these, and tells a token's hash.
"""

from __future__ import annotations

from typing import Self

import msgspec
from msgspec import Struct

from golfnet.protocol.errors import RemoteProtocolError


class LimitedStruct(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something in a frame, as JSON."""

    @property
    def encoded(self) -> bytes:
        """This as JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Return what is in JSON. Raise ``RemoteProtocolError`` for anything else."""
        try:
            return msgspec.json.decode(data, type=cls)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise RemoteProtocolError(f"a {cls.__name__}: {error}") from None


class PreferencesState(LimitedStruct, frozen=True, kw_only=True):
    """Settings as words: chosen here, chosen before, suggested by the terminal; ``chosen`` are kept for later."""

    here: dict[str, str] = {}
    before: dict[str, str] = {}
    suggested: dict[str, str] = {}
    chosen: dict[str, str] = {}


class TelnetAgreed(LimitedStruct, frozen=True, kw_only=True):
    """What of telnet a peer has agreed to that a session needs: the end of a record, objects beside text."""

    started: bool = False
    marks: bool = False
    objects: bool = False


class TelnetNews(LimitedStruct, frozen=True, kw_only=True):
    """What a peer's telnet has said: one of these. ``took`` is how long the answer to a timing mark did."""

    window: tuple[int, int] | None = None
    abilities: int | None = None
    utf_8: bool | None = None
    took: float | None = None
    agreed: TelnetAgreed | None = None


class Caller(LimitedStruct, frozen=True, kw_only=True):
    """One peer: where it comes from, its player (an id, empty for none) and how it is spoken to."""

    address: str = ""
    carrier: str = "plain"
    connected: float = 0.0
    """Seconds ago."""
    client: str = ""
    player: str = ""
    token: bytes = b""
    """The hash of the token with which the player came in."""
    stay: int = 0
    """The number of the player's stay in the directory: a later connection has another one."""
    table: str = ""
    """The table at which the player sits."""
    watched: tuple[str, ...] = ()
    muted: dict[str, str] = {}
    avoided: dict[str, str] = {}
    machine: bool = False
    settings: PreferencesState = PreferencesState()
    objects_word: bytes = b""
    objects_table: bool = False
    telnet: TelnetAgreed | None = None
