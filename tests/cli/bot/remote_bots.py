"""Bots that play at an in-memory server, in virtual time, through the public protocol."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import trio
import trio.testing

from golfnet.cli.bot.client import BotClient
from golfnet.cli.bot.command import BotRunner
from golfnet.engine.events import EVENTS
from golfnet.protocol.replies.replies import Error, Happened
from golfnet.protocol.witness import Witness
from golfnet.server.table.bots import make_bot_player, run_inline
from tests.client.tables import a_row
from tests.server.house import serve_stream
from tests.server.witnesses import Victim

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.bots.player import BotPlayer
    from golfnet.cli.bot.player import Task
    from golfnet.connect import ConnectionEvent
    from golfnet.engine.events import Event
    from golfnet.engine.rules import RuleSet
    from tests.server.house import House


ROWS = [
    a_row("t1", state="playing"),
    a_row("t2", taken=4),
    a_row("t3", private=True),
    a_row("t4"),
    a_row("t5"),
]


class RecordingClient(BotClient):
    """A client that records refusals and play events."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.refusals: list[tuple[str | None, str]] = []
        self.played: list[Event] = []

    def receive(self, event: ConnectionEvent, now: float) -> None:
        if isinstance(event, Error):
            self.refusals.append((self._pending, event.code))
        elif isinstance(event, Happened) and event.event.name in EVENTS:
            self.played.append(event.event)  # type: ignore[arg-type]
        super().receive(event, now)


class RemoteBot(Victim):
    """One bot and its connection to a server; ``cut`` closes the connection, and ``is_down`` refuses new ones."""

    def __init__(
        self,
        house: House,
        task: Task,
        *,
        level: str = "easy",
        names: tuple[str, ...] = ("Ann",),
        hurries: bool = True,
        make: Callable[[RuleSet], BotPlayer] | None = None,
        seals: bool = False,
    ) -> None:
        super().__init__()
        self.house = house
        self.notifications: list[str] = []
        self.attempts: list[float] = []
        chance = random.Random(names[0])
        self.witness = Witness(entropy=chance.randbytes, seals=seals)
        self.client = RecordingClient(
            task,
            names,
            make or (lambda rules: make_bot_player(level, rules, chance)),
            hurries=hurries,
            witness=self.witness,
        )
        self.runner = BotRunner(
            self._connect, self.client, notify=self.notifications.append, executor=run_inline
        )
        self._stream: trio.abc.Stream | None = None

    async def cut(self) -> None:
        """Close the connection."""
        assert self._stream is not None
        await trio.aclose_forcefully(self._stream)
        await trio.testing.wait_all_tasks_blocked()

    async def _connect(self) -> trio.abc.Stream:
        self.attempts.append(trio.current_time())
        here, there = trio.testing.memory_stream_pair()
        line = self.line(here)
        self._stream = there
        self.house.nursery.start_soon(partial(serve_stream, self.house.dispatcher, there, "127.0.0.1"))
        return line
