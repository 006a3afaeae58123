"""The parts of one table, which are created together, updated in order, and stopped and closed together.

Only ``Table`` uses this module. A part gets a ``TableContext``, and the other parts that it needs as arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.rules import SlamMode
from golfnet.server.table.bots import BotTurns, Filling
from golfnet.server.table.broadcast import Broadcast, Views
from golfnet.server.table.clocks import TurnClocks
from golfnet.server.table.gallery import Gallery
from golfnet.server.table.hosts import Succession, ensure_seated_host
from golfnet.server.table.membership import Membership
from golfnet.server.table.sealing import Sealing
from golfnet.server.table.starting import Distances, StartCountdown, Starting
from golfnet.server.table.waiting import WaitingLine
from golfnet.server.table.windows import Measuring, Windows

if TYPE_CHECKING:
    from golfnet.server.table.context import TableContext


class Parts:
    """Creates, updates and stops the parts of one table."""

    def __init__(self, table: TableContext) -> None:
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
            table=table,
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
        """Whether a hole was in play at the last update, so that the parts used between holes are stopped only once."""

    def update(self) -> None:
        """Update the parts that matter now, in order; any of them may close the table."""
        table, hole = self._table, self._table.hole
        if table.services.gate.is_stuck:
            return
        was_dealt, self._was_dealt = self._was_dealt, hole is not None
        if hole is None:
            self.succession.update()
            self.waiting.update()
            self.distances.update()
            self.starting.update()
        elif not was_dealt:
            self.succession.stop()
            self.waiting.stop()
            self.starting.stop()
        if table.is_closed:
            return
        if self.filling.wanted is not None:
            self.filling.update()
        hole = table.hole
        if table.rules.slam is not SlamMode.OFF:
            self.measuring.update(hole)
            self.windows.update(hole)
        if self._table.is_closed:
            return
        if table.hole is not None:
            self.clocks.update(table.hole)
            if not table.is_closed:
                self.bot_turns.update(table.hole)
        elif hole is not None:  # closing the hole's last slam window ended the hole
            self.update()
        else:
            self.clocks.update(None)
            self.bot_turns.stop()

    def reopen(self) -> None:
        """Open a new match for everyone still here; it starts when they are all ready."""
        self._table.seating = self.membership.new_seating()
        ensure_seated_host(self._table)
        self.starting.new_match()
        self.broadcast.send_views()
        self.starting.is_rematch = True

    def stop(self) -> None:
        """Cancel all timers; ``update`` sets them again."""
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
        """Stop the parts whose timers ``stop`` leaves in the queue, and drop all parts."""
        self.clocks.close()
        self.gallery.stop()
        table = self._table
        vars(self).clear()  # the parts refer to each other in cycles
        self._table = table
