"""Looking after the tables of all nodes, again and again, as long as this node lives.

What stays true: a node that is not sure of itself, or waits long for an answer, judges nobody; one that drains takes
nothing but what was given to it.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.protocol.errors import Refused
from golfnet.server.lookups import carried_out

if TYPE_CHECKING:
    from collections.abc import Collection

    from golfnet.server.links.links import Links
    from golfnet.server.lobby import Lobby
    from golfnet.server.nodes import Lease
    from golfnet.server.ownership.taking import Taking
    from golfnet.storage.directory import NodeState, SharedDirectory


class _Seen(NamedTuple):
    """The last batch of a node, and since when it has been the last (seconds of this node's clock)."""

    batch: int
    since: float


class Watch:
    """What the node ``here`` has seen of the others."""

    def __init__(self, here: int, lease: float) -> None:
        self._here = here
        self._lease = lease
        self._seen: dict[int, _Seen] = {}

    def forget(self) -> None:
        """Begin anew, because nothing can be concluded from the time before now."""
        self._seen.clear()

    def silent(self, nodes: Collection[NodeState], now: float) -> list[NodeState]:
        """Return those that have been silent for a lease, as they were seen now."""
        before, self._seen = self._seen, {}
        silent = []
        for node in nodes:
            if node.node == self._here:
                continue
            seen = before.get(node.node)
            if seen is None or seen.batch != node.batch or node.is_writing:
                seen = _Seen(node.batch, now)
            elif now - seen.since >= self._lease:
                silent.append(node)
            self._seen[node.node] = seen
        return silent


LOOKS: Final = 8
"""Looks in a lease."""

ANSWER: Final = 0.25
"""The part of a lease within which the database has to answer, so that silence means something."""

LET_OTHERS_SECONDS: Final = 0.2
"""How long a node that has as many tables as it may have leaves tables to others, and less with fewer."""

log = logging.getLogger(__name__)


class Lookout:
    """One node that looks after the others."""

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
        """Look until cancelled."""
        while True:
            await trio.sleep(self._lease.seconds / LOOKS)
            try:
                await self._look()
            except Refused:
                self._watch.forget()  # what could not be asked says nothing about anybody

    async def _look(self) -> None:
        """Look once; raises ``Refused``."""
        ask, began = self._lobby.nodes.asked, trio.current_time()
        linked = self._links.linked_nodes  # who is linked has become a node before the look
        look = await carried_out(ask(self._directory.look))
        self._links.leave(linked - {node.node for node in look.nodes})
        are_waiting, now = look.are_tables_waiting, trio.current_time()
        if now - began > ANSWER * self._lease.seconds or not self._lease.is_sure():
            self._watch.forget()
            return
        for silent in self._watch.silent(look.nodes, now):
            if await carried_out(ask(partial(self._directory.declare_gone, silent))):
                self._note_gone(silent)
                are_waiting = True
        if are_waiting:
            await self._take(now)

    def _note_gone(self, node: NodeState) -> None:
        log.warning("node %d (%s) is silent, so it was declared gone", node.node, node.name)
        self._lobby.counters.nodes_declared_gone += 1
        self._links.leave({node.node})

    async def _take(self, since: float) -> None:
        """Take tables, the later the more there are here; raises ``Refused``."""
        lobby = self._lobby
        await trio.sleep(LET_OTHERS_SECONDS * min(1.0, len(lobby.tables) / lobby.config.tables))
        count = await self._taking.take_all()
        if count:
            log.warning("tables that go on here now: %d (%.2f s)", count, trio.current_time() - since)
            self._links.note_moves()
