"""One link, seen from the front: proves the secret both ways, offers a session's state, then carries bytes.

What stays true: no state is sent to who has not proven the secret; the relay hears of the end once, either that the
session was not taken or that the link is over.
"""

from __future__ import annotations

import logging
import secrets
import socket
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol

import trio

from golfnet.protocol.errors import Code, RemoteProtocolError
from golfnet.protocol.links.frames import (
    NONCE_BYTES,
    FrameKind,
    FrameReader,
    FrontRoundTrip,
    LinkFrame,
    Prover,
    StateReader,
    decode_move,
    decode_refused,
    encode,
    encode_hello,
    encode_input,
    encode_refused,
    encode_round_trip,
    encode_state,
    encode_waiting,
    is_proven,
    proof,
)
from golfnet.server.faults import fault_boundary
from golfnet.server.net.hub_transport import HubTransport
from golfnet.server.net.stream import StreamTransport
from golfnet.server.net.transport import KernelRoundTrip, ProxyRoundTrip

if TYPE_CHECKING:
    from golfnet.server.net.transport import Transport

log = logging.getLogger(__name__)


class LinkUser(Protocol):
    """What a link tells its relay."""

    def told(self, data: bytes) -> None:
        """Deliver what the session wrote."""

    def bye(self, link: FrontLink) -> None:
        """Deliver what came before, then close."""

    def latest(self, state: bytes) -> None:
        """Remember how the session is now."""

    def stamps_wanted(self, link: FrontLink) -> None:
        """Tell exact ages from now on, and the round trip."""

    def move_wanted(self, link: FrontLink, node: int) -> None:
        """Send no more, and be ready to take the session to another node."""

    def move_to(self, link: FrontLink, state: bytes) -> None:
        """Take the session to the node that was named."""

    def link_drained(self) -> None:
        """Send on."""

    def link_over(self, link: FrontLink) -> None:
        """Hear that the link of a session is over, without a goodbye."""


class _LinkPhase(Enum):
    PROVING = auto()
    OFFERED = auto()
    LINKED = auto()
    OVER = auto()


class FrontLink:
    """A link to ``node``, which is offered a state in bytes; ``answered`` is set once it was taken or refused."""

    def __init__(self, relay: LinkUser, *, secret: str, here: int, node: int, state: bytes) -> None:
        self.node = node
        self.answered = trio.Event()
        self.is_stamped = False
        """Whether the owner wants to know of round trips."""
        self.refusal = (Code.MOVED.value, "")
        self._relay = relay
        self._secret = secret
        self._here = here
        self._state = state
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._phase = _LinkPhase.PROVING
        self._reader = FrameReader()
        self._moving_state = StateReader()
        self._latest_state = StateReader()
        self._below: Transport | None = None
        self._measured: FrontRoundTrip | None = None

    @property
    def is_linked(self) -> bool:
        """Whether the session was taken, and the link is not over."""
        return self._phase is _LinkPhase.LINKED

    @property
    def waiting(self) -> int:
        """Bytes that wait to be sent to the owner."""
        return 0 if self._below is None else self._below.waiting

    def open(self, below: Transport) -> FrontLink:
        """Begin to speak; return the link as the peer of what carries it."""
        self._below = below
        if self._phase is _LinkPhase.OVER:  # given up meanwhile
            below.close()
        else:
            self._send(encode_hello(self._here, self._nonce))
        return self

    # --- for the relay

    def send_input(self, data: bytes, arrived: float) -> None:
        """Send what the player sent."""
        self._send(encode_input(data, trio.current_time() - arrived))

    def send_end_of_input(self) -> None:
        """Tell that the player sends no more."""
        self._send(encode(FrameKind.END_OF_INPUT))

    def send_waiting(self, count: int) -> None:
        """Tell how much waits for the player."""
        self._send(encode_waiting(count))

    def measure(self, player: Transport) -> None:
        """Tell what is known of the way to the player, where that has changed since."""
        self.is_stamped = True
        match player.round_trip():
            case KernelRoundTrip(smallest, smoothed, delivered):
                measured = FrontRoundTrip(smallest, smoothed, delivered)
            case ProxyRoundTrip(seconds=seconds):
                measured = FrontRoundTrip(seconds)
            case None:
                return
        if measured != self._measured:
            self._measured = measured
            self._send(encode_round_trip(measured))

    def send_ready(self) -> None:
        """Tell that nothing more is sent until the session has moved."""
        self._send(encode(FrameKind.MOVE))

    def send_moved(self) -> None:
        """Tell that another node has the session, and close."""
        self._send(encode(FrameKind.TAKEN))
        self.close()

    def send_not_moved(self, code: str, sentence: str) -> None:
        """Tell that the session stays where it is."""
        self._send(encode_refused(code, sentence))

    def wake(self) -> None:
        """Tell the relay when little enough waits to be sent."""
        if self._below is not None:
            self._below.wake()

    def end(self, cause: str) -> None:
        """Tell that the player is gone, and why, and close."""
        self._send(encode(FrameKind.LOST, cause.encode()[:64]))
        self.close()

    def close(self) -> None:
        """Use the link no more; the relay hears nothing of it."""
        self._phase = _LinkPhase.OVER
        self.answered.set()
        if self._below is not None:
            self._below.close()

    # --- what the link tells

    def receive(self, data: bytes, arrived: float) -> None:
        """Take what came from the owner."""
        try:
            for frame in self._reader.feed(data):
                if self._phase is _LinkPhase.OVER:
                    return
                self._take(frame)
        except RemoteProtocolError as error:
            log.warning("the link to node %d sends nonsense: expected %s", self.node, error)
            self._over()

    def proceed(self) -> None:
        """Let the relay send on."""
        if self._phase is _LinkPhase.LINKED:
            self._relay.link_drained()

    def end_of_input(self) -> None:
        """Hear that the owner is gone."""
        self._over()

    def lost(self, cause: str) -> None:
        """Hear that the link is gone."""
        self._over()

    # --- inside

    def _take(self, frame: LinkFrame) -> None:
        kind, payload = frame
        match self._phase, kind:
            case _LinkPhase.LINKED, FrameKind.BYTES:
                self._relay.told(payload)
            case _LinkPhase.LINKED, FrameKind.STAMPS:
                self._relay.stamps_wanted(self)
            case _LinkPhase.LINKED, FrameKind.BYE:
                self._relay.bye(self)
            case _LinkPhase.LINKED, FrameKind.LATEST:
                if (state := self._latest_state.feed(payload)) is not None:
                    self._relay.latest(state)
            case _LinkPhase.LINKED, FrameKind.MOVE:
                self._relay.move_wanted(self, decode_move(payload))
            case _LinkPhase.LINKED, FrameKind.STATE:
                if (state := self._moving_state.feed(payload)) is not None:
                    self._relay.move_to(self, state)
            case _LinkPhase.PROVING, FrameKind.PROOF:
                self._prove(payload)
            case _LinkPhase.OFFERED, FrameKind.TAKEN:
                self._phase = _LinkPhase.LINKED
                self.answered.set()
            case ((_LinkPhase.PROVING | _LinkPhase.OFFERED), FrameKind.REFUSED):
                self.refusal = decode_refused(payload)
                self.close()
            case _:
                raise RemoteProtocolError(f"what suits a link that is {self._phase.name}, not {kind.name}")

    def _prove(self, payload: bytes) -> None:
        theirs, given = payload[:NONCE_BYTES], payload[NONCE_BYTES:]
        if not is_proven(given, self._secret, Prover.OWNER, theirs, self._nonce):
            log.error(
                "node %d has another secret than this one: cluster_secret is the same at all nodes", self.node
            )
            self.close()
            return
        mine = proof(self._secret, Prover.FRONT, self._nonce, theirs)
        self._send(encode(FrameKind.PROOF, self._nonce + mine) + encode_state(self._state))
        self._state = b""
        self._phase = _LinkPhase.OFFERED

    def _over(self) -> None:
        was_linked = self._phase is _LinkPhase.LINKED
        if self._phase is not _LinkPhase.OVER:
            self.close()
            if was_linked:
                self._relay.link_over(self)

    def _send(self, frames: bytes) -> None:
        if self._below is not None and self._phase is not _LinkPhase.OVER:
            self._below.write(frames)


if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.server.net.hub import Hub
    from golfnet.server.net.transport import Peer, Transport

    PeerOf = Callable[[Transport], Peer]
    """Returns who speaks on a connection."""


class HubDialer:
    """Connects by a hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def dial(self, host: str, port: int, peer_of: PeerOf) -> None:
        """Connect, and let the peer speak; raises ``OSError``."""
        stream = await trio.open_tcp_stream(host, port)
        sock = socket.socket(fileno=stream.socket.detach())
        sock.setblocking(False)
        HubTransport(self._hub, sock, host, _OwnLink(peer_of)).open()


class StreamDialer:
    """Connects by streams; ``spawn`` starts a task."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None], outbox: int) -> None:
        self._spawn = spawn
        self._outbox = outbox

    async def dial(self, host: str, port: int, peer_of: PeerOf) -> None:
        """Connect, and let the peer speak; raises ``OSError``."""
        stream = await trio.open_tcp_stream(host, port)

        async def run() -> None:
            with fault_boundary(log, "a link to %s ended with a fault in the server", host):
                await StreamTransport(stream, host, self._outbox).run(peer_of)

        self._spawn(run)


class _OwnLink:
    """The acceptor of one connection that this node has opened."""

    def __init__(self, peer_of: PeerOf) -> None:
        self.welcome = peer_of

    def admit(self, address: str) -> bool:
        """Accept it: it was wanted."""
        return True

    def gone(self, address: str) -> None:
        """Do nothing: nobody counts it."""
