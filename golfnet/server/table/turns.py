"""Who has to choose at a table, and how long it waits: turn clocks, bots and the house, and hints.

The engine has no clock; a timeout reaches it as an ordinary action. A clock starts once the players have been shown the
choice that it limits, so a slow disk costs nobody time.

A table waits for one bot's choice at a time, for as long as the bot pretends to think. A slow bot computes its choice
during that time; if anything happens in the hole before the bot acts, the choice is computed again. Bots that have to
choose at the same time also think at the same time, so several bots take little longer than one. In a slam window,
where choices are quick and speed counts, nothing is computed in advance (see ``windows``).
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.cards import Seat, seat_letter
from golfnet.engine.hole import Hole, Phase, phase
from golfnet.engine.legality import awaited, default_action
from golfnet.engine.views import mask, view
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cause, ClockWarning, TimedOut
from golfnet.protocol.replies.replies import Clock
from golfnet.server.table import Part
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.setup import counts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from random import Random

    from golfnet.bots.bot import BotChoice, BotPlayer, Executor, Work
    from golfnet.bots.coach import Advice
    from golfnet.engine.actions import Action
    from golfnet.engine.rules import RuleSet
    from golfnet.server.table.table import Table

TIMEOUTS_FORGIVEN: Final = 2
"""How many timeouts in a row a player may have; after one more, the house plays the seat."""

WARN_AT: Final = 0.5
WARN_LEFT: Final = 10.0
"""When players are warned: when this fraction of the clock is left, and when this many seconds are left."""

_EARLY: Final = 0.001
"""By how many seconds a timer may fire early, as floats are not exact."""

_TURN: Final = frozenset((Phase.TURN, Phase.HOLDING, Phase.FLIP))
"""The phases of a turn that share one clock."""

_BESIDE_THE_TURN: Final = (Phase.POWER, Phase.GIVE)
"""Phases with a clock of their own. No event announces the start of that clock, so a ``ClockWarning`` does."""


class TurnClocks(Part):
    """The turn clocks of one table: one runs at a time, for one seat or for several."""

    extra = 0.0
    """By how many seconds the next clock is extended."""
    _deadline: float | None = None
    """When the clock runs out, on trio's clock, or None while it is not running."""
    _waiting: tuple[object, ...] | None = None
    _seconds = 0.0
    """The clock's full time, 0 if there is none."""
    _interrupted: tuple[tuple[object, ...], float] | None = None
    """The choice that a power's clock limited, and the seconds that were left when a gift interrupted it (C14)."""

    @property
    def timed_seats(self) -> tuple[Seat, ...]:
        """The seats whose clock is running, or will be once they have been shown the state."""
        hole = self._table.hole
        return () if not self._seconds or hole is None or phase(hole) is Phase.SLAM else awaited(hole)

    def remaining_ms(self, seat: Seat) -> int | None:
        """Return how much time the seat's clock has left, or None if it has no clock now."""
        return round(self._left * 1000) if seat in self.timed_seats else None

    def view(self, viewer: Seat | None) -> Clock | None:
        """Return the clock of a timed seat: the viewer's own if it is running, or else the first."""
        timed = self.timed_seats
        if not timed:
            return None
        seat = viewer if viewer is not None and viewer in timed else timed[0]
        return Clock(seat=seat_letter(seat), ms=round(self._left * 1000))

    @property
    def _left(self) -> float:
        """The seconds left; before the clock has started, its full time."""
        return self._seconds if self._deadline is None else max(0.0, self._deadline - trio.current_time())

    def update(self, hole: Hole | None) -> None:
        """Start the clock for the choice that the hole is waiting for, if that has changed."""
        if hole is None:
            self.stop()
            self._interrupted = None  # the next match counts its holes and turns from 1 again
            return
        waiting = _waiting_for(hole)
        if waiting == self._waiting:
            return
        self.stop()
        self._waiting = waiting
        if waiting is None:
            return
        self._seconds, self.extra = self._table.setup.clock + self.extra, 0.0
        if self._interrupted is not None and self._interrupted[0] == waiting:
            self._seconds, self._interrupted = self._interrupted[1], None
        if phase(hole) in _BESIDE_THE_TURN:
            self._warn()
        self._table.once_shown(partial(self._start, waiting))

    def stop(self) -> None:
        """Stop the clock; ``update`` starts it again."""
        self._timer.cancel()
        if self._waiting is not None and Phase.POWER in self._waiting and self._deadline is not None:
            self._interrupted = self._waiting, max(1.0, round(self._left, 3))
        self._waiting, self._deadline, self._seconds = None, None, 0.0

    def _start(self, waiting: tuple[object, ...]) -> None:
        if self._waiting == waiting and self._deadline is None:
            self._deadline = trio.current_time() + self._seconds
            self._count_down()

    def _count_down(self) -> None:
        """Set the timer for the next warning, or else for the end."""
        marks = [mark for mark in (self._seconds * WARN_AT, WARN_LEFT) if self._left - mark > _EARLY]
        until, call = max(marks, default=0.0), self._at_mark if marks else self._out_of_time
        self._timer = self._table.after(self._left - until, call, settles=not marks)

    def _at_mark(self) -> None:
        self._count_down()
        self._warn()

    def _warn(self) -> None:
        for seat in self.timed_seats:
            if self._table.seating.chair(seat).kind is ChairKind.HUMAN:
                self._table.emit(ClockWarning(seat=seat, ms=round(self._left * 1000)))

    def _out_of_time(self) -> None:
        """Choose for every awaited seat (X12, X13); let the house take over a seat that keeps timing out."""
        table, self._deadline = self._table, None
        for seat in self.timed_seats:
            chair = table.seating.chair(seat)
            chair.timeouts += 1
            table.emit(TimedOut(seat=seat))
            if chair.timeouts > TIMEOUTS_FORGIVEN:
                table.membership.house_takes_over(chair, Cause.IDLE)
            self._play_for(seat)

    def _play_for(self, seat: Seat) -> None:
        """Make all choices that the seat owes in this turn, so that a whole turn counts as one timeout."""
        before = self._table.hole
        while (hole := self._table.hole) is not None and before is not None and seat in self.timed_seats:
            action = default_action(hole, seat)
            if action is None or (hole.deal.hole, hole.turns) != (before.deal.hole, before.turns):
                return
            self._table.do(seat, action)


def _waiting_for(hole: Hole) -> tuple[object, ...] | None:
    """Return a key for what the clock is timing, or None; a clock keeps running while the key stays the same."""
    now = phase(hole)
    if now in _TURN:
        return hole.deal.hole, _TURN, hole.turn, hole.turns
    if now in _BESIDE_THE_TURN:
        return hole.deal.hole, now, hole.turns
    return (hole.deal.hole, now) if now is Phase.START else None


def bot_for_seat(table: Table, seat: Seat, level: str) -> BotPlayer:
    """Return a bot for a seat in the running match; it knows what the seat has seen of the hole."""
    bot = table.lobby.tables.make_bot(level, table.match.rules or table.rules)
    for event in table.hole_log:
        bot.observe(mask(event, seat))
    return bot


def need_hints(table: Table) -> None:
    """Raise ``Refused`` if the operator or the host has turned hints off, or the match is rated."""
    if not table.lobby.config.hints:
        raise Refused(Code.NOT_AVAILABLE, "There are no hints on this server.")
    if not table.setup.hints:
        raise Refused(Code.NOT_AVAILABLE, "The host of this table has turned hints off.")
    if counts(table):
        raise Refused(Code.NOT_AVAILABLE, "This match is rated, so there are no hints. See: help rated")


def advice(table: Table, seat: Seat) -> Callable[[], Advice | None]:
    """Return a thread-safe function that finds what a hard bot would do; raise ``Refused`` if there is no choice.

    The advice is based only on what the seat sees now and has been shown in this hole.
    """
    hole = table.hole
    seen = None if hole is None else view(hole, seat)
    if seen is None or not (seen.choices.actions or seen.choices.slammable):
        raise Refused(Code.BAD_PHASE, NO_CHOICE)
    events = [mask(event, seat) for event in table.hole_log]

    def advised() -> Advice | None:
        from golfnet.bots import coach  # on the first request for a hint, since it loads the hard level

        return coach.advise(coach.new_bot(seen.rules, events), seen)

    return advised


NO_CHOICE: Final = "There is nothing for you to decide now. To see why, type: turn"
"""The answer to a request for a hint if the player has no choice to make."""


class BotTurns(Part):
    """The choices of bots and the house at one table, except in slam windows."""

    _computing: tuple[BotPlayer, int] | None = None
    """The bot that computes or has computed a choice, and the last event of the hole that it knows."""
    _choice: BotChoice | None = None
    _is_overdue = False
    """Whether it is time to act but the choice has not been computed yet."""

    def update(self, hole: Hole) -> None:
        """Set the timer for the next choice, if there is one to make."""
        choosers = self._choosers(hole)
        if not choosers or self._is_overdue or self._timer.is_set:
            return
        seat, bot = choosers[0]
        if bot.is_busy:
            return  # the table settles again once the bot is free
        is_house = self._table.seating.chair(seat).kind is ChairKind.HOUSE
        seconds = self._table.lobby.config.house_delay if is_house else bot.think(view(hole, seat))
        # If n bots think at the same time, the first choice comes n times sooner (X12).
        self._timer = self._table.after(seconds / len(choosers), self._act)
        if _is_slow(bot, hole):
            self._compute(bot, seat, hole)

    def stop(self) -> None:
        """Drop the pending choice; ``update`` starts it again."""
        super().stop()
        self._computing = self._choice = None
        self._is_overdue = False

    def _choosers(self, hole: Hole) -> list[tuple[Seat, BotPlayer]]:
        """Return the seats for which a bot or the house has to choose, with their bots; the first one is next."""
        if hole.window is not None and phase(hole) is Phase.SLAM:
            return []
        return [
            (seat, chair.bot)
            for seat in awaited(hole)
            if (chair := self._table.seating.chairs[seat]) is not None and chair.bot is not None
        ]

    def _compute(self, bot: BotPlayer, seat: Seat, hole: Hole) -> None:
        table = self._table
        computing = self._computing = bot, table.hole_seq
        self._choice = None

        def made(choice: BotChoice) -> None:
            table.guarded(partial(self._made, computing, choice))()

        bot.submit(view(hole, seat), table.lobby.tables.executor, made)

    def _made(self, computing: tuple[BotPlayer, int], choice: BotChoice) -> None:
        """Accept a bot's choice if it is still wanted; if computing it failed, raise the exception in any case."""
        computing[0].resume()
        choice.result()
        if computing == self._computing:
            self._choice = choice
        if self._is_overdue:
            self._act()
        if not self._timer.is_set:
            self._table.settle()

    def _act(self) -> None:
        table, hole, made = self._table, self._table.hole, self._choice
        self._is_overdue = False
        choosers = [] if hole is None else self._choosers(hole)
        if hole is None or not choosers:
            return
        seat, bot = choosers[0]
        if not bot.is_busy and not _is_slow(bot, hole):
            action: Action | None = bot.choose(view(hole, seat))
        elif made is not None and self._computing == (bot, table.hole_seq):
            action = made.action
        else:
            self._is_overdue = True  # once a choice has been computed, ``_made`` calls ``_act`` again
            if not bot.is_busy:
                self._compute(bot, seat, hole)
            return
        if action is not None:
            table.do(seat, action)


def _is_slow(bot: BotPlayer, hole: Hole) -> bool:
    return bot.is_slow and hole.window is None


SWITCH_SECONDS: Final = 0.0005
"""The interpreter's thread switch interval, a tenth of Python's default. While a bot computes, the event loop may have
to wait this long for each socket it writes to.

Measured with 50 tables of three hard bots each, on two busy cores: the median and the 99th percentile of the time until
``ping`` was answered over loopback. In four-turn, where bots think longest, they were

- 0.2 ms and 2.3 to 3.7 s with choices computed in the event loop,
- 5.5 ms and 83 to 104 ms with a thread and Python's interval,
- 0.9 ms and 10 to 54 ms with a thread and this interval.

In six-card they were 0.2 ms and 17 ms in the event loop, 0.2 ms and 3 ms with a thread and this interval.
"""


def make_bot_player(level: str, rules: RuleSet, chance: Random) -> BotPlayer:
    """Return a bot of the given level for the rules as played; ``chance`` is its random generator."""
    from golfnet.bots.bot import BotPlayer  # imported when the first bot is needed
    from golfnet.bots.levels import make_bot

    return BotPlayer(make_bot(level, rules, chance, shared=True))


def run_inline(work: Work, callback: Callable[[BotChoice], None]) -> None:
    """Compute a choice at once, in this thread, and call back with it."""
    callback(work())


def thread_executor(spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> Executor:
    """Return an executor with one worker thread, since two threads would only compete for the interpreter.

    A stopping server does not wait for the thread.
    """
    limiter = trio.CapacityLimiter(1)
    sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))

    def submit(work: Work, callback: Callable[[BotChoice], None]) -> None:
        async def choose() -> None:
            callback(await trio.to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=True))

        spawn(choose)

    return submit
