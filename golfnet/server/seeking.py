"""How people find a table: ``seek`` and ``play`` search for one, and new tables are announced to people without a seat.

Invariants: nobody is sent to a private table, to one whose host is away, or to people who avoid them; the options that
a player names have to match, all others may differ. A new table is not announced to programs, to people who may not sit
down there, who have muted its host, or who typed ``set lobby off``. However many tables are opened, each person gets a
few lines a minute, and announcements and shouts cost the server a limited amount of work.
"""

from __future__ import annotations

import contextlib
from collections import deque
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio
from msgspec import Struct, json

from golfnet.engine.options import as_options, differing, from_options
from golfnet.engine.rules import RuleSet
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.server.budget import Budgets
from golfnet.server.table.setup import is_same
from golfnet.storage.directory import TableOffer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from golfnet.server.lobby import Lobby
    from golfnet.server.lookups import Spawn
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

T = TypeVar("T")

NEAR: Final = 3
"""How many similar tables a seeker is told about: more would hide the advice on what to type."""


class Wanted(Struct, frozen=True, kw_only=True):
    """The rules and the seconds per turn that a player seeks, and the options they ``named``.

    ``is_any`` accepts any rule set.
    """

    rules: RuleSet
    clock: int
    named: frozenset[str]
    is_any: bool = False

    def fits(self, rules: RuleSet, clock: int) -> bool:
        """Return whether a table with these rules and this clock has all named options."""
        fields = self.named - {"clock"}
        if fields & {"holes", "target"}:  # setting one of them removes the other (X15), so both have to match
            fields |= {"holes", "target"}
        is_in_time = clock == self.clock or "clock" not in self.named
        return is_in_time and all(getattr(rules, name) == getattr(self.rules, name) for name in fields)

    def choose(self, tables: Iterable[tuple[RuleSet, int, T]]) -> T | None:
        """Return the best table: the first that fits and has the wanted clock and rules, else the first that fits.

        Each is given with its rules and its clock.
        """
        found = None
        for rules, clock, table in tables:
            if self.fits(rules, clock):
                if self.is_any or (clock == self.clock and is_same(rules, self.rules)):
                    return table
                found = found or table
        return found


def fitting(tables: Iterable[Table], player: Player, wanted: Wanted) -> Table | None:
    """Return the best table on this node; among equals, the one with the shortest expected wait."""
    found = sorted(_open_to(tables, player, None if wanted.is_any else wanted.rules.name), key=_wait)
    return wanted.choose([(table.rules, table.setup.clock, table) for table in found])


def _wait(table: Table) -> tuple[bool, int, float]:
    """Return a sort key that prefers tables that start without the host, then fuller ones, then an earlier start."""
    setup, ms = table.setup, table.starting.ms
    waits_for_host = not (setup.starts_when_full or setup.starts_when_enough)
    return waits_for_host, -len(table.seating), inf if ms is None else ms


def offered(offers: Iterable[TableOffer], wanted: Wanted) -> TableOffer | None:
    """Return the best table on other nodes; tables that are still being opened count only if there is no other."""
    tables = []
    for offer in offers:
        terms = json.decode(offer.terms)
        tables.append((from_options(offer.fit, terms["options"]), terms["clock"], offer))
    return wanted.choose([each for each in tables if not each[-1].is_opening]) or wanted.choose(tables)


def offer_of(table: Table, node: int, row: bytes) -> TableOffer:
    """Return what other nodes need to find the table for seekers; ``row`` is its row in the list of tables."""
    return TableOffer(
        table=table.id,
        node=node,
        fit=table.rules.name if _is_open_to_seekers(table) else "",
        terms=_encoded(table.rules, table.setup.clock),
        row=row,
    )


def opening(number: int, node: int, wanted: Wanted) -> TableOffer:
    """Return the offer of a table that is about to be opened, for other players who seek the same kind."""
    return TableOffer(
        table=f"t{number}",
        node=node,
        fit=wanted.rules.name,
        terms=_encoded(wanted.rules, wanted.clock),
        row=b"",
        is_opening=True,
    )


def near(tables: Iterable[Table], player: Player, wanted: Wanted) -> list[str]:
    """Return sentences about a few tables that have the wanted rule set, but not all of the named options."""
    others = (
        table
        for table in _open_to(tables, player, wanted.rules.name)
        if not wanted.fits(table.rules, table.setup.clock)
    )
    return [
        f"Table {table.id} plays {table.rules.name} too, with {_difference(table, wanted)}. To play there, "
        f"type unseek, then join {table.id}."
        for table in islice(others, NEAR)
    ]


def game_of(table: Table, lobby: Lobby) -> str:
    """Describe a table's game: its rule set, and its differences from the usual rules and clock."""
    usual = lobby.catalogue.get(table.rules.name, table.rules)
    options = extras(table, usual, lobby.config.clock)
    return f"{table.rules.name} with {options}" if options else table.rules.name


def extras(table: Table, rules: RuleSet, clock: int) -> str:
    """Return the options, other than seats, in which a table differs from these rules and this clock."""
    options = [option for option in differing(table.rules, rules).split() if not option.startswith("seats=")]
    return " ".join(options if table.setup.clock == clock else [*options, f"clock={table.setup.clock}"])


def _difference(table: Table, wanted: Wanted) -> str:
    others = extras(table, wanted.rules, wanted.clock)
    if "seats" not in wanted.named or table.rules.seats == wanted.rules.seats:
        return others
    return f"{others} seats={table.rules.seats.high}".lstrip()


def _open_to(tables: Iterable[Table], player: Player, rules: str | None) -> Iterator[Table]:
    return (
        table
        for table in tables
        if rules in (None, table.rules.name) and _is_open_to_seekers(table) and table.hosts.is_welcome(player)
    )


def _is_open_to_seekers(table: Table) -> bool:
    return (
        table.state is TableState.OPEN
        and not table.is_private
        and not table.seating.is_full
        and table.host is not None
        and table.host.session is not None
    )


def _encoded(rules: RuleSet, clock: int) -> bytes:
    return json.encode({"options": as_options(rules), "clock": clock})


NEWS_SECONDS: Final = 60.0
NEWS_PER_RECEIVER: Final = 4
NEWS_PER_HOST: Final = 2
NEWS_IN_ALL: Final = 30
"""Maximum numbers of announcements in ``NEWS_SECONDS``."""


class LobbyNews:
    """Announces new tables to players without a seat."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._per_receiver = Budgets(NEWS_PER_RECEIVER, NEWS_SECONDS)
        self._per_host = Budgets(NEWS_PER_HOST, NEWS_SECONDS)
        self._in_all = Budgets(NEWS_IN_ALL, NEWS_SECONDS)
        """The limit on all announcements together, so it has only one key."""

    def opened(self, table: Table) -> None:
        """Announce a new table, unless it is private."""
        host, now, lobby = table.host, trio.current_time(), self._lobby
        if (
            host is None
            or table.is_private
            or self._per_host.wait(host.id, now)
            or self._in_all.take("", now)
        ):
            return
        self._per_host.spend(host.id, now)
        notice = Notice(
            code="LOBBY",
            text=f"{host.name} wants to play {game_of(table, lobby)}. To play too, type: join {table.id}",
        )
        with contextlib.suppress(Refused):  # too many shouts are queued, and they have priority
            lobby.crowd.send(list(lobby.accounts), lambda player: self._announce(player, host, table, notice))

    def _announce(self, player: Player, host: Player, table: Table, notice: Notice) -> None:
        session = player.session
        if (
            session is not None
            and player is not host
            and not player.is_at_a_table
            and not session.writer.machine
            and session.writer.settings.lobby
            and not player.has_muted(host.name)
            and table.hosts.is_welcome(player)
            and not self._per_receiver.take(player.id, trio.current_time())
        ):
            session.send(notice)


RECEIVERS_AT_ONCE: Final = 256
"""Receivers per pass of the event loop: a millisecond of work."""

MOST_WAITING: Final = 20
"""The maximum number of queued messages. Only thousands of players could send more, and nobody could read them all."""


class Crowd:
    """Sends messages to many receivers, to a few in each pass of the event loop; ``spawn`` starts a task."""

    def __init__(self, spawn: Spawn) -> None:
        self._spawn = spawn
        self._waiting: deque[tuple[Iterator[Any], Callable[[Any], None]]] = deque()

    def send(self, receivers: Sequence[T], send: Callable[[T], None]) -> None:
        """Call ``send`` with each receiver, after earlier messages, or raise ``Refused`` if too many are queued."""
        if len(self._waiting) >= MOST_WAITING:
            raise Refused(
                Code.RATE_LIMITED,
                "Too many people are shouting at once. Wait a second, then try again.",
                wait_ms=1000,
            )
        self._waiting.append((iter(receivers), send))
        if len(self._waiting) == 1:
            self._send_some()
            if self._waiting:
                self._spawn(self._send_all)

    async def _send_all(self) -> None:
        while self._waiting:
            await trio.lowlevel.checkpoint()
            self._send_some()

    def _send_some(self) -> None:
        receivers, send = self._waiting[0]
        part = list(islice(receivers, RECEIVERS_AT_ONCE))
        if len(part) < RECEIVERS_AT_ONCE:
            self._waiting.popleft()
        for receiver in part:
            send(receiver)
