"""A real server with two tables of players, who play for as long as a test takes."""

from __future__ import annotations

import random
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from tests.crash.player import Player
from tests.crash.told import Told
from tests.e2e.service import Service, free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

FLAGS: Final = ("--commands-per-second", "100000", "--house-delay", "0", "--drain-time", "0")


class Served:
    """A server on a database, what its players were told, and what can be done to it."""

    def __init__(
        self, database: Path, nursery: trio.Nursery, env: Mapping[str, str] | None, flags: tuple[str, ...]
    ) -> None:
        self.database = database
        self.told = Told()
        self.players: list[Player] = []
        self._start = partial(Service, "--db", str(database), *FLAGS, *flags, env=env)
        self._nursery = nursery
        self.server = self._start(port=free_port())

    @property
    def process(self) -> int:
        """The id of the server's process."""
        return self.server.process.pid

    async def seat(self) -> None:
        """Seat four players, and wait until they play."""
        chance = random.Random(3)
        for variant in ("four-turn", "six-card"):
            host, guest = (
                Player(self.server.port, f"{who}-{variant}", chance, self.told) for who in ("h", "g")
            )
            self._nursery.start_soon(host.run, f"create {variant} seats=2 holes=1 pause=0")
            with trio.fail_after(30):
                await host.is_seated.wait()
            self._nursery.start_soon(guest.run, f"join {host.table}")
            self.players += [host, guest]
        await self.all_act()

    async def all_act(self) -> None:
        """Wait until play goes on at both tables."""
        for player in self.players:
            await player.acts()

    async def all_pause(self, times: int = 1) -> None:
        """Wait until everybody is told of so many pauses, and nobody of anything that happens."""
        for player in self.players:
            await player.is_told("PAUSED", times)
        told = self.told.copies
        await trio.sleep(0.1)
        assert self.told.copies == told, "told of something while nothing could be stored"

    async def stop(self, *, kill: bool = False) -> int:
        """End the server and return its exit status."""
        return await trio.to_thread.run_sync(partial(self.server.stop, kill=kill))

    async def start(self) -> None:
        """Start the server again, on the same port."""
        self.server = await trio.to_thread.run_sync(partial(self._start, port=self.server.port))


@asynccontextmanager
async def served(database: Path, env: Mapping[str, str] | None = None, *flags: str) -> AsyncIterator[Served]:
    """Run a server with players, and stop it; whatever was done to it, it has said so without a traceback."""
    async with trio.open_nursery() as nursery:
        run = Served(database, nursery, env, flags)
        try:
            await run.seat()
            yield run
            nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await run.stop()
    assert "Traceback" not in run.server.printed
