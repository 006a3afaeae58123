"""Who may link: nodes that know the cluster's secret, and nobody else.

What stays true: a stranger gets ``PROVE_SECONDS`` and a few bytes, no more than ``UNPROVEN`` of them are silent and as
many have said hello, each a number shared among addresses; nothing is done for one but a proof, and no state is read
before the secret is proven.
"""

from __future__ import annotations

import ipaddress
import logging
import secrets
from typing import TYPE_CHECKING, Final, Protocol

from golfnet.protocol.errors import Refused, RemoteProtocolError
from golfnet.protocol.links.frames import (
    NONCE_BYTES,
    PAYLOAD_LIMIT,
    PROOF_BYTES,
    FrameKind,
    FrameReader,
    LinkFrame,
    Prover,
    StateReader,
    decode_hello,
    encode,
    encode_refused,
    is_proven,
    proof,
)
from golfnet.protocol.links.handover import Handover
from golfnet.server.budget import Newcomers
from golfnet.server.faults import fault_boundary
from golfnet.server.links.link_transport import LinkTransport

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.server.clock import Timers
    from golfnet.server.net.transport import Peer, Transport
    from golfnet.server.session.session import Session

log = logging.getLogger(__name__)

UNPROVEN: Final = 64
"""Links that may be here without a proof: a node opens one at a time for each player that moves."""

PROVE_SECONDS: Final = 5.0
"""How long a front may take from its first byte to the end of the state."""


class Takes(Protocol):
    """What an accepted link needs of the node."""

    secret: str
    timers: Timers

    def spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        """Start a task."""

    async def take(self, state: Handover, transport: Transport) -> Session:
        """Return a session that goes on here; raises ``Refused`` and ``RemoteProtocolError``."""

    def begin(self, session: Session, state: Handover) -> None:
        """Let a session do what it came for."""


class LinkAcceptor:
    """Accepts links.

    Those who said hello have places of their own: a node does so at once, so no number of silent strangers, even at
    its own address, takes its place before it could prove the secret.
    """

    def __init__(self, node: Takes) -> None:
        self.node = node
        self.silent = Newcomers(UNPROVEN)
        self.greeted = Newcomers(UNPROVEN)

    def admit(self, address: str) -> bool:
        """Let private addresses in."""
        return _is_private(address)

    def welcome(self, transport: Transport) -> Peer:
        """Return what listens to the front of a new link."""
        return _Arrival(self, transport)

    def gone(self, address: str) -> None:
        """Do nothing: an arrival counts itself out."""


class _Arrival:
    """A link until its session is taken."""

    def __init__(self, acceptor: LinkAcceptor, below: Transport) -> None:
        self._acceptor = acceptor
        self._node = acceptor.node
        self._below = below
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._theirs = b""
        self._is_proven = False
        self._is_over = False
        self._is_taking = False
        self._reader = FrameReader(limit=NONCE_BYTES + PROOF_BYTES)
        self._state = StateReader()
        self._timer = self._node.timers.after(PROVE_SECONDS, self._end)
        acceptor.silent.enter(below.address, self._make_room)

    def receive(self, data: bytes, arrived: float) -> None:
        """Take what came from the front."""
        try:
            for frame in self._reader.feed(data):
                if self._is_over:
                    return
                self._take(frame)
        except RemoteProtocolError as error:
            log.warning("no link with %s: expected %s", self._below.address, error)
            self._end()

    def proceed(self) -> None:
        """Do nothing: nothing is left undone."""

    def end_of_input(self) -> None:
        """Give up a link that is gone."""
        self._end()

    def lost(self, cause: str) -> None:
        """Give up a link that is gone."""
        self._end()

    def _take(self, frame: LinkFrame) -> None:
        match frame.kind:
            case FrameKind.HELLO if not self._theirs:
                _, self._theirs = decode_hello(frame.payload)
                self._acceptor.silent.leave(self._make_room)
                self._acceptor.greeted.enter(self._below.address, self._make_room)
                mine = proof(self._node.secret, Prover.OWNER, self._nonce, self._theirs)
                self._below.write(encode(FrameKind.PROOF, self._nonce + mine))
            case FrameKind.PROOF if self._theirs and not self._is_proven:
                given = frame.payload[NONCE_BYTES:]
                if not is_proven(given, self._node.secret, Prover.FRONT, self._theirs, self._nonce):
                    raise RemoteProtocolError("a proof of the cluster's secret")
                self._is_proven = True
                self._acceptor.greeted.leave(self._make_room)
                self._reader.limit = PAYLOAD_LIMIT
            case FrameKind.STATE if self._is_proven and not self._is_taking:
                if (state := self._state.feed(frame.payload)) is not None:
                    self._is_taking = True
                    handover = Handover.decode(state)
                    self._node.spawn(lambda: self._take_over(handover))
            case _:
                raise RemoteProtocolError(f"what begins a link, not {frame.kind.name}")

    async def _take_over(self, state: Handover) -> None:
        """Let the session go on here."""
        with fault_boundary(log, "a session from %s could not be taken", state.address, on_fault=self._end):
            try:
                transport = LinkTransport(self._below, self._reader, state)
                session = await self._node.take(state, transport)
            except (RemoteProtocolError, ValueError) as error:
                log.warning("no session from %s: expected %s", self._below.address, error)
                self._end()
                return
            except Refused as refused:
                self._below.write(encode_refused(refused.code.value, refused.message))
                self._end()
                return
            if self._is_over:
                session.lost("lost")
                return
            self._timer.cancel()
            transport.start(session)
            self._node.begin(session, state)

    def _make_room(self) -> None:
        """End at once, without the seconds in which an end is read."""
        self._below.cut_off("lost")
        self._end()

    def _end(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._timer.cancel()
            self._acceptor.silent.leave(self._make_room)
            self._acceptor.greeted.leave(self._make_room)
            self._below.close()


def _is_private(address: str) -> bool:
    """Tell whether an address is of this machine or of a network that is not the internet."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return parsed.is_private or parsed.is_loopback or parsed.is_link_local
