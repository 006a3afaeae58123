"""Giving tables away: what a node of several does before it stops, so that matches go on without it.

What stays true: a table goes to another node as the last thing that this one writes of it, between two slam windows;
those who sit or watch there follow it over a link, and what they send meanwhile waits. Where nobody can take a table it
stays, and is taken when this node has gone. A connection whose socket is here is relayed until this node stops.
"""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.replies import Notice
from golfnet.server.links.link_transport import LinkTransport
from golfnet.server.links.relay import MOVING
from golfnet.server.lookups import carried_out
from golfnet.server.session.session import Session

if TYPE_CHECKING:
    from golfnet.server.links.links import Links
    from golfnet.server.lobby import Lobby
    from golfnet.server.table.table import Table
    from golfnet.storage.directory import SharedDirectory

AT_ONCE: Final = 8
"""Tables that move at the same time."""

TOGETHER_SECONDS: Final = 0.25
"""How long a node waits for others that stop with it: then it gives them nothing."""

REST_SECONDS: Final = 12.0
"""How long a table may take to come between two slam windows, and a session to end what it is doing."""

LOOK_SECONDS: Final = 0.02

FOLLOW_SECONDS: Final = 10.0
"""How long it is tried to let a session follow its table."""

RETRY_SECONDS: Final = 0.25

LATER_SECONDS: Final = 1.0
"""After how long it is looked again for tables: one may have been on its way here, or nobody there to take it."""

log = logging.getLogger(__name__)


class Giving:
    """How one node gives its tables away."""

    def __init__(self, lobby: Lobby, links: Links, directory: SharedDirectory) -> None:
        self._lobby = lobby
        self._links = links
        self._directory = directory
        self._is_known = False
        """Whether other nodes know that this one takes nothing any more."""
        self._heirs: dict[int, int] = {}
        """How many tables each node has that takes some."""

    async def once_drained(self) -> None:
        """Wait until the server drains, then give everything away."""
        lobby = self._lobby
        await lobby.draining.wait()
        self._links.notify(Notice(code="SHUTTING_DOWN", text=_DRAINING))
        while True:
            try:
                await self._give_all()
            except Refused:
                log.debug("the database does not answer, so the tables stay here for the moment")
            lobby.given_away.set()
            lobby.note_departure()
            await trio.sleep(LATER_SECONDS)

    async def _give_all(self) -> None:
        nodes, directory = self._lobby.nodes, self._directory
        if not self._is_known:
            await carried_out(nodes.asked(directory.drain))
            await trio.sleep(TOGETHER_SECONDS)
            self._is_known = True
        if not self._lobby.tables:
            return
        self._heirs = dict(await carried_out(nodes.asked(directory.heirs)))
        if not self._heirs:
            return
        limiter = trio.CapacityLimiter(AT_ONCE)
        async with trio.open_nursery() as moves:
            for table in list(self._lobby.tables.values()):
                moves.start_soon(self._give, table, limiter)
        for session in list(self._lobby.sessions):
            if isinstance(session.transport, LinkTransport):  # who comes by a link needs this node no more
                await self._send_on(session)

    def _lightest(self) -> int:
        """Return the node with the fewest tables, and count one more for it."""
        node = min(self._heirs, key=lambda each: (self._heirs[each], each))
        self._heirs[node] += 1
        return node

    async def _give(self, table: Table, limiter: trio.CapacityLimiter) -> None:
        """Give one table away, with those who sit or watch there."""
        lobby = self._lobby
        async with limiter:
            with trio.move_on_after(REST_SECONDS):
                while not self._is_at_rest(table):  # noqa: ASYNC110 -- a slam window ends in many ways
                    await trio.sleep(LOOK_SECONDS)
            if table.id not in lobby.tables:
                return
            node, travellers = self._lightest(), _travellers(table)
            table.notify(Notice(code="MOVING", text=MOVING))
            for each in travellers:
                each.session.suspend()
            stored = trio.Event()
            lobby.gate.once_shown(lobby.tables.give(table, node), stored.set)
            await stored.wait()
            log.info("table %s goes on at node %d", table.id, node)
            async with trio.open_nursery() as follow:
                for each in travellers:
                    follow.start_soon(self._let_follow, each, node)

    def _is_at_rest(self, table: Table) -> bool:
        """Tell whether a table has all its people, is between two slam windows, and nobody waits for an answer."""
        if table.id not in self._lobby.tables:
            return True
        return (
            table.can_move
            and not table.is_arriving
            and not any(each.session.is_suspended for each in _travellers(table))
        )

    async def _let_follow(self, traveller: _Traveller, node: int) -> None:
        """Let a suspended session go on where its table is; where that cannot be done, say goodbye."""
        session, player, table, watched = traveller
        with trio.move_on_after(FOLLOW_SECONDS):
            while session.is_open:
                if node == self._directory.node:  # two that stop have given it to each other
                    session.resume()
                    return
                try:
                    await self._links.hand_over(session, None, node, table=table, watched=watched)
                    return
                except Refused as refused:
                    log.info("a player cannot follow table %s yet: %s", table, refused)
                await trio.sleep(RETRY_SECONDS)
                with contextlib.suppress(Refused):
                    node = await self._links.place_of(player, table) or node
        session.close(Code.MOVED, _LEFT_BEHIND)

    async def _send_on(self, session: Session) -> None:
        """Let a session without a table go on at a node that stays, if it is not busy."""
        if session.is_suspended or not session.is_open:
            return
        session.suspend()
        try:
            await self._links.hand_over(session, None, self._lightest())
        except Refused:
            session.resume()


class _Traveller(NamedTuple):
    """A session that follows a table, with its player, and all that it watches."""

    session: Session
    player: str
    table: str
    watched: tuple[str, ...]


def _travellers(table: Table) -> list[_Traveller]:
    """Return those who sit at a table, and those who watch it and sit nowhere."""
    watchers = [watcher for watcher in table.watchers.values() if watcher.table is None]
    return [
        _Traveller(player.session, player.id, table.id, player.watched)
        for player in (*table.seating.owners, *watchers)
        if isinstance(player.session, Session)
    ]


_DRAINING: Final = (
    "This machine of the server will stop soon. Matches go on at the other machines. "
    "When this connection ends, connect again and type: name NAME, login NAME or resume TOKEN"
)

_LEFT_BEHIND: Final = (
    "Your table is at a machine that cannot be reached. "
    "To come back later: name NAME, login NAME or resume TOKEN"
)
