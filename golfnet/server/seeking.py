"""Finding a table for somebody who seeks one: what was named has to match, everything else may differ.

What stays true: nobody is sent to a private table, to one whose host is away, or to people who do not want to play
with them.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from golfnet.engine.options import differing
from golfnet.engine.rules import RuleSet
from golfnet.protocol.replies.vocabulary import TableState
from golfnet.server.context.setup import Setup, is_same
from golfnet.server.table.admission import is_welcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

NEAR: Final = 3
"""Tables that come near and are named: more would hide the line to type."""


class Wanted(Struct, frozen=True, kw_only=True):
    """What somebody seeks: rules and set-up, of which the options ``named`` matter."""

    rules: RuleSet
    setup: Setup
    named: frozenset[str]

    def fits(self, table: Table) -> bool:
        """Tell whether a table has every option that was named."""
        if "clock" in self.named and table.setup.clock != self.setup.clock:
            return False
        return all(getattr(table.rules, name) == getattr(self.rules, name) for name in self._fields)

    def is_exact(self, table: Table) -> bool:
        """Tell whether a table is also in all else as its rule set has it."""
        same_clock = table.setup.clock == self.setup.clock
        return same_clock and is_same(table.rules, self.rules)

    @property
    def _fields(self) -> set[str]:
        fields = set(self.named) - {"clock"}
        # Either alone drops the other (X15).
        return fields | {"holes", "target"} if fields & {"holes", "target"} else fields


def fitting(tables: Iterable[Table], player: Player, wanted: Wanted) -> Table | None:
    """Return the table to sit down at: the first as its rule set has it, else the first that fits at all."""
    found = None
    for table in _open_to(tables, player, wanted.rules.name):
        if wanted.fits(table):
            if wanted.is_exact(table):
                return table
            found = found or table
    return found


def near(tables: Iterable[Table], player: Player, wanted: Wanted) -> list[str]:
    """Return a sentence for each of a few tables that only an option keeps the player from."""
    others = (table for table in _open_to(tables, player, wanted.rules.name) if not wanted.fits(table))
    return [
        f"Table {table.id} plays {table.rules.name} too, with {_difference(table, wanted)}. To play there, "
        f"type unseek, then join {table.id}."
        for table in islice(others, NEAR)
    ]


def extras(table: Table, rules: RuleSet, clock: int) -> str:
    """Return the options that make a table another than one with these rules and this clock, beside its seats."""
    options = [option for option in differing(table.rules, rules).split() if not option.startswith("seats=")]
    return " ".join(options if table.setup.clock == clock else [*options, f"clock={table.setup.clock}"])


def _difference(table: Table, wanted: Wanted) -> str:
    others = extras(table, wanted.rules, wanted.setup.clock)
    if "seats" not in wanted.named or table.rules.seats == wanted.rules.seats:
        return others
    return f"{others} seats={table.rules.seats.high}".lstrip()


def _open_to(tables: Iterable[Table], player: Player, rules: str) -> Iterator[Table]:
    """Return the tables of a rule set at which the player may sit down."""
    for table in tables:
        if (
            table.rules.name == rules
            and table.state is TableState.OPEN
            and not table.is_private
            and not table.seating.is_full
            and table.host is not None
            and table.host.session is not None
            and is_welcome(table, player)
        ):
            yield table
