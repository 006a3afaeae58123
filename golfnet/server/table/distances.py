"""Whose connection takes longer than a slam race takes off for it: told to the table before the match starts.

Nobody is kept from playing: the player is told how much is missing, and everybody how to open a table where speed does
not count. What stays true: nobody is told twice about the same player before one match; what counts is the least that
was measured, so that one late answer makes nobody look far away.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.rules import SlamMode
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.server.session.roundtrip import UNCONFIRMED

if TYPE_CHECKING:
    from golfnet.engine.hole import Hole
    from golfnet.server.clock import Timer
    from golfnet.server.session.roundtrip import Estimate
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.seating import Chair

ANSWERED: Final = 1.0
"""Seconds after which a ping is answered from anywhere on Earth."""

CODE: Final = "LONG_ROUND_TRIP"

_MOST_TOLD: Final = 200
"""Ten players who all learn of each other, and as many again who came and went."""


class Distances:
    """The players of one table whose connections are too long for a race."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._match = ""
        self._asked: set[tuple[str, float]] = set()
        """Who is here and was asked, and since when each is connected: whoever comes back is asked again."""
        self._told: set[tuple[str, str]] = set()
        """Who was told about whom: at most ``_MOST_TOLD`` before one match, however many come and go."""
        self._timer: Timer | None = None

    def update(self) -> None:
        """Ask everybody who has sat down for a sign of life, and tell what is known when it had time to come."""
        if not self._is_before_a_race:
            self.stop()
            return
        if self._match != self._table.match.id:
            self._match = self._table.match.id
            self._asked.clear()
            self._told.clear()
        before, self._asked = self._asked, set()
        for _, chair in self._table.seating:
            session = chair.session
            if session is not None:
                self._asked.add((chair.name, session.connected))
                if (chair.name, session.connected) not in before:
                    session.measure()
        if not self._asked <= before:
            self.stop()
            self._timer = self._table.after(ANSWERED, self.tell)

    def tell(self) -> None:
        """Tell everybody at the table who is too far away, as far as is known and was not told yet."""
        if not self._is_before_a_race:
            return
        present = [chair for _, chair in self._table.seating if chair.session is not None]
        for far, known in _far(present):
            for chair in present:
                pair = chair.name, far.name
                if chair.session is not None and pair not in self._told and len(self._told) < _MOST_TOLD:
                    self._told.add(pair)
                    text = f"{_late(far.name, known, is_you=chair is far)} {self._offer(chair)}"
                    notice = Notice(code=CODE, text=text, ms=round(1000 * known.least))
                    chair.session.send(notice, ticket=self._table.ticket)

    def stop(self) -> None:
        """Let no timer run."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def _is_before_a_race(self) -> bool:
        return self._table.state is TableState.OPEN and self._table.rules.slam is SlamMode.RACE

    def _offer(self, chair: Chair) -> str:
        """Return how to play without hurry."""
        who = "You" if chair.player is not None and chair.player is self._table.host else "The host"
        return (
            f"{who} can open a table where speed does not count: create {self._table.rules.name} slam=order"
        )


def _far(present: list[Chair]) -> list[tuple[Chair, Estimate]]:
    """Return who is too far away, with what is known of the connection."""
    now, found = trio.current_time(), []
    for chair in present:
        known = None if chair.session is None else chair.session.round_trips.estimate(now)
        if known is None or known.least <= known.limit:
            continue
        # Somebody alone with bots on the server's own machine is slow to answer, not far away.
        if len(present) > 1 or known.limit > UNCONFIRMED:
            found.append((chair, known))
    return found


def _late(name: str, known: Estimate, *, is_you: bool) -> str:
    """Return how late somebody is, and why."""
    took, limit = round(1000 * known.least), round(1000 * known.limit)
    whose, who, own = ("Your", "you are", "your") if is_you else (f"{name}'s", f"{name} is", "their")
    because = f" where only {own} own answers tell the time" if known.limit == UNCONFIRMED else ""
    return (
        f"{whose} connection takes {took} ms there and back. A slam race takes off at most {limit} ms{because}, "
        f"so {who} {took - limit} ms late in each race."
    )


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
