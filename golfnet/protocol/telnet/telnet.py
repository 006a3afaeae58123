"""The server's side of telnet on one connection: it turns bytes into data, events, and bytes to answer with.

Invariants: before ``start``, no method returns telnet bytes for a peer that has not sent any. Peers stay in line mode,
because SGA and LINEMODE are refused, and the server performs ECHO only for passwords. NEW-ENVIRON is never requested,
because it crashes Windows' telnet. The answers that a peer can cause are bounded (``OPTION_LIMIT``), and so is the
memory.

Peers are asked to send BINARY (RFC 856): otherwise GNU telnet mistakes UTF-8 bytes for control characters. The
server does not offer to send BINARY: peers show UTF-8 without it, and with it GNU telnet no longer turns the echo of
Enter into CR LF.

``start`` returns the first requests to the peer. The two ports differ only in when it is called: on the
telnet port at once, on the plain port after ``telnet on`` or the peer's first telnet command.
"""

from collections.abc import Mapping
from enum import Enum, IntEnum, auto
from typing import Final

from msgspec import Struct

from golfnet.protocol.telnet.options import (
    CHARSET_REJECTED,
    CHARSET_REQUEST,
    RECEIVED,
    TERMINAL_SEND,
    Charset,
    Cue,
    Gmcp,
    Mtts,
    Negotiator,
    Side,
    WindowSize,
    answer_charset_request,
    is_emulation,
    parse_abilities,
    parse_charset_answer,
    parse_gmcp,
    parse_terminal_name,
    parse_window_size,
)
from golfnet.protocol.telnet.wire import (
    Command,
    Negotiation,
    Subnegotiation,
    TelnetOption,
    TelnetParser,
    Token,
    command,
    escape,
    negotiation,
    subnegotiation,
)

OPTION_LIMIT: Final = 64
"""Maximum commands from a peer in any ``OPTION_SECONDS`` that are about options or need another answer (protocol page,
"Bytes"); a normal client sends about twenty in all."""

OPTION_SECONDS: Final = 10.0


class TelnetRequest(IntEnum):
    """What the server can ask of a peer; the numbers are also sent over links."""

    START = 1
    HIDE_INPUT = 2  # do not echo: a password follows
    SHOW_INPUT = 3
    TIMING_MARK = 4  # answer at once (RFC 860), so that the round trip can be measured


class Signal(Enum):
    """An event that carries no data."""

    ARE_YOU_THERE = auto()  # answer with something that a person sees
    ERASE_LINE = auto()  # EL, IP or BRK: discard the incomplete line
    MSSP_WANTED = auto()  # at most once; answer with `mssp`
    AGREED = auto()  # from now on `gmcp` or `mark_end_of_record` returns bytes
    FLOOD = auto()  # the last event: close the connection; no more bytes are parsed


class TimingAnswer(Struct, frozen=True, kw_only=True, tag=True):
    """The answer to a ``TIMING_MARK``; ``seconds`` is how long it took."""

    seconds: float


TelnetEvent = Signal | TimingAnswer | WindowSize | Mtts | Charset | Gmcp


class TelnetPeer:
    """The peer of one connection; methods return the bytes to send to it, or none if it has not agreed to them.

    ``started`` is whether telnet is active on the connection.
    On the plain port this object is not needed before the peer sends its first 0xFF.
    """

    __slots__ = (
        "_charset_asked",
        "_flooded",
        "_marked_at",
        "_mssp_asked",
        "_option_times",
        "_options",
        "_parser",
        "_terminals",
        "started",
    )

    def __init__(self) -> None:
        self._parser = TelnetParser()
        self._options = Negotiator(_AGREEABLE)
        self._option_times: tuple[float, ...] = ()
        self.started = False
        self._flooded = False
        self._marked_at: float | None = None  # When the unanswered timing mark was sent.
        self._mssp_asked = False
        self._charset_asked = False  # Whether our request has no answer yet.
        self._terminals: list[str] | None = None  # The names sent so far, or None if no more are wanted.

    def start(self) -> bytes:
        """Activate telnet and return the first requests; later calls return nothing."""
        if self.started:
            return b""
        self.started = self._parser.awake = True
        return b"".join(self._options.step(side, option, Cue.WANT_ON) for side, option in _OPENING)

    def is_plain(self, data: bytes) -> bool:
        """Return whether ``receive`` would only return ``data`` unchanged, so that the call can be skipped."""
        return self._parser.is_plain(data) and not self._flooded

    def receive(self, data: bytes, *, now: float) -> tuple[list[bytes | TelnetEvent], bytes]:
        """Handle bytes from the peer; return data and events in order, and the bytes to answer with.

        ``now`` is in seconds on any monotonic clock.
        """
        items: list[bytes | TelnetEvent] = []
        if self._flooded:
            return items, b""
        tokens = self._parser.feed(data)
        reply = bytearray(self.start() if self._parser.awake else b"")
        try:
            for token in tokens:
                reply += self._handle(token, now, items)
        except _Flood:
            self._flooded = True
            items.append(Signal.FLOOD)
        return items, bytes(reply)

    def request(self, what: TelnetRequest, *, now: float) -> bytes:
        """Ask the peer for something; before ``START``, nothing else is asked. ``now`` is on the clock of ``receive``.

        Only one timing mark is pending at a time: a peer that does not answer gets no second one.
        """
        match what:
            case TelnetRequest.START:
                return self.start()
            case TelnetRequest.HIDE_INPUT if self.started:
                return self._options.step(Side.US, TelnetOption.ECHO, Cue.WANT_ON)
            case TelnetRequest.SHOW_INPUT if self.started:
                return self._options.step(Side.US, TelnetOption.ECHO, Cue.WANT_OFF)
            case TelnetRequest.TIMING_MARK if self.started and self._marked_at is None:
                self._marked_at = now
                return negotiation(Command.DO, TelnetOption.TIMING_MARK)
        return b""

    def mark_end_of_record(self) -> bytes:
        """Return the mark after a prompt or a block of lines, for a peer that agreed to EOR (RFC 885)."""
        return command(Command.EOR) if self._options.is_on(Side.US, TelnetOption.EOR) else b""

    def mssp(self, variables: Mapping[str, str]) -> bytes:
        """Return the server's status as shown in server lists, for a peer that agreed to MSSP."""
        pairs = "".join([f"\x01{name}\x02{value}" for name, value in variables.items()])
        is_on = self._options.is_on(Side.US, TelnetOption.MSSP)
        return subnegotiation(TelnetOption.MSSP, pairs.encode()) if is_on else b""

    @property
    def takes_objects(self) -> bool:
        """Whether the peer has agreed to GMCP."""
        return self._options.is_on(Side.US, TelnetOption.GMCP)

    def gmcp(self, package: str, json: bytes) -> bytes:
        """Return an object such as ``Golf.Event`` with its JSON text, for a peer that agreed to GMCP."""
        sent = b"%b %b" % (package.encode(), json)
        return subnegotiation(TelnetOption.GMCP, sent) if self.takes_objects else b""

    def encode(self, data: bytes) -> bytes:
        """Return data as it is sent, with 0xFF escaped if telnet is active."""
        return escape(data) if self.started else data

    def _handle(self, token: Token, now: float, items: list[bytes | TelnetEvent]) -> bytes:
        match token:
            case bytes():
                items.append(token)
            case Negotiation(verb=Command.WILL | Command.WONT, option=TelnetOption.TIMING_MARK) if (
                self._marked_at is not None
            ):
                items.append(TimingAnswer(seconds=now - self._marked_at))
                self._marked_at = None
            case Negotiation(verb=verb, option=TelnetOption.TIMING_MARK):
                # RFC 860: there is no state; every DO gets one WILL, in order with other output.
                self._count(now)
                return negotiation(Command.WILL, TelnetOption.TIMING_MARK) if verb is Command.DO else b""
            case Negotiation(verb=verb, option=option):
                return self._negotiate(verb, option, now, items)
            case Subnegotiation(option=option, payload=payload):
                return self._handle_payload(option, payload, now, items)
            case Command.AYT:
                self._count(now)
                items.append(Signal.ARE_YOU_THERE)
            case _:
                items.append(Signal.ERASE_LINE)
        return b""

    def _negotiate(self, verb: Command, option: int, now: float, items: list[bytes | TelnetEvent]) -> bytes:
        self._count(now)
        side, cue = RECEIVED[verb]
        was_on = self._options.is_on(side, option)
        reply = self._options.step(side, option, cue)
        if was_on or not self._options.is_on(side, option):
            return reply
        match side, option:
            case Side.PEER, TelnetOption.TTYPE:
                self._terminals = []
                reply += _TERMINAL_QUESTION
            case Side.US, TelnetOption.CHARSET:
                self._charset_asked = True
                reply += subnegotiation(TelnetOption.CHARSET, CHARSET_REQUEST)
            case Side.US, TelnetOption.MSSP if not self._mssp_asked:
                self._mssp_asked = True
                items.append(Signal.MSSP_WANTED)
            case Side.US, TelnetOption.GMCP | TelnetOption.EOR:
                items.append(Signal.AGREED)
        return reply

    def _handle_payload(
        self, option: int, payload: bytes, now: float, items: list[bytes | TelnetEvent]
    ) -> bytes:
        ours, theirs = self._options.is_on(Side.US, option), self._options.is_on(Side.PEER, option)
        match option:
            case _ if not (ours or theirs):
                pass
            case TelnetOption.NAWS if size := parse_window_size(payload):
                items.append(size)
            case TelnetOption.TTYPE if name := parse_terminal_name(payload):
                return self._handle_terminal(name, items)
            case TelnetOption.CHARSET if self._charset_asked and (outcome := parse_charset_answer(payload)):
                self._charset_asked = False
                items.append(outcome)
            case TelnetOption.CHARSET if answer := answer_charset_request(payload):
                # RFC 2066: if both ends have sent a request, the server rejects the client's, and the client answers.
                self._count(now)
                return subnegotiation(option, CHARSET_REJECTED if self._charset_asked else answer)
            case TelnetOption.GMCP if sent := parse_gmcp(payload):
                items.append(sent)
        return b""

    def _handle_terminal(self, name: str, items: list[bytes | TelnetEvent]) -> bytes:
        """Ask for the next name, until the list repeats (RFC 1091) or the abilities are known."""
        earlier, abilities = self._terminals, parse_abilities(name)
        if earlier is None:
            return b""
        if abilities is not None:
            items.append(abilities)
        names = [*earlier, name]
        is_last = abilities is not None or name in earlier or len(names) == _NAMES_ASKED
        self._terminals = None if is_last or is_emulation(names[0]) else names
        return b"" if self._terminals is None else _TERMINAL_QUESTION

    def _count(self, now: float) -> None:
        times = self._option_times
        if len(times) == OPTION_LIMIT and now - times[0] < OPTION_SECONDS:
            raise _Flood
        self._option_times = (*times[1 - OPTION_LIMIT :], now)


class _Flood(Exception):
    """A peer exceeded ``OPTION_LIMIT``."""


_NAMES_ASKED: Final = 3  # A client with MTTS sends its own name, its terminal's, and then its abilities.
_TERMINAL_QUESTION: Final = subnegotiation(TelnetOption.TTYPE, TERMINAL_SEND)

_OPENING: Final = (
    (Side.PEER, TelnetOption.TTYPE),
    (Side.PEER, TelnetOption.NAWS),
    (Side.PEER, TelnetOption.BINARY),
    (Side.US, TelnetOption.CHARSET),
    (Side.US, TelnetOption.EOR),
    (Side.US, TelnetOption.MSSP),
    (Side.US, TelnetOption.GMCP),
)
_AGREEABLE: Final = frozenset({*_OPENING, (Side.PEER, TelnetOption.CHARSET)})
"""The options that we perform on request, and those that the peer may perform.

All others are refused: SGA, LINEMODE and ECHO to keep line mode, BINARY from us to keep line ends, compression (MCCP)
because it would save hardly anything.
"""
