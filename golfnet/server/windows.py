"""Slam windows: how long one stays open, and who slams or passes in it by itself.

The engine judges slams in the order in which they reach it (C11); that order is made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.engine import match as matches
from golfnet.engine.actions import Pass
from golfnet.engine.views import view

if TYPE_CHECKING:
    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Seat
    from golfnet.server.clock import Timer
    from golfnet.server.table import Table

AFTER_A_SLAM: Final = 0.25
"""Seconds that a window stays open for late claims after a success, or after the gift for it (C17)."""


class Windows:
    """The slam windows of one table, one after the other."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._closing: Timer | None = None
        self._claims: list[Timer] = []
        self._open: int | None = None
        self._state: tuple[int, bool, bool] | None = None

    @property
    def remaining_ms(self) -> int:
        """What the open window has left."""
        return self._closing.remaining_ms if self._closing is not None else 0

    def update(self, hole: Hole | None) -> None:
        """Look at the hole's window, let those pass who do not want to slam, and set the time it has left."""
        window = hole.window if hole is not None else None
        if hole is None or window is None:
            self.stop()
            return
        if window.discard_no != self._open:
            self.stop()
            self._open = window.discard_no
            self._let_others_choose(hole)
            hole = self._table.hole
            window = hole.window if hole is not None else None
            if hole is None or window is None or window.discard_no != self._open:
                return
        state = (window.discard_no, window.won, hole.gift is not None)
        if state != self._state:
            self._state = state
            self._cancel_closing()
            if hole.gift is None:
                seconds = AFTER_A_SLAM if window.won else float(hole.rules.slam_window)
                self._table.services.gate.once_shown(self._table.ticket, lambda: self._run(state, seconds))

    def stop(self) -> None:
        """Forget the window."""
        self._cancel_closing()
        for timer in self._claims:
            timer.cancel()
        self._claims.clear()
        self._open, self._state = None, None

    def _let_others_choose(self, hole: Hole) -> None:
        """Pass for seats that nobody plays, and ask bots when they will slam (C19)."""
        for seat, chair in list(self._table.seating):
            reaction = None
            if chair.bot is not None:
                reaction = chair.bot.reaction(view(hole, seat))
            elif chair.is_waited_for:
                continue
            if reaction is None:
                self._pass(seat)
            else:
                timers = self._table.services.timers
                self._claims.append(timers.after(reaction, self._table.guarded(self._claim_of(seat))))

    def _claim_of(self, seat: Seat):  # type: ignore[no-untyped-def]
        def claim() -> None:
            hole, chair = self._table.hole, self._table.seating.at(seat)
            if hole is None or hole.window is None or chair is None or chair.bot is None:
                return
            slam = chair.bot.claim(view(hole, seat))
            if slam is None or hole.gift is not None:
                self._pass(seat)
            else:
                self._table.do(seat, slam)
            self._table.settle()

        return claim

    def _pass(self, seat: Seat) -> None:
        hole = self._table.hole
        if (
            hole is not None
            and hole.window is not None
            and hole.gift is None
            and not hole.window.passed >> seat & 1
        ):
            self._table.do(seat, Pass())

    def _run(self, state: tuple[int, bool, bool], seconds: float) -> None:
        if self._state == state and not self._table.is_closed:
            self._closing = self._table.services.timers.after(seconds, self._table.guarded(self._close))

    def _close(self) -> None:
        self._closing = None
        self._table.step(matches.close_window(self._table.match))
        self._table.settle()

    def _cancel_closing(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
