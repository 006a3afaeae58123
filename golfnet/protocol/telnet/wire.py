"""The bytes of telnet (RFC 854, RFC 855): data, commands, negotiations and sub-negotiations, in both directions.

Invariants: the same bytes give the same tokens in the same order, however they are split into chunks (only runs of
data may be split differently); parsing what ``escape`` returned gives the data back; a parser holds at most one
sub-negotiation of ``SUBNEGOTIATION_LIMIT`` bytes. A 0xFF that does not begin a command is data, even in a
sub-negotiation: some peers do not escape it. Commands that need no answer here, such as NOP or GA, give no token, and
EC gives a backspace. All of these are parsed together with the data around them, so that a flood of them costs no more
than text.

A parser starts asleep, for peers without telnet: every byte is data until it receives bytes that only a telnet peer
sends. 0xFF never occurs in UTF-8, but it does in UTF-16 and in line noise, which should cause an encoding error.
"""

from __future__ import annotations

import re
from enum import Enum, IntEnum, auto
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

SUBNEGOTIATION_LIMIT: Final = 512
"""The maximum bytes in a sub-negotiation, unescaped and without its option (protocol page, "Bytes")."""


class Command(IntEnum):
    """The byte after IAC (RFC 854; EOR from RFC 885, EOF, SUSP and ABORT from RFC 1184)."""

    EOF = 236
    SUSP = 237
    ABORT = 238
    EOR = 239
    SE = 240
    NOP = 241
    DM = 242
    BRK = 243
    IP = 244
    AO = 245
    AYT = 246
    EC = 247
    EL = 248
    GA = 249
    SB = 250
    WILL = 251
    WONT = 252
    DO = 253
    DONT = 254
    IAC = 255


class TelnetOption(IntEnum):
    """The options that this server supports, and those that it deliberately refuses."""

    BINARY = 0
    ECHO = 1
    SGA = 3
    TIMING_MARK = 6
    TTYPE = 24
    EOR = 25
    NAWS = 31
    LINEMODE = 34
    NEW_ENVIRON = 39
    CHARSET = 42
    MSSP = 70
    MCCP2 = 86
    GMCP = 201


class Negotiation(Struct, frozen=True, kw_only=True):
    """WILL, WONT, DO or DONT, and the option it is about."""

    verb: Command
    option: int


class Subnegotiation(Struct, frozen=True, kw_only=True):
    """The bytes between IAC SB option and IAC SE, unescaped."""

    option: int
    payload: bytes


class Overlong(Struct, frozen=True, kw_only=True):
    """A sub-negotiation exceeded its limit; the rest of it is discarded."""


Token = bytes | Command | Negotiation | Subnegotiation | Overlong


def escape(data: bytes) -> bytes:
    """Return data with each 0xFF doubled, so that it is not parsed as a command."""
    return data.replace(b"\xff", b"\xff\xff")


def command(code: Command) -> bytes:
    """Return a command without an option."""
    return bytes((Command.IAC, code))


def negotiation(verb: Command, option: int) -> bytes:
    """Return WILL, WONT, DO or DONT for an option."""
    return bytes((Command.IAC, verb, option))


def subnegotiation(option: int, payload: bytes) -> bytes:
    """Return a whole sub-negotiation; its payload may contain any bytes."""
    return bytes((Command.IAC, Command.SB, option)) + escape(payload) + command(Command.SE)


class TelnetParser:
    """Parses what a peer sends; ``awake`` is whether the peer is known to use telnet, and may be set to True."""

    __slots__ = ("_payload", "_state", "_verb", "awake")

    def __init__(self, *, awake: bool = False) -> None:
        self.awake = awake
        self._state = _ParserState.DATA
        self._verb = Command.NOP  # The verb of the incomplete negotiation.
        self._payload = bytearray()  # The incomplete sub-negotiation, with its option.

    def is_plain(self, data: bytes) -> bool:
        """Return whether ``data`` has no telnet command, and continues none."""
        return b"\xff" not in data and self._state is _ParserState.DATA

    def feed(self, data: bytes) -> list[Token]:
        """Return the tokens that ``data`` completes, in order; a run of data is a ``bytes`` token, never empty."""
        tokens: list[Token] = []
        at = 0
        while at < len(data):
            if self._state is _ParserState.DATA:
                run = (_DATA if self.awake else _DATA_ASLEEP).match(data, at)
                if run is None:
                    self._state = _ParserState.IAC
                    at += 1
                    continue
                at = run.end()
                if text := _unescape(run[0]) if self.awake else run[0]:
                    tokens.append(text)
            elif self._state in _RUNS:
                iac = data.find(b"\xff", at)
                end = len(data) if iac < 0 else iac
                tokens += self._collect(data[at:end])
                if iac >= 0:
                    self._state = _RUNS[self._state]
                at = end + 1
            else:
                tokens += self._read_byte(data[at])
                at += 1
        return tokens

    def _read_byte(self, byte: int) -> Iterable[Token]:
        match self._state:
            case _ParserState.IAC:
                return self._read_command(byte)
            case _ParserState.VERB:
                self._state = _ParserState.DATA
                if not self.awake and byte not in _WAKING_OPTIONS:
                    return (bytes((Command.IAC, self._verb, byte)),)
                self.awake = True
                return (Negotiation(verb=self._verb, option=byte),)
            case _:
                return self._read_command_in_payload(byte)

    def _read_command(self, byte: int) -> Iterable[Token]:
        self._state = _ParserState.DATA
        if Command.WILL <= byte <= Command.DONT:
            self._verb = Command(byte)
            self._state = _ParserState.VERB
            return ()
        if byte == Command.IAC:
            return (b"\xff",) if self.awake else (b"\xff\xff",)
        if byte not in (_COMMANDS if self.awake else _WAKING_COMMANDS):
            return (bytes((Command.IAC, byte)),)
        self.awake = True
        if byte == Command.SB:
            self._state = _ParserState.PAYLOAD
            return ()
        if byte in _ASKS_NOTHING:
            return ()
        return (b"\b",) if byte == Command.EC else (Command(byte),)

    def _read_command_in_payload(self, byte: int) -> Iterable[Token]:
        self._state = _ParserState.LOST if self._state is _ParserState.LOST_IAC else _ParserState.PAYLOAD
        if byte == Command.SE:
            self._state = _ParserState.DATA
            whole = bytes(self._payload)
            self._payload.clear()
            return (Subnegotiation(option=whole[0], payload=whole[1:]),) if whole else ()
        if byte == Command.IAC:
            return self._collect(b"\xff")
        if byte not in _COMMANDS:
            return self._collect(bytes((Command.IAC, byte)))
        # RFC 855 allows no other command in a sub-negotiation, so its end is missing.
        self._payload.clear()
        return self._read_command(byte)

    def _collect(self, run: bytes) -> Iterable[Token]:
        if self._state is _ParserState.LOST:
            return ()
        if len(self._payload) + len(run) > 1 + SUBNEGOTIATION_LIMIT:
            self._payload.clear()
            self._state = _ParserState.LOST
            return (Overlong(),)
        self._payload += run
        return ()


class _ParserState(Enum):
    DATA = auto()
    IAC = auto()  # after IAC in data
    VERB = auto()  # after IAC and WILL, WONT, DO or DONT
    PAYLOAD = auto()  # after IAC SB
    PAYLOAD_IAC = auto()
    LOST = auto()  # in a sub-negotiation over the limit
    LOST_IAC = auto()


# The states in which everything up to the next IAC is parsed at once, each with the state after that IAC.
_RUNS: Final = {
    _ParserState.PAYLOAD: _ParserState.PAYLOAD_IAC,
    _ParserState.LOST: _ParserState.LOST_IAC,
}
_COMMANDS: Final = frozenset(Command)
# The parser is woken by the commands of RFC 854, and by negotiations of options that are in use (0 to 49, and those of
# MUDs). Options 10 and 13 do not wake it: they are LF and CR, which follow a 0xFF at the end of a line of noise. Nor
# does the byte order mark of UTF-16: FF FE is DONT, but the letter that usually follows is not an option's number.
_WAKING_COMMANDS: Final = frozenset(range(Command.NOP, Command.SB + 1))
_WAKING_OPTIONS: Final = frozenset({*range(50), 69, 70, 85, 86, 90, 91, 93, 102, 200, 201}) - {0x0A, 0x0D}


def _any_of(codes: Iterable[int], *, but: bool = False) -> bytes:
    return b"[%b%b]" % (b"^" if but else b"", re.escape(bytes(sorted(codes))))


_ASKS_NOTHING: Final = _COMMANDS - {
    *(Command.BRK, Command.IP, Command.AYT, Command.EC, Command.EL),
    *range(Command.SB, Command.IAC + 1),
}
_VERBS: Final = range(Command.WILL, Command.DONT + 1)
_NOTHING: Final = re.compile(rb"\xff" + _any_of(_ASKS_NOTHING))
_DATA: Final = re.compile(
    rb"(?:[^\xff]++|\xff%b)++"
    % _any_of({*range(256)} - _COMMANDS | _ASKS_NOTHING | {Command.EC, Command.IAC})
)
"""Matches a run of data, including commands that give data or nothing."""
_DATA_ASLEEP: Final = re.compile(
    rb"(?:[^\xff]++|\xff%b|\xff%b%b)++"
    % (_any_of({*_WAKING_COMMANDS, *_VERBS}, but=True), _any_of(_VERBS), _any_of(_WAKING_OPTIONS, but=True))
)


def _unescape(run: bytes) -> bytes:
    """Return the data in a run; IAC IAC becomes one 0xFF, even next to another IAC."""
    if b"\xff" not in run:
        return run
    return b"\xff".join(
        [
            _NOTHING.sub(b"", part).replace(b"\xff\xf7", b"\b") if b"\xff" in part else part
            for part in run.split(b"\xff\xff")
        ]
    )
