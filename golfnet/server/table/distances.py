"""Round trips of the players at a table: measured for slam races, and a warning if they are too long to compensate for.

A warning says how late a player's slams are, and how to open a table where speed does not count. Nobody is kept from
playing, or warned twice about the same player before a match. What counts is the minimum round trip, so a single late
answer does no harm.
"""

from random import Random
from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.hole import Hole
from golfnet.engine.rules import SlamMode
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.server.session.roundtrip import UNCONFIRMED
from golfnet.server.table import Part

if TYPE_CHECKING:
    from golfnet.server.table.table import Table

SELDOM: Final = 2.0
"""Minimum number of seconds between measurements within a turn."""

REACTING: Final = (0.1, 0.6)
"""Round trips are measured at a random time in this range, in seconds after a window opens: most people slam then."""

PING_SECONDS: Final = 1.0
"""Seconds to wait for answers to a ping: enough from anywhere on Earth."""

_MOST_WARNINGS: Final = 200
"""Enough for ten players who are all warned about each other, and for ten more who have come and gone."""


class Distances(Part):
    """Measures the round trips of one table's players for races, and announces those that are too long."""

    def __init__(self, table: "Table") -> None:
        super().__init__(table)
        self._asked: set[tuple[str, float]] = set()
        """Who has been pinged, and when they connected: a player who reconnects is pinged again."""
        self._warned: set[tuple[str, str]] = set()
        """Who has been warned about whom: at most ``_MOST_WARNINGS`` per match, however many players come and go."""
        self._turns: tuple[int, ...] = ()
        self._window: int | None = None
        """The number of the open window's discard, or None if no window is open."""
        self._last = 0.0
        """When the round trips were last measured during a hole."""

    def reset(self) -> None:
        """Prepare for another match."""
        self._asked.clear()
        self._warned.clear()

    def update_in_hole(self, hole: Hole) -> None:
        """Measure at the start of a turn, now and then during a long one, and once in each window."""
        if hole.rules.slam is not SlamMode.RACE:
            return
        has_begun, self._turns = hole.turns != self._turns, hole.turns
        before, self._window = self._window, None if hole.window is None else hole.window.discard_no
        if self._window is None:
            if has_begun or trio.current_time() - self._last >= SELDOM:
                self._measure()
        elif self._window != before:
            chance = Random(hole.deal.key + self._window.to_bytes(4, "big"))
            self.stop()
            self._timer = self._table.after(chance.uniform(*REACTING), self._measure, settles=False)

    def _measure(self) -> None:
        self._last = trio.current_time()
        for player in self._table.seating.players:
            if player.session is not None:
                player.session.measure()

    def update(self) -> None:
        """Before a race, ping everyone who has sat down, and warn the table once they have had time to answer."""
        if not self._is_before_a_race:
            self.stop()
            return
        sessions = [(chair.name, chair.session) for chair in self._table.seating if chair.session is not None]
        present = {(name, session.connected): session for name, session in sessions}
        new = [session for key, session in present.items() if key not in self._asked]
        self._asked = set(present)
        for session in new:
            session.measure()
        if new:
            self.stop()
            self._timer = self._table.after(PING_SECONDS, self.notify, settles=False)

    def notify(self) -> None:
        """Warn everyone about players known to be too far away, unless they have already been warned."""
        if not self._is_before_a_race:
            return
        table, now = self._table, trio.current_time()
        present = [(chair, chair.session) for chair in table.seating if chair.session is not None]
        offer = f"can open a table where speed does not count: create {table.rules.name} slam=order"
        for far, link in [(chair, session.round_trips.link(now)) for chair, session in present]:
            # A player alone with bots is warned only if the kernel has confirmed the round trip: otherwise the
            # player may just be slow to answer.
            is_sure = len(present) > 1 or link.limit > UNCONFIRMED
            if link.least is None or link.least <= link.limit or not is_sure:
                continue
            for chair, session in present:
                pair = chair.name, far.name
                if pair not in self._warned and len(self._warned) < _MOST_WARNINGS:
                    self._warned.add(pair)
                    who = "You" if chair.player is table.host else "The host"
                    text = f"{_late(far.name, link.least, link.limit, is_you=chair is far)} {who} {offer}"
                    session.send(
                        Notice(code="LONG_ROUND_TRIP", text=text, ms=round(link.least / 1000)),
                        ticket=table.ticket,
                    )

    @property
    def _is_before_a_race(self) -> bool:
        return self._table.state is TableState.OPEN and self._table.rules.slam is SlamMode.RACE


def _late(name: str, least: int, most: int, *, is_you: bool) -> str:
    took, limit = round(least / 1000), round(most / 1000)
    whose, who, own = ("Your", "you are", "your") if is_you else (f"{name}'s", f"{name} is", "their")
    because = f" if it has only {own} own answers to go by" if most == UNCONFIRMED else ""
    return (
        f"{whose} connection takes {took} ms there and back. A slam race makes up for at most {limit} ms{because}, "
        f"so {who} {took - limit} ms late in each race."
    )
