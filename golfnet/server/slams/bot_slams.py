"""Seats that no person plays, in a slam window: which of them pass at once, and which bots slam, and when (C19).

A bot is asked once a window how long it will take, and when that time is over what it claims, with a view of that
later moment; after that it wants nothing more. Its claims go the way of everybody's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.errors import IllegalAction
from golfnet.engine.refusals import check
from golfnet.engine.views import view
from golfnet.server.session.link import Link
from golfnet.server.slams.claims import FalseStart

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Seat
    from golfnet.server.clock import Timer
    from golfnet.server.context.context import TableContext
    from golfnet.server.slams.arbiter import Arbiter

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
