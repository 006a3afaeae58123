"""Which node owns which tables: ``Watch`` sees which nodes are gone, ``Taking`` and ``give_once_drained`` move tables.

Invariants: a table is on one node at a time, and moves only by a transaction in the database. A node whose own
heartbeats are not stored, or whose queries take too long, declares no other node gone. A draining node takes no tables
except those that it has been given.
"""

import logging
from collections.abc import Collection, Mapping
from functools import partial
from math import inf
from typing import Final, NamedTuple

import trio

from golfnet.protocol.errors import Refused
from golfnet.protocol.replies.replies import Notice
from golfnet.server.links.link_transport import LinkTransport, caller_of
from golfnet.server.links.links import Links
from golfnet.server.links.relay import release
from golfnet.server.lobby import Lobby
from golfnet.server.nodes import Lease, TablesWait
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table
from golfnet.server.tables import match_in, players_in
from golfnet.storage.directory import ClusterLook, NodeState
from golfnet.storage.postgres.directory import PostgresDirectory
from golfnet.storage.store import TableLog
from golfnet.storage.writes import PlayerRow

TAKEN_AT_ONCE: Final = 60
"""Number of tables taken in one transaction: few enough that other nodes get their share."""

RESTORED_AT_ONCE: Final = 10
"""Number of tables restored before other work gets its turn: takes a few milliseconds."""


class _Taken(NamedTuple):
    """A few tables, with the data needed to restore them."""

    logs: tuple[TableLog, ...]
    players: Mapping[str, PlayerRow]
    stored: frozenset[str]
    """Matches at these tables whose results are stored."""
    stays: Mapping[str, int]
    """The stay numbers of players who are on this node from now on."""


class Taking:
    """How one node takes tables: those of nodes that are gone, and those that other nodes have given to it.

    Invariants: a table that this node owns in the database is restored here exactly once, even if the answer from the
    database was lost; other work gets its turn after every few tables.
    """

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._turn = trio.Lock()
        """Held while tables are taken, since two tasks taking tables at once could restore a table twice."""
        self._unsettled: set[str] = set()
        """Tables restored here, and perhaps closed again, by writes that the database has not stored yet."""

    async def take_all(self) -> int:
        """Take all available tables; return their number. Raise ``Refused``."""
        count = 0
        async with self._turn:
            while True:
                known = self._unsettled.union(self._lobby.tables)
                taken = await self._lobby.nodes.ask(partial(self._read, known))
                if not taken.logs:
                    return count
                for first in range(0, len(taken.logs), RESTORED_AT_ONCE):
                    count += self._restore(taken, taken.logs[first : first + RESTORED_AT_ONCE])
                    await trio.lowlevel.checkpoint()

    async def fetch(self, table: str) -> None:
        """Wait for any take in progress, and restore a table here if this node owns it.

        Raise ``Refused`` if the owner cannot be determined; an arriving player would then find no seat here.
        """
        if table and table not in self._lobby.tables:
            await self.take_all()
        elif self._turn.locked():
            async with self._turn:
                pass

    def _read(self, known: Collection[str], directory: PostgresDirectory) -> _Taken:
        """Take a few tables, and read their stored data; called as a query."""
        store = self._lobby.store
        logs = directory.take_tables(TAKEN_AT_ONCE, known)
        ids = {player for taken in logs for player in players_in(taken)}
        matches = {match_in(taken) for taken in logs}
        kept = directory.keep(ids) if ids else {}
        return _Taken(logs, store.players(ids), store.stored_matches(matches), kept)

    def _restore(self, taken: _Taken, logs: Collection[TableLog]) -> int:
        """Restore some of the tables, and reconnect those of their players who are already here."""
        lobby, ids = self._lobby, {player for logged in logs for player in players_in(logged)}
        tables = [lobby.tables.take(logged, taken.players, taken.stored) for logged in logs]
        for player in [one for one in lobby.accounts if one.id in ids]:
            if player.table in tables:
                lobby.settle_in(player, taken.stays.get(player.id))
            else:
                lobby.accounts.depart(player)  # does nothing if the player has another reason to be here
        lobby.counters.tables_taken += sum(not logged.was_given for logged in logs)
        taken_here = {logged.table for logged in logs}
        self._unsettled |= taken_here
        lobby.gate.once_shown(lobby.gate.issued, partial(self._unsettled.difference_update, taken_here))
        return sum(table is not None for table in tables)


class _Seen(NamedTuple):
    """The latest batch seen of a node, and ``since``, the time on this node's clock when it was first seen."""

    batch: int
    since: float
    connection: int
    """The number of our own connection that last saw the node connected, 0 if none did."""
    lost: float
    """When that connection first saw the node disconnected; infinity if it did not."""


class Watch:
    """What the node ``here`` has observed about the others."""

    def __init__(self, here: int, lease: float) -> None:
        self._here = here
        self._lease = lease
        self._seen: dict[int, _Seen] = {}
        self._looked = 0.0
        """When it looked last."""

    def forget(self) -> None:
        """Start afresh, because nothing can be concluded from earlier observations."""
        self._seen.clear()

    def silent(self, look: ClusterLook, now: float) -> list[tuple[NodeState, bool]]:
        """Return the nodes that may be declared gone, each with whether it has lost its connections.

        They have been silent for a lease, or disconnected for ``LOST_SECONDS``. If one turns out to be alive, its lease
        starts afresh.

        A node counts as disconnected only if the same connection of this node saw it connected before. A restart of the
        database ends this node's connection too, and then the other nodes must have time to reconnect. If the last look
        was long ago, this node was suspended or the database too slow, which proves nothing about others.
        """
        if now - self._looked > CONCLUSIVE * self._lease:
            self.forget()
        before, self._seen, self._looked = self._seen, {}, now
        silent = []
        for node in look.nodes:
            if node.node == self._here:
                continue
            seen = before.get(node.node, _Seen(node.batch, now, 0, inf))
            since = seen.since if seen.batch == node.batch else now
            connection, lost = seen.connection, seen.lost
            if node.is_connected:
                connection, lost = look.connection, inf
            elif connection == look.connection:
                lost = min(lost, now)
            is_lost = connection == look.connection and now - lost >= LOST_SECONDS
            if is_lost or now - since >= self._lease:
                silent.append((node, is_lost))
            else:
                self._seen[node.node] = _Seen(node.batch, since, connection, lost)
        return silent

    def seconds_to_wait(self, now: float) -> float:
        """Return the seconds until the next look."""
        if any(seen.lost < inf for seen in self._seen.values()):
            return LOST_SECONDS
        usual = self._lease / LOOKS
        if self._seen:
            usual = min(usual, (1 + len(self._seen)) * LOOK_SECONDS)
        ends = [seen.since + self._lease - now for seen in self._seen.values()]
        return max(SOON_SECONDS, min([usual, *ends]))


LOOKS: Final = 3
"""How many times each node looks per lease, at least."""

LOOK_SECONDS: Final = 0.15
"""Seconds between looks by any of a few nodes; the more nodes there are, the less often each one looks."""

LOST_SECONDS: Final = 0.25
"""How long a node may be disconnected; a node whose connections were merely cut reconnects in a tenth of that time."""

SOON_SECONDS: Final = 0.05
"""Minimum number of seconds between looks."""

CONCLUSIVE: Final = 0.5
"""The fraction of a lease in which a node must have looked before, and its own heartbeat must have been stored, for it
to conclude anything about others. Otherwise the database may be storing nothing from anybody."""

LET_OTHERS_SECONDS: Final = 0.2
"""How long a node with the maximum number of tables lets others go first; a node with fewer tables waits less."""

log = logging.getLogger(__name__)


async def keep_looking(lobby: Lobby, lease: Lease, links: Links, taking: Taking) -> None:
    """Look at the other nodes repeatedly until cancelled, and at once when one of them declares another gone."""
    watch = Watch(lobby.nodes.number, lease.seconds)
    while True:
        await lobby.nodes.tables_waiting.wait(watch.seconds_to_wait(trio.current_time()))
        try:
            await _look(lobby, lease, links, taking, watch)
        except Refused:
            watch.forget()  # a failed query says nothing about any node


async def _look(lobby: Lobby, lease: Lease, links: Links, taking: Taking, watch: Watch) -> None:
    linked = links.linked_nodes  # read before the look, which then finds all of them registered
    look = await lobby.nodes.ask(lambda directory: directory.look())
    links.leave(linked - {node.node for node in look.nodes})
    are_waiting, now = look.are_tables_waiting, trio.current_time()
    if lease.age > CONCLUSIVE * lease.seconds:
        watch.forget()
        return
    for silent, is_lost in watch.silent(look, now):
        if await lobby.nodes.ask(lambda directory: directory.declare_gone(silent, is_lost=is_lost)):  # noqa: B023
            why = "has lost its connections to the database" if is_lost else "is silent"
            log.warning("node %d (%s) %s, so it has been declared gone", silent.node, silent.name, why)
            lobby.counters.nodes_declared_gone += 1
            lobby.nodes.send(TablesWait())
            links.leave({silent.node})
            are_waiting = True
    if are_waiting:
        await trio.sleep(LET_OTHERS_SECONDS * min(1.0, len(lobby.tables) / lobby.config.tables))
        if count := await taking.take_all():
            log.warning("tables taken over by this node: %d (%.2f s)", count, trio.current_time() - now)
            links.moved.unpark_all()


GIVEN_AT_ONCE: Final = 8
"""Maximum number of tables moving at the same time."""

TOGETHER_SECONDS: Final = 0.25
"""How long a stopping node waits before it gives tables away, so that it learns which other nodes are stopping too."""

REST_SECONDS: Final = 12.0
"""How long to wait for a moment in which a table has no open slam window and its sessions have no work left."""

REST_LOOK_SECONDS: Final = 0.02

LATER_SECONDS: Final = 1.0
"""Seconds between attempts to give tables away: new tables may have arrived, or no node had room."""


async def give_once_drained(lobby: Lobby, links: Links) -> None:
    """Wait until the server starts draining, then give all tables away until cancelled.

    Thus matches continue without this node. Invariants: a table moves between two slam windows; the move is the last
    thing that this node writes about it, and the other node continues it as after a restart. Its players and watchers
    follow, and their input waits meanwhile. If no node can take a table, it stays here, and is taken over once this
    node has stopped. Connections whose socket is here are relayed as long as this node runs.
    """
    await lobby.draining.wait()
    links.notify(Notice(code="SHUTTING_DOWN", text=_DRAINING))
    is_known = False  # whether other nodes know that this node takes no more tables
    while True:
        try:
            if not is_known:
                await lobby.nodes.ask(lambda directory: directory.drain())
                is_known = True
                await trio.sleep(TOGETHER_SECONDS)
            if lobby.tables:
                await _give_all(lobby, links)
        except Refused:
            log.debug("the database is not answering, so the tables stay here for the moment")
        lobby.given_away.set()
        lobby.note_departure()
        await trio.sleep(LATER_SECONDS)


async def _give_all(lobby: Lobby, links: Links) -> None:
    heirs = dict(await lobby.nodes.ask(lambda directory: directory.heirs()))
    if not heirs:
        return
    limiter = trio.CapacityLimiter(GIVEN_AT_ONCE)
    async with trio.open_nursery() as moves:
        for table in list(lobby.tables.values()):
            moves.start_soon(_give, lobby, links, table, heirs, limiter)
    for session in list(lobby.sessions):
        if isinstance(session.transport, LinkTransport):  # ``_send_home`` skips those with a table
            await _send_home(lobby, links, session)


async def _give(
    lobby: Lobby, links: Links, table: Table, heirs: dict[int, int], limiter: trio.CapacityLimiter
) -> None:
    """Give a table to the node with the fewest tables; ``heirs`` are the numbers of tables on all nodes."""
    async with limiter:
        with trio.move_on_after(REST_SECONDS):
            while table.id in lobby.tables and not _is_at_rest(table):  # noqa: ASYNC110 -- no one event ends it
                await trio.sleep(REST_LOOK_SECONDS)
        if table.id not in lobby.tables:
            return
        node = min(heirs, key=lambda each: (heirs[each], each))
        heirs[node] += 1
        callers = {session: caller_of(session, table=table.id) for session in _travellers(table)}
        for session in callers:
            session.suspend()
        stored = trio.Event()
        lobby.gate.once_shown(lobby.tables.give(table, node), stored.set)
        await stored.wait()
        log.info("table %s continues on node %d", table.id, node)
        for session, caller in callers.items():
            if session.is_open:
                release(links, session, caller)


def _is_at_rest(table: Table) -> bool:
    """Return whether a table can move: it is between two slam windows, and nobody there waits for an answer."""
    return not table.has_open_window and not any(session.is_suspended for session in _travellers(table))


async def _send_home(lobby: Lobby, links: Links, session: Session) -> None:
    """Move a session without a table back to its front, unless it is busy."""
    player = session.player
    if session.is_suspended or not session.is_open or (player is not None and player.table is not None):
        return
    session.suspend()
    if player is not None:
        ended = [(player.id, player.stay)]
        await lobby.nodes.ask(lambda directory: directory.depart(ended))
    release(links, session, caller_of(session))


def _travellers(table: Table) -> list[Session]:
    watchers = [watcher for watcher in table.watchers.values() if watcher.table is None]
    sessions = [player.session for player in (*table.seating.owners, *watchers)]
    return [session for session in sessions if isinstance(session, Session)]


_DRAINING: Final = (
    "This machine will stop soon. Matches continue on the other machines. "
    "When this connection ends, connect again and type: name NAME, login NAME or resume TOKEN"
)
