"""Checks inside servers: bounds, windows, kept seats and clocks at any time, and tables that are restored or move.

Invariants: a restart restores everything that is stored about a table; nobody has more time than the table's clock
allows, except for the decision during which the server stopped; an absent player's seat is kept for a limited time. A
new owner gets everything stored about a table, in the same state; a node that was declared gone sends nothing about
tables; a player who moves with a table is not reported as dropped.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest.mock import patch

import msgspec

from golfnet.server.budget import CHUNK
from golfnet.server.links.link_transport import LinkTransport
from golfnet.server.lobby import Lobby
from golfnet.server.net.hub import HubTransport
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.setup import row_bytes
from golfnet.server.table.turns import TurnClocks
from golfnet.server.tables import Tables
from tests.simulation.network import ServerSocket
from tests.simulation.wires import LinkSocket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from golfnet.engine.hole import Hole
    from golfnet.engine.match import Match
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table
    from golfnet.storage.store import TableLog
    from tests.simulation.cluster import ClusterWorld
    from tests.simulation.server import ServerProcess

    Fail = Callable[[str], None]

_OF_TABLES: Final = (b'{"type":"event"', b'{"type":"view"', b'{"type":"prompt"')

_ONE_REPLY: Final = 16 * 1024

MORE_TIME: Final = 30.0
"""Seconds by which a restart may extend a clock."""


class Standing(NamedTuple):
    """The state of a table that a restart has to restore: its match, and everything stored with it."""

    hole_seq: int
    match: Match
    row: dict[str, Any]

    @classmethod
    def of(cls, table: Table) -> Standing:
        return cls(table.hole_seq, table.match, msgspec.json.decode(row_bytes(table)))


def greedy_peer(lobby: Lobby, now: float) -> str | None:
    outbox = lobby.config.outbox
    for session in lobby.sessions:
        nameless = session.player is None and now - session.connected
        if nameless > lobby.config.name_time + 5 and not session.is_suspended:
            return f"somebody has had no name for {nameless} s"
        waiting, held = session.transport.waiting, session._held.size
        if waiting + held > outbox + _ONE_REPLY:
            return f"{waiting} and {held} bytes are waiting for one peer"
        if len(session._pending) > CHUNK:
            return f"{len(session._pending)} lines of one peer are waiting"
    return None


def wrong_table(table: Table) -> str | None:
    for chair in table.seating:
        is_waited_for = chair.kind is ChairKind.HUMAN or not table.is_running
        if chair.player is not None and chair.session is None and not chair.grace.is_set and is_waited_for:
            return f"{chair.name} is away from {table.id} and keeps seat {chair.seat} forever"
    judge, window = table.windows._arbiter, None if table.hole is None else table.hole.window
    if judge is None or window is None or judge.window.discard_no != window.discard_no:
        return None
    if judge.is_won != window.won and table.rules.slam.value == "race":
        return f"the arbiter of {table.id} has forgotten that the window is {'' if window.won else 'not '}won"
    if any(window.passed >> chair.seat & 1 and judge.may_pass(chair.seat) for chair in table.seating):
        return f"the arbiter of {table.id} has forgotten that somebody passed"
    return None


def _wrong_clock(table: Table) -> str | None:
    clocks, whole = table.clocks, table.setup.clock + MORE_TIME
    rest = max([(clocks.remaining_ms(seat) or 0) / 1000 for seat in clocks.timed_seats], default=0)
    if rest and not whole - 5 < rest <= whole:
        return f"{table.id} is restored with a clock of {rest} s"
    return None


def wrong_restoration(table: Table, before: Standing | None) -> str | None:
    """Return what is wrong with a table that was just restored, or None; ``before`` is its state if that is known."""
    now = Standing.of(table)
    # A restarted table may go on at once, with a new event.
    if before is not None and before.hole_seq == now.hole_seq and before != now:
        return f"table {table.id} is not restored as it was: {before} {now}"
    return _wrong_clock(table)


def left_over(server: ServerProcess) -> str | None:
    """Return what is left in a server after everyone has gone, or None if nothing is."""
    lobby = server.lobby
    beats = 0 if lobby.lease is None else lobby.lease._under_way
    if lobby.tables:
        return f"tables are left when everyone has gone: {list(lobby.tables)}"
    if lobby.sessions:
        return f"{len(lobby.sessions)} sessions are left when everyone has gone"
    if server.journal.waiting > beats or lobby.gate.durable != lobby.gate.issued:
        return "writes are left when everyone has gone"
    return "the tables are still paused" if lobby.gate.is_stuck else None


@contextlib.contextmanager
def watched_clocks(fail: Fail) -> Iterator[None]:
    """Check that no clock is longer than the table's, except the first after a restart."""
    update = TurnClocks.update
    first: dict[TurnClocks, object] = {}

    def watched_update(clocks: TurnClocks, hole: Hole | None) -> None:
        update(clocks, hole)
        table: Any = clocks._table
        if (
            clocks._seconds > table.setup.clock
            and first.setdefault(clocks, clocks._waiting) != clocks._waiting
        ):
            fail(f"a turn at {table.id} has {clocks._seconds} s")

    with patch.object(TurnClocks, "update", watched_update):
        yield


class OwnersJudge:
    """Checks all moves of tables in one world."""

    def __init__(self, world: ClusterWorld) -> None:
        self._world = world
        self.stood: dict[str, Standing] = {}
        """The state of tables that are waiting for a new owner, if all of it was durable."""

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch every table that is handed over, and what is sent about tables."""
        give, take = Tables.give, Tables.take
        write, write_link, settle_in = HubTransport.write, LinkTransport.write, Lobby.settle_in
        judge = self

        def watched_give(tables: Tables, table: Table, node: int) -> int:
            # A node that was declared gone has no tables any more, and its write will be refused.
            if tables._lobby.nodes.number not in judge._world.engine.state.gone:
                judge.stood[table.id] = Standing.of(table)
            return give(tables, table, node)

        def watched_take(tables: Tables, logged: TableLog, *args: Any, **more: Any) -> Table | None:
            if problem := judge._world.ledger.wrong_log(logged):
                judge._world.fail(f"a new owner takes {problem}")
            table = take(tables, logged, *args, **more)
            if table is not None:
                judge._taken(table, logged)
            return table

        def watched_write(transport: HubTransport, data: bytes) -> None:
            sock: Any = transport._sock
            if isinstance(sock, ServerSocket) and not isinstance(sock, LinkSocket):
                server = sock.line.server
                if getattr(transport._peer, "relay", None) is None:
                    judge._told(getattr(server, "number", 0), data)
            write(transport, data)

        def watched_write_link(transport: LinkTransport, data: bytes) -> None:
            below: Any = transport._below
            judge._told(below._sock.line.node, data)
            write_link(transport, data)

        def watched_settle_in(lobby: Lobby, player: Player, stay: int | None) -> None:
            if stay is None:
                judge._world.fail(f"{player.name} logged in elsewhere without their seat")
            settle_in(lobby, player, stay)

        with (
            patch.object(Lobby, "settle_in", watched_settle_in),
            patch.object(Tables, "give", watched_give),
            patch.object(Tables, "take", watched_take),
            patch.object(HubTransport, "write", watched_write),
            patch.object(LinkTransport, "write", watched_write_link),
        ):
            yield

    def _taken(self, table: Table, logged: TableLog) -> None:
        """Check that a table is in the same state as before, and that nothing was lost."""
        if (seated := _seated_in(logged)) != set(table.seated):
            self._world.fail(f"table {table.id} is taken with seats of {table.seated}, but {seated} had them")
        self._world.check(wrong_restoration(table, self.stood.pop(table.id, None)))

    def _told(self, node: int, data: bytes) -> None:
        if node in self._world.engine.state.gone and data.startswith(_OF_TABLES):
            self._world.fail(f"node {node}, which was declared gone, sends {data[:200]!r}")


def _seated_in(logged: TableLog) -> set[str]:
    chairs = [chair for chair in msgspec.json.decode(logged.row)["chairs"] if chair is not None]
    owners = [chair.get(key) for chair in chairs for key in ("player", "kept_for")]
    return {owner for owner in owners if owner is not None}
