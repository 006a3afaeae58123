"""Turn clocks: how long a table waits for a choice, and what happens if none comes.

The engine has no clock; a timeout reaches it as an ordinary action. A clock starts once the players have been shown the
choice that it limits, so a slow disk costs nobody time.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.hole import Hole, Phase, phase
from golfnet.engine.legality import awaited, default_action
from golfnet.protocol.replies.presence import Cause, ClockWarning, TimedOut
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.engine.layout import Seat
    from golfnet.engine.match import Match
    from golfnet.server.clock import Timer, Timers
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.membership import Membership

TIMEOUTS_FORGIVEN: Final = 2
"""How many timeouts in a row a player may have; after one more, the house plays the seat."""

WARN_AT: Final = 0.5
WARN_LEFT: Final = 10.0
"""When players are warned: when this fraction of the clock is left, and when this many seconds are left."""

_TURN: Final = frozenset((Phase.TURN, Phase.HOLDING, Phase.FLIP))
"""The phases of a turn that share one clock."""

_BESIDE_THE_TURN: Final = (Phase.POWER, Phase.GIVE)
"""Phases with a clock of their own. No event announces the start of that clock, so a ``ClockWarning`` does."""


class TurnClocks:
    """The turn clocks of one table: one runs at a time, for one seat or for several."""

    def __init__(self, table: TableContext, membership: Membership) -> None:
        self._table = table
        self._membership = membership
        self._clock = Countdown(
            table.services.timers,
            at_mark=table.guarded(self._warn),
            at_end=table.guarded(self._out_of_time),
        )
        self._waiting: tuple[object, ...] | None = None
        self._seconds = 0.0
        """The clock's full time, 0 if there is none."""
        self._interrupted: tuple[tuple[object, ...], float] | None = None
        """The choice that a power's clock limited, and the seconds that were left when a gift interrupted it (C14)."""
        self._extra = 0.0

    @property
    def timed_seats(self) -> tuple[Seat, ...]:
        """The seats whose clock is running, or will be once they have been shown the state."""
        hole = self._table.hole
        if not self._seconds or hole is None or phase(hole) is Phase.SLAM:
            return ()
        return awaited(hole)

    def remaining_ms(self, seat: Seat) -> int | None:
        """Return how much time the seat's clock has left, or None if it has no clock now."""
        if seat not in self.timed_seats:
            return None
        return self._clock.remaining_ms if self._clock.is_running else round(self._seconds * 1000)

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
        if waiting is None or not self._table.setup.clock:
            return
        self._seconds, self._extra = self._table.setup.clock + self._extra, 0.0
        if self._interrupted is not None and self._interrupted[0] == waiting:
            self._seconds, self._interrupted = self._interrupted[1], None
        if phase(hole) in _BESIDE_THE_TURN:
            self._warn()
        self._table.once_shown(partial(self._start, waiting))

    def add_time(self, seconds: float) -> None:
        """Extend the next clock by this many seconds."""
        self._extra = seconds

    def stop(self) -> None:
        """Stop the clock; ``update`` starts it again."""
        if self._waiting is not None and Phase.POWER in self._waiting and self._clock.is_running:
            self._interrupted = self._waiting, max(1.0, self._clock.remaining_ms / 1000)
        self._clock.stop()
        self._waiting, self._seconds = None, 0.0

    def close(self) -> None:
        """Stop for good, and drop the references to the table."""
        self.stop()
        self._clock.close()

    def _start(self, waiting: tuple[object, ...]) -> None:
        if self._waiting == waiting:
            self._clock.start(self._seconds, _marks(self._seconds))

    def _warn(self) -> None:
        for seat in self.timed_seats:
            chair, left = self._table.seating.chair(seat), self.remaining_ms(seat)
            if chair.kind is ChairKind.HUMAN and left is not None:
                self._table.emit(ClockWarning(seat=seat, ms=left))

    def _out_of_time(self) -> None:
        """Choose for every awaited seat (X12, X13); let the house take over a seat that keeps timing out."""
        table = self._table
        for seat in self.timed_seats:
            chair = table.seating.chair(seat)
            chair.timeouts += 1
            table.emit(TimedOut(seat=seat))
            if chair.timeouts > TIMEOUTS_FORGIVEN:
                self._membership.house_takes_over(seat, Cause.IDLE)
            self._play_for(seat)
        table.settle()

    def _play_for(self, seat: Seat) -> None:
        """Make all choices that the seat owes now, so that a whole turn counts as one timeout."""
        match = self._table.match
        while (hole := self._table.hole) is not None and _owes(hole, seat, match):
            action = default_action(hole, seat)
            if action is None:
                return
            self._table.do(seat, action)


@lru_cache(maxsize=64)
def _marks(seconds: float) -> tuple[float, ...]:
    marks = {left for left in (seconds * WARN_AT, WARN_LEFT) if left < seconds}
    return tuple(sorted(marks, reverse=True))


def _waiting_for(hole: Hole) -> tuple[object, ...] | None:
    """Return a key for what the clock is timing, or None; a clock keeps running while the key stays the same."""
    now = phase(hole)
    if now in _TURN:
        return hole.deal.hole, _TURN, hole.turn, hole.turns
    if now in _BESIDE_THE_TURN:
        return hole.deal.hole, now, hole.turns
    return (hole.deal.hole, now) if now is Phase.START else None


def _owes(hole: Hole, seat: Seat, before: Match) -> bool:
    """Return whether the seat still owes a choice in the same turn as in ``before``, when the clock ran out."""
    if phase(hole) is Phase.SLAM or seat not in awaited(hole):
        return False
    return (
        before.hole is not None
        and hole.deal.hole == before.hole.deal.hole
        and hole.turns == before.hole.turns
    )


class Countdown:
    """A countdown that is often restarted, and calls back at its marks and at its end.

    Nearly every countdown is stopped long before its first mark. So its only timer stays in the queue when the
    countdown is stopped or restarted; once the timer is due, it checks whether to call anything.
    """

    __slots__ = ("_at_end", "_at_mark", "_deadline", "_due", "_marks", "_timer", "_timers")

    def __init__(self, timers: Timers, *, at_mark: Callable[[], None], at_end: Callable[[], None]) -> None:
        self._timers = timers
        self._at_mark = at_mark
        self._at_end = at_end
        self._deadline: float | None = None
        self._due = 0.0
        self._marks: tuple[float, ...] = ()
        self._timer: Timer | None = None

    def start(self, seconds: float, marks: tuple[float, ...] = ()) -> None:
        """Count down from ``seconds``; ``marks`` are seconds left, in descending order."""
        self._deadline = trio.current_time() + seconds
        self._marks = marks
        self._set()

    def stop(self) -> None:
        """Stop the countdown: make no more calls."""
        self._deadline = None

    def close(self) -> None:
        """Stop for good: drop the callbacks and the place in the queue."""
        self.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._at_mark = self._at_end = lambda: None

    @property
    def is_running(self) -> bool:
        """Whether the countdown is running."""
        return self._deadline is not None

    @property
    def remaining_ms(self) -> int:
        """Milliseconds until the end, 0 if the countdown is not running."""
        left = 0.0 if self._deadline is None else self._deadline - trio.current_time()
        return max(0, round(left * 1000))

    def _set(self) -> None:
        """Make sure that the timer is due no later than the next call."""
        if self._deadline is None:
            return
        self._due = self._deadline - (self._marks[0] if self._marks else 0.0)
        if self._timer is not None and self._timer.is_set:
            if self._timer.deadline <= self._due:
                return
            self._timer.cancel()
        self._timer = self._timers.at(self._due, self._check)

    def _check(self) -> None:
        if self._deadline is None:
            return
        if self._due > trio.current_time():
            self._set()
        elif self._marks:
            self._marks = self._marks[1:]
            self._set()
            self._at_mark()
        else:
            self._deadline = None
            self._at_end()
