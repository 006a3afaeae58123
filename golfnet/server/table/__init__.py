"""One table and its match: ``table.Table``, and the parts that do its work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.server.clock import NO_TIMER

if TYPE_CHECKING:
    from golfnet.server.table.table import Table


class Part:
    """A part of a table; most have one timer, which the next update sets again after ``stop``."""

    _timer = NO_TIMER

    def __init__(self, table: Table) -> None:
        self._table = table

    def stop(self) -> None:
        """Cancel the timers; the next update sets them again."""
        self._timer.cancel()
