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
from golfnet.server.table.context import Part
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.engine.match import Match
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


class TurnClocks(Part):
    """The turn clocks of one table: one runs at a time, for one seat or for several."""

    def __init__(self, table: TableContext, membership: Membership) -> None:
        super().__init__(table)
        self._membership = membership
        self._deadline: float | None = None
        """When the clock runs out, on trio's clock, or None while it is not running."""
        self._waiting: tuple[object, ...] | None = None
        self._seconds = 0.0
        """The clock's full time, 0 if there is none."""
        self._interrupted: tuple[tuple[object, ...], float] | None = None
        """The choice that a power's clock limited, and the seconds that were left when a gift interrupted it (C14)."""
        self.extra = 0.0
        """By how many seconds the next clock is extended."""

    @property
    def timed_seats(self) -> tuple[Seat, ...]:
        """The seats whose clock is running, or will be once they have been shown the state."""
        hole = self._table.hole
        if not self._seconds or hole is None or phase(hole) is Phase.SLAM:
            return ()
        return awaited(hole)

    def remaining_ms(self, seat: Seat) -> int | None:
        """Return how much time the seat's clock has left, or None if it has no clock now."""
        return round(self._left * 1000) if seat in self.timed_seats else None

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
            self._set(_marks(self._seconds))

    def _set(self, marks: tuple[float, ...]) -> None:
        """Set the timer for the next mark, or else for the end."""
        until, call = (marks[0], partial(self._at_mark, marks[1:])) if marks else (0.0, self._out_of_time)
        self._timer = self._table.after(self._left - until, call)

    def _at_mark(self, later: tuple[float, ...]) -> None:
        self._set(later)
        self._warn()

    def _warn(self) -> None:
        for seat in self.timed_seats:
            chair, left = self._table.seating.chair(seat), self.remaining_ms(seat)
            if chair.kind is ChairKind.HUMAN and left is not None:
                self._table.emit(ClockWarning(seat=seat, ms=left))

    def _out_of_time(self) -> None:
        """Choose for every awaited seat (X12, X13); let the house take over a seat that keeps timing out."""
        table, self._deadline = self._table, None
        for seat in self.timed_seats:
            chair = table.seating.chair(seat)
            chair.timeouts += 1
            table.emit(TimedOut(seat=seat))
            if chair.timeouts > TIMEOUTS_FORGIVEN:
                self._membership.house_takes_over(chair, Cause.IDLE)
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
