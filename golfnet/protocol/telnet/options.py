"""Telnet's options: how they are negotiated, and the payloads of NAWS, TTYPE with MTTS, CHARSET and GMCP.

Invariants: a parser accepts any bytes and returns a record or None, without raising; no name has a control character.
"""

import re
from enum import Enum, IntFlag, auto
from typing import Final

from msgspec import Struct

from golfnet.protocol.telnet.wire import Command, negotiation


class WindowSize(Struct, frozen=True, kw_only=True, tag=True):
    """The peer's window in characters; 0 is an unknown size (NAWS, RFC 1073)."""

    columns: int
    rows: int


class Mtts(IntFlag):
    """What a MUD client's terminal can do, by the Mud Terminal Type Standard; the other bits have no name here."""

    SCREEN_READER = 64


class Charset(Struct, frozen=True, kw_only=True, tag=True):
    """The outcome of a request for UTF-8 (CHARSET, RFC 2066)."""

    utf_8: bool


class Gmcp(Struct, frozen=True, kw_only=True):
    """An object that the peer sent by GMCP: its name and its JSON text, not yet parsed and perhaps empty."""

    package: str
    json: bytes


def parse_window_size(payload: bytes) -> WindowSize | None:
    """Return the size, or None if the payload is not two 16-bit numbers."""
    columns, rows = int.from_bytes(payload[:2]), int.from_bytes(payload[2:])
    return WindowSize(columns=columns, rows=rows) if len(payload) == 4 else None


TERMINAL_SEND: Final = b"\x01"
"""The payload that requests the next terminal type."""


def parse_terminal_name(payload: bytes) -> str | None:
    """Return the name in an answer with a terminal type, or None if there is none in printable ASCII."""
    match = re.fullmatch(rb"\x00([ -~]{1,40})", payload)  # RFC 1091: a name has at most 40 characters.
    return match[1].decode("ascii").strip() or None if match else None


def is_emulation(name: str) -> bool:
    """Return whether a peer whose first terminal type is ``name`` can emulate every type that it names.

    Windows' telnet is such a peer.
    """
    return re.match(r"(?i:ANSI$|VT(?:NT$|[0-9]))", name) is not None


def parse_abilities(name: str) -> Mtts | None:
    """Return the bits of a terminal type such as ``MTTS 137``, or None for a terminal's name."""
    match = re.fullmatch(r"(?i:MTTS) ([0-9]{1,9})", name)
    return Mtts(int(match[1])) if match else None


CHARSET_REQUEST: Final = b"\x01;UTF-8"
"""The payload that requests UTF-8 and nothing else."""

CHARSET_REJECTED: Final = b"\x03"


def parse_charset_answer(payload: bytes) -> Charset | None:
    """Return the peer's answer to ``CHARSET_REQUEST``, or None if the payload is not an answer."""
    if payload == CHARSET_REJECTED:
        return Charset(utf_8=False)
    if payload[:1] == _CHARSET_ACCEPTED:
        return Charset(utf_8=payload[1:].upper() == b"UTF-8")
    return None


def answer_charset_request(payload: bytes) -> bytes | None:
    """Return the payload that accepts UTF-8 or rejects the offer, or None if the peer's payload is not a request."""
    request = re.fullmatch(rb"(?s)\x01(?:\[TTABLE\].?)?(?:(.)(.*))?", payload)
    if request is None:
        return None
    # Names follow their separator, perhaps after a version of translation tables, which we do not use. The answer has
    # the name as the peer spelt it.
    names = request[2].split(request[1]) if request[1] else ()
    return next((_CHARSET_ACCEPTED + name for name in names if name.upper() == b"UTF-8"), CHARSET_REJECTED)


def parse_gmcp(payload: bytes) -> Gmcp | None:
    """Return the object, or None if it does not begin with a package name or is not UTF-8."""
    head, _, json = payload.partition(b" ")
    try:
        package = head.decode("ascii")
        json.decode()
    except UnicodeDecodeError:
        return None
    is_name = re.fullmatch(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*", package)
    return Gmcp(package=package, json=json.strip()) if is_name else None


_CHARSET_ACCEPTED: Final = b"\x02"


class Side(Enum):
    """Which end performs an option."""

    US = "us"
    PEER = "peer"


class Cue(Enum):
    """What can happen to an option: the peer sends yes (WILL, DO) or no (WONT, DONT), or we want it on or off."""

    RECEIVED_YES = auto()
    RECEIVED_NO = auto()
    WANT_ON = auto()
    WANT_OFF = auto()


class Negotiator:
    """The states of all options of one connection; methods that change a state return the bytes to send, often none.

    ``agreeable`` are the options that we perform if the peer requests them, and those that the peer may perform.
    """

    __slots__ = ("_agreeable", "_states")

    def __init__(self, agreeable: frozenset[tuple[Side, int]]) -> None:
        self._agreeable = agreeable
        self._states: dict[tuple[Side, int], str] = {}  # Options that are not listed are in state NO.

    def is_on(self, side: Side, option: int) -> bool:
        """Return whether both ends have agreed that a side performs an option."""
        return self._states.get((side, option)) == "YES"

    def step(self, side: Side, option: int, cue: Cue) -> bytes:
        """Handle what the peer sends, or we want, for an option of a side."""
        before = self._states.get((side, option), "NO")
        after, reply = _TABLE[before, cue]
        if before == "NO" and cue is Cue.RECEIVED_YES and (side, option) not in self._agreeable:
            after, reply = "NO", "no"
        if after == "NO":
            self._states.pop((side, option), None)
        else:
            self._states[side, option] = after
        return negotiation(_VERBS[side, reply], option) if reply != "-" else b""


RECEIVED: Final = {
    Command.DO: (Side.US, Cue.RECEIVED_YES),
    Command.DONT: (Side.US, Cue.RECEIVED_NO),
    Command.WILL: (Side.PEER, Cue.RECEIVED_YES),
    Command.WONT: (Side.PEER, Cue.RECEIVED_NO),
}
_VERBS: Final = {
    (Side.US, "yes"): Command.WILL,
    (Side.US, "no"): Command.WONT,
    (Side.PEER, "yes"): Command.DO,
    (Side.PEER, "no"): Command.DONT,
}
# RFC 1143, section 7: for each state of an option on one side, and for each cue, the next state, and what to send: yes
# (WILL, DO), no (WONT, DONT) or nothing. In WANT_YES we have asked to start, in WANT_NO to stop; with THEN, we will ask
# for the opposite after the answer. A yes in answer to our no (WANT_NO) is the peer's error. As in the RFC, it is
# handled like a no.
_RFC_1143: Final = """
NO                 YES yes       NO -          WANT_YES yes        NO -
YES                YES -         NO no         YES -               WANT_NO no
WANT_NO            NO -          NO -          WANT_NO_THEN_YES -  WANT_NO -
WANT_NO_THEN_YES   YES -         WANT_YES yes  WANT_NO_THEN_YES -  WANT_NO -
WANT_YES           YES -         NO -          WANT_YES -          WANT_YES_THEN_NO -
WANT_YES_THEN_NO   WANT_NO no    NO -          WANT_YES -          WANT_YES_THEN_NO -
"""
_TABLE: Final = {
    (state, cue): (after, reply)
    for state, *cells in map(str.split, _RFC_1143.strip().splitlines())
    for cue, after, reply in zip(Cue, cells[::2], cells[1::2], strict=True)
}
