"""Tables of programs that play at several nodes throughout a test, whatever is done to the nodes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Final

import trio

from golfnet.storage.postgres import open_reads
from tests.e2e.cluster.nodes import Node, Nodes, until
from tests.e2e.served import Play
from tests.e2e.witness import Witness

OPEN: Final = "four-turn holes=1 pause=1 clock=20"
"""Matches so short that some begin and end in every test."""

SILENT_SECONDS: Final = 1.0
"""After this time without an event, a player looks at the table, since its last command may have been refused."""


class Scene(Play):
    """One test's players, each with the node that it connects to, and what they were told."""

    def __init__(self, nodes: Nodes, nursery: trio.Nursery) -> None:
        super().__init__(nursery)
        self.nodes = nodes
        self.homes: dict[Witness, Node] = {}

    async def open(self, *homes: Node) -> None:
        """Seat a player connected to each given node at a new table of the first node, and wait until they play."""
        players = await self.seat(OPEN, *[home.service.port for home in homes])
        for player, home in zip(players, homes, strict=True):
            self.homes[player] = home
            self.nursery.start_soon(self._keep_looking, player)
        await self.all_act()

    async def _keep_looking(self, player: Witness) -> None:
        while True:
            known = len(player.seen)
            await trio.sleep(SILENT_SECONDS)
            if player.table and len(player.seen) == known:
                await player.look()

    def owner(self) -> Node:
        """Return the node that owns one of the tables, chosen at random."""
        number = self.nodes.owners()[self.chance.choice([*self.homes]).table]
        return next(node for node in self.nodes.all if node.number == number)

    def avoid(self, node: Node) -> list[Witness]:
        """Have the players of a node use other nodes for their next connections; return these players."""
        there = [player for player, home in self.homes.items() if home is node]
        for player in there:
            home = self.homes[player] = self.chance.choice(
                [each for each in self.nodes.all if each.is_well and each is not node]
            )
            player.port = home.service.port
        return there

    async def exits(self, node: Node, status: int) -> None:
        await until(lambda: node.service.process.poll() is not None, f"the end of node {node.number}")
        assert node.service.process.poll() == status

    def missing(self) -> list[str]:
        """Return what players were told but the database does not contain, and the records that do not verify."""
        with closing(open_reads(self.nodes.url)) as reads:
            return self.told.missing(reads)


@asynccontextmanager
async def open_scene(nodes: Nodes, count: int) -> AsyncIterator[Scene]:
    """Start nodes, and have a player of each node play at one table; stop all nodes at the end."""
    with closing(nodes):
        nodes.start_together(count)
        async with trio.open_nursery() as nursery:
            scene = Scene(nodes, nursery)
            await scene.open(*nodes.all)
            yield scene
            nursery.cancel_scope.cancel()
