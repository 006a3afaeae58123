"""Tables of programs that play at several nodes throughout a test, whatever is done to the nodes."""

from __future__ import annotations

import random
import time
from contextlib import asynccontextmanager, closing, suppress
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


class Player(Witness):
    """A program that plays through one node at a time."""

    def __init__(self, name: str, home: Node, chance: random.Random, told: Told) -> None:
        super().__init__(home.service.port, name, chance, told)
        self.home = home

    def prefer(self, home: Node) -> None:
        """Use another node for the next connection."""
        self.home, self.port = home, home.service.port

    async def keep_looking(self) -> None:
        """Look at the table whenever nothing has happened for a while."""
        while True:
            known = len(self.seen)
            await trio.sleep(SILENT_SECONDS)
            if self.table and len(self.seen) == known:
                await self.say("look")

    async def say(self, line: str) -> None:
        """Send a line, if there is a connection."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._send(line)


class Scene:
    """One test's players, and what they were told."""

    def __init__(self, nodes: Nodes, nursery: trio.Nursery) -> None:
        self.nodes = nodes
        self.players: list[Player] = []
        self.chance = random.Random(1)
        self.told = Told()
        self._nursery = nursery

    async def seat(self, *homes: Node) -> None:
        """Seat a player for each of the given nodes at a new table of the first one, and wait until they play.

        The host starts no match before all have joined, since latecomers can hardly get in between two matches.
        """
        unique = time.monotonic_ns() % 10**10
        players = [
            Player(f"p{number}x{unique}", home, self.chance, self.told) for number, home in enumerate(homes)
        ]
        host, *guests = players
        host.is_patient = True
        await self._start(host, OPEN.format(len(homes)))
        for guest in guests:
            await self._start(guest, f"join {host.table}")
        host.is_patient = False
        await host.say("look")
        await self.goes_on()

    async def _start(self, player: Player, errand: str) -> None:
        self.players.append(player)
        self._nursery.start_soon(player.run, errand)
        self._nursery.start_soon(player.keep_looking)
        with trio.fail_after(PATIENCE):
            await player.is_seated.wait()

    def owner(self) -> Node:
        """Return the node that owns one of the tables, chosen at random."""
        number = self.nodes.owners()[self.chance.choice(self.players).table]
        return next(node for node in self.nodes.all if node.number == number)

    def avoid(self, node: Node) -> list[Player]:
        """Have the players of a node use other nodes for their next connections; return these players."""
        there = [player for player in self.players if player.home is node]
        for player in there:
            player.prefer(self.chance.choice([each for each in self.nodes.well if each is not node]))
        return there

    async def exits(self, node: Node, status: int) -> None:
        """Wait until a node exits with this status."""
        await until(lambda: node.status is not None, f"the end of {node.name}")
        assert node.status == status

    async def goes_on(self) -> None:
        """Wait until play continues at all tables."""
        for player in self.players:
            await player.acts(5)

    def missing(self) -> list[str]:
        """Return what players were told that is not in the database, and what does not verify there."""
        with closing(open_reads(self.nodes.url)) as reads:
            return self.told.missing(reads)


@asynccontextmanager
async def open_scene(nodes: Nodes) -> AsyncIterator[Scene]:
    """Have players play on several nodes."""
    async with trio.open_nursery() as nursery:
        scene = Scene(nodes, nursery)
        try:
            yield scene
        finally:
            nursery.cancel_scope.cancel()
