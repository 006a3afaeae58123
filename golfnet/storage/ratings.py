"""Ladders: what a match says about the strength of those who played it.

Players are rated by Plackett–Luce over the order of their places, per rule set, and only against others of their own
pool: accounts, guests and bots never change each other's ratings. Lower totals are better places, so no sign is
turned here. The same results in the same order always give the same ratings.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from golfnet.storage.writes import MatchResult, PlayerKind, Rating

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

START_MU: Final = 25.0
START_SIGMA: Final = 25.0 / 3
"""The strength of somebody nobody has seen play; the library's own numbers, fixed here because ladders keep them."""


def rated(match: MatchResult, current: Callable[[str, str, PlayerKind], Rating | None]) -> tuple[Rating, ...]:
    """Return the new ratings after a match, by the players' first seats; ``current`` gives the stored ones.

    Matches that are not rated or were broken off change nothing, and neither does a pool with one player. A player
    with several seats, such as a bot, counts with the mean of its places.
    """
    if not (match.rated and match.finished):
        return ()
    return tuple(rating for pool in PlayerKind for rating in _rated_pool(match, pool, current))


def new_rating(player: str, variant: str, pool: PlayerKind) -> Rating:
    """Return the rating of a player before its first match."""
    return Rating(
        player=player, variant=variant, pool=pool, mu=START_MU, sigma=START_SIGMA, matches=0, wins=0
    )


def _rated_pool(
    match: MatchResult, pool: PlayerKind, current: Callable[[str, str, PlayerKind], Rating | None]
) -> list[Rating]:
    places: dict[str, list[int]] = {}
    for seat in match.seats:
        if seat.kind.value == pool.value and seat.player is not None:
            places.setdefault(seat.player, []).append(seat.place)
    if len(places) < 2:
        return []
    before = [
        current(player, match.variant, pool) or new_rating(player, match.variant, pool) for player in places
    ]
    model = _model()
    after = model.rate(
        [[model.create_rating([old.mu, old.sigma])] for old in before],
        ranks=[sum(taken) / len(taken) for taken in places.values()],
    )
    return [
        Rating(
            player=old.player,
            variant=old.variant,
            pool=pool,
            mu=new.mu,
            sigma=new.sigma,
            matches=old.matches + 1,
            wins=old.wins + (min(places[old.player]) == 1),
        )
        for old, (new,) in zip(before, after, strict=True)
    ]


@cache
def _model() -> "PlackettLuce":
    from openskill.models import PlackettLuce  # heavier than a server that rates nobody should pay for

    return PlackettLuce(mu=START_MU, sigma=START_SIGMA)
