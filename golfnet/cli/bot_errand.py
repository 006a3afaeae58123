"""What a bot is sent to do, and the commands that lead to a table for it."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct

USUAL_RULES: Final = "six-card"
"""What a bot seeks a table for that was told nothing, where none is open."""


class Errand(Struct, frozen=True, kw_only=True):
    """The ``table`` to sit at, else the ``rules`` with ``options`` to seek a table for, else the first open table there
    is; ``matches`` to play before the bot leaves, None for as many as come.
    """

    table: str = ""
    password: str = ""
    rules: str = ""
    options: tuple[str, ...] = ()
    matches: int | None = None

    @property
    def line(self) -> str:
        """The command that leads to a table, empty where the list of tables has to be asked first."""
        if self.table:
            return self._join(self.table)
        return " ".join(["seek", self.rules, *self.options]) if self.rules else ""

    def lines_for(self, rows: Iterable[dict[str, Any]]) -> list[str]:
        """Return the commands to try one after the other, given the rows of ``tables``: the last one opens a table."""
        free = [
            row for row in rows if row.get("state") == "open" and row.get("taken", 0) < row.get("seats", 0)
        ]
        lines = [
            self._join(str(row["table"])) for row in free if bool(row.get("private")) == bool(self.password)
        ]
        return [*lines, f"seek {USUAL_RULES}"]

    def _join(self, table: str) -> str:
        return f'join {table} password="{self.password}"' if self.password else f"join {table}"
