"""A real server with tables of witnesses, who play throughout a test, whatever is done to the server."""

import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial

import trio

from tests.e2e.service import PATIENCE, Service, free_port
from tests.e2e.told import Told
from tests.e2e.witness import Witness


class Play:
    """Tables of witnesses, and what they were told."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.told = Told()
        self.players: list[Witness] = []
        self.chance = random.Random(1)
        self.nursery = nursery

    async def seat(self, create: str, *ports: int) -> list[Witness]:
        """Seat one player per port at a new table, and return them, the host first.

        The host starts no match before all have joined, since latecomers can hardly get in between two matches.
        """
        errand, seated = f"create {create} seats={len(ports)}", list[Witness]()
        for port in ports:
            player = Witness(port, f"P{len(self.players)}", self.chance, self.told)
            self.players.append(player)
            seated.append(player)
            seated[0].is_patient = True
            self.nursery.start_soon(player.run, errand)
            with trio.fail_after(PATIENCE):
                await player.is_seated.wait()
            errand = f"join {seated[0].table}"
        seated[0].is_patient = False
        await seated[0].look()
        return seated

    async def all_act(self, times: int = 3) -> None:
        """Wait until play continues at all tables."""
        for player in self.players:
            await player.acts(times)


class Served(Play):
    """A server that a test can stop or kill and start again, with tables of witnesses."""

    def __init__(self, nursery: trio.Nursery, start: Callable[..., Service]) -> None:
        super().__init__(nursery)
        self._start = start
        self.server = start(port=free_port())

    @property
    def process(self) -> int:
        return self.server.process.pid

    async def open(self, create: str) -> Witness:
        """Seat two players at a new table, and return its host."""
        return (await self.seat(create, self.server.port, self.server.port))[0]

    async def all_pause(self, times: int = 1) -> None:
        """Wait until everyone has been told of this many pauses; check that nobody is then told anything else."""
        for player in self.players:
            await player.is_told("PAUSED", times)
        told = self.told.copies
        await trio.sleep(0.1)
        assert self.told.copies == told, "players were told of something while nothing could be stored"

    async def finish(self) -> None:
        """Let all matches end, and start no others."""
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as finishing:
                for player in self.players:
                    finishing.start_soon(player.finish)

    async def stop(self, *, kill: bool = False) -> int:
        return await trio.to_thread.run_sync(partial(self.server.stop, kill=kill))

    async def start(self) -> None:
        """Start the server again, on the same port."""
        self.server = await trio.to_thread.run_sync(partial(self._start, port=self.server.port))


@asynccontextmanager
async def served(*flags: str, env: Mapping[str, str] | None = None) -> AsyncIterator[Served]:
    """Run a server, then stop it; check that it never printed a traceback."""
    usual = ("--commands-per-second", "100000", "--house-delay", "0", "--drain-time", "0")
    async with trio.open_nursery() as nursery:
        run = Served(nursery, partial(Service, *usual, *flags, env=env))
        try:
            yield run
            nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await run.stop()
    assert "Traceback" not in run.server.printed
