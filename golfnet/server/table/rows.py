"""What is stored of a table beside its events: its set-up, its chairs, and what its host asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from golfnet.engine.options import as_options
from golfnet.server.context.seating import Chair, ChairKind, Gone
from golfnet.server.context.table_password import TableLock

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.engine.rules import RuleSet
    from golfnet.server.context.context import TableContext
    from golfnet.server.session.player import Player
    from golfnet.server.table.filling import Wish


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
    lent: bool = False
    kept_for: str | None = None
    """The id of the owner of a seat that is lent."""


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
    starts_when_enough: bool = False
    host: str | None
    started: float
    chairs: list[ChairRow | None]
    fill: int = 0
    level: str = ""
    """After so many seconds bots of this level take the free seats, 0 for never."""
    rematch: bool = False
    sealing_closed: bool = False


def row_bytes(table: TableContext, *, wish: Wish | None, is_rematch: bool, is_sealing_closed: bool) -> bytes:
    """Return a table's row as JSON; ``wish`` is its host's for bots."""
    setup = table.setup
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
        starts_when_enough=setup.starts_when_enough,
        host=table.host.id if table.host is not None else None,
        started=table.started_at,
        chairs=[None if chair is None else _chair_row(chair) for chair in table.seating.chairs],
        fill=0 if wish is None else wish.seconds,
        level="" if wish is None else wish.level,
        rematch=is_rematch,
        sealing_closed=is_sealing_closed,
    )
    return msgspec.json.encode(row)


def lock_of(row: TableRow) -> TableLock | None:
    """Return the lock of a private table, made anew from a password in clear."""
    if row.lock:
        return TableLock(row.lock)
    return TableLock.of(row.password) if row.password else None


def with_words(rules: RuleSet, row: TableRow) -> RuleSet:
    """Return rules with the words that no log holds."""
    return replace(rules, title=row.title or rules.title, notes=row.notes)


def chair_of(row: ChairRow, find: Callable[[str], Player | None]) -> Chair:
    """Return the chair of a row; ``find`` returns the player of an id."""
    player = find(row.player) if row.player is not None else None
    kind = ChairKind(row.kind)
    if player is None and kind is ChairKind.HUMAN:
        kind = ChairKind.HOUSE
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
        is_lent=row.lent,
        kept_for=None if row.kept_for is None else find(row.kept_for),
    )


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
        lent=chair.is_lent,
        kept_for=None if chair.kept_for is None else chair.kept_for.id,
    )
