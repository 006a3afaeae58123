"""Bots at a server in memory, in virtual time, through the public protocol."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import trio
import trio.testing

from golfnet.bots.levels import make_bot
from golfnet.cli.bot.client import BotClient
from golfnet.cli.bot.runner import BotRunner
from golfnet.engine.events import EVENTS
from golfnet.protocol.replies.replies import Error, Happened
from golfnet.protocol.witness import Witness
from tests.server.house import serve_stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.bots.bot import Bot
    from golfnet.cli.bot.task import Task
    from golfnet.engine.events import Event
    from golfnet.engine.rules import RuleSet
    from golfnet.protocol.conversation import Told
    from tests.server.house import House


async def at_once(act: Callable[[float], str | None], now: float) -> str | None:
    """Think here and now: a thread would take real time, and virtual time would not wait for it."""
    return act(now)


class Heard(BotClient):
    """A visit that keeps what it was refused, and what it was told of play."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.refusals: list[tuple[str | None, str]] = []
        self.played: list[Event] = []

    def hear(self, told: Told, now: float) -> None:
        if isinstance(told, Error):
            self.refusals.append((self._pending, told.code))
        elif isinstance(told, Happened) and told.event.name in EVENTS:
            self.played.append(told.event)  # type: ignore[arg-type]
        super().hear(told, now)


class Stranger:
    """One bot and its way to a house; ``cut`` loses the connection, ``is_down`` lets no new one come about."""

    def __init__(
        self,
        house: House,
        errand: Task,
        *,
        level: str = "easy",
        names: tuple[str, ...] = ("Ann",),
        hurries: bool = True,
        make: Callable[[RuleSet], Bot] | None = None,
        seals: bool = False,
    ) -> None:
        self.house = house
        self.told: list[str] = []
        self.is_down = False
        self.attempts: list[float] = []
        chance = random.Random(names[0])
        self.witness = Witness(entropy=chance.randbytes) if seals else None
        self.visit = Heard(
            errand,
            names,
            make or (lambda rules: make_bot(level, rules, chance)),
            hurries=hurries,
            witness=self.witness,
        )
        self.link = BotRunner(self._connect, self.visit, name=names[0], tell=self.told.append, think=at_once)
        self._stream: trio.abc.Stream | None = None

    async def cut(self) -> None:
        """Lose the connection."""
        assert self._stream is not None
        await trio.aclose_forcefully(self._stream)
        await trio.testing.wait_all_tasks_blocked()

    async def _connect(self) -> trio.abc.Stream:
        self.attempts.append(trio.current_time())
        if self.is_down:
            raise ConnectionRefusedError(111, "Connection refused")
        here, self._stream = trio.testing.memory_stream_pair()
        self.house.nursery.start_soon(partial(serve_stream, self.house.dispatcher, self._stream, "127.0.0.1"))
        return here
