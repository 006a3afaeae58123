"""The links of one node: for players who are connected to this node but have their session on another, or the reverse.

Links are accepted only from nodes that know the cluster's secret. A stranger is a connection whose other end has not
proven that it knows the secret.

Invariants: a stranger has ``PROVE_SECONDS`` (after any TLS handshake), and may send only a few bytes; at most
``UNPROVEN`` strangers have said nothing yet, and at most ``UNPROVEN`` have said hello, with both limits shared fairly
among addresses; nothing is done for a stranger except checking a proof. A draining node accepts only players who follow
a table that it has been given.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.address import parse_address
from golfnet.protocol.errors import Code, Refused, RemoteProtocolError
from golfnet.protocol.links import (
    HANDSHAKE_LIMIT,
    NONCE_BYTES,
    PAYLOAD_LIMIT,
    Accepted,
    Caller,
    Hello,
    Proof,
    Prover,
    Rejected,
    is_proven,
    proof,
)
from golfnet.server.budget import Newcomers, is_private
from golfnet.server.faults import fault_boundary
from golfnet.server.links.link_end import NOT_REACHED, LinkEnd
from golfnet.server.links.link_transport import LinkTransport, adopt
from golfnet.server.lookups import carried_out
from golfnet.server.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from golfnet.protocol.replies.replies import Notice
    from golfnet.server.commands.dispatch import Dispatcher
    from golfnet.server.links.relay import Relay
    from golfnet.server.net.transport import Transport

log = logging.getLogger(__name__)

HAND_OVER_SECONDS: Final = 2.0
"""How long another node may take to accept a player, or to answer a check."""

CHECK_SECONDS: Final = 5.0
"""Seconds between checks of all other nodes; a check takes one round trip, and ten nodes make ninety checks."""

UNPROVEN: Final = 64
"""Maximum number of strangers of each kind; a node opens one link at a time for each player who moves."""

PROVE_SECONDS: Final = 5.0
"""How long a front may take from connecting to saying who the player is."""


class Links:
    """All links of a node, which are accepted here; the directory says where other nodes and players are."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        *,
        secret: str,
        dial: Callable[[str, int], Awaitable[LinkEnd]],
        has_tls: bool = False,
    ) -> None:
        self.number = dispatcher.lobby.nodes.number
        self.secret = secret
        self.has_tls = has_tls
        self.relays: dict[Relay, None] = {}
        """Connections here whose players are elsewhere."""
        self.moved = trio.lowlevel.ParkingLot()
        """Where the relays that search for their tables wait until this node has taken over tables."""
        self.silent = Newcomers(UNPROVEN)
        self.greeted = Newcomers(UNPROVEN)
        """Strangers who have said hello. A real node says hello at once, so strangers who keep silent cannot push it
        out before its proof, however many there are, even from its own address."""
        self._dispatcher = dispatcher
        self.lobby = dispatcher.lobby
        self._dial = dial

    async def connect(self, node: int, caller: Caller) -> LinkEnd:
        """Return a link to a node that has accepted a player, or raise ``Refused``."""
        try:
            with (
                contextlib.suppress(OSError, trio.BrokenResourceError),
                trio.move_on_after(HAND_OVER_SECONDS),
            ):
                where = await self.lobby.nodes.ask(lambda directory: directory.link_of(node))
                if where is not None:
                    return await self._introduce(await self.dial(where, node), caller)
        except RemoteProtocolError as error:
            log.warning("invalid data on the link to node %d: expected %s", node, error)
        raise Refused(Code.MOVED, NOT_REACHED)

    async def _introduce(self, link: LinkEnd, caller: Caller) -> LinkEnd:
        try:
            if (mine := await self._proof_for(link)) is None:
                log.error(
                    "node %d has a different secret: cluster_secret must be the same on all nodes", link.node
                )
                raise Refused(Code.MOVED, NOT_REACHED)
            link.send(mine, caller)
            await link.frame(Accepted)
            # The player may have disconnected just as the node accepted them.
            await trio.lowlevel.checkpoint_if_cancelled()
        except BaseException:
            link.close()
            raise
        return link

    async def _proof_for(self, link: LinkEnd) -> Proof | None:
        """Return this node's proof that it knows the secret, or None if the other node's proof is wrong."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        link.send(Hello(self.number, link.node, nonce))
        theirs = await link.frame(Proof)
        if not is_proven(theirs.proof, self.secret, Prover.OWNER, theirs.nonce, nonce):
            return None
        return Proof(proof=proof(self.secret, Prover.FRONT, nonce, theirs.nonce))

    async def dial(self, where: str, node: int) -> LinkEnd:
        """Connect to another node's link port, or raise ``OSError``."""
        address = parse_address(where)
        if address.tls != self.has_tls:
            difference = (
                "no cluster_tls, but this node does"
                if self.has_tls
                else "cluster_tls, but this node does not"
            )
            raise OSError(f"it has {difference}: set it on all nodes or on none")
        if not self.has_tls and not is_private(address.host):  # the players' input would be sent unencrypted
            raise OSError(f"{address.host} is not a private address, and there is no cluster_tls")
        link = await self._dial(address.host, address.port)
        link.node = node
        return link

    # --- accepting links

    def admit(self, address: str) -> bool:
        """Accept private addresses; accept others only with TLS."""
        return self.has_tls or is_private(address)

    def welcome(self, transport: Transport) -> LinkEnd:
        """Return a link with a front, and begin the handshake."""
        link = LinkEnd(transport, limit=HANDSHAKE_LIMIT)
        self.silent.enter(transport.address, link.make_room)
        self.lobby.spawn(partial(self._meet, link))
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
                session = await self._take(caller, transport)
            except (RemoteProtocolError, ValueError) as error:
                log.warning("no link with %s: expected %s", address, error)
            except Refused as refused:
                link.send(Rejected(code=refused.code.value, message=refused.message))
            except (trio.TooSlowError, trio.BrokenResourceError):
                pass
            else:
                if link.over.is_set():
                    session.lost("lost")
                    return
                transport.start(session)
                self.show(session, caller)
                link.attach(transport)
                return
            link.close()

    async def _caller(self, link: LinkEnd) -> Caller:
        """Return who the player is, from a front that has proven that it knows the secret."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        try:
            hello = await link.frame(Hello)
            if hello.owner != self.number:
                log.info("a link from node %d is for node %d, which is gone", hello.front, hello.owner)
                raise Refused(Code.MOVED, NOT_REACHED)
            self.silent.leave(link.make_room)
            self.greeted.enter(link.below.address, link.make_room)
            link.send(Proof(proof=proof(self.secret, Prover.OWNER, nonce, hello.nonce), nonce=nonce))
            theirs = await link.frame(Proof)
            if not is_proven(theirs.proof, self.secret, Prover.FRONT, hello.nonce, nonce):
                raise RemoteProtocolError("a proof of the cluster's secret")
        finally:
            self.silent.leave(link.make_room)
            self.greeted.leave(link.make_room)
        link.reader.limit = PAYLOAD_LIMIT
        return await link.frame(Caller)

    # --- arriving

    @property
    def taken(self) -> int:
        """Number of sessions here whose connection is on another node."""
        return sum(isinstance(session.transport, LinkTransport) for session in self.lobby.sessions)

    async def _take(self, caller: Caller, transport: LinkTransport) -> Session:
        """Return a session for a player who arrives over a link, or raise ``Refused``."""
        lobby = self.lobby
        if lobby.connected >= lobby.config.connections:
            raise Refused(Code.MOVED, NOT_REACHED)
        if lobby.sanctions.bars_address(caller.address):
            raise Refused(Code.NOT_AVAILABLE, "The operator of this server has banned your address.")
        session = Session(self._dispatcher, transport)
        adopt(session, caller)
        session.connected -= caller.connected
        await self.let_in(session, caller)
        lobby.counters.handovers["taken"] += 1
        return session

    async def let_in(self, session: Session, caller: Caller) -> None:
        """Accept a player from another node for a session here, or raise ``Refused``."""
        lobby = self.lobby
        if not lobby.is_sure:
            raise Refused(Code.MOVED, NOT_REACHED)
        if (fetch := lobby.nodes.fetch) is not None:
            for table in (caller.player.table, *caller.player.watched):
                await fetch(table)
        # A draining node still accepts players who follow a table that it has been given.
        is_drained = lobby.is_draining and caller.player.table not in lobby.tables and session.relay is None
        if lobby.is_stopping or is_drained:
            raise Refused(Code.MOVED, NOT_REACHED)
        if caller.player.id:
            player = await carried_out(lobby.accounts.taken(caller.player.id, caller.player.stay))
            if player is None:
                raise Refused(Code.MOVED, NOT_REACHED)
            player.token = caller.player.token
            player.muted, player.avoided = caller.player.muted, caller.player.avoided
            lobby.attach(session, player)
        lobby.sessions.enter(session)

    def show(self, session: Session, caller: Caller) -> None:
        """Show an arriving player their table on this node, and the tables that they watch here."""
        player, tables = session.player, self.lobby.tables
        if player is None:
            return
        self.lobby.welcome_back(player)
        for watched in [tables[each] for each in caller.player.watched if each in tables]:
            watched.guarded(partial(watched.gallery.restore, player))()

    # --- for the node

    @property
    def linked_nodes(self) -> set[int]:
        """The nodes of the players whose front is this node."""
        return {relay.link.node for relay in self.relays if relay.link is not None}

    def leave(self, nodes: Collection[int]) -> None:
        """Close links to nodes that are gone, since a dead machine does not; relays then search for their players."""
        for relay in self.relays:
            if relay.link is not None and relay.link.node in nodes:
                relay.link.close()

    async def keep_checking(self) -> None:
        """Check the links to the other nodes until cancelled.

        Nodes that cannot be reached twice in a row are recorded in the database, but only for operators to see.
        """
        failed: set[int] = set()
        reported: set[int] = set()
        while True:
            await trio.sleep(CHECK_SECONDS)
            with contextlib.suppress(Refused):  # ``reported`` is unchanged, so the next check reports again
                look = await self.lobby.nodes.ask(lambda directory: directory.look())
                reasons = {
                    node.node: await self._reason_not_reached(node.node, node.link)
                    for node in look.nodes
                    if node.link and node.node != self.number
                }
                failed_before, failed = failed, {node for node, reason in reasons.items() if reason}
                unreached = failed & failed_before
                for number in sorted(unreached - reported):
                    log.warning("cannot link to node %d: %s", number, reasons[number])
                if unreached != reported:
                    await self.lobby.nodes.ask(lambda directory: directory.report_unreached(unreached))  # noqa: B023
                    reported = unreached

    async def _reason_not_reached(self, node: int, where: str) -> str:
        """Return why a node cannot be linked to; empty if it has proven that it has the same secret."""
        reason = "it does not answer"
        with trio.move_on_after(HAND_OVER_SECONDS), contextlib.suppress(Refused, trio.BrokenResourceError):
            try:
                link = await self.dial(where, node)
            except OSError as error:
                return f"{error}"
            reason = "it has not proven the same secret; its own log may say more"
            try:
                if await self._proof_for(link) is not None:
                    return ""
            except RemoteProtocolError as error:
                return f"it sends invalid data: expected {error}"
            finally:
                link.close()
        return reason

    def notify(self, notice: Notice) -> None:
        """Send a notice to every connection whose socket is on this node, even if its player is on another."""
        for relay in list(self.relays):
            relay.session.send(notice)
        for session in list(self.lobby.sessions):
            if not isinstance(session.transport, LinkTransport):
                session.send(notice)

    def forget(self, relay: Relay) -> None:
        """Remove a relay that has ended; harmless if repeated."""
        self.relays.pop(relay, None)
        self.lobby.note_departure()

    def stop(self, code: Code, sentence: str) -> None:
        """Close relayed connections with a goodbye, and let sessions from other nodes continue elsewhere."""
        for relay in list(self.relays):
            relay.session.close(code, sentence)
        for session in list(self.lobby.sessions):
            if isinstance(session.transport, LinkTransport):
                session.transport.leave()
                self.lobby.sessions.leave(session)
                session.retire()
