"""The parts of one table, which are created together, updated in order, and stopped and closed together.

Only ``Table`` and its ``broadcast`` use this module. A part gets a ``TableContext``, and the other parts that it needs
as arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.rules import SlamMode
from golfnet.server.table.bots import BotTurns, Filling
from golfnet.server.table.clocks import TurnClocks
from golfnet.server.table.context import Part
from golfnet.server.table.gallery import Gallery
from golfnet.server.table.hosts import Succession
from golfnet.server.table.membership import Membership
from golfnet.server.table.sealing import Sealing
from golfnet.server.table.starting import Distances, Starting
from golfnet.server.table.waiting import WaitingLine
from golfnet.server.table.windows import Measuring, Windows

if TYPE_CHECKING:
    from golfnet.server.table.context import TableContext


class Parts:
    """Creates, updates and stops the parts of one table."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self.gallery = Gallery(table)
        self.sealing = Sealing(table)
        self.membership = Membership(table, self.sealing, self.gallery)
        self.distances = Distances(table)
        self.starting = Starting(table, self.sealing, self.distances)
        self.succession = Succession(table)
        self.waiting = WaitingLine(table, self.membership, self.gallery)
        self.filling = Filling(table, add_bot=self.membership.add_bot)
        self.clocks = TurnClocks(table, self.membership)
        self.windows = Windows(table)
        self.measuring = Measuring(table)
        self.bot_turns = BotTurns(table)
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
        if table.wanted_bots is not None:
            self.filling.update(table.wanted_bots)
        hole = table.hole
        if table.rules.slam is not SlamMode.OFF:
            self.measuring.update(hole)
            self.windows.update(hole)
        if self._table.is_closed:
            return
        if table.hole is None and hole is not None:  # closing the hole's last slam window ended the hole
            self.update()
            return
        if table.clock_ms is not None:
            self.clocks.update(table.hole)
        if table.hole is None:
            self.bot_turns.stop()
        elif not self._table.is_closed:
            self.bot_turns.update(table.hole)

    def stop(self) -> None:
        """Cancel all timers; ``update`` sets them again."""
        for part in vars(self).values():
            if isinstance(part, Part):
                part.stop()

    def close(self) -> None:
        """Cancel the timers that ``stop`` leaves in the queue, and drop all parts."""
        self.gallery.close()
        table = self._table
        vars(self).clear()  # the parts refer to each other in cycles
        self._table = table
