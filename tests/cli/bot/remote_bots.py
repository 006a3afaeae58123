"""Bots that play at an in-memory server, in virtual time, through the public protocol."""

import random
from collections.abc import Callable
from typing import Any

import trio.abc

from golfnet.bots.bot import BotChoice, BotPlayer, Executor, Work
from golfnet.cli.bot.client import BotClient
from golfnet.cli.bot.command import BotRunner
from golfnet.cli.bot.player import Task
from golfnet.connect import ConnectionEvent
from golfnet.engine.events import EVENTS, Event
from golfnet.engine.rules import RuleSet
from golfnet.protocol.replies.replies import Error, Happened
from golfnet.protocol.witness import Witness
from golfnet.server.table.turns import make_bot_player, run_inline
from tests.client.tables import a_row
from tests.server.witnesses import Victim

ROWS = [
    a_row("t1", state="playing"),
    a_row("t2", taken=4),
    a_row("t3", private=True),
    a_row("t4"),
    a_row("t5"),
]


class RecordingClient(BotClient):
    """A client that records news, refusals and play events. Its first name seeds its bots' choices and its texts."""

    def __init__(
        self,
        task: Task,
        *names: str,
        level: str = "easy",
        hurries: bool = True,
        seals: bool = False,
        make: Callable[[RuleSet], BotPlayer] | None = None,
    ) -> None:
        names = names or ("Ann",)
        chance = random.Random(names[0])
        make = make or (lambda rules: make_bot_player(level, rules, chance))
        self.witness = Witness(entropy=chance.randbytes, seals=seals)
        self.news: list[str] = []
        super().__init__(task, names, make, hurries=hurries, witness=self.witness, notify=self.news.append)
        self.refusals: list[tuple[str | None, str]] = []
        self.played: list[Event] = []

    def receive(self, event: ConnectionEvent, now: float) -> None:
        if isinstance(event, Error):
            self.refusals.append((self._pending, event.code))
        elif isinstance(event, Happened) and event.event.name in EVENTS:
            self.played.append(event.event)  # type: ignore[arg-type]
        super().receive(event, now)


class Later:
    """An executor that runs choices when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Work, Callable[[BotChoice], None]]] = []

    def __call__(self, work: Work, callback: Callable[[BotChoice], None]) -> None:
        self.waiting.append((work, callback))

    def go_on(self) -> None:
        work, callback = self.waiting.pop()
        callback(work())


class RemoteBot(Victim):
    """One bot and its connection to a server."""

    def __init__(
        self,
        line: Callable[[], trio.abc.Stream],
        task: Task,
        *names: str,
        executor: Executor = run_inline,
        **how: Any,
    ) -> None:
        super().__init__(line)
        self.client = RecordingClient(task, *names, **how)
        self.witness = self.client.witness
        self.runner = BotRunner(self.connect, self.client, executor)
