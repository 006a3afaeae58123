"""Before a match with slam races, warns a table of players whose round trips are too long for races to compensate.

Nobody is kept from playing: the notice says how late they are, and how to open a table where speed does not count.
Invariants: nobody is warned twice about the same player before one match; the minimum round trip counts, so one late
answer does not make anyone appear far away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.rules import SlamMode
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.server.clock import NO_TIMER
from golfnet.server.session.roundtrip import UNCONFIRMED

if TYPE_CHECKING:
    from golfnet.server.session.roundtrip import Estimate
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.seating import Chair

ANSWERED: Final = 1.0
"""Seconds to wait for answers to a ping: enough from anywhere on Earth."""

CODE: Final = "LONG_ROUND_TRIP"

_MOST_WARNINGS: Final = 200
"""Enough for ten players who are all warned about each other, and as many again who have come and gone."""


class Distances:
    """Finds and announces the players of one table whose round trips are too long for a race."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._match = ""
        self._asked: set[tuple[str, float]] = set()
        """Who has been pinged, and when they connected: a player who reconnects is pinged again."""
        self._warned: set[tuple[str, str]] = set()
        """Who has been warned about whom: at most ``_MOST_WARNINGS`` per match, however many players come and go."""
        self._timer = NO_TIMER

    def update(self) -> None:
        """Ping everyone who has sat down, and warn the table once the answers have had time to arrive."""
        if not self._is_before_a_race:
            self.stop()
            return
        if self._match != self._table.match.id:
            self._match = self._table.match.id
            self._asked.clear()
            self._warned.clear()
        before, self._asked = self._asked, set()
        for _, chair in self._table.seating:
            session = chair.session
            if session is not None:
                self._asked.add((chair.name, session.connected))
                if (chair.name, session.connected) not in before:
                    session.measure()
        if not self._asked <= before:
            self.stop()
            self._timer = self._table.after(ANSWERED, self.notify)

    def notify(self) -> None:
        """Warn everyone about players known to be too far away, unless they have already been warned."""
        if not self._is_before_a_race:
            return
        present = [chair for _, chair in self._table.seating if chair.session is not None]
        for far, known in _far(present):
            for chair in present:
                pair = chair.name, far.name
                if (
                    chair.session is not None
                    and pair not in self._warned
                    and len(self._warned) < _MOST_WARNINGS
                ):
                    self._warned.add(pair)
                    text = f"{_late(far.name, known, is_you=chair is far)} {self._offer(chair)}"
                    notice = Notice(code=CODE, text=text, ms=round(1000 * known.least))
                    chair.session.send(notice, ticket=self._table.ticket)

    def stop(self) -> None:
        """Cancel the timer."""
        self._timer.cancel()

    @property
    def _is_before_a_race(self) -> bool:
        return self._table.state is TableState.OPEN and self._table.rules.slam is SlamMode.RACE

    def _offer(self, chair: Chair) -> str:
        who = "You" if chair.player is not None and chair.player is self._table.host else "The host"
        return (
            f"{who} can open a table where speed does not count: create {self._table.rules.name} slam=order"
        )


def _far(present: list[Chair]) -> list[tuple[Chair, Estimate]]:
    """Return the players who are too far away, with the estimates of their round trips."""
    now, found = trio.current_time(), []
    for chair in present:
        known = None if chair.session is None else chair.session.round_trips.estimate(now)
        if known is None or known.least <= known.limit:
            continue
        # A player alone with bots, whose answers no kernel confirms, may be slow to answer rather than far away.
        if len(present) > 1 or known.limit > UNCONFIRMED:
            found.append((chair, known))
    return found


def _late(name: str, known: Estimate, *, is_you: bool) -> str:
    """Return a sentence about how late someone is, and why."""
    took, limit = round(1000 * known.least), round(1000 * known.limit)
    whose, who, own = ("Your", "you are", "your") if is_you else (f"{name}'s", f"{name} is", "their")
    because = f" if it has only {own} own answers to go by" if known.limit == UNCONFIRMED else ""
    return (
        f"{whose} connection takes {took} ms there and back. A slam race takes off at most {limit} ms{because}, "
        f"so {who} {took - limit} ms late in each race."
    )
