"""Tables out of the journal: what is written of a table beside its events, and how both become the table again.

A restored table stands at the very decision at which the server ended: the fold of its events is its state. Its
players are dropped and have their grace to come back; what they were shown before is in the log.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from golfnet.engine import match as matches
from golfnet.engine.errors import DivergedLog
from golfnet.engine.events import Committed
from golfnet.engine.match import Match
from golfnet.engine.options import as_options, from_options
from golfnet.server.bots.turns import stand_in
from golfnet.server.context.seating import Chair, Gone, Kind, Seating
from golfnet.server.context.setup import Setup
from golfnet.server.context.table_password import TableLock
from golfnet.server.table.filling import Wish
from golfnet.server.table.table import Table
from golfnet.storage.records import entries
from golfnet.storage.writes import SaveTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.engine.rules import RuleSet
    from golfnet.server.context.services import Services
    from golfnet.server.session.player import Player
    from golfnet.storage.store import TableLog


class ChairRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept of a chair; ``player`` is the id of its owner."""

    name: str
    kind: str
    player: str | None = None
    level: str = ""
    ready: bool = False
    cut: str = ""
    seal: str | None = None
    drops: int = 0
    gone: Gone | None = None


class TableRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a table beside its events; ``host`` is a player's id, ``title`` and ``notes`` are its rules'.

    ``lock`` is the hash of a private table's password; ``password`` has it in clear where an older golfnet wrote it.
    """

    variant: str
    title: str = ""
    notes: tuple[str, ...] = ()
    options: dict[str, Any]
    name: str
    lock: str = ""
    password: str = ""
    clock: int
    pause: int
    starts_when_full: bool
    host: str | None
    started: float
    chairs: list[ChairRow | None]
    fill: int = 0
    level: str = ""
    """After so many seconds bots of this level take the free seats, 0 for never."""
    rematch: bool = False
    sealing_closed: bool = False


def row_of(table: Table) -> bytes:
    """Return what has to be kept of a table beside its events."""
    setup, wish = table.setup, table.pace.filling.wish
    row = TableRow(
        variant=table.rules.name,
        title=table.rules.title,
        notes=table.rules.notes,
        options=as_options(table.rules),
        name=setup.name,
        lock="" if setup.lock is None else setup.lock.stored,
        clock=setup.clock,
        pause=setup.pause,
        starts_when_full=setup.starts_when_full,
        host=table.host.id if table.host is not None else None,
        started=table.started_at,
        chairs=[None if chair is None else _chair_row(chair) for chair in table.seating.chairs],
        fill=0 if wish is None else wish.seconds,
        level="" if wish is None else wish.level,
        rematch=table.is_rematch,
        sealing_closed=table.sealing.is_closed,
    )
    return msgspec.json.encode(row)


def restore(services: Services, log: TableLog, find: Callable[[str], Player | None]) -> Table:
    """Return the table of a log, nobody present; raises ``DivergedLog`` where it cannot be folded."""
    try:
        return _restored(services, log, find)
    except DivergedLog:
        raise
    except Exception as problem:  # whatever is wrong with one table, the others start
        raise DivergedLog(f"table {log.table} cannot be restored: {problem!r}") from problem


def _restored(services: Services, log: TableLog, find: Callable[[str], Player | None]) -> Table:
    row = msgspec.json.decode(log.row, type=TableRow)
    setup = Setup(
        name=row.name,
        lock=_lock(row),
        clock=row.clock,
        pause=row.pause,
        starts_when_full=row.starts_when_full,
    )
    rules = _worded(from_options(row.variant, row.options), row)
    table = Table(services, number=int(log.table[1:]), rules=rules, setup=setup)
    table.started_at, table.is_rematch = row.started, row.rematch
    _fold(table, log)
    if table.match.rules is not None:
        table.match = table.match._replace(rules=_worded(table.match.rules, row))
    table.seating = Seating([None if chair is None else _chair(chair, find) for chair in row.chairs])
    table.pace.filling.wish = Wish(level=row.level, seconds=row.fill) if row.fill else None
    if row.sealing_closed and table.match.next_deal is not None:
        table.sealing.resume()
    table.host = find(row.host) if row.host is not None else None
    for seat, chair in table.seating:
        if chair.kind is not Kind.HUMAN and table.is_running:
            chair.bot = stand_in(table, seat, chair.level or services.config.house_level)
    for _, chair in table.seating:  # last, so that a table which is set aside leaves its players free
        if chair.player is not None:
            chair.player.table = table
    if row.password:
        services.gate.submit([SaveTable(table.id, row_of(table))])  # without it
    return table


def _fold(table: Table, log: TableLog) -> None:
    """Fold the events of the last match at the table."""
    table.seq = log.events[-1].seq if log.events else 0
    for entry in entries(log.events):
        event = entry.event
        if isinstance(event, Committed) and event.match != table.match.id:
            table.match = Match(event.match)
        table.match = matches.evolve(table.match, event)
        table.note(entry.seq, event)


def _lock(row: TableRow) -> TableLock | None:
    if row.lock:
        return TableLock(row.lock)
    return TableLock.of(row.password) if row.password else None


def _worded(rules: RuleSet, row: TableRow) -> RuleSet:
    """Return rules with the words that no log holds."""
    return replace(rules, title=row.title or rules.title, notes=row.notes)


def _chair_row(chair: Chair) -> ChairRow:
    return ChairRow(
        name=chair.name,
        kind=chair.kind.value,
        player=chair.player.id if chair.player is not None else None,
        level=chair.level,
        ready=chair.ready,
        cut=chair.cut,
        seal=chair.seal,
        drops=chair.drops,
        gone=chair.gone,
    )


def _chair(row: ChairRow, find: Callable[[str], Player | None]) -> Chair:
    player = find(row.player) if row.player is not None else None
    kind = Kind(row.kind)
    if player is None and kind is Kind.HUMAN:
        kind = Kind.HOUSE
    return Chair(
        name=row.name,
        kind=kind,
        player=player,
        level=row.level,
        ready=row.ready,
        cut=row.cut,
        seal=row.seal,
        drops=row.drops,
        gone=row.gone,
    )
