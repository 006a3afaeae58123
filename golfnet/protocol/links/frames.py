"""Frames of a link, the connection between the node with a player's socket (the front) and the node with its session.

A frame is its payload's length (2 bytes), its kind (1 byte) and the payload. What stays true: every chunking of the
same bytes gives the same frames; a reader holds at most one frame; a kind that this version does not know, or a length
that its kind cannot have, is a ``RemoteProtocolError``.

The front begins: ``HELLO`` with its version and a nonce. The owner proves that it knows the secret (``PROOF``), the
front does the same, then sends the session's state, and the owner answers ``TAKEN`` or ``REFUSED``. From then on bytes
go both ways. An owner that wants the session to go on at a third node says ``MOVE``; the front answers ``MOVE`` once it
has sent all it will send, gets the state, and says ``TAKEN`` or ``REFUSED`` of the third node.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.links.handover import STATE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION: Final = 1
"""Of the frames; nodes with another one do not speak with each other."""

PAYLOAD_LIMIT: Final = 0xFFFF


class FrameKind(IntEnum):
    """What a frame says; the values are the letters on the wire."""

    HELLO = ord("H")  # version (2), node (8), nonce
    PROOF = ord("P")  # nonce, proof
    STATE = ord("S")  # 1 where more follows, a part of a state
    TAKEN = ord("K")
    REFUSED = ord("N")  # a code and a sentence, with a space between
    BYTES = ord("D")  # from the front: age in microseconds (4), bytes; from the owner: bytes
    ROUND_TRIP = ord("R")  # smallest, and where a kernel told them smoothed, delivered (4 each; microseconds)
    STAMPS = ord("T")  # the owner asks for exact ages and for the round trip
    END_OF_INPUT = ord("E")
    LOST = ord("L")  # why
    WAITING = ord("W")  # how many bytes wait for the player, where that is much; 0 once it is not (4)
    LATEST = ord("M")  # a state as STATE: to go on with elsewhere when the owner is gone
    MOVE = ord("G")  # the node (8) to go on at; the answer is empty
    BYE = ord("B")  # what came before is to be delivered, then the connection is closed


_LENGTHS: Final = {
    FrameKind.HELLO: (26, 26),
    FrameKind.PROOF: (48, 48),
    FrameKind.STATE: (1, PAYLOAD_LIMIT),
    FrameKind.TAKEN: (0, 0),
    FrameKind.REFUSED: (1, 1024),
    FrameKind.BYTES: (0, PAYLOAD_LIMIT),
    FrameKind.ROUND_TRIP: (4, 12),
    FrameKind.STAMPS: (0, 0),
    FrameKind.END_OF_INPUT: (0, 0),
    FrameKind.LOST: (0, 64),
    FrameKind.WAITING: (4, 4),
    FrameKind.LATEST: (1, PAYLOAD_LIMIT),
    FrameKind.MOVE: (0, 8),
    FrameKind.BYE: (0, 0),
}
"""The fewest and the most bytes of each kind's payload."""

_HEAD: Final = struct.Struct(">HB")
_AGE: Final = struct.Struct(">I")
_HELLO: Final = struct.Struct(">HQ16s")
_NODE: Final = struct.Struct(">Q")
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


def encode_bytes(data: bytes) -> bytes:
    """Return the frames of what a session writes."""
    if len(data) <= PAYLOAD_LIMIT:
        return encode(FrameKind.BYTES, data)
    cuts = range(0, len(data), PAYLOAD_LIMIT)
    return b"".join([encode(FrameKind.BYTES, data[at : at + PAYLOAD_LIMIT]) for at in cuts])


def encode_input(data: bytes, age: float) -> bytes:
    """Return the frame of what a player sent, which is at most a few kilobytes, ``age`` seconds ago."""
    return encode(FrameKind.BYTES, _AGE.pack(_microseconds(age)) + data)


def decode_input(payload: bytes) -> tuple[bytes, float]:
    """Return what a player sent, and how many seconds ago. Raise ``RemoteProtocolError``."""
    if len(payload) < _AGE.size:
        raise RemoteProtocolError(f"an age and bytes, not {len(payload)} bytes")
    return payload[_AGE.size :], _AGE.unpack_from(payload)[0] / 1e6


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


def encode_hello(node: int, nonce: bytes) -> bytes:
    """Return a front's first frame."""
    return encode(FrameKind.HELLO, _HELLO.pack(VERSION, node, nonce))


def decode_hello(payload: bytes) -> tuple[int, bytes]:
    """Return the node and the nonce of a front. Raise ``RemoteProtocolError`` for another version."""
    version, node, nonce = _HELLO.unpack(payload)
    if version != VERSION:
        raise RemoteProtocolError(f"version {VERSION} of links, not {version}")
    return node, nonce


def encode_refused(code: str, sentence: str) -> bytes:
    """Return the frame of a refusal."""
    return encode(FrameKind.REFUSED, f"{code} {sentence}".encode()[:1024])


def decode_refused(payload: bytes) -> tuple[str, str]:
    """Return the code and the sentence of a refusal."""
    code, _, sentence = payload.decode(errors="replace").partition(" ")
    return code, sentence


def encode_move(node: int) -> bytes:
    """Return the frame that asks the front to go on at another node."""
    return encode(FrameKind.MOVE, _NODE.pack(node))


def decode_move(payload: bytes) -> int:
    """Return the node to go on at. Raise ``RemoteProtocolError``."""
    if len(payload) != _NODE.size:
        raise RemoteProtocolError(f"the number of a node, not {len(payload)} bytes")
    return int(_NODE.unpack(payload)[0])


def encode_state(state: bytes, kind: FrameKind = FrameKind.STATE) -> bytes:
    """Return the frames of a state, in as many parts as it needs."""
    size = PAYLOAD_LIMIT - 1
    cuts = range(0, max(1, len(state)), size)
    return b"".join([encode(kind, bytes([at + size < len(state)]) + state[at : at + size]) for at in cuts])


class StateReader:
    """Joins the parts of a state."""

    __slots__ = ("_parts", "_size")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, payload: bytes) -> bytes | None:
        """Return the state that a part completes. Raise ``RemoteProtocolError`` for one that is too long."""
        self._size += len(payload) - 1
        if self._size > STATE_LIMIT:
            raise RemoteProtocolError(f"a state of at most {STATE_LIMIT} bytes")
        self._parts.append(payload[1:])
        if payload[0]:
            return None
        whole = b"".join(self._parts)
        self._parts, self._size = [], 0
        return whole


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
