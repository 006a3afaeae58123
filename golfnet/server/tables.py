"""The tables: which there are, from the opening or the journal to the end, and what is stored beside their events.

What stays true: no number of a table or a match is ever given twice, not even after a restart; a table that is closed
or was set aside is in here no more, and the journal has been told.
"""

import logging
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from golfnet.bots.player import Executor
from golfnet.engine.errors import DivergedLog
from golfnet.engine.rules import RuleSet
from golfnet.protocol.clean import clean_text
from golfnet.protocol.errors import Code, Refused
from golfnet.server.accounts.accounts import Accounts
from golfnet.server.bots.executors import make_bot_player
from golfnet.server.clock import Timers
from golfnet.server.config import Config
from golfnet.server.context.services import Services
from golfnet.server.context.setup import Setup
from golfnet.server.counters import Counters, SlamTotals
from golfnet.server.journal.gate import DurabilityGate
from golfnet.server.nodes import Nodes
from golfnet.server.session.player import Player
from golfnet.server.table.recovery import restore
from golfnet.server.table.results import finish
from golfnet.server.table.table import Table
from golfnet.storage.directory import IdKind
from golfnet.storage.store import Store, TableLog
from golfnet.storage.writes import CloseTable, SetAside, Write

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

        Raises ``Refused`` where there are too many.
        """
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
        if logged.moving is not None:
            self.services.gate.submit([table.saved()])  # which tells that it is restored
        if table.match.places is not None and not is_stored(table.match.id):
            # The server ended between the last event and the result.
            table.guarded(partial(self.match_finished, table))()
        table.guarded(partial(table.arrive, logged.moving) if logged.moving else table.restart)()
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
