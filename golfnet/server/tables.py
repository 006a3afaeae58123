"""All tables of the server: opened by hosts or restored from the journal, until they are closed.

Invariants: ids of tables and matches are unique, even across restarts; a table that has been closed or set aside is
removed here, and the journal records this.
"""

from __future__ import annotations

import logging
import random
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from golfnet.engine.errors import DivergedLog
from golfnet.engine.events import Committed
from golfnet.engine.match import Match, evolve, is_decided
from golfnet.engine.options import as_options, from_options
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.server.budget import SlamTotals
from golfnet.server.table.seating import Chair, ChairKind, Seating
from golfnet.server.table.setup import BotRequest, Setup, TableRow, chair_of, is_rated, setup_of, with_words
from golfnet.server.table.table import Table
from golfnet.server.table.turns import bot_for_seat, make_bot_player
from golfnet.storage.records import entries
from golfnet.storage.store import IdKind, TableLog
from golfnet.storage.writes import (
    FORFEITED,
    CloseTable,
    FinishMatch,
    MatchResult,
    PlayerRow,
    SeatEnding,
    SeatKind,
    SeatResult,
    SetAside,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from golfnet.bots.bot import BotPlayer, Executor
    from golfnet.engine.rules import RuleSet
    from golfnet.server.lobby import Lobby
    from golfnet.server.session.player import Player


def players_in(log: TableLog) -> frozenset[str]:
    """Return the ids of all players in a log's row, or none if it cannot be read."""
    try:
        row = msgspec.json.decode(log.row, type=TableRow)
    except msgspec.MsgspecError:
        return frozenset()
    chairs = [chair for chair in row.chairs if chair is not None]
    ids = {row.host, *[chair.player for chair in chairs], *[chair.kept_for for chair in chairs]}
    return frozenset([player for player in ids if player is not None])


def match_in(log: TableLog) -> str:
    """Return the id of the last match in a log; empty if there is none."""
    for event in reversed(log.events):
        if _COMMITTED in event.body:
            try:
                fields = msgspec.json.decode(event.body, type=dict[str, Any])
            except msgspec.MsgspecError:
                return ""
            if fields.get("event") == Committed.name:
                return str(fields.get("match", ""))
    return ""


_COMMITTED: Final = f'"{Committed.name}"'.encode()


def restore(lobby: Lobby, log: TableLog, find: Callable[[str], Player | None]) -> Table:
    """Return the table restored from a log, with nobody present; may raise any exception if that fails."""
    row = msgspec.json.decode(log.row, type=TableRow)
    table = Table(
        lobby,
        number=int(log.table[1:]),
        rules=with_words(from_options(row.variant, row.options), row),
        setup=setup_of(row),
    )
    table.starting.started_at = row.started
    _fold(table, log)
    if table.match.rules is not None:
        table.set_match(table.match._replace(rules=with_words(table.match.rules, row)))
    table.seating = Seating([None if chair is None else chair_of(chair, find) for chair in row.chairs])
    table.filling.wanted = BotRequest(level=row.level, seconds=row.fill) if row.fill else None
    table.starting.is_rematch = row.rematch
    table.sealing.is_closed = row.sealing_closed and table.match.next_deal is not None
    table.host = find(row.host) if row.host is not None else None
    for chair in table.seating:
        if chair.kind is not ChairKind.HUMAN and table.is_running:
            chair.bot = bot_for_seat(table, chair.seat, chair.level or lobby.config.house_level)
    for owner in table.seating.owners:  # last, so that nobody is seated if an error occurs before
        owner.table = table
    if row.password:
        lobby.gate.submit([table.saved()])  # replaces a row that has the password in plain text
    return table


def _fold(table: Table, log: TableLog) -> None:
    table.seq = log.events[-1].seq if log.events else 0
    for entry in entries(log.events):
        event = entry.event
        if isinstance(event, Committed) and event.match != table.match.id:
            table.set_match(Match(event.match))
        table.set_match(evolve(table.match, event))
        table.note(entry.seq, [event])


log = logging.getLogger(__name__)


def table_id(text: str) -> str:
    """Return the id of a table typed as t12, T12 or 12."""
    wanted = clean_text(text.lower())
    return wanted if wanted.startswith("t") else f"t{wanted}"


class Tables(dict[str, Table]):
    """All tables by id, in the order of opening."""

    def __init__(self, lobby: Lobby, *, entropy: Callable[[int], bytes], executor: Executor) -> None:
        super().__init__()
        self._lobby = lobby
        self.entropy = entropy
        """Returns so many random bytes, for seeds."""
        self.executor = executor
        """Computes the choices of slow bots."""
        self.make_bot: Callable[[str, RuleSet], BotPlayer] = lambda level, rules: make_bot_player(
            level, rules, random.Random(entropy(16))
        )
        """Makes a bot of a level for the rules as played."""
        self.slams = SlamTotals()

    def watched_by(self, player: Player) -> list[Table]:
        """Return the tables that a player is watching, latest last."""
        return [self[watched] for watched in player.watched]

    def named(self, text: str) -> Table:
        """Return the table with an id as typed, such as t12 or 12, or raise ``Refused``."""
        found = self.get(table_id(text))
        if found is None:
            raise Refused(
                Code.NO_SUCH_TABLE,
                f"There is no table {clean_text(text) or '?'}. To see all tables, type: tables",
            )
        return found

    def open(self, host: Player, rules: RuleSet, setup: Setup, number: int | None = None) -> Table:
        """Open a table for a host, with a reserved number if given; raise ``Refused`` if that is impossible by now."""
        self._lobby.need_room()
        host.need_free()
        if number is None:
            number = self._lobby.nodes.ids[IdKind.TABLE].next()
        table = Table(self._lobby, number=number, rules=rules, setup=setup)
        self[table.id] = table
        table.open(host)
        self._lobby.nodes.changed.set()
        return table

    def restore(self) -> None:
        """Restore all tables in the journal."""
        store = self._lobby.store
        for logged in list(store.tables()):
            self.take(logged, store.players(players_in(logged)), store.stored_matches([match_in(logged)]))

    def take(
        self, logged: TableLog, players: Mapping[str, PlayerRow], stored: Collection[str]
    ) -> Table | None:
        """Restore, continue and return a stored table; one that cannot be restored is set aside.

        ``players`` are the rows of its players by id; ``stored`` are matches whose results are stored.
        """

        def find(player: str) -> Player | None:
            found = self._lobby.accounts.of_row(player, players.get(player))
            # A player may have arrived here, and sat down at another table, before this table was known.
            return None if found is None or found.table is not None else found

        try:
            table = restore(self._lobby, logged, find)
        except Exception as problem:  # a broken table must not keep the others from starting
            unexpected = f"table {logged.table} cannot be restored: {problem!r}"
            reason = str(problem) if isinstance(problem, DivergedLog) else unexpected
            log.error("setting table %s aside: %s", logged.table, reason)
            self._lobby.gate.submit([SetAside(logged.table, reason)])
            return None
        self[table.id] = table
        if logged.is_unrestored:
            self._lobby.gate.submit([table.saved()])  # storing the row reports that it was restored
        if table.match.places is not None and table.match.id not in stored:
            # The server stopped before it stored the result.
            table.guarded(partial(self.match_finished, table))()
        table.guarded(table.restart)()
        return table

    def give(self, table: Table, node: int) -> int:
        """Hand a table over to another node; return the journal ticket."""
        del self[table.id]
        self._lobby.counters.tables_given += 1
        self._lobby.nodes.changed.set()
        ticket = table.give(node)
        self._lobby.accounts.give(table.seating.owners, ticket)
        return ticket

    # --- called by tables

    def match_finished(self, table: Table) -> None:
        """Store the record and the result of a finished match."""
        self._lobby.counters.matches_finished += 1
        self._lobby.gate.submit([finish(table)])

    def table_ended(self, table: Table, write: CloseTable | SetAside) -> None:
        """Remove a table, and store its end."""
        self.pop(table.id, None)
        self._lobby.nodes.changed.set()
        self._lobby.gate.submit([write])
        for player in [one for one in self._lobby.accounts if one.session is None and one.table is None]:
            self._lobby.accounts.leave(player)


# --- results


def finish(table: Table) -> FinishMatch:
    """Return the write that stores the result of a table's match, which ends now."""
    match = table.match
    rules = match.rules or table.rules
    abandoned = match.hole is not None and match.hole.ended is not None and match.hole.ended.scores is None
    chairs = list(table.seating)
    places = match.places or ()
    return FinishMatch(
        MatchResult(
            id=match.id,
            table=table.id,
            variant=rules.name,
            options=msgspec.json.encode(as_options(rules)),
            started=table.starting.started_at,
            ended=table.lobby.wall_clock(),
            finished=is_decided(match) and not abandoned,
            rated=is_rated(table),
            seats=tuple(
                _seat(chair, total, place, rank)
                for chair, total, place, rank in zip(
                    chairs, match.totals, places, _ranks(chairs, places), strict=True
                )
            ),
        )
    )


def _seat(chair: Chair, total: int, place: int, rank: int) -> SeatResult:
    """Return a seat's result, which counts for its owner even if the house plays it or the owner has left."""
    gone = chair.gone
    owner = chair.player if chair.player is not None and not chair.is_lent else gone
    kind = SeatKind.BOT if chair.kind is ChairKind.BOT else SeatKind.HOUSE
    return SeatResult(
        player=None if owner is None else owner.id,
        name=chair.name,
        kind=kind if owner is None else SeatKind(owner.kind),
        total=total,
        place=place,
        ending=SeatEnding.PLAYED if gone is None else gone.ending,
        rank=rank,
    )


def _ranks(chairs: Sequence[Chair], places: Sequence[int]) -> list[int]:
    """Return each seat's rank, from 1, with gaps after ties; among those who left, the last to leave ranks best."""
    keys = [
        (0, place) if chair.gone is None or chair.gone.ending not in FORFEITED else (1, -chair.gone.since)
        for chair, place in zip(chairs, places, strict=True)
    ]
    return [1 + sum([other < own for other in keys]) for own in keys]
