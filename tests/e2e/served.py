"""A real server with tables of witnesses, who play throughout a test, whatever is done to the server."""

from __future__ import annotations

import random
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import trio

from tests.e2e.service import PATIENCE, Service, free_port
from tests.e2e.told import Told
from tests.e2e.witness import Witness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping


class Served:
    """A server, what its players were told, and what can be done to it."""

    def __init__(self, nursery: trio.Nursery, start: Callable[..., Service]) -> None:
        self.told = Told()
        self.players: list[Witness] = []
        self._start = start
        self._nursery = nursery
        self._chance = random.Random(3)
        self.server = start(port=free_port())

    @property
    def process(self) -> int:
        """The id of the server's process."""
        return self.server.process.pid

    async def open(self, create: str) -> Witness:
        """Seat two players at a new table, and return its host."""
        number = len(self.players) // 2
        host, guest = (
            Witness(self.server.port, f"{who}{number}", self._chance, self.told) for who in ("Ann", "Bob")
        )
        self._nursery.start_soon(host.run, f"create {create} seats=2")
        with trio.fail_after(PATIENCE):
            await host.is_seated.wait()
        self._nursery.start_soon(guest.run, f"join {host.table}")
        self.players += [host, guest]
        return host

    async def all_act(self) -> None:
        """Wait until play continues at all tables."""
        for player in self.players:
            await player.acts()

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
        """Stop the server and return its exit status."""
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
