"""Where bots choose: slow choices run in a worker thread, one after the other, while the server goes on.

The thread shares the interpreter with the server's loop, which has to ask for it back each time that it has waited for
anything: ``SWITCH_SECONDS`` is how long a choice may keep it then.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import trio

from golfnet.bots.player import BotPlayer, run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from random import Random

    from golfnet.bots.player import BotChoice, Work
    from golfnet.engine.rules import RuleSet

SWITCH_SECONDS: Final = 0.0005
"""A tenth of Python's own, for the loop may have to wait so long for every socket that it writes to.

Measured with 50 tables of three hard bots each in four-turn, where they think longest, on two busy cores: half and
99 in 100 answers to ``ping`` over loopback came within 0.2 ms and 2.3 to 3.7 s with choices made on the loop, within
5.5 and 83 to 104 ms with a thread and Python's own interval, within 0.9 and 10 to 54 ms so. In six-card it was 0.2 and
17 ms on the loop, 0.2 and 3 ms so.
"""


def make_bot_player(level: str, rules: RuleSet, chance: Random) -> BotPlayer:
    """Return a bot of a level for rules as played; the code of the bots is loaded for the first one."""
    from golfnet.bots.levels.factory import make_bot

    return BotPlayer(make_bot(level, rules, chance))


def run_inline(work: Work, callback: Callable[[BotChoice], None]) -> None:
    """Run a choice before this returns."""
    callback(run(work))


class ThreadExecutor:
    """Runs choices in one worker thread: two would only take the interpreter from each other."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        self._spawn = spawn
        self._limiter = trio.CapacityLimiter(1)
        sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))

    def __call__(self, work: Work, callback: Callable[[BotChoice], None]) -> None:
        """Run a choice when its turn comes; a server that stops waits for none."""

        async def choose() -> None:
            run_sync = trio.to_thread.run_sync
            callback(await run_sync(run, work, limiter=self._limiter, abandon_on_cancel=True))

        self._spawn(choose)
