"""A bot in a seat on a server: the server's replies go in, command lines and their times come out.

This module does no I/O and reads no clock; times are seconds of any monotonic clock. Invariant: like the server's own
bots, the bot observes every event as masked for its seat, and chooses from views of its seat. If it may have missed an
event in a hole, a new bot without memory replaces it, since a partial memory would mislead it. A slow bot's choice
counts only if nothing has happened since it started to choose.

Three rules come from the protocol: a prompt arrives after the events that led to it, a command names the latest event
that the bot has seen (``at=``), and after a refusal the bot chooses again.
"""

import re
from collections.abc import Callable, Iterable
from math import inf
from typing import Any, Final

from msgspec import Struct

from golfnet.bots.bot import BotChoice, BotPlayer, Executor
from golfnet.engine import actions as do
from golfnet.engine.events import EVENTS, MatchStarted, SlamOpened
from golfnet.engine.hole import Phase
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View
from golfnet.protocol.replies.fold import Gap, fold, prompted
from golfnet.protocol.replies.replies import Happened, Prompt, TableView
from golfnet.protocol.replies.view_codec import hole_of, view_from_wire

QUICKEST: Final = 0.15
"""Minimum seconds from receiving a discard to a slam, since a quicker slam might count as a false start."""


class RemotePlayer:
    """A bot in one seat; ``make`` creates it for the table's rules. If ``hurries``, it takes no time to think."""

    def __init__(self, make: Callable[[RuleSet], BotPlayer], *, hurries: bool) -> None:
        self.view: TableView | None = None
        """The table as it is now, or None until the server has sent a whole view."""
        self._make = make
        self._hurries = hurries
        self._bot: BotPlayer | None = None
        self._last: View | None = None
        self.is_news = False
        """Whether anything has happened since ``act`` was called, such as the answer to a line."""
        self._shown = 0.0
        self._window: tuple[int, int] | None = None
        self._passes = False
        self._claim_at = inf
        self._choice_at = inf
        self._chosen: tuple[int, do.Action] | None = None
        """The last event seen before the choice, and the chosen action."""

    # --- receiving

    def receive_view(self, view: TableView, now: float) -> None:
        """Handle a whole view: of a new table, or after a reconnect."""
        before = self._last if self.view is None else hole_of(self.view)
        if self._bot is None or before != hole_of(view):  # if the holes are equal, the bot has missed nothing
            self._bot = None if view.state == "open" else self._made(view)
        self.view, self._shown = view, now
        self._reconsider()

    def receive_event(self, happened: Happened, now: float) -> None:
        """Apply an event. Raise ``Gap`` if a whole view must be requested, or ``TableClosed``."""
        if self.view is None or happened.seq <= self.view.seq:
            return
        try:
            self.view = fold(self.view, happened)
        except Gap:
            self.lose_sight()
            raise
        event = happened.event
        if isinstance(event, MatchStarted):
            self._bot = self._made(self.view)
        if isinstance(event, SlamOpened):
            self._shown = now
        if self._bot is not None and event.name in EVENTS:
            self._bot.observe(event)  # type: ignore[arg-type]
        self.is_news = True

    def receive_prompt(self, prompt: Prompt) -> None:
        """Update the view with the choices in a prompt."""
        if self.view is not None:
            self.view = prompted(self.view, prompt)
            self.is_news = True

    def on_refused(self, line: str) -> None:
        """Handle a refused line: never repeat a slam, but make any other choice again."""
        if line.startswith("slam"):
            self._passes = True
        elif line.startswith("pass"):
            self._passes = self._window is not None
        self.is_news = True

    def lose_sight(self) -> None:
        """Wait for a whole view, because the connection was lost or events are missing."""
        if self.view is not None:
            self._last = hole_of(self.view)
        self.view = None
        self._reconsider()

    # --- acting

    @property
    def is_thinking(self) -> bool:
        """Whether the executor is computing a choice."""
        return self._bot is not None and self._bot.is_busy

    @property
    def due(self) -> float:
        """When to call ``act`` next, or infinity if the bot waits for a reply."""
        if self.view is None:
            return inf
        return -inf if self.is_news else min(self._claim_at, self._choice_at)

    def act(self, now: float, executor: Executor) -> str | None:
        """Do what is due; return the line to send, if any.

        The executor computes a slow choice; call ``act`` again when that is done.
        """
        self.is_news = False
        view = None if self.view is None else view_from_wire(self.view)
        if view is None or view.seat is None or self._bot is None or self.view is None:
            self._claim_at = self._choice_at = inf
            return None
        if self._chosen is not None and self._chosen[0] != self.view.seq:
            self._chosen = None
        self._look_ahead(self._bot, view, now)
        action = self._due_action(self._bot, view, now, executor)
        if action is None:
            return None
        line = do.action_text(action, view.seat)
        return line if line.startswith("slam") else f"{line} at={self.view.seq}"

    def _look_ahead(self, bot: BotPlayer, view: View, now: float) -> None:
        """Ask the bot when it wants to make a new choice, or to slam in a new window."""
        if view.window is None:
            self._window, self._claim_at, self._passes = None, inf, False
        elif self._window != (view.hole, view.window.discard_no) and _is_offered(view):
            self._window = view.hole, view.window.discard_no
            reaction = bot.reaction(view)
            self._passes = reaction is None
            if reaction is not None:
                self._claim_at = self._shown + max(QUICKEST, 0.0 if self._hurries else reaction)
        if bot.is_busy or self._chosen is not None or not _is_asked(view):
            self._choice_at = inf
        elif self._choice_at == inf:
            self._choice_at = now + (0.0 if self._hurries else bot.think(view))

    def _due_action(self, bot: BotPlayer, view: View, now: float, executor: Executor) -> do.Action | None:
        if self._claim_at <= now:
            self._claim_at = inf
            slam = bot.claim(view)
            if slam is not None:
                return slam
            self._passes = True
        if self._choice_at <= now:
            self._choice_at = inf
            if not bot.is_slow or view.window is not None:  # in a slam window, choices take little time
                return bot.choose(view)
            self._submit(bot, view, executor)
        if self._chosen is not None:
            (_, action), self._chosen = self._chosen, None
            return action
        if self._passes and view.window is not None and do.Pass() in view.choices.actions:
            self._passes = False
            return do.Pass()
        return None

    def _submit(self, bot: BotPlayer, view: View, executor: Executor) -> None:
        """Have the executor compute a choice; drop the result if the bot has been replaced in the meantime."""
        seq = self.view.seq if self.view is not None else 0

        def made(choice: BotChoice) -> None:
            bot.resume()
            action = choice.result()
            if bot is self._bot and action is not None:
                self._chosen, self.is_news = (seq, action), True

        bot.submit(view, executor, made)

    def _made(self, view: TableView) -> BotPlayer:
        return self._make(view.rules.for_seats(len(view.seats)))

    def _reconsider(self) -> None:
        """Discard all plans, because they were made for an earlier state of the table."""
        self._window, self._passes, self._chosen, self.is_news = None, False, None, True
        self._claim_at = self._choice_at = inf


def _is_offered(view: View) -> bool:
    """Return whether the prompt that offers a slam or a pass in the open window has arrived."""
    return bool(view.choices.slammable) or do.Pass() in view.choices.actions


def _is_asked(view: View) -> bool:
    owes = view.gift is not None and view.gift.seat == view.seat
    mine = view.turn == view.seat or view.phase is Phase.START or owes
    return mine and any(isinstance(action, _ASKED.get(view.phase, ())) for action in view.choices.actions)


_ASKED: Final[dict[Phase, tuple[type[do.Action], ...]]] = {
    Phase.START: (do.Peek, do.Flip),
    Phase.TURN: (do.Draw, do.Take, do.Knock, do.Flip),
    Phase.HOLDING: (do.Swap, do.Discard),
    Phase.FLIP: (do.Flip, do.Pass),
    Phase.POWER: (do.Peek, do.Decline),
    Phase.GIVE: (do.Give,),
}
"""The actions that a seat can be asked for in each phase. Between an event and the prompt that follows, the view still
has the offers of the last prompt, which may be those of another phase."""


MOST_TABLES: Final = 100
"""Maximum number of open tables to try before the bot opens its own."""

USUAL_RULES: Final = "six-card"
"""The rule set of the table that a bot opens if it was given neither a table nor rules, and can join no open table."""


class Task(Struct, frozen=True, kw_only=True):
    """What the bot should do: sit at ``table``, or at any table with these ``rules`` and ``options``.

    If both are empty, it sits at the first open table. It leaves after ``matches`` matches, or never if that is None.
    """

    table: str = ""
    password: str = ""
    rules: str = ""
    options: tuple[str, ...] = ()
    matches: int | None = None

    @property
    def line(self) -> str:
        """The command that gets a seat, or ``""`` if the bot has to list the tables first."""
        if self.table:
            return self._join(self.table)
        return " ".join(["seek", self.rules, *self.options]) if self.rules else ""

    def lines_for(self, rows: Iterable[dict[str, Any]]) -> list[str]:
        """Return the commands to try in order, given the rows of ``tables``; the last command opens a table."""
        lines = [self._join(row["table"]) for row in rows if self._fits(row)]
        return [*lines[:MOST_TABLES], f"seek {USUAL_RULES}"]

    def _fits(self, row: dict[str, Any]) -> bool:
        """Return whether a row is a table that can be joined; a server may send anything as a row."""
        taken, seats, table = row.get("taken"), row.get("seats"), row.get("table")
        if not isinstance(taken, int) or not isinstance(seats, int) or not isinstance(table, str):
            return False
        is_open = row.get("state") == "open" and taken < seats
        is_known = re.fullmatch(r"t[0-9]{1,18}", table) is not None
        return is_open and is_known and bool(row.get("private")) == bool(self.password)

    def _join(self, table: str) -> str:
        return f'join {table} password="{self.password}"' if self.password else f"join {table}"
