"""Restoring tables from the journal: their stored rows and the fold of their events become tables again.

A restored table stands at the very decision at which the server ended. Its players are disconnected and have their
grace to come back; what they were shown before is in the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from golfnet.engine import match as matches
from golfnet.engine.errors import DivergedLog
from golfnet.engine.events import Committed
from golfnet.engine.match import Match
from golfnet.engine.options import from_options
from golfnet.server.bots.turns import bot_for_seat
from golfnet.server.context.seating import ChairKind, Seating
from golfnet.server.context.setup import Setup
from golfnet.server.table.filling import Wish
from golfnet.server.table.rows import TableRow, chair_of, lock_of, with_words
from golfnet.server.table.table import Table
from golfnet.storage.records import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.context.services import Services
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import TableOwner
    from golfnet.storage.store import TableLog


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
        table.match = table.match._replace(rules=with_words(table.match.rules, row))
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
            table.match = Match(event.match)
        table.match = matches.evolve(table.match, event)
        table.note(entry.seq, event)
