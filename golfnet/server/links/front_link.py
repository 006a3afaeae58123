"""The front's end of a link: proves that it knows the secret, says who the player is, and exchanges frames.

Invariants: nothing about a peer is sent to a node before that node has proven that it knows the secret, too;
``answered`` is set once the peer has been accepted or refused; ``over`` is set when the link has ended, and the relay
is not called after that. A link that only checks whether a node answers has no relay and no caller, and ends after the
proof.
"""

from __future__ import annotations

import logging
import secrets
import socket
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol

import trio

from golfnet.protocol.errors import Code, RemoteProtocolError
from golfnet.protocol.links import (
    NONCE_BYTES,
    Caller,
    FrameKind,
    FrameReader,
    Greeting,
    LinkFrame,
    Prover,
    decode_refused,
    encode,
    encode_hello,
    is_proven,
    proof,
)
from golfnet.server.faults import fault_boundary
from golfnet.server.net.entrance import secured
from golfnet.server.net.hub import HubTransport
from golfnet.server.net.transport import StreamTransport

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable

    from golfnet.server.net.hub import Hub
    from golfnet.server.net.transport import Peer, Transport

    PeerOf = Callable[[Transport], Peer]
    """Returns the peer for a connection."""

log = logging.getLogger(__name__)


class _LinkPhase(Enum):
    PROVING = auto()
    OFFERED = auto()
    LINKED = auto()
    OVER = auto()


class LinkUser(Protocol):
    """The part of a relay that its link calls; see ``relay.Relay``."""

    def receive(self, frame: LinkFrame) -> None:
        """Handle a frame from the owner, or raise ``RemoteProtocolError``."""

    def link_drained(self) -> None:
        """Resume reading from the player, if there are few enough lines and bytes in flight."""


class FrontLink:
    """A link to ``node``. Once the node has proven that it knows the secret, it is told who the caller is."""

    def __init__(
        self, relay: LinkUser | None, *, secret: str, here: int, node: int, caller: Caller | None
    ) -> None:
        self.node = node
        self.is_proven = False
        """Whether the other end has proven that it knows the secret."""
        self.answered = trio.Event()
        self.over = trio.Event()
        self.refusal = (Code.MOVED.value, "")
        self._relay = relay
        self._secret = secret
        self._here = here
        self._caller = caller
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._phase = _LinkPhase.PROVING
        self._reader = FrameReader()
        self._below: Transport | None = None

    @property
    def is_linked(self) -> bool:
        """Whether the peer has been accepted and the link is still open."""
        return self._phase is _LinkPhase.LINKED

    @property
    def waiting(self) -> int:
        """Bytes waiting to be sent to the owner."""
        return 0 if self._below is None else self._below.waiting

    def open(self, below: Transport) -> FrontLink:
        """Start the proof; return the link as the peer of its connection."""
        self._below = below
        if self._phase is _LinkPhase.OVER:  # closed while the connection was being made
            below.close()
        else:
            self.send(encode_hello(Greeting(self._here, self.node, self._nonce)))
        return self

    # --- for the relay

    def send(self, frames: bytes) -> None:
        """Send frames, unless the link has ended."""
        if self._below is not None and self._phase is not _LinkPhase.OVER:
            self._below.write(frames)

    def wake(self) -> None:
        """Notify the relay when few enough bytes are waiting to be sent."""
        if self._below is not None:
            self._below.wake()

    def close(self) -> None:
        """Close the link."""
        self._phase = _LinkPhase.OVER
        self.answered.set()
        self.over.set()
        if self._below is not None:
            self._below.close()

    # --- called by the connection

    def receive(self, data: bytes, arrived: float) -> None:
        """Handle bytes from the owner."""
        try:
            for frame in self._reader.feed(data):
                if self._phase is _LinkPhase.OVER:
                    return
                self._take(frame)
        except RemoteProtocolError as error:
            log.warning("invalid data on the link to node %d: expected %s", self.node, error)
            self.close()

    def proceed(self) -> None:
        """Let the relay continue to send."""
        if self.is_linked and self._relay is not None:
            self._relay.link_drained()

    def end_of_input(self) -> None:
        """Handle the end of the owner's input."""
        self.close()

    def lost(self, cause: str) -> None:
        """Handle the loss of the connection."""
        self.close()

    # --- internals

    def _take(self, frame: LinkFrame) -> None:
        kind, payload = frame
        match self._phase, kind:
            case _LinkPhase.LINKED, _ if self._relay is not None:
                self._relay.receive(frame)
                if kind in (FrameKind.BYE, FrameKind.CARRY):
                    self.close()
            case _LinkPhase.PROVING, FrameKind.PROOF:
                self._prove(payload)
            case _LinkPhase.OFFERED, FrameKind.TAKEN:
                self._phase = _LinkPhase.LINKED
                self.answered.set()
            case ((_LinkPhase.PROVING | _LinkPhase.OFFERED), FrameKind.REFUSED):
                self.refusal = decode_refused(payload)
                self.close()
            case _:
                raise RemoteProtocolError(f"a frame for a link that is {self._phase.name}, not {kind.name}")

    def _prove(self, payload: bytes) -> None:
        theirs, given = payload[:NONCE_BYTES], payload[NONCE_BYTES:]
        if not is_proven(given, self._secret, Prover.OWNER, theirs, self._nonce):
            if self._caller is not None:  # ``Links.keep_checking`` logs failed checks
                log.error(
                    "node %d has a different secret: cluster_secret must be the same on all nodes",
                    self.node,
                )
            self.close()
            return
        self.is_proven = True
        if self._caller is None:
            self.close()
            return
        mine = proof(self._secret, Prover.FRONT, self._nonce, theirs)
        self.send(
            encode(FrameKind.PROOF, self._nonce + mine) + encode(FrameKind.CALLER, self._caller.encoded)
        )
        self._phase = _LinkPhase.OFFERED


async def dial_from_hub(hub: Hub, host: str, port: int, peer_of: PeerOf) -> None:
    """Open a connection that a hub serves, and start the peer, or raise ``OSError``."""
    stream = await trio.open_tcp_stream(host, port)
    sock = socket.socket(fileno=stream.socket.detach())
    sock.setblocking(False)
    HubTransport(hub, sock, host, _OwnLink(peer_of)).open()


async def dial_stream(
    spawn: Callable[[Callable[[], Awaitable[None]]], None],
    outbox: int,
    context: ssl.SSLContext | None,
    host: str,
    port: int,
    peer_of: PeerOf,
) -> None:
    """Open a connection as a stream, with TLS if there is a ``context``, and start the peer, or raise ``OSError``."""
    plain = await trio.open_tcp_stream(host, port)
    stream: trio.abc.Stream = plain
    if context is not None:
        try:
            stream = await secured(plain, context)
        except BaseException:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(plain)
            raise

    async def run() -> None:
        with fault_boundary(log, "a link to %s ended because of a fault in the server", host):
            await StreamTransport(stream, host, outbox).run(peer_of)

    spawn(run)


class _OwnLink:
    """The acceptor for a connection that this node has opened itself."""

    def __init__(self, peer_of: PeerOf) -> None:
        self.welcome = peer_of

    def admit(self, address: str) -> bool:
        """Accept the connection, since this node opened it."""
        return True

    def gone(self, address: str) -> None:
        """Do nothing: such connections are not counted."""
