"""Accepts links only from nodes that know the cluster's secret.

A stranger is a connection whose other end has not proven that it knows the secret. Invariants: a stranger has
``PROVE_SECONDS`` (after any TLS handshake), and may send only a few bytes; at most ``UNPROVEN`` strangers have said
nothing yet, and at most ``UNPROVEN`` have said hello, with both limits shared fairly among addresses; nothing is done
for a stranger except checking a proof.
"""

from __future__ import annotations

import logging
import secrets
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused, RemoteProtocolError
from golfnet.protocol.links import (
    NONCE_BYTES,
    PAYLOAD_LIMIT,
    PROOF_BYTES,
    Caller,
    FrameKind,
    Prover,
    decode_hello,
    encode,
    encode_refused,
    is_proven,
    proof,
)
from golfnet.server.budget import Newcomers, is_private
from golfnet.server.faults import fault_boundary
from golfnet.server.links.link_end import NOT_REACHED, LinkEnd
from golfnet.server.links.link_transport import LinkTransport

if TYPE_CHECKING:
    from golfnet.server.links.links import Links
    from golfnet.server.net.transport import Transport

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

    def welcome(self, transport: Transport) -> LinkEnd:
        """Return a link with a front, and begin the handshake."""
        link = LinkEnd(transport, limit=NONCE_BYTES + PROOF_BYTES)
        self.silent.enter(transport.address, link.make_room)
        self.node.lobby.spawn(partial(self._meet, link))
        return link

    def gone(self, address: str) -> None:
        """Do nothing: each handshake updates the counts itself."""

    async def _meet(self, link: LinkEnd) -> None:
        """Carry out the handshake, and create a session here for the arriving player."""
        address = link.below.address
        with fault_boundary(log, "could not accept a player from %s", address, on_fault=link.close):
            try:
                with trio.fail_after(PROVE_SECONDS):
                    caller = await self._caller(link)
                transport = LinkTransport(link, caller)
                session = await self.node.take(caller, transport)
            except (RemoteProtocolError, ValueError) as error:
                log.warning("no link with %s: expected %s", address, error)
            except Refused as refused:
                link.send(encode_refused(refused.code.value, refused.message))
            except (trio.TooSlowError, trio.BrokenResourceError):
                pass
            else:
                if link.over.is_set():
                    session.lost("lost")
                    return
                transport.start(session, caller.telnet)
                self.node.show(session, caller)
                link.attach(transport)
                return
            link.close()

    async def _caller(self, link: LinkEnd) -> Caller:
        """Return who the player is, from a front that has proven that it knows the secret."""
        secret, nonce = self.node.secret, secrets.token_bytes(NONCE_BYTES)
        try:
            hello = decode_hello(await link.frame(FrameKind.HELLO))
            if hello.owner != self.node.number:
                log.info("a link from node %d is for node %d, which is gone", hello.front, hello.owner)
                raise Refused(Code.MOVED, NOT_REACHED)
            self.silent.leave(link.make_room)
            self.greeted.enter(link.below.address, link.make_room)
            link.send(encode(FrameKind.PROOF, nonce + proof(secret, Prover.OWNER, nonce, hello.nonce)))
            given = (await link.frame(FrameKind.PROOF))[NONCE_BYTES:]
            if not is_proven(given, secret, Prover.FRONT, hello.nonce, nonce):
                raise RemoteProtocolError("a proof of the cluster's secret")
        finally:
            self.silent.leave(link.make_room)
            self.greeted.leave(link.make_room)
        link.reader.limit = PAYLOAD_LIMIT
        return Caller.decode(await link.frame(FrameKind.CALLER))
