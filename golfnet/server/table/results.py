"""What is kept of a match that is over: its result, of which its record is made by the store.

Totals and places stay as played, whoever played a seat at the end. Ranks are what counts for ladders: who forfeits a
match ranks behind everybody who played on, and behind those who forfeited it later. So nobody gains by leaving, nobody
loses by staying, and who is the last one left is free to leave too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from golfnet.engine.match import is_decided
from golfnet.engine.options import as_options
from golfnet.server.context.seating import ChairKind
from golfnet.storage.writes import FORFEITED, FinishMatch, MatchResult, SeatEnding, SeatKind, SeatResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from golfnet.engine.rules import RuleSet
    from golfnet.server.context.context import TableContext
    from golfnet.server.context.seating import Chair
    from golfnet.server.session.player import Player

RATED_ANYWAY: Final = frozenset({"seats", "decks", "holes", "target", "dealer"})
"""Options that make a match longer, wider or luckier, and no other contest: their matches count for the ladder."""

RATED_CLOCK: Final = 300
"""Seconds of the longest clock of a match that counts: with none, or a longer one, who loses could simply wait until
the others leave."""


def finish(table: TableContext, catalogue: Mapping[str, RuleSet], ended: float) -> FinishMatch:
    """Return the write that keeps a table's match, over at ``ended`` (seconds since 1970)."""
    match = table.match
    rules = match.rules or table.rules
    broken_off = match.hole is not None and match.hole.ended is not None and match.hole.ended.scores is None
    chairs = [chair for _, chair in table.seating]
    places = match.places or ()
    result = MatchResult(
        id=match.id,
        table=table.id,
        variant=rules.name,
        options=msgspec.json.encode(as_options(rules)),
        started=table.started_at,
        ended=ended,
        finished=is_decided(match) and not broken_off,
        rated=is_rated(table, catalogue),
        seats=tuple(
            _seat(chair, total, place, rank)
            for chair, total, place, rank in zip(
                chairs, match.totals, places, _ranks(chairs, places), strict=True
            )
        ),
    )
    return FinishMatch(result)


def is_rated(table: TableContext, catalogue: Mapping[str, RuleSet]) -> bool:
    """Tell whether a match is the contest that its ladder is about: no house rule, and clocks that run out."""
    rules = table.match.rules or table.rules
    base = catalogue.get(rules.name)
    if base is None or not 0 < table.setup.clock <= RATED_CLOCK:
        return False
    played, usual = as_options(rules), as_options(base)
    return all(played[name] == usual[name] for name in usual if name not in RATED_ANYWAY)


def forfeits(table: TableContext, player: Player, catalogue: Mapping[str, RuleSet]) -> bool:
    """Tell whether leaving now costs the player rating: somebody else of its pool still plays a rated match."""
    seat = table.seating.of(player)
    chair = None if seat is None else table.seating.at(seat)
    return (
        table.is_running
        and is_rated(table, catalogue)
        and not (chair is not None and chair.is_lent)
        and any(
            chair.player is not player and chair.player.kind is player.kind and chair.gone is None
            for _, chair in table.seating
            if chair.player is not None
        )
    )


def loss_by_leaving(table: TableContext, player: Player, catalogue: Mapping[str, RuleSet]) -> str:
    """Return a sentence about what leaving now would cost the player, empty where no match runs."""
    if not table.is_running:
        return ""
    if all(chair.player is player for _, chair in table.seating.humans):
        return "The match ends."
    if forfeits(table, player, catalogue):
        return "A bot takes over your seat and the match counts as lost."
    return "A bot takes over your seat."


def _seat(chair: Chair, total: int, place: int, rank: int) -> SeatResult:
    """Return what is kept of a seat: its owner's also while the house plays it, and after its owner has left."""
    owner, gone = chair.player, chair.gone
    kind = SeatKind.BOT if chair.kind is ChairKind.BOT else SeatKind.HOUSE
    if chair.is_lent:
        owner = None
    if owner is not None or gone is not None:
        kind = SeatKind((owner or gone).kind)  # type: ignore[union-attr]
    return SeatResult(
        player=owner.id if owner is not None else gone.player if gone is not None else None,
        name=chair.name,
        kind=kind,
        total=total,
        place=place,
        ending=SeatEnding.PLAYED if gone is None else gone.ending,
        rank=rank,
    )


def _ranks(chairs: Sequence[Chair], places: Sequence[int]) -> list[int]:
    """Return ranks, from 1 and with gaps after equals, by seat."""
    keys = [
        (0, place) if chair.gone is None or chair.gone.ending not in FORFEITED else (1, -chair.gone.since)
        for chair, place in zip(chairs, places, strict=True)
    ]
    return [1 + sum([other < own for other in keys]) for own in keys]
