"""The failure detector of a cluster: watches the other nodes and their tables for as long as this node is alive.

Invariants: a node with an uncertain lease, or one that has to wait long for an answer, declares nobody gone; a
draining node takes only what it has been given.
"""

from __future__ import annotations

import logging
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.protocol.errors import Refused
from golfnet.server.lookups import carried_out
from golfnet.server.messages import TablesWait, encode

if TYPE_CHECKING:
    from golfnet.server.links.links import Links
    from golfnet.server.lobby import Lobby
    from golfnet.server.nodes import Lease
    from golfnet.server.ownership.taking import Taking
    from golfnet.storage.directory import ClusterLook, NodeState, SharedDirectory


class _Seen(NamedTuple):
    """What was last seen of a node: its latest batch, and when that was first seen (seconds on this node's clock)."""

    batch: int
    since: float
    connection: int
    """The connection that last saw the node connected, 0 if none did."""
    lost: float
    """When this connection first saw the node disconnected."""


class SilentNode(NamedTuple):
    """A node that may be declared gone; ``is_lost`` if it has lost its connections while its lease is still valid."""

    node: NodeState
    is_lost: bool


class Watch:
    """What the node ``here`` has observed about the others."""

    def __init__(self, here: int, lease: float) -> None:
        self._here = here
        self._lease = lease
        self._seen: dict[int, _Seen] = {}

    def forget(self) -> None:
        """Start afresh, because nothing can be concluded from earlier observations."""
        self._seen.clear()

    def silent(self, look: ClusterLook, now: float) -> list[SilentNode]:
        """Return the state of each node that has been silent for a lease, or disconnected for a moment.

        Only a node that was seen connected can lose its connections, and only the connection that saw it can tell: a
        restart of the database ends that connection too, and the other nodes reconnect one by one.
        """
        before, self._seen = self._seen, {}
        silent = []
        for node in look.nodes:
            if node.node == self._here:
                continue
            since, by, lost = now, 0, inf
            if (seen := before.get(node.node)) is not None:
                since, by, lost = seen[1:] if seen.batch == node.batch else (now, *seen[2:])
            if node.is_connected:
                by, lost = look.connection, inf
            elif by == look.connection:
                lost = min(lost, now)
            is_lost = by == look.connection and now - lost >= LOST_SECONDS
            if is_lost or now - since >= self._lease:
                silent.append(SilentNode(node, is_lost))
            self._seen[node.node] = _Seen(node.batch, since, by, lost)
        return silent

    def spare(self, node: NodeState) -> None:
        """Restart the lease of a node that has turned out to be alive."""
        self._seen.pop(node.node, None)

    def rest(self, now: float) -> float:
        """Return the time until the next look."""
        if any(seen.lost < inf for seen in self._seen.values()):
            return LOST_SECONDS
        usual = self._lease / LOOKS
        if self._seen:
            usual = min(usual, (1 + len(self._seen)) * LOOK_SECONDS)
        ends = [seen.since + self._lease - now for seen in self._seen.values()]
        return max(SOON_SECONDS, min([usual, *ends]))


LOOKS: Final = 3
"""Minimum number of looks at each node per lease."""

LOOK_SECONDS: Final = 0.15
"""Seconds between looks by any of a few nodes; the more nodes there are, the less often each looks."""

LOST_SECONDS: Final = 0.25
"""How long a node may be disconnected: if only its connections were cut, it reconnects in a tenth of that."""

SOON_SECONDS: Final = 0.05
"""Minimum number of seconds between looks."""

ANSWER: Final = 0.25
"""The fraction of a lease within which the database has to answer for silence to mean anything."""

LET_OTHERS_SECONDS: Final = 0.2
"""How long a node with the maximum number of tables leaves tables to others; less if it has fewer."""

log = logging.getLogger(__name__)


class Lookout:
    """The failure detector of one node."""

    def __init__(
        self, lobby: Lobby, lease: Lease, links: Links, directory: SharedDirectory, taking: Taking
    ) -> None:
        self._lobby = lobby
        self._lease = lease
        self._links = links
        self._directory = directory
        self._taking = taking
        self._watch = Watch(directory.node, lease.seconds)

    async def keep_looking(self) -> None:
        """Look repeatedly until cancelled; at once if another node has declared one gone."""
        while True:
            with trio.move_on_after(self._watch.rest(trio.current_time())):
                await self._lobby.nodes.tables_wait()
            try:
                await self._look()
            except Refused:
                self._watch.forget()  # a failed query says nothing about any node

    async def _look(self) -> None:
        """Look once; raises ``Refused``."""
        nodes, began = self._lobby.nodes, trio.current_time()
        linked = self._links.linked_nodes  # a linked node has registered before the look
        look = await carried_out(nodes.asked(self._directory.look))
        self._links.leave(linked - {node.node for node in look.nodes})
        are_waiting, now = look.are_tables_waiting, trio.current_time()
        if now - began > ANSWER * self._lease.seconds or not self._lease.is_sure():
            self._watch.forget()
            return
        for silent, is_lost in self._watch.silent(look, now):
            declare = partial(self._directory.declare_gone, silent, is_lost=is_lost)
            if await carried_out(nodes.asked(declare)):
                self._note_gone(
                    silent, "has lost its connections to the database" if is_lost else "is silent"
                )
                are_waiting = True
            else:
                self._watch.spare(silent)
        if are_waiting:
            await self._take(now)

    def _note_gone(self, node: NodeState, why: str) -> None:
        log.warning("node %d (%s) %s, so it has been declared gone", node.node, node.name, why)
        self._lobby.counters.nodes_declared_gone += 1
        self._lobby.nodes.bus.send(encode(TablesWait()))
        self._links.leave({node.node})

    async def _take(self, since: float) -> None:
        """Take tables, later if there are already many here; raises ``Refused``."""
        lobby = self._lobby
        await trio.sleep(LET_OTHERS_SECONDS * min(1.0, len(lobby.tables) / lobby.config.tables))
        count = await self._taking.take_all()
        if count:
            log.warning("tables taken over by this node: %d (%.2f s)", count, trio.current_time() - since)
            self._links.note_moves()
