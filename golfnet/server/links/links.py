"""The links of one node: sessions that it gives away, takes, and relays.

What stays true: a session is given away once all that it was told is durable and sent, and forgotten only when the
other node has taken it; a node that drains takes only those who follow a table that was given to it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

import trio
from msgspec.structs import replace

from golfnet.protocol.address import parse_address
from golfnet.protocol.errors import Code, Refused
from golfnet.server.links.front_link import FrontLink, LinkUser
from golfnet.server.links.link_transport import NOT_REACHED, LinkTransport
from golfnet.server.links.relay import Relay
from golfnet.server.lookups import carried_out
from golfnet.server.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from golfnet.protocol.commands.parse import Request
    from golfnet.protocol.links.handover import Handover
    from golfnet.protocol.replies.replies import Bye, Notice
    from golfnet.server.commands.dispatch import Dispatcher
    from golfnet.server.net.transport import Peer, Transport
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

HAND_OVER_SECONDS: Final = 2.0
"""How long another node may take to take a session."""

SETTLE_SECONDS: Final = 2.0
"""How long a session may take to have all sent that waits for the disk, before it stays where it is."""


class Whereabouts(Protocol):
    """Where nodes and players are."""

    async def link_of(self, node: int) -> str | None:
        """Return the address for links to a node, None for one that is gone."""

    async def place_of(self, player: str, table: str) -> int | None:
        """Return the node at which a player's session belongs, None where that is not known at the moment.

        That is the node of its ``table``; without a seat the node where the player is, or that asks.
        """


class Links:
    """All links of the node ``number``."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        *,
        number: int,
        secret: str,
        whereabouts: Whereabouts,
        dial: Callable[[str, int, Callable[[Transport], Peer]], Awaitable[None]],
        spawn: Callable[[Callable[[], Awaitable[None]]], None],
    ) -> None:
        self.number = number
        self.secret = secret
        self.timers = dispatcher.lobby.timers
        self.outbox = dispatcher.config.outbox
        self.relays: dict[Relay, None] = {}
        self._moved = trio.Event()
        self._dispatcher = dispatcher
        self._lobby = dispatcher.lobby
        self._whereabouts = whereabouts
        self.dial = dial
        self.spawn = spawn

    # --- giving

    async def hand_over(
        self,
        session: Session,
        request: Request | None,
        node: int,
        *,
        table: str = "",
        watched: tuple[str, ...] = (),
    ) -> None:
        """Let a suspended session go on at another node, which carries the request out; raises ``Refused``.

        ``table`` is where its player sits, and ``watched`` what it watches, of tables that have gone there before.
        """
        handovers = self._lobby.counters.handovers
        try:
            await self._give(session, request, node, table, watched)
        except Refused:
            handovers["refused"] += 1
            raise
        handovers["given"] += 1

    async def _give(
        self, session: Session, request: Request | None, node: int, table: str, watched: tuple[str, ...]
    ) -> None:
        with trio.move_on_after(SETTLE_SECONDS) as settling:
            await self._settle(session)
        if settling.cancelled_caught:
            raise Refused(Code.MOVED, NOT_REACHED)

        def state() -> Handover:
            now = session.snapshot()
            if request is not None:
                return replace(now, line=session.line, typed=request.typed, hops=1)
            return replace(now, table=table or now.table, watched=watched)

        transport = session.transport
        if isinstance(transport, LinkTransport):
            await transport.move(node, state)
        else:
            whole = state()
            await Relay(self, transport, whole, session).start(node, whole)
        self._lobby.depart(session)

    async def _settle(self, session: Session) -> None:
        """Wait until all that was told to a session is durable and sent, and its player is stored."""
        accounts, player = self._lobby.accounts, session.player
        ticket = self._lobby.gate.issued if player is None else accounts.save(player)
        while True:
            shown = trio.Event()
            self._lobby.gate.once_shown(ticket, shown.set)
            await shown.wait()
            if session.is_settled:
                return
            ticket = self._lobby.gate.issued
            await trio.lowlevel.checkpoint()

    async def connect(self, node: int, state: Handover, relay: LinkUser) -> FrontLink:
        """Return a link to a node that has taken the session; raises ``Refused``."""
        link = FrontLink(relay, secret=self.secret, here=self.number, node=node, state=state.encode())
        try:
            with trio.move_on_after(HAND_OVER_SECONDS):
                where = await self._whereabouts.link_of(node)
                if where is not None:
                    address = parse_address(where)
                    await self.dial(address.host, address.port, link.open)
                    await link.answered.wait()
        except OSError as error:
            raise Refused(Code.MOVED, NOT_REACHED) from error
        finally:
            if not link.is_linked:
                link.close()
        if not link.is_linked:
            raise _refused(link)
        return link

    # --- taking

    @property
    def taken(self) -> int:
        """How many sessions here come by a link."""
        return sum(isinstance(session.transport, LinkTransport) for session in self._lobby.sessions)

    async def take(self, state: Handover, transport: Transport) -> Session:
        """Return a session that goes on here; raises ``Refused``, and ``ValueError`` for a state that is none."""
        lobby = self._lobby
        if not lobby.is_sure or lobby.connected >= lobby.config.connections:
            raise Refused(Code.MOVED, NOT_REACHED)
        if lobby.sanctions.bars_address(state.address):
            raise Refused(Code.NOT_AVAILABLE, "The operator of this server has banned your address.")
        if (fetch := lobby.nodes.fetch) is not None:
            for table in (state.table, *state.watched):
                await fetch(table)
        # Who drains takes those whose table was given to it all the same: they go on with it.
        if lobby.is_stopping or (lobby.is_draining and state.table not in lobby.tables):
            raise Refused(Code.MOVED, NOT_REACHED)
        player = None
        if state.player:
            player = await carried_out(lobby.accounts.taken(state.player, state.stay))
        if state.player and player is None:
            raise Refused(Code.MOVED, NOT_REACHED)
        session = Session(self._dispatcher, transport)
        session.restore(state)
        if player is not None:
            self._attach(session, player, state)
        lobby.sessions.enter(session)
        lobby.counters.handovers["taken"] += 1
        return session

    def _attach(self, session: Session, player: Player, state: Handover) -> None:
        player.token = state.token
        player.muted, player.avoided = dict(state.muted), dict(state.avoided)
        self._lobby.attach(session, player)

    def begin(self, session: Session, state: Handover) -> None:
        """Let a session do what it came for; who has a seat here, or watched before, sees the table first.

        Where others are still on the way to its table, it waits for them.
        """
        player, tables = session.player, self._lobby.tables
        if player is None:
            session.go_on(state)
            return
        table = tables.of(player)
        waits = table is not None and table.is_arriving and not state.line
        if not waits:
            self._lobby.welcome_back(player)
        for watched in [tables[each] for each in state.watched if each in tables]:
            watched.guarded(partial(watched.watch_again, player))()
        if table is not None and waits:
            self._wait_for_others(table, session, state)
        else:
            session.go_on(state)

    def _wait_for_others(self, table: Table, session: Session, state: Handover) -> None:
        """Let a session go on when its table does, to which others are still on the way."""

        def go_on() -> None:
            session.go_on(state)
            session.resume()

        session.suspend()
        if session.player is not None:
            table.guarded(partial(table.come_along, session.player))()
        table.once_here(go_on)

    # --- for the node

    async def place_of(self, player: str, table: str) -> int | None:
        """Return the node at which a player's session belongs, None where that is not known at the moment."""
        return await self._whereabouts.place_of(player, table) if player else self.number

    @property
    def linked_nodes(self) -> set[int]:
        """The nodes at which the sessions are of those whose front this is."""
        return {relay.linked_node for relay in self.relays if relay.linked_node is not None}

    def leave(self, nodes: Collection[int]) -> None:
        """Look elsewhere for the sessions at nodes that are gone: a machine that has stopped ends no link."""
        for relay in list(self.relays):
            for node in nodes:
                relay.node_gone(node)

    async def tables_moved(self) -> None:
        """Wait until this node has taken tables."""
        await self._moved.wait()

    def note_moves(self) -> None:
        """Let those look again who look for their tables."""
        self._moved.set()
        self._moved = trio.Event()

    def notify(self, notice: Notice) -> None:
        """Say something to all whose connections are here, wherever their sessions are."""
        for relay in list(self.relays):
            relay.notify(notice)
        for session in list(self._lobby.sessions):
            if not isinstance(session.transport, LinkTransport):
                session.send(notice)

    def forget(self, relay: Relay) -> None:
        """Count out a relay that ends; harmless where it is not counted."""
        self.relays.pop(relay, None)
        self._lobby.note_departure()

    def stop(self, reply: Bye) -> None:
        """Say goodbye to those whose front this is; let those whose session is here be taken elsewhere."""
        for relay in list(self.relays):
            relay.close(reply)
        for session in list(self._lobby.sessions):
            if isinstance(session.transport, LinkTransport):
                session.transport.abandon()
                self._lobby.sessions.leave(session)
                session.retire()


def _refused(link: FrontLink) -> Refused:
    """Return why a node has not taken a session."""
    code, sentence = link.refusal
    known = Code(code) if code in Code.__members__ else Code.MOVED
    return Refused(known, sentence or NOT_REACHED)
