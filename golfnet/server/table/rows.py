"""A table's stored row, for what its events do not contain, such as setup and chairs; also the result of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from golfnet.engine.frozen import replaced
from golfnet.engine.match import is_decided
from golfnet.engine.options import as_options
from golfnet.server.table.seating import Chair, ChairKind, StoredChair
from golfnet.server.table.setup import Setup, StoredSetup, TableLock, is_same
from golfnet.storage.writes import FORFEITED, FinishMatch, MatchResult, SeatEnding, SeatKind, SeatResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.engine.rules import RuleSet
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table


class ChairRow(StoredChair, kw_only=True, omit_defaults=True):
    """The stored form of a chair, with the ids of its ``player`` and of the owner that it is ``kept_for``."""

    player: str | None = None
    kept_for: str | None = None


class TableRow(StoredSetup, frozen=True, kw_only=True):
    """A table as stored, without its events; ``host`` is a player id, ``title`` and ``notes`` are the rule set's.

    ``lock`` is the hash of a private table's password; older versions of golfnet stored ``password`` in the clear.
    """

    variant: str
    title: str = ""
    notes: tuple[str, ...] = ()
    options: dict[str, Any]
    lock: str = ""
    password: str = ""
    host: str | None
    started: float
    chairs: list[ChairRow | None]
    fill: int = 0
    level: str = ""
    """The level of the bots that take the free seats after ``fill`` seconds; 0 seconds means no bots."""
    rematch: bool = False
    sealing_closed: bool = False


def row_bytes(table: Table) -> bytes:
    """Return a table's row as JSON."""
    setup, wanted = table.setup, table.filling.wanted
    return msgspec.json.encode(
        TableRow(
            variant=table.rules.name,
            title=table.rules.title,
            notes=table.rules.notes,
            options=as_options(table.rules),
            **_stored(StoredSetup, setup),
            lock="" if setup.lock is None else setup.lock.stored,
            host=table.host.id if table.host is not None else None,
            started=table.starting.started_at,
            chairs=[None if chair is None else _chair_row(chair) for chair in table.seating.chairs],
            fill=0 if wanted is None else wanted.seconds,
            level="" if wanted is None else wanted.level,
            rematch=table.starting.is_rematch,
            sealing_closed=table.sealing.is_closed,
        )
    )


def setup_of(row: TableRow) -> Setup:
    """Return a table's stored setup; hash a password that was stored in the clear."""
    lock = TableLock(row.lock) if row.lock else TableLock.of(row.password) if row.password else None
    return Setup(lock=lock, **_stored(StoredSetup, row))


def with_words(rules: RuleSet, row: TableRow) -> RuleSet:
    """Return rules with the title and notes stored in the row, since events do not contain them."""
    return replaced(rules, title=row.title or rules.title, notes=row.notes)


def chair_of(row: ChairRow, find: Callable[[str], Player | None]) -> Chair:
    """Return the chair stored as ``row``; ``find`` looks up a player by id."""
    player = None if row.player is None else find(row.player)
    kept_for = None if row.kept_for is None else find(row.kept_for)
    chair = Chair(player=player, kept_for=kept_for, **_stored(StoredChair, row))
    if player is None and chair.kind is ChairKind.HUMAN:
        chair.kind = ChairKind.HOUSE
    return chair


def _chair_row(chair: Chair) -> ChairRow:
    return ChairRow(
        player=None if chair.player is None else chair.player.id,
        kept_for=None if chair.kept_for is None else chair.kept_for.id,
        **_stored(StoredChair, chair),
    )


def _stored(base: type[msgspec.Struct], struct: msgspec.Struct) -> dict[str, Any]:
    """Return the fields that a struct has from a base class, which are stored under the same names."""
    return {name: getattr(struct, name) for name in base.__struct_fields__}


RATED_ANYWAY: Final = frozenset({"seats", "decks", "holes", "target", "dealer"})
"""Options that may be changed in a rated match: they make it longer, larger or luckier, but not a different game."""

RATED_CLOCK: Final = 300
"""The longest clock in a rated match, in seconds: with a longer one, a losing player could wait until others leave."""


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


def is_rated(table: Table) -> bool:
    """Return whether a match is rated: a short clock, and a known rule set with changes only to ``RATED_ANYWAY``."""
    rules = table.match.rules or table.rules
    base = table.lobby.catalogue.get(rules.name)
    return base is not None and is_same(rules, base, RATED_ANYWAY) and 0 < table.setup.clock <= RATED_CLOCK


def counts(table: Table) -> bool:
    """Return whether a match changes people's ratings: it is rated, and two of its players are in the same pool."""
    kinds = [owner.kind for owner in table.seating.owners]
    return is_rated(table) and len(set(kinds)) < len(kinds)


def forfeits(table: Table, player: Player) -> bool:
    """Return whether leaving now costs rating points: the match is rated, and another player of the pool plays on."""
    own = table.seating.chair_of(player)
    others = [chair for chair in table.seating if chair.player is not player and chair.gone is None]
    return (
        table.is_running
        and is_rated(table)
        and not (own is not None and own.is_lent)
        and any(other.player is not None and other.player.kind is player.kind for other in others)
    )


def loss_by_leaving(table: Table, player: Player) -> str:
    """Return a sentence about what happens if the player leaves now; empty if no match is running."""
    if not table.is_running:
        return ""
    if all(other is player for other in table.seating.players):
        return "The match ends."
    if forfeits(table, player):
        return "A bot takes over your seat and the match counts as lost."
    return "A bot takes over your seat."


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
