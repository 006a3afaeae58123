"""When round trips are measured: while a race is played, for everybody who plays, and else never.

Before a discard can be raced for, whatever its way takes is known, as it was a moment ago: everybody is asked at the
beginning of each turn, and once more when it lasts. And while a window is open everybody is asked at a moment that
nobody can foresee, so that a line that makes everything late but slams shows itself by acknowledging that ping early.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.rules import SlamMode

if TYPE_CHECKING:
    from golfnet.engine.hole import Hole
    from golfnet.server.clock import Timer
    from golfnet.server.context.context import TableContext

SELDOM: Final = 2.0
"""Seconds between two measurements within a turn."""

REACTING: Final = (0.1, 0.6)
"""Between which seconds of a window most people slam."""


class Measuring:
    """The measuring at one table."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._turns: tuple[int, ...] = ()
        self._window: int | None = None
        """The discard of the open window."""
        self._last = 0.0
        self._timer: Timer | None = None

    def update(self, hole: Hole | None) -> None:
        """Measure if a turn has begun since the last time, or lasts; be ready to measure in a window."""
        turns = () if hole is None else hole.turns
        has_begun, self._turns = turns != self._turns, turns
        if hole is None or hole.rules.slam is not SlamMode.RACE:
            self._window = None
            return
        window = None if hole.window is None else hole.window.discard_no
        if window is None:
            if has_begun or trio.current_time() - self._last >= SELDOM:
                self._measure()
        elif window != self._window:
            chance = Random(hole.deal.key + window.to_bytes(4, "big"))
            self.stop()
            self._timer = self._table.after(chance.uniform(*REACTING), self._measure)
        self._window = window

    def stop(self) -> None:
        """Measure no more in the window that is open."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _measure(self) -> None:
        self._last = trio.current_time()
        for _, chair in self._table.seating:
            if chair.session is not None:
                chair.session.measure()
