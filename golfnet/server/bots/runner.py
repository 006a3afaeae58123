"""Bots that think while the server goes on: what takes long is done in a thread, one thought after the other.

What stays true: a bot is never in two hands at once. While a thread thinks for it nothing else touches it: events
wait until the thought is over, and it lets slam windows go by. Nothing here acts at a table; a thought is for whoever
asked for it to use, or to forget.

Threads share the interpreter with the server's loop, which has to ask for it back each time that it has waited for
anything: ``SWITCH_SECONDS`` is how long a thought may keep it then.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.engine.actions import Action, Slam

if TYPE_CHECKING:
    from random import Random

    from golfnet.bots.bot import Bot
    from golfnet.engine.events import Event
    from golfnet.engine.rules import RuleSet
    from golfnet.engine.views import View


class Choice(NamedTuple):
    """What a bot chose, or the fault that it ended with."""

    action: Action | None = None
    fault: Exception | None = None

    def taken(self) -> Action | None:
        """Return what was chosen; raises the fault."""
        if self.fault is not None:
            raise self.fault
        return self.action


Work = Callable[[], Action | None]
Ponder = Callable[[Work, Callable[[Choice], None]], None]
"""Lets a choice be made and hands it on: ``at_once`` before it returns, ``Threads`` later."""

SLOW: Final = frozenset({"hard"})
"""The levels whose choices take long: up to 0.15 s in four-turn and multiples; all others stay around 0.01 s."""

SWITCH_SECONDS: Final = 0.0005
"""A tenth of Python's own, for the loop may have to wait so long for every socket that it writes to.

Measured with 50 tables of three hard bots each in four-turn, where they think longest, on two busy cores: half and
99 in 100 answers to ``ping`` over loopback came within 0.2 ms and 2.3 to 3.7 s with choices made on the loop, within
5.5 and 83 to 104 ms with a thread and Python's own interval, within 0.9 and 10 to 54 ms so. In six-card it was 0.2 and
17 ms on the loop, 0.2 and 3 ms so.
"""


class Mind:
    """A bot at a table."""

    def __init__(self, bot: Bot) -> None:
        self.is_busy = False
        """Whether somebody else thinks for it now."""
        self._bot = bot
        self._missed: list[Event] = []

    @property
    def is_slow(self) -> bool:
        """Whether its choices take long."""
        return self._bot.level in SLOW

    def observe(self, event: Event) -> None:
        """Take in the next event, masked for its seat."""
        if self.is_busy:
            self._missed.append(event)
        else:
            self._bot.observe(event)

    def choose(self, view: View) -> Action | None:
        """Return what the bot chooses, however long that takes."""
        return self._bot.choose(view)

    def think(self, view: View) -> float:
        """Return how many seconds the bot seems to take over a choice."""
        return self._bot.think(view)

    def claim(self, view: View) -> Slam | None:
        """Return the slam that the bot wants now."""
        return None if self.is_busy else self._bot.claim(view)

    def reaction(self, view: View) -> float | None:
        """Return after how many seconds the bot slams, None where it does not."""
        return None if self.is_busy else self._bot.reaction(view)

    def ponder(self, view: View, ponder: Ponder, then: Callable[[Choice], None]) -> None:
        """Let a choice be made elsewhere; who hears of it wakes the bot again."""
        self.is_busy = True
        ponder(lambda: self._bot.choose(view), then)

    def wake(self) -> None:
        """Take in what has happened since the bot began to think."""
        self.is_busy = False
        missed, self._missed = self._missed, []
        for event in missed:
            self._bot.observe(event)


def make_mind(level: str, rules: RuleSet, chance: Random) -> Mind:
    """Return a bot of a level for rules as played; what bots think with is loaded when the first one sits down."""
    from golfnet.bots.levels import make_bot

    return Mind(make_bot(level, rules, chance))


def at_once(work: Work, then: Callable[[Choice], None]) -> None:
    """Make a choice here and now."""
    then(_choice(work))


class Threads:
    """Makes choices in a worker thread: one, for two would only take the interpreter from each other."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        self._spawn = spawn
        self._limiter = trio.CapacityLimiter(1)
        sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))

    def __call__(self, work: Work, then: Callable[[Choice], None]) -> None:
        """Make a choice when its time comes; a server that stops waits for none."""

        async def think() -> None:
            run = trio.to_thread.run_sync
            then(await run(_choice, work, limiter=self._limiter, abandon_on_cancel=True))

        self._spawn(think)


def _choice(work: Work) -> Choice:
    try:
        return Choice(work())
    except Exception as fault:  # it belongs to a table, which takes it up where the choice is used
        return Choice(fault=fault)
