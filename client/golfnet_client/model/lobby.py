"""The lobby's lists as the server last sent them (tables, players, rule sets), and the selected table.

This module does no I/O. Rows are stored as received; the countdowns in them start at ``listed``, a time in
seconds of any monotonic clock.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from golfnet.engine.errors import RuleError
from golfnet.engine.options import from_options
from golfnet.engine.rules import Cancel, FaceUp, Placed, RuleSet, SlamMode

if TYPE_CHECKING:
    from collections.abc import Iterable


class LobbyLists(Struct):
    """The most recent lists from the server."""

    tables: list[dict[str, Any]] = field(default_factory=list)
    players: list[dict[str, Any]] = field(default_factory=list)
    variants: list[dict[str, Any]] = field(default_factory=list)
    chosen: int = 0
    listed: float = 0.0
    """When the server sent the list of tables."""

    def store(self, kind: str, rows: list[dict[str, Any]], now: float) -> bool:
        """Store a list; return whether it is one of the lobby's."""
        match kind:
            case "tables":
                self.tables, self.listed = rows, now
                self.choose(self.chosen)
            case "who":
                self.players = rows
            case "variants":
                self.variants = rows
            case _:
                return False
        return True

    def choose(self, number: int) -> None:
        """Choose a table, within the bounds of the list."""
        self.chosen = max(0, min(number, len(self.tables) - 1))

    def bots_in(self, row: dict[str, Any], now: float) -> int | None:
        """Return the seconds until bots take the free seats of a table, or None if they never do."""
        match row.get("filling"):
            case {"ms": int(ms)}:
                return max(0, ceil(ms / 1000 - (now - self.listed)))
            case _:
                return None


def about(rules: RuleSet) -> str:
    """Describe in a few words how a rule set differs from the others."""
    parts = [f"{rules.rows}x{rules.columns} cards"]
    if rules.placed is Placed.DOWN:
        parts.append("face down")
    if rules.slam is not SlamMode.OFF:
        parts.append("slams")
    if rules.turns is not None:
        parts.append(f"{rules.turns} turns")
    if rules.knock:
        parts.append("knocking")
    if rules.face_up is FaceUp.EVERY:
        parts.append("all turned up")
    elif rules.final_turn and not rules.knock:
        parts.append("a last turn")
    parts.append(_CANCELS[rules.cancelling] if rules.rows == 2 else _LINES[rules.cancelling])
    holes = "" if rules.holes is None else f"{rules.holes} hole{'' if rules.holes == 1 else 's'}"
    target = "" if rules.target is None else f"to {rules.target} points"
    parts.append(" or ".join(filter(None, (holes, target))))
    return ", ".join(filter(None, parts))


def rule_sets_of(rows: Iterable[dict[str, Any]]) -> dict[str, RuleSet]:
    """Return the listed rule sets by name, leaving out those that this version does not know."""
    found = {}
    for row in rows:
        try:
            found[str(row["name"])] = from_options(str(row["name"]), row["options"])
        except (RuleError, KeyError, TypeError, ValueError):
            continue  # a newer server may have options unknown to this client
    return found


_CANCELS: Final = {
    Cancel.NONE: "",
    Cancel.COLUMN: "column pairs are 0",
    Cancel.ANYWHERE: "pairs are 0",
    Cancel.ALL: "equal cards are 0",
}
_LINES: Final = _CANCELS | {Cancel.COLUMN: "equal columns are 0"}
