"""Gives tables away: what a node of a cluster does before it stops, so that matches continue without it.

Invariants: the move to another node is the last thing that this node writes about a table, between two slam windows,
and the table continues there as after a restart; its players and watchers follow it, and their input waits meanwhile.
If nobody can take a table, it stays and is taken over once this node has stopped. A connection whose socket is here is
relayed until then.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio
from msgspec.structs import replace

from golfnet.protocol.errors import Refused
from golfnet.protocol.replies.replies import Notice
from golfnet.server.links.callers import caller_of
from golfnet.server.links.link_transport import LinkTransport
from golfnet.server.lookups import carried_out
from golfnet.server.session.session import Session

if TYPE_CHECKING:
    from golfnet.server.links.links import Links
    from golfnet.server.lobby import Lobby
    from golfnet.server.table.table import Table
    from golfnet.storage.directory import SharedDirectory

AT_ONCE: Final = 8
"""Maximum number of tables moving at the same time."""

TOGETHER_SECONDS: Final = 0.25
"""How long a node waits for other nodes that are stopping too, so that it gives them nothing."""

REST_SECONDS: Final = 12.0
"""How long to wait until a table is between two slam windows and its sessions have finished their work."""

LOOK_SECONDS: Final = 0.02

LATER_SECONDS: Final = 1.0
"""Seconds until the next look for tables: one may have been on its way here, or no node could take it."""

log = logging.getLogger(__name__)


class Giving:
    """How one node gives its tables away."""

    def __init__(self, lobby: Lobby, links: Links, directory: SharedDirectory) -> None:
        self._lobby = lobby
        self._links = links
        self._directory = directory
        self._is_known = False
        """Whether other nodes know that this one is not taking any more tables."""
        self._heirs: dict[int, int] = {}
        """The number of tables on each node that accepts more."""

    async def once_drained(self) -> None:
        """Wait until the server starts draining, then give everything away."""
        lobby = self._lobby
        await lobby.draining.wait()
        self._links.notify(Notice(code="SHUTTING_DOWN", text=_DRAINING))
        while True:
            try:
                await self._give_all()
            except Refused:
                log.debug("the database is not answering, so the tables stay here for the moment")
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
            if isinstance(session.transport, LinkTransport):  # it no longer needs this node
                await self._send_home(session)

    def _lightest(self) -> int:
        """Return the node with the fewest tables, and add one to its count."""
        node = min(self._heirs, key=lambda each: (self._heirs[each], each))
        self._heirs[node] += 1
        return node

    async def _give(self, table: Table, limiter: trio.CapacityLimiter) -> None:
        """Give one table away, with its players and watchers."""
        lobby = self._lobby
        async with limiter:
            with trio.move_on_after(REST_SECONDS):
                while not self._is_at_rest(table):  # noqa: ASYNC110 -- a slam window ends in many ways
                    await trio.sleep(LOOK_SECONDS)
            if table.id not in lobby.tables:
                return
            node, travellers = self._lightest(), _travellers(table)
            callers = [(session, caller_of(session)) for session in travellers]
            for session in travellers:
                session.suspend()
            stored = trio.Event()
            lobby.gate.once_shown(lobby.tables.give(table, node), stored.set)
            await stored.wait()
            log.info("table %s continues on node %d", table.id, node)
            for session, caller in callers:
                if session.is_open:
                    self._links.release(session, replace(caller, table=table.id))

    def _is_at_rest(self, table: Table) -> bool:
        """Return whether a table is between two slam windows and nobody there is waiting for an answer."""
        if table.id not in self._lobby.tables:
            return True
        return table.can_move and not any(session.is_suspended for session in _travellers(table))

    async def _send_home(self, session: Session) -> None:
        """Move a session without a table back to its front, unless it is busy."""
        player = session.player
        if session.is_suspended or not session.is_open or (player is not None and player.table is not None):
            return
        session.suspend()
        if player is not None:
            nodes = self._lobby.nodes
            await carried_out(nodes.asked(lambda: self._directory.depart(player.id, player.stay)))
        self._links.release(session, caller_of(session))


def _travellers(table: Table) -> list[Session]:
    """Return the sessions of a table's players, and of those watchers who have no seat anywhere."""
    watchers = [watcher for watcher in table.watchers.values() if watcher.table is None]
    sessions = [player.session for player in (*table.seating.owners, *watchers)]
    return [session for session in sessions if isinstance(session, Session)]


_DRAINING: Final = (
    "This machine will stop soon. Matches go on at the other machines. "
    "When this connection ends, connect again and type: name NAME, login NAME or resume TOKEN"
)
