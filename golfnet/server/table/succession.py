"""A host who is away before or after a match: everybody is told, and somebody who is there takes over.

What stays true: while a table does not play and a human is there, its host is there too, or the others know when
they get another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.protocol.replies.replies import Notice
from golfnet.server.table.hosts import find_host

if TYPE_CHECKING:
    from golfnet.server.clock import Timer
    from golfnet.server.context.context import TableContext

HOST_WAITED_FOR: Final = 10
"""Seconds that the others wait for a host whose connection is gone."""


class Succession:
    """The wait for the host of one table."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._timer: Timer | None = None

    def update(self) -> None:
        """Wait for the host, or not, as the table is now."""
        table = self._table
        is_missed = not table.is_running and table.host is not None and table.host.session is None
        if not (is_missed and any(chair.is_waited_for for _, chair in table.seating)):
            self.stop()
        elif self._timer is None and table.host is not None:
            self._timer = table.after(HOST_WAITED_FOR, self._hand_on)
            text = (
                f"The host, {table.host.name}, is away. If {table.host.name} is not back in {HOST_WAITED_FOR} seconds, "
                "somebody else becomes the host."
            )
            table.notify(Notice(code="HOST_AWAY", text=text, ms=HOST_WAITED_FOR * 1000, table=table.id))

    def stop(self) -> None:
        """Stop waiting; ``update`` begins anew."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hand_on(self) -> None:
        self._timer = None
        find_host(self._table)
        self._table.settle()
