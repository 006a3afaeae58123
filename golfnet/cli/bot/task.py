"""The task of a bot, and the commands that lead to a table for it."""

import re
from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct

TABLE: Final = re.compile(r"t[0-9]{1,18}")
"""The form of table ids."""

MOST_TABLES: Final = 100
"""Open tables that are tried before a bot opens its own."""

USUAL_RULES: Final = "six-card"
"""The rules of the table that a bot seeks by default, where none is open."""


class Task(Struct, frozen=True, kw_only=True):
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
        """The command that leads to a table, empty if the list of tables is needed first."""
        if self.table:
            return self._join(self.table)
        return " ".join(["seek", self.rules, *self.options]) if self.rules else ""

    def lines_for(self, rows: Iterable[dict[str, Any]]) -> list[str]:
        """Return the commands to try in order, given the rows of ``tables``: the last one opens a table."""
        free = [str(row["table"]) for row in rows if self._fits(row)]
        lines = [self._join(table) for table in free[:MOST_TABLES]]
        return [*lines, f"seek {USUAL_RULES}"]

    def _fits(self, row: dict[str, Any]) -> bool:
        """Return whether a row is a table that can be joined; a server may send anything as a row."""
        taken, seats, table = row.get("taken"), row.get("seats"), row.get("table")
        if not isinstance(taken, int) or not isinstance(seats, int) or not isinstance(table, str):
            return False
        is_open = row.get("state") == "open" and taken < seats and TABLE.fullmatch(table) is not None
        return is_open and bool(row.get("private")) == bool(self.password)

    def _join(self, table: str) -> str:
        return f'join {table} password="{self.password}"' if self.password else f"join {table}"
