"""Whole lifetimes of tables: opened, played for a while or to the end, left in every possible way, and closed."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from golfnet.engine.variants import VARIANTS
from golfnet.server.commands.dispatch import greet
from tests.server.house import choose_line
from tests.server.null_transport import KeepingTransport

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from golfnet.server.commands.dispatch import Dispatcher
    from golfnet.server.session.session import Session
    from golfnet.server.table.table import Table

CLOCK: Final = 10
GRACE: Final = 30
LONGEST: Final = 5000
"""Steps after which an unfinished match is abandoned."""


class RandomPlayer:
    """A player who plays at random; ``prompt`` is the latest prompt."""

    def __init__(self, dispatcher: Dispatcher, name: str) -> None:
        self._dispatcher = dispatcher
        self.name = name
        self.token = ""
        self.prompt: dict[str, Any] | None = None
        self._line = KeepingTransport()
        self._session: Session | None = None
        self._connect(f"name {name}")

    def say(self, line: str) -> dict[str, Any]:
        """Send a line and return its answer, or one of type ``later`` if the answer is waiting for the disk."""
        assert self._session is not None
        self._session.receive(line.encode() + b"\n", trio.current_time())
        answers = [thing for thing in self.listen() if thing["type"] in ("ok", "error")]
        return answers[-1] if answers else {"type": "later"}

    def listen(self) -> list[dict[str, Any]]:
        """Read what the server has sent, and answer its pings."""
        lines, self._line.written = self._line.written.splitlines(), b""
        things = [msgspec.json.decode(line) for line in lines if line.startswith(b"{")]
        for thing in things:
            if thing["type"] == "prompt":
                self.prompt = thing
            elif thing["type"] == "ping" and self._session is not None:
                self._session.receive(f"pong {thing['key']}\n".encode(), trio.current_time())
        return things

    def disconnect(self) -> None:
        session, self._session, self.prompt = self._session, None, None
        if session is not None:
            session.lost("lost")

    def reconnect(self) -> None:
        self._connect(f"resume {self.token}")

    def _connect(self, who: str) -> None:
        self._line = KeepingTransport()
        self._session = greet(self._dispatcher, self._line, telnet=False)
        self.say("hello 1")
        answer = self.say(who)
        assert answer["type"] != "error", answer
        self.token = answer.get("token", self.token)


Parts = list[weakref.ref[Any]]


def references_to(table: Table) -> Parts:
    """Return weak references to a table and to parts of it, none of which may outlive it."""
    return [weakref.ref(part) for part in (table, table.parts.clocks, table.parts.membership)]


def are_alive(parts: Parts) -> bool:
    """Return whether any part of a table still exists."""
    return any(part() is not None for part in parts)


class Crowd:
    """Three people who open, play and leave one table after another."""

    def __init__(self, dispatcher: Dispatcher, chance: random.Random) -> None:
        self._lobby = dispatcher.lobby
        self._chance = chance
        self._players = [RandomPlayer(dispatcher, "Ann"), RandomPlayer(dispatcher, "Bob")]
        self._watcher = RandomPlayer(dispatcher, "Eve")

    async def run_table(self, variant: str, way: str, *, steps: int = LONGEST) -> Parts:
        """Open a table, play the given number of steps of a hole, and close the table in one of ``WAYS``."""
        host, other = self._players
        opened = host.say(f"create {variant} seats=2 holes=1 clock={CLOCK} pause=1")
        table, remains = opened["table"], references_to(self._lobby.tables[opened["table"]])
        if self._chance.random() < 0.3:
            self._watcher.say(f"watch {table}")
        if way == "bot":
            host.say(f"bot {self._chance.choice(('random', 'easy', 'medium'))}")
        else:
            other.say(f"join {table}")
            other.say("ready")
        host.say("start")
        await self._play(table, steps)
        await self._close(way)
        assert table not in self._lobby.tables
        return remains

    async def open(self, variant: str) -> str:
        """Open a table for consecutive matches; return its id."""
        host, other = self._players
        table = str(host.say(f"create {variant} seats=2 holes=1 clock={CLOCK} pause=1")["table"])
        other.say(f"join {table}")
        return table

    async def play_and_ask_for_more(self, table: str) -> None:
        """Play a match at a table to its end, and start the next one there."""
        for each in self._players:
            each.say("ready")
        await self._play(table, LONGEST)
        for each in self._players:
            each.say("rematch")

    async def _play(self, table: str, steps: int) -> None:
        for _ in range(steps):
            now = self._lobby.tables.get(table)
            if now is None or now.match.places is not None:
                return
            del now  # the crowd itself must not keep a reference to the table
            acting = next((each for each in self._players if _may_act(each, table)), None)
            if acting is not None and acting.prompt is not None:
                acting.say(choose_line(acting.prompt, self._chance))
            if acting is None or self._chance.random() < 0.05:
                await trio.sleep(self._chance.choice((0.3, 1, 1, 5)))

    async def _close(self, way: str) -> None:
        host, other = self._players
        if way == "rematch":
            for each in self._players:
                each.say("rematch")
            await trio.sleep(1)
        elif way in ("drop", "grace"):
            other.disconnect()
            await trio.sleep(1 if way == "drop" else GRACE + 2)
            other.reconnect()
        for each in (other, host):
            each.say("leave")
            each.listen()
            each.prompt = None


def _may_act(player: RandomPlayer, table: str) -> bool:
    player.listen()
    prompt = player.prompt
    return prompt is not None and prompt["table"] == table and bool(prompt["actions"])


WAYS: Final = ("leave", "bot", "drop", "grace", "rematch")
"""Ways in which a table ends."""


async def run_tables(
    crowd: Crowd, chance: random.Random, lives: int, *, whole: float, names: Sequence[str] = tuple(VARIANTS)
) -> Sequence[Parts]:
    """Run ``lives`` tables, with all rule sets in turn; a fraction ``whole`` of them is played to the end."""
    return [
        await crowd.run_table(
            names[number % len(names)],
            chance.choice(WAYS),
            steps=LONGEST if chance.random() < whole else chance.randrange(8),
        )
        for number in range(lives)
    ]
