"""The tables: which there are, from the opening or the journal to the end, and what is stored beside their events.

What stays true: no number of a table or a match is ever given twice, not even after a restart; a table that is closed
or was set aside is in here no more, and the journal has been told.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from golfnet.engine import match as matches
from golfnet.engine.errors import DivergedLog
from golfnet.engine.events import Committed
from golfnet.engine.match import Match
from golfnet.engine.options import from_options
from golfnet.protocol.clean import clean_text
from golfnet.protocol.errors import Code, Refused
from golfnet.server.counters import Counters, SlamTotals
from golfnet.server.table.bots import bot_for_seat, make_bot_player
from golfnet.server.table.context import Services
from golfnet.server.table.rows import TableRow, chair_of, finish, lock_of, with_words
from golfnet.server.table.seating import ChairKind, Seating
from golfnet.server.table.setup import Setup
from golfnet.server.table.starting import Wish
from golfnet.server.table.table import Table
from golfnet.storage.directory import IdKind
from golfnet.storage.records import entries
from golfnet.storage.writes import CloseTable, SetAside, Write

if TYPE_CHECKING:
    from golfnet.bots.player import Executor
    from golfnet.engine.rules import RuleSet
    from golfnet.server.accounts.accounts import Accounts
    from golfnet.server.clock import Timers
    from golfnet.server.config import Config
    from golfnet.server.journal.journal import DurabilityGate
    from golfnet.server.nodes import Nodes
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import TableOwner
    from golfnet.storage.store import Store, TableLog


def restore(
    owner: TableOwner, services: Services, log: TableLog, find: Callable[[str], Player | None]
) -> Table:
    """Return the table of a log, nobody present; raises ``DivergedLog`` where it cannot be folded."""
    try:
        return _restore(owner, services, log, find)
    except DivergedLog:
        raise
    except Exception as problem:  # whatever is wrong with one table, the others start
        raise DivergedLog(f"table {log.table} cannot be restored: {problem!r}") from problem


def players_in(log: TableLog) -> frozenset[str]:
    """Return the ids of all players whom a log's row names, none where it cannot be read."""
    try:
        row = msgspec.json.decode(log.row, type=TableRow)
    except msgspec.MsgspecError:
        return frozenset()
    chairs = [chair for chair in row.chairs if chair is not None]
    ids = (row.host, *[chair.player for chair in chairs], *[chair.kept_for for chair in chairs])
    return frozenset([player for player in ids if player is not None])


def match_in(log: TableLog) -> str:
    """Return the id of the last match in a log, empty where there is none."""
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


def _restore(
    owner: TableOwner, services: Services, log: TableLog, find: Callable[[str], Player | None]
) -> Table:
    row = msgspec.json.decode(log.row, type=TableRow)
    setup = Setup(
        name=row.name,
        lock=lock_of(row),
        clock=row.clock,
        pause=row.pause,
        starts_when_full=row.starts_when_full,
        starts_when_enough=row.starts_when_enough,
    )
    rules = with_words(from_options(row.variant, row.options), row)
    table = Table(owner, services, number=int(log.table[1:]), rules=rules, setup=setup)
    table.started_at = row.started
    _fold(table, log)
    if table.match.rules is not None:
        table.set_match(table.match._replace(rules=with_words(table.match.rules, row)))
    table.seating = Seating([None if chair is None else chair_of(chair, find) for chair in row.chairs])
    table.resume(
        wish=Wish(level=row.level, seconds=row.fill) if row.fill else None,
        is_rematch=row.rematch,
        is_sealing_closed=row.sealing_closed,
    )
    table.host = find(row.host) if row.host is not None else None
    for seat, chair in table.seating:
        if chair.kind is not ChairKind.HUMAN and table.is_running:
            chair.bot = bot_for_seat(table, seat, chair.level or services.config.house_level)
    for _, chair in table.seating:  # last, so that a table which is set aside leaves its players free
        for player in (chair.player, chair.kept_for):
            if player is not None:
                player.table = table
    if row.password:
        services.gate.submit([table.saved()])  # without it
    return table


def _fold(table: Table, log: TableLog) -> None:
    """Fold the events of the last match at the table."""
    table.seq = log.events[-1].seq if log.events else 0
    for entry in entries(log.events):
        event = entry.event
        if isinstance(event, Committed) and event.match != table.match.id:
            table.set_match(Match(event.match))
        table.set_match(matches.evolve(table.match, event))
        table.note(entry.seq, event)


log = logging.getLogger(__name__)


def table_id(text: str) -> str:
    """Return the id of a table that was typed as t12, T12 or a bare 12."""
    wanted = clean_text(text.lower())
    return wanted if wanted.startswith("t") else f"t{wanted}"


class Tables(Mapping[str, Table]):
    """Every table there is, by its id, in the order in which they were opened."""

    def __init__(
        self,
        *,
        config: Config,
        store: Store,
        gate: DurabilityGate,
        timers: Timers,
        catalogue: Mapping[str, RuleSet],
        accounts: Accounts,
        nodes: Nodes,
        counters: Counters,
        entropy: Callable[[int], bytes],
        wall_clock: Callable[[], float],
        executor: Executor,
    ) -> None:
        self._tables: dict[str, Table] = {}
        self._store = store
        self._catalogue = catalogue
        self._accounts = accounts
        self._counters = counters
        self._nodes = nodes
        self.services = Services(
            config=config,
            timers=timers,
            gate=gate,
            entropy=entropy,
            make_bot=lambda level, rules: make_bot_player(level, rules, random.Random(entropy(16))),
            executor=executor,
            wall_clock=wall_clock,
            slams=SlamTotals(),
        )

    def __getitem__(self, id: str) -> Table:
        return self._tables[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def of(self, player: Player) -> Table | None:
        """Return the table at which a player sits."""
        return None if player.table is None else self._tables.get(player.table.id)

    def watched_by(self, player: Player) -> list[Table]:
        """Return the tables that a player watches, in the order in which it began."""
        return [self._tables[watched] for watched in player.watched]

    def named(self, text: str) -> Table:
        """Return the table of an id as it is typed, such as t12, or a bare 12; raises ``Refused``."""
        found = self._tables.get(table_id(text))
        if found is None:
            raise Refused(
                Code.NO_SUCH_TABLE, f"There is no table {clean_text(text)}. To see all tables, type: tables"
            )
        return found

    def open(self, host: Player, rules: RuleSet, setup: Setup, number: int | None = None) -> Table:
        """Open a table with the player as its host, under a number that was given to it, if one was.

        Raises ``Refused`` where there are too many, and for a host who has a seat by now.
        """
        host.need_free()
        self.need_room()
        if number is None:
            number = self._nodes.ids[IdKind.TABLE].next()
        table = Table(self, self.services, number=number, rules=rules, setup=setup)
        self._tables[table.id] = table
        table.open(host)
        self._nodes.note_change()
        return table

    def need_room(self) -> None:
        """Raise ``Refused`` where there are too many tables for another one."""
        most = self.services.config.tables
        if len(self._tables) >= most:
            raise Refused(
                Code.TOO_MANY,
                f"There are {most} tables already, and no more can be opened. To join one, type: tables",
            )

    def restore(self) -> None:
        """Open the tables again that the journal holds."""
        for logged in list(self._store.tables()):
            self.take(
                logged, self._accounts.by_id, is_stored=lambda match: self._store.match(match) is not None
            )

    def take(
        self, logged: TableLog, find: Callable[[str], Player | None], is_stored: Callable[[str], bool]
    ) -> Table | None:
        """Go on with a table that is stored, and return it; one that cannot be folded is set aside.

        ``find`` returns the player of an id, and ``is_stored`` tells whether the result of a match is.
        """
        try:
            table = restore(self, self.services, logged, find)
        except DivergedLog as problem:
            log.error("table %s is set aside: %s", logged.table, problem)
            self.services.gate.submit([SetAside(logged.table, str(problem))])
            return None
        self._tables[table.id] = table
        if logged.is_unrestored:
            self.services.gate.submit([table.saved()])  # which tells that it is restored
        if table.match.places is not None and not is_stored(table.match.id):
            # The server ended between the last event and the result.
            table.guarded(partial(self.match_finished, table))()
        table.guarded(table.restart)()
        return table

    def give(self, table: Table, node: int) -> int:
        """Let another node go on with a table; return the ticket of that."""
        del self._tables[table.id]
        self._counters.tables_given += 1
        self._nodes.note_change()
        owners = table.seating.owners
        ticket = table.give(node)
        self._accounts.give(owners, ticket)
        return ticket

    def pause(self) -> None:
        """Let all tables stand still."""
        for table in self._tables.values():
            table.pause()

    def go_on(self) -> None:
        """Let all tables go on after a pause."""
        for table in list(self._tables.values()):
            table.guarded(table.settle)()

    # --- what tables tell

    def next_match(self) -> str:
        """Return the id of a new match, never to be given again."""
        return f"m{self._nodes.ids[IdKind.MATCH].next()}"

    def match_finished(self, table: Table) -> None:
        """Keep the record and the result of a match that is over."""
        self._counters.matches_finished += 1
        self.services.gate.submit([finish(table, self._catalogue, self.services.wall_clock())])

    def table_closed(self, table: Table) -> None:
        """Forget a table."""
        self._forget(table, CloseTable(table.id))

    def table_failed(self, table: Table) -> None:
        """Keep what is written of a table with a fault: the match so far can be replayed."""
        self._forget(table, SetAside(table.id, "a fault in the server"))

    def _forget(self, table: Table, write: Write) -> None:
        self._tables.pop(table.id, None)
        self._nodes.note_change()
        self.services.gate.submit([write])
        for player in [one for one in self._accounts if one.session is None and one.table is None]:
            self._accounts.leave(player)
