"""Seats that no person plays: when bots and the house make their choices.

What stays true: a table waits for one such choice at a time, and as long as the bot seems to think; a choice that was
made ahead counts only if nothing has happened in the hole since, otherwise it is made again. Where several are to
choose at the same time they think at the same time, so that many take little longer than one. In a slam window, where
choices are small and moments count, nothing is thought ahead. Whatever is chosen is an action like any other.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.bots.player import BotPlayer, make_bot, run
from golfnet.engine.errors import IllegalAction
from golfnet.engine.hole import Phase, phase
from golfnet.engine.legality import awaited, default_action
from golfnet.engine.refusals import check
from golfnet.engine.views import mask, view
from golfnet.server.session.roundtrip import Link
from golfnet.server.table.arbiter import FalseStart
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from random import Random

    from golfnet.bots.player import BotChoice, Work
    from golfnet.engine.actions import Action
    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Seat
    from golfnet.engine.rules import RuleSet
    from golfnet.server.clock import Timer
    from golfnet.server.table.arbiter import Arbiter
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.seating import Chair


def bot_for_seat(table: TableContext, seat: Seat, level: str) -> BotPlayer:
    """Return a bot for a seat of the running match, which has seen what the seat has seen of the hole so far."""
    mind = table.services.make_bot(level, table.match.rules or table.rules)
    for event in table.hole_log:
        mind.observe(mask(event, seat))
    return mind


class _Thought(NamedTuple):
    """What is thought about: whose choice, and the last event of the hole that was known."""

    mind: BotPlayer
    seat: Seat
    seq: int


class BotTurns:
    """The choices of bots and the house at one table, slam windows left to ``bot_slams``."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._timer: Timer | None = None
        self._thought: _Thought | None = None
        self._choice: BotChoice | None = None
        self._is_awaited = False
        """Whether the time of the choice has come, and it was not made yet."""

    def update(self, hole: Hole) -> None:
        """Let the next choice come, if there is one to be made."""
        if self._is_awaited or (self._timer is not None and self._timer.is_set):
            return
        choosers = self._choosers(hole)
        if not choosers:
            return
        seat, chair = choosers[0]
        if chair.bot is not None and chair.bot.is_busy:
            return  # the table settles again once the bot is back
        delay = self._table.services.config.house_delay
        seen = view(hole, seat)
        seconds = delay if chair.bot is None or chair.kind is ChairKind.HOUSE else chair.bot.think(seen)
        # Of so many who think at the same time the first is done that much sooner (X12).
        soon = seconds / len(choosers)
        self._timer = self._table.after(soon, self._time_has_come)
        if chair.bot is not None and _is_thought_ahead(chair.bot, hole):
            self._think(chair.bot, seat, hole)

    def stop(self) -> None:
        """Make no choice; ``update`` goes on."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._thought = self._choice = None
        self._is_awaited = False

    def _choosers(self, hole: Hole) -> list[tuple[Seat, Chair]]:
        """Return the seats that a bot or the house has to choose for, with their chairs: the first comes next."""
        if hole.window is not None and phase(hole) is Phase.SLAM:
            return []
        chairs = self._table.seating.chairs
        return [
            (seat, chair)
            for seat in awaited(hole)
            if (chair := chairs[seat]) is not None and chair.kind is not ChairKind.HUMAN
        ]

    def _think(self, mind: BotPlayer, seat: Seat, hole: Hole) -> None:
        thought = self._thought = _Thought(mind, seat, self._table.hole_seq)
        self._choice = None
        table = self._table

        def made(choice: BotChoice) -> None:
            table.guarded(partial(self._made, thought, choice))()

        mind.submit(view(hole, seat), table.services.executor, made)

    def _made(self, thought: _Thought, choice: BotChoice) -> None:
        """Hear what a bot chose, if it is still of interest; a fault always is."""
        thought.mind.resume()
        choice.result()
        if thought is self._thought:
            self._choice = choice
        if self._is_awaited:
            self._time_has_come()
        elif self._timer is None:
            self._table.settle()

    def _time_has_come(self) -> None:
        """Make one choice for the first seat that a bot or the house plays."""
        table, hole = self._table, self._table.hole
        self._timer, self._is_awaited = None, False
        choosers = [] if hole is None else self._choosers(hole)
        if hole is not None and choosers:
            seat, chair = choosers[0]
            mind = chair.bot
            if mind is not None and not self._is_made(mind, seat, hole):
                return
            action = default_action(hole, seat) if mind is None else self._chosen(mind, seat, hole)
            if action is not None:
                table.do(seat, action)
        table.settle()

    def _is_made(self, mind: BotPlayer, seat: Seat, hole: Hole) -> bool:
        """Tell whether a bot's choice can be had now; otherwise it will come back to it."""
        if not mind.is_busy and (not _is_thought_ahead(mind, hole) or self._is_known(mind, seat)):
            return True
        self._is_awaited = True
        if not mind.is_busy:
            self._think(mind, seat, hole)
        return False

    def _is_known(self, mind: BotPlayer, seat: Seat) -> bool:
        return self._choice is not None and self._thought == (mind, seat, self._table.hole_seq)

    def _chosen(self, mind: BotPlayer, seat: Seat, hole: Hole) -> Action | None:
        if self._choice is not None and self._is_known(mind, seat):
            return self._choice.action
        return mind.choose(view(hole, seat))


def _is_thought_ahead(mind: BotPlayer, hole: Hole) -> bool:
    return mind.is_slow and hole.window is None


SWITCH_SECONDS: Final = 0.0005
"""A tenth of Python's own, for the loop may have to wait so long for every socket that it writes to.

Measured with 50 tables of three hard bots each in four-turn, where they think longest, on two busy cores: half and
99 in 100 answers to ``ping`` over loopback came within 0.2 ms and 2.3 to 3.7 s with choices made on the loop, within
5.5 and 83 to 104 ms with a thread and Python's own interval, within 0.9 and 10 to 54 ms so. In six-card it was 0.2 and
17 ms on the loop, 0.2 and 3 ms so.
"""


def make_bot_player(level: str, rules: RuleSet, chance: Random) -> BotPlayer:
    """Return a bot of a level for rules as played."""
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


QUICKEST: Final = 0.125
"""Seconds that a bot takes at least: a little more than makes a false start."""

_NEAR: Final = Link(round_trip=0)


class BotSlams:
    """The seats without a person at one table, in one window after the other."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._coming: dict[Seat, float] | None = None
        """The bots that will slam and have not yet, with their reactions; None before they were asked."""
        self._timers: list[Timer] = []

    def ask(self, hole: Hole) -> None:
        """Ask each bot when it will slam, once a window."""
        if self._coming is not None:
            return
        self._coming = {}
        for seat, chair in self._table.seating:
            reaction = chair.bot.reaction(view(hole, seat)) if chair.bot is not None else None
            if reaction is not None:
                self._coming[seat] = max(reaction, QUICKEST)

    def let_pass(self, judge: Arbiter) -> None:
        """Pass for seats where nobody is, and for bots and the house where they do not want to slam."""
        for seat, chair in self._table.seating:
            is_coming = chair.is_waited_for if chair.bot is None else seat in (self._coming or ())
            if not is_coming and judge.may_pass(seat):
                judge.pass_by(seat)

    def begin(self, judge: Arbiter) -> None:
        """Let the bots react to what was shown just now."""
        now = trio.current_time()
        for seat, reaction in (self._coming or {}).items():
            judge.show(seat, round(now * 1e6), _NEAR)
            self._timers.append(self._table.after(reaction, self._claim_of(seat, judge)))

    def give_up(self) -> None:
        """Let no bot slam any more: the card is won."""
        self.stop()
        self._coming = {}

    def stop(self) -> None:
        """Let no timer run; ``begin`` sets them again."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def forget(self) -> None:
        """Be ready for the next window."""
        self.stop()
        self._coming = None

    def _claim_of(self, seat: Seat, judge: Arbiter) -> Callable[[], None]:
        def claim() -> None:
            hole, chair = self._table.hole, self._table.seating.at(seat)
            if self._coming is None or self._coming.pop(seat, None) is None or hole is None:
                return
            slam = chair.bot.claim(view(hole, seat)) if chair is not None and chair.bot is not None else None
            if slam is not None and judge.may_claim(seat):
                try:
                    check(hole, seat, slam)
                    judge.claim(seat, slam.at, round(trio.current_time() * 1e6))
                except (IllegalAction, FalseStart):
                    pass  # a gift is owed, or the card has gone: its moment is over
            self._table.settle()

        return claim
