"""Finds a table for ``seek`` and ``play``: named options have to match, all others may differ.

Invariant: nobody is sent to a private table, to one whose host is away, or to people who avoid them.
"""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import Struct

from golfnet.engine.options import as_options, differing, from_options
from golfnet.engine.rules import RuleSet
from golfnet.protocol.replies.presence import TableState
from golfnet.server.table.gallery import is_welcome
from golfnet.server.table.setup import Setup, is_same
from golfnet.storage.directory import TableOffer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

T = TypeVar("T")

NEAR: Final = 3
"""How many similar tables are listed: more would hide the line to type."""


class Terms(Struct, frozen=True, kw_only=True):
    """A table's terms: its rules, and the seconds per turn."""

    rules: RuleSet
    clock: int


class Wanted(Struct, frozen=True, kw_only=True):
    """The table a player seeks: rules, setup and the options they ``named``; ``is_any`` accepts any rule set."""

    rules: RuleSet
    setup: Setup
    named: frozenset[str]
    is_any: bool = False

    def fits(self, terms: Terms) -> bool:
        """Return whether a table has all named options."""
        if "clock" in self.named and terms.clock != self.setup.clock:
            return False
        return all(getattr(terms.rules, name) == getattr(self.rules, name) for name in self._fields)

    def is_exact(self, terms: Terms) -> bool:
        """Return whether everything else is as wanted too; with ``is_any``, it always is."""
        return self.is_any or (terms.clock == self.setup.clock and is_same(terms.rules, self.rules))

    def choose(self, open_tables: Iterable[tuple[Terms, T]]) -> T | None:
        """Return the best table: the first exact one, else the first that fits."""
        found = None
        for terms, table in open_tables:
            if self.fits(terms):
                if self.is_exact(terms):
                    return table
                found = found or table
        return found

    @property
    def _fields(self) -> set[str]:
        fields = set(self.named) - {"clock"}
        # Setting either option removes the other (X15).
        return fields | {"holes", "target"} if fields & {"holes", "target"} else fields


def fitting(tables: Iterable[Table], player: Player, wanted: Wanted) -> Table | None:
    """Return the best table on this node; among equals, the one with the shortest expected wait."""
    rules = None if wanted.is_any else wanted.rules.name
    found = sorted(_open_to(tables, player, rules), key=_wait)
    return wanted.choose([(terms_of(table), table) for table in found])


def _wait(table: Table) -> tuple[bool, int, float]:
    """Return a sort key: first tables that start without the host, then fuller ones, then ones that start sooner."""
    setup, ms = table.setup, table.starts_ms
    waits_for_host = not (setup.starts_when_full or setup.starts_when_enough)
    return waits_for_host, -len(table.seating), inf if ms is None else ms


def offered(offers: Iterable[TableOffer], wanted: Wanted) -> TableOffer | None:
    """Return the best table on other nodes; one that is still being opened only if there is no other."""
    terms = [(_decoded(offer.fit, offer.terms), offer) for offer in offers]
    return wanted.choose([each for each in terms if not each[1].is_opening]) or wanted.choose(terms)


def offer_of(table: Table, node: int, row: bytes) -> TableOffer:
    """Return a table's offer for other nodes; ``row`` is its row in the list of tables."""
    return TableOffer(
        table=table.id,
        node=node,
        fit=table.rules.name if _is_open_to_seekers(table) else "",
        terms=_encoded(terms_of(table)),
        row=row,
    )


def opening(number: int, node: int, wanted: Wanted) -> TableOffer:
    """Return the offer of a table that is about to be opened, for other players who seek the same kind."""
    terms = _encoded(Terms(rules=wanted.rules, clock=wanted.setup.clock))
    return TableOffer(
        table=f"t{number}", node=node, fit=wanted.rules.name, terms=terms, row=b"", is_opening=True
    )


def near(tables: Iterable[Table], player: Player, wanted: Wanted) -> list[str]:
    """Return sentences about a few tables that differ from what is wanted only in named options."""
    others = (
        table for table in _open_to(tables, player, wanted.rules.name) if not wanted.fits(terms_of(table))
    )
    return [
        f"Table {table.id} plays {table.rules.name} too, with {_difference(table, wanted)}. To play there, "
        f"type unseek, then join {table.id}."
        for table in islice(others, NEAR)
    ]


def game_of(table: Table, usual: RuleSet, clock: int) -> str:
    """Describe a table's game: its rule set, and its differences from the ``usual`` rules and clock."""
    options = extras(table, usual, clock)
    return f"{table.rules.name} with {options}" if options else table.rules.name


def extras(table: Table, rules: RuleSet, clock: int) -> str:
    """Return the options, other than seats, in which a table differs from these rules and this clock."""
    options = [option for option in differing(table.rules, rules).split() if not option.startswith("seats=")]
    return " ".join(options if table.setup.clock == clock else [*options, f"clock={table.setup.clock}"])


def _difference(table: Table, wanted: Wanted) -> str:
    others = extras(table, wanted.rules, wanted.setup.clock)
    if "seats" not in wanted.named or table.rules.seats == wanted.rules.seats:
        return others
    return f"{others} seats={table.rules.seats.high}".lstrip()


def _open_to(tables: Iterable[Table], player: Player, rules: str | None) -> Iterator[Table]:
    """Yield the tables with the given rule set, or with any if None, where the player may sit down."""
    for table in tables:
        if rules in (None, table.rules.name) and _is_open_to_seekers(table) and is_welcome(table, player):
            yield table


def _is_open_to_seekers(table: Table) -> bool:
    return (
        table.state is TableState.OPEN
        and not table.is_private
        and not table.seating.is_full
        and table.host is not None
        and table.host.session is not None
    )


def terms_of(table: Table) -> Terms:
    """Return a table's terms."""
    return Terms(rules=table.rules, clock=table.setup.clock)


def _encoded(terms: Terms) -> bytes:
    return msgspec.json.encode({"options": as_options(terms.rules), "clock": terms.clock})


def _decoded(name: str, terms: bytes) -> Terms:
    known = msgspec.json.decode(terms)
    return Terms(rules=from_options(name, known["options"]), clock=known["clock"])
