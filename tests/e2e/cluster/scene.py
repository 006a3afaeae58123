"""Tables of programs that play at several nodes throughout a test, whatever is done to the nodes."""

from __future__ import annotations

import random
import time
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING, Final

import trio

from golfnet.storage.postgres import open_reads
from tests.e2e.cluster.nodes import until
from tests.e2e.service import PATIENCE
from tests.e2e.told import Told
from tests.e2e.witness import Witness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.e2e.cluster.nodes import Node, Nodes

OPEN: Final = "create four-turn seats={} holes=1 pause=1 clock=20"
"""Matches so short that some begin and end in every test."""

SILENT_SECONDS: Final = 1.0
"""After this time without an event, a player looks at the table, since its last command may have been refused."""


class Scene:
    """One test's players, each with the node that it connects to, and what they were told."""

    def __init__(self, nodes: Nodes, nursery: trio.Nursery) -> None:
        self.nodes = nodes
        self.homes: dict[Witness, Node] = {}
        self.chance = random.Random(1)
        self.told = Told()
        self._nursery = nursery

    async def seat(self, *homes: Node) -> None:
        """Seat a player for each of the given nodes at a new table of the first one, and wait until they play.

        The host starts no match before all have joined, since latecomers can hardly get in between two matches.
        """
        unique, errand = time.monotonic_ns() % 10**10, OPEN.format(len(homes))
        players: list[Witness] = []
        for home in homes:
            player = Witness(home.service.port, f"p{len(players)}x{unique}", self.chance, self.told)
            self.homes[player] = home
            players.append(player)
            players[0].is_patient = True
            self._nursery.start_soon(player.run, errand)
            self._nursery.start_soon(self._keep_looking, player)
            with trio.fail_after(PATIENCE):
                await player.is_seated.wait()
            errand = f"join {players[0].table}"
        players[0].is_patient = False
        await players[0].look()
        await self.goes_on()

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
        """Wait until a node exits with this status."""
        await until(lambda: node.service.process.poll() is not None, f"the end of node {node.number}")
        assert node.service.process.poll() == status

    async def goes_on(self) -> None:
        """Wait until play continues at all tables."""
        for player in self.homes:
            await player.acts(5)

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
            await scene.seat(*nodes.all)
            yield scene
            nursery.cancel_scope.cancel()
