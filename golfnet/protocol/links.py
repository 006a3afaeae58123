"""A link between two nodes: its frames, and how they describe a peer.

A link connects the node with a player's socket (the front) to the one with the session (the owner). A frame is the
length of its payload (2 bytes), its kind (1 byte) and the payload. Invariants: the same bytes give the same frames,
however they are split into chunks; a reader holds at most one frame; an unknown kind, or a length that its
kind cannot have, raises ``RemoteProtocolError``.

The front begins with ``HELLO``: its version, its number, the number of the node it wants, and a nonce. The owner proves
that it knows the secret (``PROOF``), and so does the front. Then the front describes the peer (``CALLER``), and the
owner answers ``TAKEN`` or ``REFUSED``. From then on, the front sends the player's lines, and the owner sends the bytes
for the player. If another node has to execute a line, the owner sends it back (``CARRY``), which ends the link.

Every field of a description has a default and unknown fields are ignored, so that two versions can work together. No
field holds a card, a view, a token or a password: the front has checked tokens and passwords, and sends only a token's
hash.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import msgspec
from msgspec import Struct

from golfnet.protocol.commands.settings import PreferencesState
from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.lines import LINE_LIMIT, LineFault
from golfnet.protocol.telnet.telnet import TelnetRequest

if TYPE_CHECKING:
    from collections.abc import Iterator


class JsonPayload(Struct, frozen=True, kw_only=True, omit_defaults=True):
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


class TelnetAgreed(JsonPayload, frozen=True, kw_only=True):
    """What a peer has agreed to over telnet, as far as a session needs to know: end-of-record marks, GMCP objects."""

    started: bool = False
    marks: bool = False
    objects: bool = False


class PeerNews(JsonPayload, frozen=True, kw_only=True):
    """What has changed about a peer's connection or its telnet state; times are in seconds."""

    window: tuple[int, int] | None = None
    abilities: int | None = None
    utf_8: bool | None = None
    took: float | None = None
    """How long the answer to a timing mark took."""
    agreed: TelnetAgreed | None = None
    round_trip: tuple[float, float | None, int] | None = None
    """The smallest and the smoothed round trip, and how many segments were delivered; proxies report only the first."""
    waiting: int | None = None
    """How many bytes are waiting to be sent to the player: reported if there are many, then as 0 once there are few."""


class Caller(JsonPayload, frozen=True, kw_only=True):
    """One peer: its address, its player (an id, empty if there is none) and how it wants to be answered."""

    address: str = ""
    carrier: str = "plain"
    connected: float = 0.0
    """How many seconds ago the peer connected."""
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
    sees: bool = False
    """Whether the peer is a program that gets a view after the events of each step."""
    settings: PreferencesState = PreferencesState()
    objects_word: bytes = b""
    objects_table: bool = False
    telnet: TelnetAgreed | None = None


VERSION: Final = 3
"""The version of the link protocol, which releases of golfnet can share; a ``HELLO`` with another one is refused."""

PAYLOAD_LIMIT: Final = 0xFFFF


class FrameKind(IntEnum):
    """The kind of a frame: its letter on the wire, and the minimum and maximum size of its payload in bytes."""

    least: int
    most: int

    def __new__(cls, letter: str, least: int, most: int) -> Self:
        """Return a kind whose value is its letter's code."""
        kind = int.__new__(cls, ord(letter))
        kind._value_, kind.least, kind.most = ord(letter), least, most
        return kind

    HELLO = "H", 26, 34  # version (2), own node (8), wanted node (8), nonce
    PROOF = "P", 48, 48  # nonce, proof
    CALLER = "S", 2, PAYLOAD_LIMIT  # JSON: the peer; the owner sends it when it has changed
    TAKEN = "K", 0, 0
    REFUSED = "N", 1, 1024  # a code and a message, with a space between
    CARRY = "C", 2, PAYLOAD_LIMIT  # JSON: a line for another node; if the owner sends it, the link ends
    LINE = "I", 4, 4 + LINE_LIMIT  # age in microseconds (4), a line; empty for Enter alone
    FAULT = "F", 4, 64  # age in microseconds (4), what is wrong with a line
    NEWS = "V", 2, 1024  # JSON: a change in a peer's connection or telnet state
    BYTES = "D", 4, PAYLOAD_LIMIT  # number of lines handled (4), output of the session
    DEMAND = "O", 1, 1  # what the owner asks the front to do
    END_OF_INPUT = "E", 0, 0
    LOST = "L", 0, 64  # why the connection was lost
    BYE = "B", 0, 0  # deliver what came before, then close the connection


_HEAD: Final = struct.Struct(">HB")
_AGE: Final = struct.Struct(">I")
_HELLO: Final = struct.Struct(">HQQ16s")
_VERSION: Final = struct.Struct(">H")
_MOST: Final = 0xFFFFFFFF
"""The largest number in four bytes: more than an hour in microseconds."""


class LinkFrame(NamedTuple):
    """One frame of a link."""

    kind: FrameKind
    payload: bytes


class FrameReader:
    """Splits bytes into frames; ``limit`` is the longest accepted payload, which may be raised later."""

    __slots__ = ("_buffer", "limit")

    def __init__(self, *, limit: int = PAYLOAD_LIMIT) -> None:
        self.limit = limit
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[LinkFrame]:
        """Yield the frames that ``data`` completes; all of them must be consumed before the next call.

        Raise ``RemoteProtocolError`` at the first invalid frame.
        """
        buffer = self._buffer + data if self._buffer else data
        self._buffer = b""
        at, size = 0, len(buffer)
        while size - at >= _HEAD.size:
            length, letter = _HEAD.unpack_from(buffer, at)
            kind = _KINDS.get(letter)
            if kind is None:
                raise RemoteProtocolError(f"a known kind of frame, not {letter}")
            if not kind.least <= length <= (most := min(kind.most, self.limit)):
                raise RemoteProtocolError(f"{kind.name}: {kind.least} to {most} bytes, not {length}")
            end = at + _HEAD.size + length
            if end > size:
                break
            frame = LinkFrame(kind, buffer[at + _HEAD.size : end])
            at = end
            yield frame
        self._buffer = buffer[at:]


_KINDS: Final[dict[int, FrameKind]] = {kind.value: kind for kind in FrameKind}


def encode(kind: FrameKind, payload: bytes = b"") -> bytes:
    """Return one frame as bytes."""
    return _HEAD.pack(len(payload), kind) + payload


STAMPS: Final = b"\x05"
"""The demand for exact ages and round trips; any other demand is the number of a ``TelnetRequest``."""


class Carried(JsonPayload, frozen=True, kw_only=True):
    """A line that ``node`` has to execute, with the answers typed to its prompts."""

    node: int
    line: str
    typed: tuple[str, ...] = ()


def encode_bytes(data: bytes, done: int, done_before: int) -> bytes:
    """Return the frames of a session's output; the last one has the number of lines handled."""
    size = PAYLOAD_LIMIT - _AGE.size
    if len(data) <= size:
        return encode(FrameKind.BYTES, _AGE.pack(done & _MOST) + data)
    cuts = range(0, len(data), size)
    counts = [done_before] * (len(cuts) - 1) + [done]
    pieces = [(count, data[at : at + size]) for count, at in zip(counts, cuts, strict=True)]
    return b"".join([encode(FrameKind.BYTES, _AGE.pack(count & _MOST) + piece) for count, piece in pieces])


def decode_bytes(payload: bytes) -> tuple[int, bytes]:
    """Return the number of lines handled, and the output of a session."""
    return _AGE.unpack_from(payload)[0], payload[_AGE.size :]


def encode_line(line: str | LineFault, age: float) -> bytes:
    """Return the frame of a line that a player sent ``age`` seconds ago."""
    kind = FrameKind.FAULT if isinstance(line, LineFault) else FrameKind.LINE
    text = line.value if isinstance(line, LineFault) else line
    microseconds = max(0, min(round(age * 1e6), _MOST))
    return encode(kind, _AGE.pack(microseconds) + text.encode())


def decode_line(frame: LinkFrame) -> tuple[str | LineFault, float]:
    """Return a line and how many seconds ago it arrived, or raise ``RemoteProtocolError``."""
    age = _AGE.unpack_from(frame.payload)[0] / 1e6
    try:
        text = frame.payload[_AGE.size :].decode()
        return (LineFault(text) if frame.kind is FrameKind.FAULT else text), age
    except ValueError as error:
        raise RemoteProtocolError(f"a line: {error}") from error


def decode_demand(payload: bytes) -> TelnetRequest | None:
    """Return what an owner asks of the peer, or None for ``STAMPS``; may raise ``RemoteProtocolError``."""
    try:
        return None if payload == STAMPS else TelnetRequest(payload[0])
    except ValueError as error:
        raise RemoteProtocolError(str(error)) from error


class Greeting(NamedTuple):
    """The first message of a front: its number, the number of the node it wants, and a nonce."""

    front: int
    owner: int
    nonce: bytes


def encode_hello(hello: Greeting) -> bytes:
    """Return a front's first frame."""
    return encode(FrameKind.HELLO, _HELLO.pack(VERSION, *hello))


def decode_hello(payload: bytes) -> Greeting:
    """Return the first message of a front. Raise ``RemoteProtocolError`` for another version."""
    (version,) = _VERSION.unpack_from(payload)
    if version != VERSION or len(payload) != _HELLO.size:
        raise RemoteProtocolError(
            f"version {VERSION} of links, not {version}: nodes with different versions cannot serve together, "
            "so stop all of them and start them with the same version of golfnet"
        )
    return Greeting(*_HELLO.unpack(payload)[1:])


def encode_refused(code: str, sentence: str) -> bytes:
    """Return the frame of a refusal."""
    return encode(FrameKind.REFUSED, f"{code} {sentence}".encode()[:1024])


def decode_refused(payload: bytes) -> tuple[str, str]:
    """Return the code and the message of a refusal."""
    code, _, sentence = payload.decode(errors="replace").partition(" ")
    return code, sentence


NONCE_BYTES: Final = 16
PROOF_BYTES: Final = 32


class Prover(Enum):
    """The side that proves that it knows the secret."""

    FRONT = b"golfnet link front"
    OWNER = b"golfnet link owner"


def proof(secret: str, prover: Prover, own: bytes, others: bytes) -> bytes:
    """Return a side's proof that it knows the secret, from its own nonce and the other side's."""
    return hmac.digest(secret.encode(), b"\0".join((prover.value, own, others)), hashlib.sha256)


def is_proven(given: bytes, secret: str, prover: Prover, own: bytes, others: bytes) -> bool:
    """Return whether a side's proof is right; ``own`` is the nonce of that side."""
    return hmac.compare_digest(given, proof(secret, prover, own, others))
