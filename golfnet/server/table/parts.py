"""The parts of one table: made together, updated in their order, stopped and closed together.

Only ``Table`` knows this. Parts get a ``TableContext``, and those of the others that they are given by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.server.table.bots import BotTurns
from golfnet.server.table.broadcast import Broadcast, Views
from golfnet.server.table.clocks import TurnClocks
from golfnet.server.table.distances import Distances, Measuring
from golfnet.server.table.gallery import Gallery
from golfnet.server.table.hosts import Succession, ensure_seated_host
from golfnet.server.table.membership import Membership
from golfnet.server.table.sealing import Sealing
from golfnet.server.table.starting import Filling, StartCountdown, Starting
from golfnet.server.table.waiting import WaitingLine
from golfnet.server.table.windows import Windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.engine.hole import Hole
    from golfnet.server.table.context import TableContext


class Parts:
    """The parts of a table; ``next_match`` gives the ids of matches."""

    def __init__(self, table: TableContext, next_match: Callable[[], str]) -> None:
        self._table = table
        self.gallery = Gallery(table)
        self.sealing = Sealing(table, deal=lambda: self.starting.deal())
        self.membership = Membership(table, self.sealing, self.gallery)
        self.distances = Distances(table)
        self.starting = Starting(
            table,
            self.sealing,
            self.distances,
            StartCountdown(table, begin=lambda: self.starting.begin()),
            next_match=next_match,
            look_all=lambda: self.broadcast.send_views(),
        )
        self.succession = Succession(table)
        self.waiting = WaitingLine(
            table,
            self.membership,
            self.gallery,
            reopen=lambda: self.reopen(),
            look=lambda player: self.broadcast.send_view(player),
        )
        self.filling = Filling(table, add_bot=self.membership.add_bot)
        self.clocks = TurnClocks(table, self.membership)
        self.windows = Windows(table)
        self.measuring = Measuring(table)
        self.bot_turns = BotTurns(table)
        self.views = Views(
            table,
            membership=self.membership,
            sealing=self.sealing,
            gallery=self.gallery,
            starting=self.starting,
            filling=self.filling,
            clocks=self.clocks,
            windows=self.windows,
        )
        self.broadcast = Broadcast(table, self.views)
        self._was_dealt = False
        """Whether a hole was in play at the last update: what runs only between holes is stopped once."""

    def update(self) -> None:
        """Update the parts that the table has work for now, in their order; each of them may close the table."""
        table = self._table
        if table.services.gate.is_stuck:
            return
        was_dealt, self._was_dealt = self._was_dealt, table.hole is not None
        if table.hole is None:
            self.succession.update()
            self.waiting.update()
            self.distances.update()
            self.starting.update()
        elif not was_dealt:
            self.succession.stop()
            self.waiting.stop()
            self.starting.stop()
        if not table.is_closed:
            if self.filling.wish is not None:
                self.filling.update()
            self._update_play(table.hole)

    def _update_play(self, hole: Hole | None) -> None:
        """Update the parts that play is for: measurements, slams, clocks, bots."""
        self.measuring.update(hole)
        self.windows.update(hole)
        table = self._table
        if table.is_closed:
            return
        if table.hole is not None:
            self.clocks.update(table.hole)
            if not self._table.is_closed:
                self.bot_turns.update(table.hole)
        elif hole is not None:  # it ended by the last slam of its window
            self.update()
        else:
            self.clocks.update(None)
            self.bot_turns.stop()

    def reopen(self) -> None:
        """Open a new match between those who are still here, which begins when all of them are ready."""
        self._table.seating = self.membership.new_seating()
        ensure_seated_host(self._table)
        self.starting.new_match()
        self.broadcast.send_views()
        self.starting.is_rematch = True

    def stop(self) -> None:
        """Cancel every timer; ``update`` sets them again."""
        for part in (
            self.clocks,
            self.windows,
            self.filling,
            self.bot_turns,
            self.sealing,
            self.distances,
            self.measuring,
            self.starting,
            self.succession,
            self.waiting,
        ):
            part.stop()

    def close(self) -> None:
        """Cancel for good what holds the table, and let go of the parts."""
        self.clocks.close()
        self.gallery.stop()
        table = self._table
        vars(self).clear()  # the parts know each other in circles
        self._table = table
