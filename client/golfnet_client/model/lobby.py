"""The lists of the lobby as the server said them last: tables, players, rule sets, and which table is chosen.

Pure. Rows stay as they came; the times in them count from when they were listed. Times are seconds of any clock that
only goes forward.
"""

from __future__ import annotations

from math import ceil
from typing import Any

from msgspec import Struct, field


class LobbyLists(Struct):
    """What the lists of the server said last."""

    tables: list[dict[str, Any]] = field(default_factory=list)
    players: list[dict[str, Any]] = field(default_factory=list)
    variants: list[dict[str, Any]] = field(default_factory=list)
    chosen: int = 0
    listed: float = 0.0
    """When the tables were listed."""

    def take(self, kind: str, rows: list[dict[str, Any]], now: float) -> bool:
        """Take over a list; return whether it is one of the lobby's."""
        match kind:
            case "tables":
                self.tables, self.listed = rows, now
                self.chosen = max(0, min(self.chosen, len(rows) - 1))
            case "who":
                self.players = rows
            case "variants":
                self.variants = rows
            case _:
                return False
        return True

    def bots_in(self, row: dict[str, Any], now: float) -> int | None:
        """Return in how many seconds bots take the free seats of a table, None where none will."""
        filling = row.get("filling")
        return None if not filling else max(0, ceil(filling["ms"] / 1000 - (now - self.listed)))

    @property
    def counts_seconds(self) -> bool:
        """Whether bots are on their way to some table."""
        return any(row.get("filling") for row in self.tables)
