"""When round trips are measured: at every turn of a race, for everybody who plays, and else never.

Before a discard can be raced for, whatever its way takes is known, as it was a moment ago.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.rules import SlamMode

if TYPE_CHECKING:
    from golfnet.engine.hole import Hole
    from golfnet.server.table import Table


class Measuring:
    """The measuring at one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._turns: tuple[int, ...] = ()

    def update(self, hole: Hole | None) -> None:
        """Measure if a turn has begun since the last time."""
        turns = () if hole is None else hole.turns
        if turns == self._turns:
            return
        self._turns = turns
        if hole is not None and hole.rules.slam is SlamMode.RACE:
            for _, chair in self._table.seating:
                if chair.session is not None:
                    chair.session.measure()
