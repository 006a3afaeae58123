"""Bots at a table: when they and the house act, and how they fill free seats.

A table waits for one bot's choice at a time, for as long as the bot pretends to think. A slow bot computes its choice
during that time; if anything happens in the hole before the bot acts, the choice is computed again. Bots that have to
choose at the same time also think at the same time, so several bots take little longer than one. In a slam window,
where choices are quick and speed counts, nothing is computed in advance.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.engine.errors import IllegalAction
from golfnet.engine.hole import Phase, phase
from golfnet.engine.legality import awaited, default_action
from golfnet.engine.refusals import check
from golfnet.engine.views import mask, view
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import BotsWanted, TableState
from golfnet.protocol.replies.replies import FillingView
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.session.roundtrip import Link
from golfnet.server.table.arbiter import FalseStart
from golfnet.server.table.context import Part
from golfnet.server.table.rows import counts
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from random import Random

    from golfnet.bots.coach import Advice
    from golfnet.bots.player import BotChoice, BotPlayer, Executor, Work
    from golfnet.engine.events import Event
    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Seat
    from golfnet.engine.rules import RuleSet
    from golfnet.engine.views import View
    from golfnet.server.clock import Timer
    from golfnet.server.table.arbiter import Arbiter
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.seating import Chair
    from golfnet.server.table.setup import BotRequest


def bot_for_seat(table: TableContext, seat: Seat, level: str) -> BotPlayer:
    """Return a bot for a seat in the running match; it knows what the seat has seen of the hole."""
    bot = table.services.make_bot(level, table.match.rules or table.rules)
    for event in table.hole_log:
        bot.observe(mask(event, seat))
    return bot


def need_hints(table: TableContext, catalogue: Mapping[str, RuleSet]) -> None:
    """Raise ``Refused`` if the operator or the host has turned hints off, or the match is rated."""
    if not table.services.config.hints:
        raise Refused(Code.NOT_AVAILABLE, "There are no hints on this server.")
    if not table.setup.hints:
        raise Refused(Code.NOT_AVAILABLE, "The host of this table has turned hints off.")
    if counts(table, catalogue):
        raise Refused(Code.NOT_AVAILABLE, "This match is rated, so there are no hints. See: help rated")


def advice(table: TableContext, seat: Seat) -> Callable[[], Advice | None]:
    """Return a thread-safe function that finds what a hard bot would do; raise ``Refused`` if there is no choice.

    The advice is based only on what the seat sees now and has been shown in this hole.
    """
    hole = table.hole
    seen = None if hole is None else view(hole, seat)
    if seen is None or not (seen.choices.actions or seen.choices.slammable):
        raise Refused(Code.BAD_PHASE, NO_CHOICE)
    return partial(_advised, seen, tuple(table.hole_log), seat)


NO_CHOICE: Final = "There is nothing for you to decide now. To see why, type: turn"
"""The answer to a request for a hint if the player has no choice to make."""


def _advised(seen: View, events: tuple[Event, ...], seat: Seat) -> Advice | None:
    from golfnet.bots import coach  # imported on the first request for a hint, since it loads the hard level

    return coach.advise(coach.new_bot(seen.rules, [mask(event, seat) for event in events]), seen)


class _Computation(NamedTuple):
    """A choice being computed: the bot, its seat, and the number of the last event of the hole that the bot knows."""

    bot: BotPlayer
    seat: Seat
    seq: int


class BotTurns(Part):
    """The choices of bots and the house at one table, except in slam windows."""

    def __init__(self, table: TableContext) -> None:
        super().__init__(table)
        self._computing: _Computation | None = None
        self._choice: BotChoice | None = None
        self._is_overdue = False
        """Whether it is time to act but the choice has not been computed yet."""

    def update(self, hole: Hole) -> None:
        """Set the timer for the next choice, if there is one to make."""
        choosers = self._choosers(hole)
        if not choosers or self._is_overdue or self._timer.is_set:
            return
        chair = choosers[0]
        seat = chair.seat
        if chair.bot is not None and chair.bot.is_busy:
            return  # the table settles again once the bot is free
        delay = self._table.services.config.house_delay
        seen = view(hole, seat)
        seconds = delay if chair.bot is None or chair.kind is ChairKind.HOUSE else chair.bot.think(seen)
        # If n bots think at the same time, the first choice comes n times sooner (X12).
        soon = seconds / len(choosers)
        self._timer = self._table.after(soon, self._act)
        if chair.bot is not None and _is_slow(chair.bot, hole):
            self._compute(chair.bot, seat, hole)

    def stop(self) -> None:
        """Drop the pending choice; ``update`` starts it again."""
        super().stop()
        self._computing = self._choice = None
        self._is_overdue = False

    def _choosers(self, hole: Hole) -> list[Chair]:
        """Return the chairs for which a bot or the house has to choose; the first one is next."""
        if hole.window is not None and phase(hole) is Phase.SLAM:
            return []
        chairs = self._table.seating.chairs
        return [
            chair
            for seat in awaited(hole)
            if (chair := chairs[seat]) is not None and chair.kind is not ChairKind.HUMAN
        ]

    def _compute(self, bot: BotPlayer, seat: Seat, hole: Hole) -> None:
        table = self._table
        computing = self._computing = _Computation(bot, seat, table.hole_seq)
        self._choice = None

        def made(choice: BotChoice) -> None:
            table.guarded(partial(self._made, computing, choice))()

        bot.submit(view(hole, seat), table.services.executor, made)

    def _made(self, computing: _Computation, choice: BotChoice) -> None:
        """Accept a bot's choice if it is still wanted; if computing it failed, raise the exception in any case."""
        computing.bot.resume()
        choice.result()
        if computing is self._computing:
            self._choice = choice
        if self._is_overdue:
            self._act()
        elif not self._timer.is_set:
            self._table.settle()

    def _act(self) -> None:
        table, hole = self._table, self._table.hole
        self._is_overdue = False
        choosers = [] if hole is None else self._choosers(hole)
        if hole is not None and choosers:
            seat, bot, made = choosers[0].seat, choosers[0].bot, self._choice
            if bot is None:
                action = default_action(hole, seat)
            elif not bot.is_busy and not _is_slow(bot, hole):
                action = bot.choose(view(hole, seat))
            elif made is not None and self._computing == (bot, seat, table.hole_seq):
                action = made.action
            else:
                self._is_overdue = True  # once a choice has been computed, ``_made`` calls ``_act`` again
                if not bot.is_busy:
                    self._compute(bot, seat, hole)
                return
            if action is not None:
                table.do(seat, action)
        table.settle()


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
    from golfnet.bots.levels import make_bot  # imported when the first bot is needed
    from golfnet.bots.player import BotPlayer

    return BotPlayer(make_bot(level, rules, chance, shared=True))


def run_inline(work: Work, callback: Callable[[BotChoice], None]) -> None:
    """Compute a choice at once, in this thread, and call back with it."""
    from golfnet.bots.player import run

    callback(run(work))


def thread_executor(spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> Executor:
    """Return an executor with one worker thread, since two threads would only compete for the interpreter.

    A stopping server does not wait for the thread.
    """
    limiter = trio.CapacityLimiter(1)
    sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))

    def submit(work: Work, callback: Callable[[BotChoice], None]) -> None:
        async def choose() -> None:
            from golfnet.bots.player import run

            run_sync = trio.to_thread.run_sync
            callback(await run_sync(run, work, limiter=limiter, abandon_on_cancel=True))

        spawn(choose)

    return submit


QUICKEST: Final = 0.125
"""A bot's minimum reaction time in seconds: just above what counts as a false start."""

_NEAR: Final = Link(round_trip=0)


class BotSlams:
    """The slams of bots at one table, window by window."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._coming: dict[Seat, float] | None = None
        """The seats of bots that are going to slam, with their reaction times; None before the bots are asked."""
        self._timers: list[Timer] = []

    def ask(self, hole: Hole) -> None:
        """Ask each bot, once per window, whether and when it will slam."""
        if self._coming is not None:
            return
        self._coming = {}
        for seat, chair in self._table.seating:
            reaction = chair.bot.reaction(view(hole, seat)) if chair.bot is not None else None
            if reaction is not None:
                self._coming[seat] = max(reaction, QUICKEST)

    def let_pass(self, arbiter: Arbiter) -> None:
        """Pass for absent players, and for each bot (even one playing for the house) that is not going to slam."""
        for seat, chair in self._table.seating:
            is_coming = chair.is_waited_for if chair.bot is None else seat in (self._coming or ())
            if not is_coming and arbiter.may_pass(seat):
                arbiter.pass_by(seat)

    def begin(self, arbiter: Arbiter) -> None:
        """Let the bots react to the discard, which has just been shown."""
        now = trio.current_time()
        for seat, reaction in (self._coming or {}).items():
            arbiter.show(seat, round(now * 1e6), _NEAR)
            self._timers.append(self._table.after(reaction, partial(self._claim, seat, arbiter)))

    def cancel_all(self) -> None:
        """Keep all bots from slamming: the card has been won."""
        self.stop()
        self._coming = {}

    def stop(self) -> None:
        """Cancel all timers; ``begin`` sets them again."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def forget(self) -> None:
        """Prepare for the next window."""
        self.stop()
        self._coming = None

    def _claim(self, seat: Seat, arbiter: Arbiter) -> None:
        hole, bot = self._table.hole, self._table.seating.chair(seat).bot
        if self._coming is None or self._coming.pop(seat, None) is None or hole is None:
            return
        slam = bot.claim(view(hole, seat)) if bot is not None else None
        if slam is not None and arbiter.may_claim(seat):
            try:
                check(hole, seat, slam)
                arbiter.claim(seat, slam.at, round(trio.current_time() * 1e6))
            except (IllegalAction, FalseStart):
                pass  # too late: a gift is owed, or the card is gone
        self._table.settle()


class Filling(Part):
    """Lets bots take one table's free seats after a delay, if the host has asked for that."""

    def __init__(self, table: TableContext, add_bot: Callable[[str], None]) -> None:
        super().__init__(table)
        self._add_bot = add_bot

    @property
    def view(self) -> FillingView | None:
        """Which bots will join and when, as shown to everyone; None if none will."""
        wanted = self._table.wanted_bots
        if wanted is None or not self._timer.is_set:
            return None
        return FillingView(level=wanted.level, ms=self._timer.remaining_ms)

    def request(self, wanted: BotRequest | None) -> str | None:
        """Replace the host's request, or cancel it if ``wanted`` is None; raise ``Refused`` once the match has started.

        Return a note for the host if there is more to say than the announcement to the table.
        """
        table = self._table
        table.need_unfinished()
        if table.state is not TableState.OPEN:
            raise Refused(
                Code.BAD_PHASE, "The match has already started; bots can join only before it starts."
            )
        note = None
        if wanted is None:
            note = (
                "No more bots will join."
                if self.view is not None
                else "No bots were going to join."
                if table.wanted_bots is None
                else "No bot will take a seat that becomes free."
            )
        elif table.seating.is_full:
            note = (
                f"All seats are taken. If one becomes free, a {wanted.level} bot takes it after "
                f"{in_words(wanted.seconds * 1000)}."
            )
        self._cancel()
        table.wanted_bots = wanted
        table.is_row_due = True  # no event is emitted unless a delay begins or ends
        return note

    def update(self, wanted: BotRequest) -> None:
        """Start or cancel the delay, depending on the table's state."""
        table = self._table
        if table.state is not TableState.OPEN:
            table.wanted_bots = None
            self.stop()
        elif self._has_enough or not any(chair.is_waited_for for _, chair in table.seating):
            self._cancel()
        elif not self._timer.is_set:
            self._timer = table.after(wanted.seconds, partial(self._fill, wanted))
            table.emit(BotsWanted(level=wanted.level, ms=wanted.seconds * 1000))

    def _cancel(self) -> None:
        if (filling := self.view) is not None:
            self._table.emit(BotsWanted(level=filling.level, ms=None))
        self.stop()

    def _fill(self, wanted: BotRequest) -> None:
        table = self._table
        table.wanted_bots = None
        table.emit(BotsWanted(level=wanted.level, ms=0))
        while table.state is TableState.OPEN and not self._has_enough:
            self._add_bot(wanted.level)
            table.settle()

    @property
    def _has_enough(self) -> bool:
        table = self._table
        return table.seating.is_full or (
            table.setup.starts_when_enough and len(table.seating) >= table.rules.seats.low
        )
