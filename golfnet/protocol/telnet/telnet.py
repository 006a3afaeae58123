"""One peer's telnet, as the server speaks it: bytes to lines' bytes, events, and the bytes to answer with.

What stays true: a peer that never spoke telnet gets no telnet byte, whichever method is called, until `start`; line
mode stays, because SGA and LINEMODE are refused and ECHO is ours only around passwords; NEW-ENVIRON is never asked
for (it crashes Windows' telnet); what a peer can make us answer is bounded (`OPTION_LIMIT`), and what it can make us
hold, too.

The two ports differ in one call: on the telnet port `start` is called at once and gives the opening; on the plain
port it is called by `telnet on`, or by the peer's own first telnet command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Final

from msgspec import Struct

from golfnet.protocol.telnet import options as payloads
from golfnet.protocol.telnet.negotiation import Negotiator, Side
from golfnet.protocol.telnet.options import Charset, Gmcp, Mtts, TerminalType, WindowSize
from golfnet.protocol.telnet.wire import (
    Command,
    Negotiation,
    Overlong,
    Subnegotiation,
    TelnetOption,
    TelnetParser,
    Token,
    command,
    escape,
    negotiation,
    subnegotiation,
)

__all__ = [
    "OPTION_LIMIT",
    "OPTION_SECONDS",
    "Charset",
    "Gmcp",
    "Mtts",
    "Received",
    "Signal",
    "TelnetEvent",
    "TelnetPeer",
    "TerminalType",
    "TimingAnswer",
    "WindowSize",
]

OPTION_LIMIT: Final = 64
"""Option commands, and whatever else asks for an answer, taken from a peer in any `OPTION_SECONDS` (protocol page,
"Bytes"): an honest one sends about twenty in all."""

OPTION_SECONDS: Final = 10.0


class Signal(Enum):
    """Something a peer said that has no contents, or did too much of."""

    ARE_YOU_THERE = auto()  # to be answered by something a person can see
    INTERRUPT = auto()  # IP or BRK; the line under way is to be forgotten
    ERASE_LINE = auto()  # EL
    MSSP_WANTED = auto()  # at most once; answer with `mssp`
    GMCP_AGREED = auto()  # from now on `gmcp` gives bytes
    SUBNEGOTIATION_TOO_LONG = auto()
    FLOOD = auto()  # the last event: nothing is read any more, and the connection is to be closed


class TimingAnswer(Struct, frozen=True, kw_only=True):
    """The answer to a `timing_mark`, and how many seconds it took to come."""

    seconds: float


TelnetEvent = Signal | TimingAnswer | WindowSize | TerminalType | Charset | Gmcp


class Received(Struct, frozen=True, kw_only=True):
    """What came of some bytes: runs of data and events in the order they came, and the bytes to answer with."""

    items: Sequence[bytes | TelnetEvent]
    reply: bytes = b""


class TelnetPeer:
    """The peer of one connection; its methods return the bytes to send, none while they are of no use to it.

    Before the first 0xFF a peer has nothing to remember: the plain port may make one only then.
    """

    __slots__ = (
        "_charset_asked",
        "_flooded",
        "_marked_at",
        "_mssp_asked",
        "_option_times",
        "_options",
        "_parser",
        "_started",
        "_terminal",
    )

    def __init__(self) -> None:
        self._parser = TelnetParser()
        self._options = Negotiator(ours=_OURS, theirs=_THEIRS)
        self._option_times: tuple[float, ...] = ()
        self._started = False
        self._flooded = False
        self._marked_at: float | None = None  # when the timing mark that is not answered yet was asked for
        self._mssp_asked = False
        self._charset_asked = False  # and not answered yet
        self._terminal = payloads.TerminalDialogue()

    @property
    def started(self) -> bool:
        """Whether telnet is spoken on this connection."""
        return self._started

    def start(self) -> bytes:
        """Begins to speak telnet and returns the opening; later calls return nothing."""
        if self._started:
            return b""
        self._started = True
        self._parser.awake = True
        return b"".join(self._options.want_on(side, option) for side, option in _OPENING)

    def is_plain(self, data: bytes) -> bool:
        """Says that `receive` would give back `data` and nothing else, and may be left out."""
        return self._parser.is_plain(data) and not self._flooded

    def receive(self, data: bytes, *, now: float) -> Received:
        """Takes in what the peer sent; `now` is in seconds on any clock that never runs backwards."""
        if self._flooded:
            return Received(items=())
        items: list[bytes | TelnetEvent] = []
        reply = bytearray()
        tokens = self._parser.feed(data)
        if self._parser.awake:
            reply += self.start()
        try:
            for token in tokens:
                if isinstance(token, bytes):
                    items.append(token)
                else:
                    reply += self._obey(token, now, items)
        except _Flood:
            self._flooded = True
            items.append(Signal.FLOOD)
        return Received(items=items, reply=bytes(reply))

    def hide_input(self) -> bytes:
        """Asks the peer not to show what its user types: a password follows."""
        return self._options.want_on(Side.US, TelnetOption.ECHO) if self._started else b""

    def show_input(self) -> bytes:
        """Asks the peer to show again what its user types."""
        return self._options.want_off(Side.US, TelnetOption.ECHO) if self._started else b""

    def mark_end_of_record(self) -> bytes:
        """Returns the mark after a prompt or a block of lines, for a peer that agreed to EOR (RFC 885)."""
        return command(Command.EOR) if self._options.is_on(Side.US, TelnetOption.EOR) else b""

    def timing_mark(self, *, now: float) -> bytes:
        """Asks for a sign of life that gives a `TimingAnswer` (RFC 860); `now` is on the clock of `receive`.

        One is on its way at a time: a peer that does not answer is not asked again.
        """
        if not self._started or self._marked_at is not None:
            return b""
        self._marked_at = now
        return negotiation(Command.DO, TelnetOption.TIMING_MARK)

    def mssp(self, variables: Mapping[str, str | Sequence[str]]) -> bytes:
        """Returns the server's status for lists of servers, for a peer that agreed to MSSP.

        Raises ValueError for a name or value that MSSP cannot carry.
        """
        if not self._options.is_on(Side.US, TelnetOption.MSSP):
            return b""
        return subnegotiation(TelnetOption.MSSP, payloads.write_mssp(variables))

    def gmcp(self, package: str, json: bytes) -> bytes:
        """Returns an object such as `Golf.Event` with its JSON text, for a peer that agreed to GMCP.

        Raises ValueError for what is no package name.
        """
        if not self._options.is_on(Side.US, TelnetOption.GMCP):
            return b""
        return subnegotiation(TelnetOption.GMCP, payloads.write_gmcp(package, json))

    def encode(self, data: bytes) -> bytes:
        """Returns data as it goes over the wire."""
        return escape(data) if self._started else data

    def _obey(self, token: Token, now: float, items: list[bytes | TelnetEvent]) -> bytes:
        match token:
            case Negotiation(verb=verb, option=TelnetOption.TIMING_MARK):
                return self._hear_timing_mark(verb, now, items)
            case Negotiation(verb=verb, option=option):
                return self._hear(verb, option, now, items)
            case Subnegotiation(option=option, payload=payload):
                return self._read(option, payload, now, items)
            case Overlong():
                items.append(Signal.SUBNEGOTIATION_TOO_LONG)
            case Command() if token in _COMMANDS:
                if token is Command.AYT:
                    self._count(now)
                items.append(_COMMANDS[token])
        return b""

    def _hear(self, verb: Command, option: int, now: float, items: list[bytes | TelnetEvent]) -> bytes:
        self._count(now)
        side = Side.US if verb in (Command.DO, Command.DONT) else Side.PEER
        was_on = self._options.is_on(side, option)
        reply = self._options.hear(verb, option)
        if was_on or not self._options.is_on(side, option):
            return reply
        match side, option:
            case Side.PEER, TelnetOption.TTYPE:
                self._terminal = payloads.TerminalDialogue()
                reply += _TERMINAL_QUESTION
            case Side.US, TelnetOption.CHARSET:
                self._charset_asked = True
                reply += subnegotiation(TelnetOption.CHARSET, payloads.CHARSET_REQUEST)
            case Side.US, TelnetOption.MSSP if not self._mssp_asked:
                self._mssp_asked = True
                items.append(Signal.MSSP_WANTED)
            case Side.US, TelnetOption.GMCP:
                items.append(Signal.GMCP_AGREED)
        return reply

    def _hear_timing_mark(self, verb: Command, now: float, items: list[bytes | TelnetEvent]) -> bytes:
        # RFC 860: no state; every DO gets one WILL, after what came before it. A WONT marks the time as well.
        if verb in (Command.WILL, Command.WONT) and self._marked_at is not None:
            items.append(TimingAnswer(seconds=now - self._marked_at))
            self._marked_at = None
            return b""
        self._count(now)
        return negotiation(Command.WILL, TelnetOption.TIMING_MARK) if verb is Command.DO else b""

    def _read(self, option: int, payload: bytes, now: float, items: list[bytes | TelnetEvent]) -> bytes:
        ours, theirs = self._options.is_on(Side.US, option), self._options.is_on(Side.PEER, option)
        match option:
            case TelnetOption.NAWS if theirs and (size := payloads.read_window_size(payload)):
                items.append(size)
            case TelnetOption.TTYPE if theirs and (terminal := self._terminal.hear(payload)):
                items.append(terminal)
                return b"" if self._terminal.is_over else _TERMINAL_QUESTION
            case TelnetOption.CHARSET if ours or theirs:
                return self._read_charset(payload, now, items)
            case TelnetOption.GMCP if ours and (sent := payloads.read_gmcp(payload)):
                items.append(sent)
        return b""

    def _read_charset(self, payload: bytes, now: float, items: list[bytes | TelnetEvent]) -> bytes:
        if self._charset_asked and (outcome := payloads.read_charset_answer(payload)):
            self._charset_asked = False
            items.append(outcome)
            return b""
        answer = payloads.answer_charset_request(payload)
        if answer is None:
            return b""
        self._count(now)
        # RFC 2066: when both ends have asked, the server refuses and the client answers.
        return subnegotiation(
            TelnetOption.CHARSET, payloads.CHARSET_REJECTED if self._charset_asked else answer
        )

    def _count(self, now: float) -> None:
        times = self._option_times
        if len(times) == OPTION_LIMIT and now - times[0] < OPTION_SECONDS:
            raise _Flood
        self._option_times = (*times[1 - OPTION_LIMIT :], now)


class _Flood(Exception):
    """A peer went over `OPTION_LIMIT`."""


# What we perform when asked, and what the peer may begin by itself. Everything else is refused: SGA, LINEMODE and
# ECHO for line mode's sake, compression (MCCP) because it would spare a card table nothing.
_OURS: Final = frozenset({TelnetOption.EOR, TelnetOption.CHARSET, TelnetOption.MSSP, TelnetOption.GMCP})
_THEIRS: Final = frozenset({TelnetOption.TTYPE, TelnetOption.NAWS, TelnetOption.CHARSET})

_TERMINAL_QUESTION: Final = subnegotiation(TelnetOption.TTYPE, payloads.TERMINAL_SEND)

_OPENING: Final = (
    (Side.PEER, TelnetOption.TTYPE),
    (Side.PEER, TelnetOption.NAWS),
    (Side.US, TelnetOption.CHARSET),
    (Side.US, TelnetOption.EOR),
    (Side.US, TelnetOption.MSSP),
    (Side.US, TelnetOption.GMCP),
)
_COMMANDS: Final[Mapping[Command, bytes | TelnetEvent]] = {
    Command.AYT: Signal.ARE_YOU_THERE,
    Command.IP: Signal.INTERRUPT,
    Command.BRK: Signal.INTERRUPT,
    Command.EL: Signal.ERASE_LINE,
    Command.EC: b"\b",
}
