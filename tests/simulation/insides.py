"""Checks inside a server, at any time and across a restart: bounds, windows, kept seats, clocks.

Invariants: a restart restores everything that is stored about a table; nobody has more time than the table's clock
allows, except for the decision during which the server stopped; an absent player's seat is kept for a limited time.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest.mock import patch

import msgspec

from golfnet.server.budget import CHUNK
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.setup import row_bytes
from golfnet.server.table.turns import TurnClocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from golfnet.engine.hole import Hole
    from golfnet.engine.match import Match
    from golfnet.server.lobby import Lobby
    from golfnet.server.table.table import Table
    from tests.simulation.server import ServerProcess

    Fail = Callable[[str], None]

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
    # Everybody is absent after a restart, so an open slam window closes and the match goes on with a new event.
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
