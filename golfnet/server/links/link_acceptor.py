"""Accepts links only from nodes that know the cluster's secret.

A stranger is a connection whose other end has not proven that it knows the secret. Invariants: a stranger has
``PROVE_SECONDS`` (after any TLS handshake), and may send only a few bytes; at most ``UNPROVEN`` strangers have said
nothing yet, and at most ``UNPROVEN`` have said hello, with both limits shared fairly among addresses; nothing is done
for a stranger except checking a proof.
"""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Final

from golfnet.protocol.errors import Code, Refused, RemoteProtocolError
from golfnet.protocol.links import (
    NONCE_BYTES,
    PAYLOAD_LIMIT,
    PROOF_BYTES,
    Caller,
    FrameKind,
    FrameReader,
    LinkFrame,
    Prover,
    decode_hello,
    encode,
    encode_refused,
    is_proven,
    proof,
)
from golfnet.server.budget import Newcomers, is_private
from golfnet.server.faults import fault_boundary
from golfnet.server.links.link_transport import NOT_REACHED, LinkTransport

if TYPE_CHECKING:
    from golfnet.server.links.links import Links
    from golfnet.server.net.transport import Peer, Transport

log = logging.getLogger(__name__)

UNPROVEN: Final = 64
"""Maximum number of strangers of each kind; a node opens one link at a time for each player who moves."""

PROVE_SECONDS: Final = 5.0
"""How long a front may take from connecting to saying who the player is."""


class LinkAcceptor:
    """Accepts links.

    Links that have said hello have a limit of their own. A real node says hello at once, so strangers who keep silent
    cannot push it out before its proof, however many there are, even from its own address.
    """

    def __init__(self, node: Links) -> None:
        self.node = node
        self.silent = Newcomers(UNPROVEN)
        self.greeted = Newcomers(UNPROVEN)

    def admit(self, address: str) -> bool:
        """Accept private addresses; accept others only with TLS."""
        return self.node.has_tls or is_private(address)

    def welcome(self, transport: Transport) -> Peer:
        """Return the peer that handles a new link's front."""
        return _Arrival(self, transport)

    def gone(self, address: str) -> None:
        """Do nothing: each arrival updates the counts itself."""


class _Arrival:
    """The owner's end of a link: handles input until there is a session; then the transport does."""

    def __init__(self, acceptor: LinkAcceptor, below: Transport) -> None:
        self._acceptor = acceptor
        self._node = acceptor.node
        self._below = below
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._theirs = b""
        self._is_proven = False
        self._is_over = False
        self._is_taking = False
        self._transport: LinkTransport | None = None
        self._reader = FrameReader(limit=NONCE_BYTES + PROOF_BYTES)
        self._timer = self._node.lobby.timers.after(PROVE_SECONDS, self._end)
        acceptor.silent.enter(below.address, self._make_room)

    def receive(self, data: bytes, arrived: float) -> None:
        """Handle bytes from the front."""
        if self._transport is not None:
            self._transport.receive(data, arrived)
            return
        try:
            for frame in self._reader.feed(data):
                if self._is_over:
                    return
                self._take(frame)
        except RemoteProtocolError as error:
            log.warning("no link with %s: expected %s", self._below.address, error)
            self._end()

    def proceed(self) -> None:
        """Let the session continue, if there is one."""
        if self._transport is not None:
            self._transport.proceed()

    def end_of_input(self) -> None:
        """Close the link, since the front has ended it."""
        self.lost("lost")

    def lost(self, cause: str) -> None:
        """Handle the loss of the link."""
        if self._transport is not None:
            self._transport.lost(cause)
        else:
            self._end()

    def _take(self, frame: LinkFrame) -> None:
        match frame.kind:
            case FrameKind.HELLO if not self._theirs:
                hello = decode_hello(frame.payload)
                if hello.owner != self._node.number:
                    log.info("a link from node %d is for node %d, which is gone", hello.front, hello.owner)
                    self._refuse(Refused(Code.MOVED, NOT_REACHED))
                    return
                self._theirs = hello.nonce
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
            case FrameKind.CALLER if self._is_proven and not self._is_taking:
                self._is_taking = True
                caller = Caller.decode(frame.payload)
                self._node.spawn(lambda: self._let_in(caller))
            case _:
                raise RemoteProtocolError(f"a frame that begins a link, not {frame.kind.name}")

    async def _let_in(self, caller: Caller) -> None:
        """Create a session here for the arriving player."""
        with fault_boundary(log, "could not accept a player from %s", caller.address, on_fault=self._end):
            try:
                transport = LinkTransport(self._below, self._reader, caller)
                session = await self._node.take(caller, transport)
            except ValueError as error:
                log.warning("rejected a player from %s: expected %s", self._below.address, error)
                self._end()
                return
            except Refused as refused:
                self._refuse(refused)
                return
            if self._is_over:
                session.lost("lost")
                return
            self._timer.cancel()
            self._transport = transport
            transport.start(session)
            self._node.show(session, caller)

    def _refuse(self, refused: Refused) -> None:
        self._below.write(encode_refused(refused.code.value, refused.message))
        self._end()

    def _make_room(self) -> None:
        """Close at once to make room for another link, without waiting for the other end to read."""
        self._below.cut_off("lost")
        self._end()

    def _end(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._timer.cancel()
            self._acceptor.silent.leave(self._make_room)
            self._acceptor.greeted.leave(self._make_room)
            self._below.close()
