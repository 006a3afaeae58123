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

import re
from collections.abc import Collection, Iterator
from enum import IntEnum
from functools import cache
from typing import Final

from msgspec import Struct

SUBNEGOTIATION_LIMIT: Final = 512
"""The maximum bytes in a sub-negotiation, unescaped and without its option (protocol page, "Bytes").

A longer one is discarded.
"""
_LONGEST: Final = 1 + SUBNEGOTIATION_LIMIT


class Command(IntEnum):
    """The byte after IAC (RFC 854; EOR from RFC 885); commands that need no answer here have no name."""

    EOR = 239
    SE = 240
    NOP = 241
    BRK = 243
    IP = 244
    AYT = 246
    EC = 247
    EL = 248
    SB = 250
    WILL = 251
    WONT = 252
    DO = 253
    DONT = 254
    IAC = 255


class TelnetOption(IntEnum):
    """The options that this server supports."""

    BINARY = 0
    ECHO = 1
    TIMING_MARK = 6
    TTYPE = 24
    EOR = 25
    NAWS = 31
    CHARSET = 42
    MSSP = 70
    GMCP = 201


class Negotiation(Struct, frozen=True, kw_only=True):
    """WILL, WONT, DO or DONT, and the option it is about."""

    verb: Command
    option: int


class Subnegotiation(Struct, frozen=True, kw_only=True):
    """The bytes between IAC SB option and IAC SE, unescaped."""

    option: int
    payload: bytes


Token = bytes | Command | Negotiation | Subnegotiation


def escape(data: bytes) -> bytes:
    """Return data with each 0xFF doubled, so that it is not parsed as a command."""
    return data.replace(b"\xff", b"\xff\xff")


def command(code: int) -> bytes:
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

    __slots__ = ("_is_lost", "_rest", "awake")

    def __init__(self, *, awake: bool = False) -> None:
        self.awake = awake
        self._rest = b""  # An incomplete command or sub-negotiation.
        self._is_lost = False  # Whether the rest of an overlong sub-negotiation follows.

    def is_plain(self, data: bytes) -> bool:
        """Return whether ``data`` has no telnet command, and continues none."""
        return 0xFF not in data and not self._rest

    def feed(self, data: bytes) -> list[Token]:
        """Return the tokens that ``data`` completes, in order; a run of data is a ``bytes`` token, never empty."""
        data = self._rest + data
        tokens: list[Token] = []
        at = 0
        while found := _compiled(_AWAKE if self.awake else _ASLEEP).match(data, at):
            at = found.end()
            tokens += self._tokens_in(found)
        self._rest = data[at:]
        if begun := re.match(_OPEN, self._rest):
            self._is_lost = self._is_lost or len(_undoubled(begun[1])) > _LONGEST
            if self._is_lost:
                self._rest = _BEGIN + self._rest[begun.end() :]
        return tokens

    def _tokens_in(self, found: re.Match[bytes]) -> Iterator[Token]:
        match found.lastgroup:
            case "raw":
                yield found[0]
            case "waking":
                self.awake = True
            case "data":
                if data := _unescape(found[0]):
                    yield data
            case "command":
                yield Command(found["command"][0])
            case "option":
                yield Negotiation(verb=Command(found["verb"][0]), option=found["option"][0])
            case _:
                whole = _undoubled(found["payload"])
                if found["end"] and 0 < len(whole) <= _LONGEST and not self._is_lost:
                    yield Subnegotiation(option=whole[0], payload=whole[1:])
                self._is_lost = False


def _undoubled(payload: bytes) -> bytes:
    return payload.replace(b"\xff\xff", b"\xff")


def _any_of(codes: Collection[int], *, but: bool = False) -> bytes:
    """Return a pattern for one of these bytes, or for any other; ranges compile faster than single bytes."""
    first = [code for code in sorted(codes) if code - 1 not in codes]
    last = [code for code in sorted(codes) if code + 1 not in codes]
    ends = [
        (re.escape(bytes([one])), re.escape(bytes([other]))) for one, other in zip(first, last, strict=True)
    ]
    return b"[%b%b]" % (b"^" if but else b"", b"".join(map(b"-".join, ends)))


_COMMANDS: Final = frozenset(range(236, 256))  # from EOF (RFC 1184) to IAC
_VERBS: Final = range(Command.WILL, Command.DONT + 1)
_ASKING: Final = frozenset({Command.BRK, Command.IP, Command.AYT, Command.EL})
# The parser is woken by the commands of RFC 854, and by negotiations of options that are in use (0 to 49, and those of
# MUDs). Options 10 and 13 do not wake it: they are LF and CR, which follow a 0xFF at the end of a line of noise. Nor
# does the byte order mark of UTF-16: FF FE is DONT, but the letter that usually follows is not an option's number.
_WAKING_COMMANDS: Final = range(Command.NOP, Command.SB + 1)
_WAKING_OPTIONS: Final = frozenset({*range(50), 69, 70, 85, 86, 90, 91, 93, 102, 200, 201}) - {0x0A, 0x0D}

_BEGIN: Final = bytes((Command.IAC, Command.SB))
_PAYLOAD: Final = rb"(?:[^\xff]++|\xff\xff|\xff%b)*+" % _any_of(_COMMANDS, but=True)
_OPEN: Final = rb"%b(%b)" % (_BEGIN, _PAYLOAD)
"""Matches a sub-negotiation that has no end yet."""
_NOTHING: Final = rb"\xff" + _any_of(_COMMANDS - _ASKING - {Command.EC, Command.SB, *_VERBS, Command.IAC})
"""Matches a command that needs no answer."""
_AWAKE: Final = (
    rb"(?P<data>(?:[^\xff]++|\xff%b)++)|\xff(?P<command>%b)|\xff(?P<verb>%b)(?P<option>[\0-\xff])"
    rb"|\xff\xfa(?P<payload>%b)(?:(?P<end>\xff\xf0)|(?=\xff%b))"
    % (
        _any_of({*_ASKING, *_VERBS, Command.SB}, but=True),
        _any_of(_ASKING),
        _any_of(_VERBS),
        _PAYLOAD,
        # RFC 855 allows no other command in a sub-negotiation, so before one of them its end is missing.
        _any_of(_COMMANDS - {Command.SE, Command.IAC}),
    )
)
"""Matches a command, or a run of data; commands that only stand for data, or for nothing, are part of the run."""
_ASLEEP: Final = rb"(?P<raw>(?:[^\xff]++|\xff%b|\xff%b%b)++)|(?=(?P<waking>\xff(?:%b|%b[\0-\xff])))" % (
    _any_of({*_WAKING_COMMANDS, *_VERBS}, but=True),
    _any_of(_VERBS),
    _any_of(_WAKING_OPTIONS, but=True),
    _any_of(_WAKING_COMMANDS),
    _any_of(_VERBS),
)

_compiled: Final = cache(re.compile)
"""Compiles a pattern when it is first needed: most servers never meet telnet's commands."""


def _unescape(run: bytes) -> bytes:
    """Return the data in a run; IAC IAC becomes one 0xFF, even next to another IAC."""
    if b"\xff" not in run:
        return run
    return b"\xff".join(
        [
            _compiled(_NOTHING).sub(b"", part).replace(b"\xff\xf7", b"\b") if b"\xff" in part else part
            for part in run.split(b"\xff\xff")
        ]
    )
