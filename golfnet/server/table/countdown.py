"""The countdown to the start of a match, for a table that starts without a word of its host.

A full table starts after the server's ``start_delay``. A table that a bare ``seek`` has opened does not wait until it
is full: it starts some seconds after enough players are there, and every newcomer prolongs that a little. What stays
true: everybody at the table is told when the countdown begins, changes or ends; newcomers cannot prolong it for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.words import seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.clock import Timer
    from golfnet.server.context.context import TableContext

WITH_ENOUGH: Final = 20
"""Seconds from the moment when enough players are there."""

AFTER_A_NEWCOMER: Final = 10
"""The fewest seconds after somebody else has sat down."""

AT_MOST: Final = 60
"""Seconds after which newcomers no longer prolong it."""


class StartCountdown:
    """The countdown at one table; ``begin`` is called at its end."""

    def __init__(self, table: TableContext, begin: Callable[[], None]) -> None:
        self._table = table
        self._begin = begin
        self._timer: Timer | None = None
        self._taken = 0
        """The seats that were taken when it was set the last time."""
        self._told: float | None = None
        """The moment of the start that everybody was told, in seconds of trio's clock."""
        self._latest = 0.0
        """The latest moment to which newcomers prolong it, in seconds of trio's clock."""

    @property
    def ms(self) -> int | None:
        """The time until the start, None while none is near."""
        return None if self._timer is None else self._timer.remaining_ms

    def update(self, *, is_full: bool, is_enough: bool) -> None:
        """Count down, or not, as the seats are taken now."""
        taken = len(self._table.seating)
        if not (is_full or is_enough):
            self.stop()
        elif self._timer is None or taken != self._taken:
            self._set(self._due(taken, is_full=is_full))
            self._taken = taken

    def tell(self) -> None:
        """Tell everybody when the match begins, where that has changed."""
        due = None if self._timer is None else self._timer.deadline
        if due == self._told:
            return
        self._told = due
        if self._timer is None:
            self._notify("There are too few players now, so the match does not begin yet.", 0)
        elif ms := self._timer.remaining_ms:
            self._notify(f"The match begins in {seconds(ms)}, or as soon as everybody is ready.", ms)

    def begun(self) -> None:
        """End the countdown, as the match begins."""
        self.stop()
        self._told = None

    def stop(self) -> None:
        """Cancel the countdown; ``update`` begins it anew."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self, taken: int, *, is_full: bool) -> float:
        """Return when the match begins, in seconds of trio's clock."""
        now = trio.current_time()
        delay = self._table.services.config.start_delay if is_full else WITH_ENOUGH
        if self._timer is None:
            self._latest = now + AT_MOST
            return now + delay
        running = self._timer.deadline
        if is_full:
            return min(now + delay, max(running, self._latest))
        if taken < self._taken:
            return running
        return max(running, min(now + AFTER_A_NEWCOMER, self._latest))

    def _set(self, due: float) -> None:
        if self._timer is None or self._timer.deadline != due:
            self.stop()
            self._timer = self._table.after(max(0.0, due - trio.current_time()), self._begin)

    def _notify(self, text: str, ms: int) -> None:
        self._table.notify(Notice(code="STARTING", text=text, ms=ms, table=self._table.id))
