"""A bot of any level at a table, driven by the server, ``golfnet bot`` or the arena; only one thread may use it.

It does no input or output and reads no clock: views and events go in, actions and seconds come out.
Invariant: while an executor runs a choice, nothing else uses the bot. Until the choice is made, events are
held back and the bot does not slam.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet.engine.actions import Action, Slam

if TYPE_CHECKING:
    from golfnet.bots.bot import Bot
    from golfnet.engine.events import Event
    from golfnet.engine.views import View


class BotChoice(NamedTuple):
    """The action that a bot chose, or the exception that it raised."""

    action: Action | None = None
    fault: Exception | None = None

    def result(self) -> Action | None:
        """Return the action, or raise the bot's exception."""
        if self.fault is not None:
            raise self.fault
        return self.action


Work = Callable[[], Action | None]
Executor = Callable[[Work, Callable[[BotChoice], None]], None]
"""Runs a choice and passes the result to a callback, either before it returns or later."""

SLOW: Final = frozenset({"hard", "expert"})
"""Levels whose choices may take more than 0.01 s; a choice of ``expert`` may take half a second."""


class BotPlayer:
    """A bot at a table; holds back events while an executor is running a choice."""

    def __init__(self, bot: Bot) -> None:
        self.is_busy = False
        """Whether an executor is running a choice of the bot."""
        self._bot = bot
        self._missed: list[Event] = []

    @property
    def is_slow(self) -> bool:
        """Whether choices of the bot take a long time."""
        return self._bot.traits.name in SLOW

    def observe(self, event: Event) -> None:
        """Observe the next event, masked for its seat."""
        if self.is_busy:
            self._missed.append(event)
        else:
            self._bot.observe(event)

    def choose(self, view: View) -> Action:
        """Return the bot's choice, however long that takes. Raise ``LookupError`` if it chooses nothing."""
        action = self._bot.choose(view)
        if action is None:
            raise LookupError(f"{self._bot.traits.name} chose nothing although it had to")
        return action

    def think(self, view: View) -> float:
        """Return how many seconds the bot should think about a choice."""
        return self._bot.think(view)

    def claim(self, view: View) -> Slam | None:
        """Return the slam that the bot wants now."""
        return None if self.is_busy else self._bot.claim(view)

    def reaction(self, view: View) -> float | None:
        """Return how many seconds the bot takes to slam, None if it does not slam."""
        return None if self.is_busy else self._bot.reaction(view)

    def submit(self, view: View, executor: Executor, callback: Callable[[BotChoice], None]) -> None:
        """Run a choice on an executor; the callback must call ``resume``."""
        self.is_busy = True
        executor(lambda: self.choose(view), callback)

    def resume(self) -> None:
        """Observe the events that arrived while a choice was running."""
        self.is_busy = False
        missed, self._missed = self._missed, []
        for event in missed:
            self._bot.observe(event)


def run(work: Work) -> BotChoice:
    """Return the result of a choice, or the exception that it raised."""
    try:
        return BotChoice(work())
    except Exception as fault:  # ``result`` raises it again where the choice is used.
        return BotChoice(fault=fault)
