"""A link between two nodes: its frames, and how they describe a peer.

A link connects the node with a player's socket (the front) to the one with the session (the owner). A frame is the
length of its payload (2 bytes), a letter and the payload: MessagePack, except for ``Hello``. Invariants: the same bytes
give the same frames, however they are split into chunks; a reader holds at most one frame; whatever is not a known
frame raises ``RemoteProtocolError``.

The front begins with ``Hello``: its version, its number, the number of the node it wants, and a nonce. The owner proves
that it knows the secret (``Proof``), and so does the front. Then the front describes the peer (``Caller``), and the
owner answers ``Accepted`` or ``Rejected``. From then on, the front sends the player's lines, and the owner sends the
bytes for the player. If another node has to execute a line, the owner sends it back (``Carried``), which ends the link.

Unknown fields are ignored and new ones have defaults, so that two versions can work together. No field holds a card, a
view, a token or a password: the front has checked tokens and passwords, and sends only a token's hash.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator
from enum import Enum
from functools import reduce
from operator import or_
from typing import Final, NamedTuple, Self

from msgspec import MsgspecError, Struct, msgpack

from golfnet.protocol.commands.settings import PreferencesState
from golfnet.protocol.errors import RemoteProtocolError
from golfnet.protocol.lines import LineFault
from golfnet.protocol.telnet.options import Charset, Mtts, WindowSize
from golfnet.protocol.telnet.telnet import TelnetRequest, TimingAnswer

VERSION: Final = 4
"""The version of the link protocol, which releases of golfnet can share; a ``Hello`` with another one is refused."""

_HELLO: Final = struct.Struct(">HQQ16s")


class Hello(NamedTuple):
    """The first frame of a front: its number, the number of the node it wants, and a nonce.

    Its form is the same in all versions, so that another version is recognized.
    """

    front: int
    owner: int
    nonce: bytes

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the hello in a payload. Raise ``RemoteProtocolError`` for another version."""
        version = int.from_bytes(payload[:2], "big")
        if version != VERSION or len(payload) != _HELLO.size:
            raise RemoteProtocolError(
                f"version {VERSION} of links, not {version}: nodes with different versions cannot serve together, "
                "so stop all of them and start them with the same version of golfnet"
            )
        return cls(*_HELLO.unpack(payload)[1:])


class Frame(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The base of all frames but ``Hello``."""


class Proof(Frame, frozen=True, kw_only=True):
    """A proof that its sender knows the secret; the owner's comes with a nonce."""

    proof: bytes
    nonce: bytes = b""


class TelnetAgreed(Frame, frozen=True, kw_only=True):
    """What a peer has agreed to over telnet, as far as a session needs to know: end-of-record marks, GMCP objects."""

    marks: bool = False
    objects: bool = False


class Traveller(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The player of a peer; the id is empty if there is none."""

    id: str = ""
    token: bytes = b""
    """The hash of the token that the player used."""
    stay: int = 0
    """The number of the player's connection in the directory; a later connection has a different one."""
    table: str = ""
    """The table at which the player sits."""
    watched: tuple[str, ...] = ()
    muted: dict[str, str] = {}
    avoided: dict[str, str] = {}


class Caller(Frame, frozen=True, kw_only=True):
    """One peer: its address, its player and how it wants to be answered; the owner sends it when it has changed."""

    address: str = ""
    carrier: str = "plain"
    connected: float = 0.0
    """How many seconds ago the peer connected."""
    player: Traveller = Traveller()
    machine: bool = False
    tells: bool = False
    """Whether the peer is a program that gets each event with its sentence."""
    sees: bool = False
    """Whether the peer is a program that gets a view after the events of each step."""
    settings: PreferencesState = PreferencesState()
    objects_word: bytes = b""
    objects_table: bool = False
    telnet: TelnetAgreed | None = None
    """None if the peer does not speak telnet."""


class Accepted(Frame, frozen=True):
    """The owner has accepted the player."""


class Rejected(Frame, frozen=True, kw_only=True):
    """The owner has refused the link: the code of the error, and a message."""

    code: str
    message: str


class TypedLine(Frame, frozen=True, kw_only=True):
    """A line that a player sent ``age`` seconds ago; empty for Enter alone."""

    line: str
    age: float


class FaultyLine(Frame, frozen=True, kw_only=True):
    """A line that cannot be used, and was sent ``age`` seconds ago."""

    line: LineFault
    age: float


class Carried(Frame, frozen=True, kw_only=True):
    """A line that ``node`` has to execute, with the answers typed to its prompts; from the owner, it ends the link."""

    node: int
    line: str
    typed: tuple[str, ...] = ()


class Measured(Frame, frozen=True, kw_only=True):
    """The round trip to the peer, in seconds, as in ``net.kernel``; proxies report only the smallest one."""

    smallest: float
    smoothed: float | None = None
    delivered: int = 0


class Backlog(Frame, frozen=True, kw_only=True):
    """How many bytes are waiting to be sent to the player: sent if there are many, then as 0 once there are few."""

    waiting: int


class Output(Frame, frozen=True, kw_only=True):
    """Output of the session, and how many of the link's lines have been handled."""

    data: bytes
    done: int


class Demand(Frame, frozen=True, kw_only=True):
    """What the owner asks of the peer's telnet."""

    request: TelnetRequest


class StampArrivals(Frame, frozen=True):
    """The owner wants exact ages of lines, and the current round trip."""


class EndOfInput(Frame, frozen=True):
    """The player's input has ended."""


class Lost(Frame, frozen=True, kw_only=True):
    """The player's connection has ended, perhaps because the player read too slowly."""

    is_slow: bool


class HangUp(Frame, frozen=True):
    """The front has to deliver what came before, then close the connection."""


AnyFrame = Hello | Frame | WindowSize | Mtts | Charset | TimingAnswer
"""A frame; the front sends what it learns from the peer's telnet as it is."""

_pack: Final = msgpack.Encoder().encode
_UNPACKER: Final = msgpack.Decoder(
    reduce(or_, (*Frame.__subclasses__(), WindowSize, Mtts, Charset, TimingAnswer))
)
_HEAD: Final = struct.Struct(">Hc")
_HELLO_LETTER: Final = b"H"
_OTHER_LETTER: Final = b"F"

PAYLOAD_LIMIT: Final = 0xFFFF
"""Maximum bytes in a payload."""

HANDSHAKE_LIMIT: Final = 128
"""The same for those who have not proven yet that they know the secret."""

OUTPUT_LIMIT: Final = PAYLOAD_LIMIT - 64
"""Maximum bytes of output in one frame; the rest of the payload is for its other fields."""


def encode(frame: AnyFrame) -> bytes:
    """Return one frame as bytes."""
    if isinstance(frame, Hello):
        letter, payload = _HELLO_LETTER, _HELLO.pack(VERSION, *frame)
    else:
        letter, payload = _OTHER_LETTER, _pack(frame)
    return _HEAD.pack(len(payload), letter) + payload


class FrameReader:
    """Splits bytes into frames; ``limit`` is the longest accepted payload, which may be raised later."""

    __slots__ = ("_buffer", "limit")

    def __init__(self, *, limit: int = PAYLOAD_LIMIT) -> None:
        self.limit = limit
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[AnyFrame]:
        """Yield the frames that ``data`` completes; all of them must be consumed before the next call.

        Raise ``RemoteProtocolError`` at the first invalid frame.
        """
        buffer = self._buffer + data if self._buffer else data
        self._buffer = b""
        at, size = 0, len(buffer)
        while size - at >= _HEAD.size:
            length, letter = _HEAD.unpack_from(buffer, at)
            if letter not in (_HELLO_LETTER, _OTHER_LETTER):
                raise RemoteProtocolError(f"a known letter, not {letter!r}")
            if length > self.limit:
                raise RemoteProtocolError(f"a frame of at most {self.limit} bytes, not {length}")
            end = at + _HEAD.size + length
            if end > size:
                break
            payload = buffer[at + _HEAD.size : end]
            at = end
            yield Hello.decode(payload) if letter == _HELLO_LETTER else _unpacked(payload)
        self._buffer = buffer[at:]


def _unpacked(payload: bytes) -> AnyFrame:
    try:
        frame: AnyFrame = _UNPACKER.decode(payload)
    except (MsgspecError, RecursionError) as error:
        raise RemoteProtocolError(f"a known frame: {error}") from None
    return frame


NONCE_BYTES: Final = 16


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
