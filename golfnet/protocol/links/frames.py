"""Frames of a link, the connection between the node with a player's socket (the front) and the node with its session.

A frame is its payload's length (2 bytes), its kind (1 byte) and the payload. What stays true: every chunking of the
same bytes gives the same frames; a reader holds at most one frame; a kind that this version does not know, or a length
that its kind cannot have, is a ``RemoteProtocolError``.

The front begins: ``HELLO`` with its version, its number, that of the node that it means, and a nonce. The owner proves
that it knows the secret (``PROOF``), the front does the same, then says who comes (``CALLER``), and the owner answers
``TAKEN`` or ``REFUSED``. From then on lines go one way and bytes the other. An owner that cannot carry out a line,
because that is about another node, says ``GO``, which is the end of the link.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.lines import LINE_LIMIT, LineFault
from golfnet.protocol.links.caller import LimitedStruct, TelnetNews

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION: Final = 2
"""Of the frames; nodes with another one do not speak with each other."""

PAYLOAD_LIMIT: Final = 0xFFFF


class FrameKind(IntEnum):
    """What a frame says; the values are the letters on the wire."""

    HELLO = ord("H")  # version (2), node (8), the node that is meant (8), nonce
    PROOF = ord("P")  # nonce, proof
    CALLER = ord("S")  # JSON: who comes; from the owner: who it is now, and how it is spoken to
    TAKEN = ord("K")
    REFUSED = ord("N")  # a code and a sentence, with a space between
    CARRY = ord("C")  # JSON: a line that another node could not carry out
    LINE = ord("I")  # age in microseconds (4), a line; none for Enter alone
    FAULT = ord("F")  # age in microseconds (4), what is wrong with a line
    TELNET = ord("V")  # JSON: what a peer's telnet has said
    BYTES = ord("D")  # how many lines are dealt with (4), what the session wrote
    DEMAND = ord("O")  # what the owner wants of the peer's telnet (1)
    ROUND_TRIP = ord("R")  # smallest, and where a kernel told them smoothed, delivered (4 each; microseconds)
    STAMPS = ord("T")  # the owner asks for exact ages and for the round trip
    END_OF_INPUT = ord("E")
    LOST = ord("L")  # why
    WAITING = ord("W")  # how many bytes wait for the player, where that is much; 0 once it is not (4)
    GO = ord("G")  # the node (8) to go on at, lines dealt with (4), JSON: the line to carry out there
    BYE = ord("B")  # what came before is to be delivered, then the connection is closed


_LENGTHS: Final = {
    FrameKind.HELLO: (26, 34),
    FrameKind.PROOF: (48, 48),
    FrameKind.CALLER: (2, PAYLOAD_LIMIT),
    FrameKind.TAKEN: (0, 0),
    FrameKind.REFUSED: (1, 1024),
    FrameKind.CARRY: (2, PAYLOAD_LIMIT),
    FrameKind.LINE: (4, 4 + LINE_LIMIT),
    FrameKind.FAULT: (4, 64),
    FrameKind.TELNET: (2, 1024),
    FrameKind.BYTES: (4, PAYLOAD_LIMIT),
    FrameKind.DEMAND: (1, 1),
    FrameKind.ROUND_TRIP: (4, 12),
    FrameKind.STAMPS: (0, 0),
    FrameKind.END_OF_INPUT: (0, 0),
    FrameKind.LOST: (0, 64),
    FrameKind.WAITING: (4, 4),
    FrameKind.GO: (12, PAYLOAD_LIMIT),
    FrameKind.BYE: (0, 0),
}
"""The fewest and the most bytes of each kind's payload."""

_HEAD: Final = struct.Struct(">HB")
_AGE: Final = struct.Struct(">I")
_HELLO: Final = struct.Struct(">HQQ16s")
_VERSION: Final = struct.Struct(">H")
_GO: Final = struct.Struct(">QI")
_MOST: Final = 0xFFFFFFFF
"""What fits in four bytes: more than an hour in microseconds."""


class LinkFrame(NamedTuple):
    """One frame."""

    kind: FrameKind
    payload: bytes


class FrameReader:
    """Cuts bytes into frames; ``limit`` is the longest payload that is accepted, for peers that proved nothing yet."""

    __slots__ = ("_buffer", "limit")

    def __init__(self, *, limit: int = PAYLOAD_LIMIT) -> None:
        self.limit = limit
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[LinkFrame]:
        """Yield the frames that ``data`` completes; all of them have to be taken before the next call.

        Raise ``RemoteProtocolError`` at the first that is none.
        """
        buffer = self._buffer + data if self._buffer else data
        self._buffer = b""
        at, size = 0, len(buffer)
        while size - at >= _HEAD.size:
            length, letter = _HEAD.unpack_from(buffer, at)
            kind = _checked(length, letter, self.limit)
            end = at + _HEAD.size + length
            if end > size:
                break
            frame = LinkFrame(kind, buffer[at + _HEAD.size : end])
            at = end
            yield frame
        self._buffer = buffer[at:]


def _checked(length: int, letter: int, limit: int) -> FrameKind:
    """Return the kind of a frame. Raise ``RemoteProtocolError`` where there is no such frame."""
    kind = _KINDS.get(letter)
    if kind is None:
        raise RemoteProtocolError(f"a kind of frame, not {letter}")
    least, most = _LENGTHS[kind]
    if not least <= length <= min(most, limit):
        raise RemoteProtocolError(f"{kind.name}: {least} to {min(most, limit)} bytes, not {length}")
    return kind


_KINDS: Final[dict[int, FrameKind]] = {kind.value: kind for kind in FrameKind}


def encode(kind: FrameKind, payload: bytes = b"") -> bytes:
    """Return one frame."""
    return _HEAD.pack(len(payload), kind) + payload


class Demand(IntEnum):
    """What an owner wants of a peer's telnet, which is its front's."""

    START = 1
    HIDE_INPUT = 2
    SHOW_INPUT = 3
    TIMING_MARK = 4


class Carried(LimitedStruct, frozen=True, kw_only=True):
    """A line for another node, with what was typed in answer to questions about it."""

    line: str
    typed: tuple[str, ...] = ()


class Going(NamedTuple):
    """That an owner carries a line out no more: another node is to; how many lines were dealt with before."""

    node: int
    done: int
    carried: Carried


def encode_bytes(data: bytes, done: int, done_before: int) -> bytes:
    """Return the frames of what a session writes, and of how many lines are dealt with, once all of it has come."""
    size = PAYLOAD_LIMIT - _AGE.size
    if len(data) <= size:
        return encode(FrameKind.BYTES, _AGE.pack(done & _MOST) + data)
    cuts = range(0, len(data), size)
    counts = [done_before] * (len(cuts) - 1) + [done]
    pieces = [(count, data[at : at + size]) for count, at in zip(counts, cuts, strict=True)]
    return b"".join([encode(FrameKind.BYTES, _AGE.pack(count & _MOST) + piece) for count, piece in pieces])


def decode_bytes(payload: bytes) -> tuple[int, bytes]:
    """Return how many lines are dealt with, and what a session wrote."""
    return _AGE.unpack_from(payload)[0], payload[_AGE.size :]


def encode_line(line: str | LineFault, age: float) -> bytes:
    """Return the frame of a line that a player sent ``age`` seconds ago."""
    kind = FrameKind.FAULT if isinstance(line, LineFault) else FrameKind.LINE
    text = line.value if isinstance(line, LineFault) else line
    return encode(kind, _AGE.pack(_microseconds(age)) + text.encode())


def decode_line(frame: LinkFrame) -> tuple[str | LineFault, float]:
    """Return a line, and how many seconds ago it came. Raise ``RemoteProtocolError``."""
    age = _AGE.unpack_from(frame.payload)[0] / 1e6
    try:
        text = frame.payload[_AGE.size :].decode()
        return (LineFault(text) if frame.kind is FrameKind.FAULT else text), age
    except ValueError as error:
        raise RemoteProtocolError(f"a line: {error}") from error


def encode_carried(carried: Carried) -> bytes:
    """Return the frame of a line that another node could not carry out."""
    return encode(FrameKind.CARRY, carried.encoded)


def encode_telnet(news: TelnetNews) -> bytes:
    """Return the frame of what a peer's telnet has said."""
    return encode(FrameKind.TELNET, news.encoded)


def decode_demand(payload: bytes) -> Demand:
    """Return what an owner wants of telnet. Raise ``RemoteProtocolError``."""
    try:
        return Demand(payload[0])
    except ValueError as error:
        raise RemoteProtocolError(str(error)) from error


def encode_go(going: Going) -> bytes:
    """Return the frame that ends a link, because a line is another node's."""
    return encode(FrameKind.GO, _GO.pack(going.node, going.done & _MOST) + going.carried.encoded)


def decode_go(payload: bytes) -> Going:
    """Return where a line is to be carried out. Raise ``RemoteProtocolError``."""
    node, done = _GO.unpack_from(payload)
    return Going(node, done, Carried.decode(payload[_GO.size :]))


class FrontRoundTrip(NamedTuple):
    """What was measured of the way from the front to the player, in seconds; without a kernel only ``smallest``."""

    smallest: float
    smoothed: float | None = None
    delivered: int = 0


def encode_round_trip(measured: FrontRoundTrip) -> bytes:
    """Return the frame of a round trip."""
    figures = [_microseconds(measured.smallest)]
    if measured.smoothed is not None:
        figures += [_microseconds(measured.smoothed), measured.delivered & _MOST]
    return encode(FrameKind.ROUND_TRIP, b"".join([_AGE.pack(figure) for figure in figures]))


def decode_round_trip(payload: bytes) -> FrontRoundTrip:
    """Return the round trip in a frame. Raise ``RemoteProtocolError``."""
    if len(payload) == _AGE.size:
        return FrontRoundTrip(_AGE.unpack(payload)[0] / 1e6)
    if len(payload) != 3 * _AGE.size:
        raise RemoteProtocolError(f"one or three figures of a round trip, not {len(payload)} bytes")
    smallest, smoothed, delivered = struct.unpack(">III", payload)
    return FrontRoundTrip(smallest / 1e6, smoothed / 1e6, delivered)


def encode_waiting(count: int) -> bytes:
    """Return the frame that tells how many bytes wait for the player."""
    return encode(FrameKind.WAITING, _AGE.pack(min(count, _MOST)))


def decode_waiting(payload: bytes) -> int:
    """Return how many bytes wait for the player."""
    return int(_AGE.unpack(payload)[0])


class Greeting(NamedTuple):
    """A front's first words: its number, that of the node that it means, and a nonce."""

    front: int
    owner: int
    nonce: bytes


def encode_hello(hello: Greeting) -> bytes:
    """Return a front's first frame."""
    return encode(FrameKind.HELLO, _HELLO.pack(VERSION, *hello))


def decode_hello(payload: bytes) -> Greeting:
    """Return a front's first words. Raise ``RemoteProtocolError`` for another version."""
    (version,) = _VERSION.unpack_from(payload)
    if version != VERSION or len(payload) != _HELLO.size:
        raise RemoteProtocolError(
            f"version {VERSION} of links, not {version}: nodes of both versions cannot serve together, "
            "so stop all of them and start them with the same version of golfnet"
        )
    return Greeting(*_HELLO.unpack(payload)[1:])


def encode_refused(code: str, sentence: str) -> bytes:
    """Return the frame of a refusal."""
    return encode(FrameKind.REFUSED, f"{code} {sentence}".encode()[:1024])


def decode_refused(payload: bytes) -> tuple[str, str]:
    """Return the code and the sentence of a refusal."""
    code, _, sentence = payload.decode(errors="replace").partition(" ")
    return code, sentence


def _microseconds(seconds: float) -> int:
    return max(0, min(round(seconds * 1e6), _MOST))


NONCE_BYTES: Final = 16
PROOF_BYTES: Final = 32


class Prover(Enum):
    """Which side proves something."""

    FRONT = b"golfnet link front"
    OWNER = b"golfnet link owner"


def proof(secret: str, prover: Prover, own: bytes, others: bytes) -> bytes:
    """Return the proof of a side by its own nonce and the other side's."""
    return hmac.digest(secret.encode(), b"\0".join((prover.value, own, others)), hashlib.sha256)


def is_proven(given: bytes, secret: str, prover: Prover, own: bytes, others: bytes) -> bool:
    """Tell whether a proof of a side is right; ``own`` is the nonce of the side that proves."""
    return hmac.compare_digest(given, proof(secret, prover, own, others))
