"""A session's state as one node gives it to another: what was read, what was told, how things are shown.

What stays true: every field has a default and unknown fields are ignored, so that two versions understand each other;
no field holds a card or a view; a state has at most ``STATE_LIMIT`` bytes. Times are seconds ago, since clocks of two
machines have nothing to do with each other.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.lines import ReaderState
from golfnet.protocol.telnet.telnet import TelnetState
from golfnet.protocol.text.stage import NO_JOINING, Joining

STATE_LIMIT: Final = 512 * 1024
"""Bytes of one state: twice what a session keeps of a long answer, and of lines that wait."""


class _StatePart(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a state."""


class PreferencesState(_StatePart, frozen=True, kw_only=True):
    """Settings as words: chosen here, chosen before, suggested by the terminal; ``chosen`` are kept for later."""

    here: dict[str, str] = {}
    before: dict[str, str] = {}
    suggested: dict[str, str] = {}
    chosen: dict[str, str] = {}


class PagerState(_StatePart, frozen=True, kw_only=True):
    """The rest of a long answer."""

    rest: tuple[str, ...] = ()
    shown: int = 0
    dropped: int = 0


class RepeatsState(_StatePart, frozen=True, kw_only=True):
    """What was told last; ``last`` is the name of its kind, ``later`` how the last event may be repeated later."""

    parts: tuple[tuple[str, ...], ...] = ()
    last: str = ""
    is_complete: bool = True
    is_list: bool = False
    count: int = 0
    event: tuple[str, ...] = ()
    later: tuple[str, ...] | None = None


class StageState(_StatePart, frozen=True, kw_only=True):
    """A table on a big screen."""

    table: str = ""
    over: bool = False
    moves: tuple[str, ...] = ()
    joining: Joining = NO_JOINING


class WriterState(_StatePart, frozen=True, kw_only=True):
    """How one peer is answered; ``turn_told`` is the table and the seat whose turn was told in the last line,
    ``hints_told`` the phases and verbs that a hint has named in this hole.
    """

    machine: bool = False
    preferences: PreferencesState = PreferencesState()
    objects_word: bytes = b""
    objects_table: bool = False
    pager: PagerState = PagerState()
    repeats: RepeatsState = RepeatsState()
    stage: StageState | None = None
    turn_told: tuple[str, str | None] | None = None
    hints_told: tuple[tuple[str, ...], ...] = ()


class DecoderState(_StatePart, frozen=True, kw_only=True):
    """What was read and completes no line yet; ``first`` are the first bytes while a protocol is looked for in them."""

    first: bytes | None = None
    looks: int = 0
    reader: ReaderState = ReaderState()
    telnet: TelnetState | None = None


class RateState(_StatePart, frozen=True, kw_only=True):
    """How many seconds ago commands, those above the rate, and lines of chat came; bytes ``spent`` on no lines."""

    commands: tuple[float, ...] = ()
    excess: tuple[float, ...] = ()
    chat: tuple[float, ...] = ()
    spent: float = 0.0


class PingState(_StatePart, frozen=True, kw_only=True):
    """How many pings were sent, and how many seconds ago the last, where it is not answered yet."""

    sent: int = 0
    ago: float | None = None


class Handover(_StatePart, frozen=True, kw_only=True):
    """One session.

    ``line`` is to be carried out first, or, where ``asks``, is the command that a question was asked about; ``typed``
    are the answers to its questions so far. ``lines`` wait behind it; the second part tells a fault from a line.
    """

    version: str = ""
    """The version of golfnet that wrote it, for logs."""
    address: str = ""
    carrier: str = "plain"
    client: str = ""
    player: str = ""
    """The id of the player, empty before a name was given."""
    token: bytes = b""
    """The hash of the token with which the player came in."""
    stay: int = 0
    """The number of the player's stay in the directory."""
    table: str = ""
    """The table at which the player sits."""
    watched: tuple[str, ...] = ()
    """The tables that the player watches and that came with it."""
    muted: dict[str, str] = {}
    avoided: dict[str, str] = {}
    connected: float = 0.0
    heard: float = 0.0
    is_silent: bool = True
    line: str = ""
    asks: bool = False
    typed: tuple[str, ...] = ()
    lines: tuple[tuple[str, bool], ...] = ()
    undecoded: bytes = b""
    """What came behind these lines."""
    input_over: bool = False
    decoder: DecoderState = DecoderState()
    writer: WriterState = WriterState()
    rates: RateState = RateState()
    confirms: str = ""
    """What the person was asked to confirm, and for how many seconds that still stands."""
    confirms_for: float = 0.0
    discards: tuple[tuple[int, float], ...] = ()
    pings: PingState = PingState()
    hops: int = 0
    """1 while ``line`` is carried out by its second node: there it moves no more."""

    def latest(self) -> Handover:
        """Return what is worth keeping when the node with the session dies: how the peer is, not what it was doing."""
        return msgspec.structs.replace(
            self,
            line=self.line if self.asks else "",
            lines=(),
            undecoded=b"",
            confirms="",
            discards=(),
            decoder=msgspec.structs.replace(self.decoder, reader=ReaderState()),
            writer=msgspec.structs.replace(self.writer, pager=PagerState(), repeats=RepeatsState()),
        )

    def encode(self) -> bytes:
        """Return the state as JSON."""
        return _ENCODER.encode(self)

    @staticmethod
    def decode(data: bytes) -> Handover:
        """Return the state in JSON. Raise ``RemoteProtocolError`` for anything else."""
        if len(data) > STATE_LIMIT:
            raise RemoteProtocolError(f"a state of at most {STATE_LIMIT} bytes, not {len(data)}")
        try:
            return _DECODER.decode(data)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise RemoteProtocolError(f"a state of a session: {error}") from None


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Handover)
