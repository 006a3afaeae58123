"""What is kept of a match that is over: its result, of which its record is made by the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from golfnet.engine.match import is_decided
from golfnet.engine.options import as_options
from golfnet.server.seating import Kind
from golfnet.storage.writes import FinishMatch, MatchResult, SeatKind, SeatResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from golfnet.engine.rules import RuleSet
    from golfnet.server.seating import Chair
    from golfnet.server.table import Table

RATED_ANYWAY: Final = frozenset({"seats", "decks", "holes", "target", "dealer"})
"""Options that make a match longer, wider or luckier, and no other contest: their matches count for the ladder."""


def finish(table: Table, catalogue: Mapping[str, RuleSet], ended: float) -> FinishMatch:
    """Return the write that keeps a table's match, over at ``ended`` (seconds since 1970)."""
    match = table.match
    rules = match.rules or table.rules
    broken_off = match.hole is not None and match.hole.ended is not None and match.hole.ended.scores is None
    result = MatchResult(
        id=match.id,
        table=table.id,
        variant=rules.name,
        options=msgspec.json.encode(as_options(rules)),
        started=table.started_at,
        ended=ended,
        finished=is_decided(match) and not broken_off,
        rated=_is_rated(rules, catalogue.get(rules.name)),
        seats=tuple(
            SeatResult(
                player=chair.player.id if chair.player is not None else None,
                name=chair.name,
                kind=_kind(chair),
                total=total,
                place=place,
            )
            for (_, chair), total, place in zip(table.seating, match.totals, match.places or (), strict=True)
        ),
    )
    return FinishMatch(result)


def _kind(chair: Chair) -> SeatKind:
    """Return whose a seat is: a player's also while the house plays it, the house's once its owner has left it."""
    if chair.player is not None:
        return SeatKind(chair.player.kind)
    return SeatKind.BOT if chair.kind is Kind.BOT else SeatKind.HOUSE


def _is_rated(rules: RuleSet, base: RuleSet | None) -> bool:
    """Tell whether a match was the contest that its ladder is about, and no house rule of the evening."""
    if base is None:
        return False
    played, usual = as_options(rules), as_options(base)
    return all(played[name] == usual[name] for name in usual if name not in RATED_ANYWAY)
