"""Ratings: how a match changes its players' estimated strength, for the ladders.

Players are rated by Plackett–Luce over the order of their places, per rule set, and only against others of their own
pool: accounts, guests and bots never change each other's ratings. A player who leaves a match, or is absent at its end,
is rated as coming last. A lower total already means a better place, so no sign is inverted here. The same results in
the same order always give the same ratings.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from golfnet.storage.writes import FORFEITED, MatchResult, PlayerKind, Rating, SeatEnding

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

START_MU: Final = 25.0
START_SIGMA: Final = 25.0 / 3
"""The rating of a new player: the library's defaults, fixed here because stored ladders depend on them."""


def rated(match: MatchResult, current: Callable[[str, str, PlayerKind], Rating | None]) -> tuple[Rating, ...]:
    """Return the new ratings after a match, in order of the players' first seats; ``current`` returns a stored rating.

    An unrated match changes no rating, and no match changes the rating of a player who is alone in a pool. An abandoned
    match counts only if every player has forfeited it: then the last to leave comes first. A player with several seats,
    such as a bot, counts with the mean of its ranks; an excused player does not count.
    """
    if not (match.rated and (match.finished or _is_forfeited(match))):
        return ()
    return tuple(rating for pool in PlayerKind for rating in _rated_pool(match, pool, current))


def new_rating(player: str, variant: str, pool: PlayerKind) -> Rating:
    """Return a player's rating before their first match."""
    return Rating(
        player=player, variant=variant, pool=pool, mu=START_MU, sigma=START_SIGMA, matches=0, wins=0
    )


def _is_forfeited(match: MatchResult) -> bool:
    """Return whether every player has left a match or was absent at its end."""
    endings = [seat.ending for seat in match.seats if seat.player is not None]
    return bool(endings) and FORFEITED.issuperset(endings)


def _rated_pool(
    match: MatchResult, pool: PlayerKind, current: Callable[[str, str, PlayerKind], Rating | None]
) -> list[Rating]:
    ranks: dict[str, list[int]] = {}
    for seat in match.seats:
        if (
            seat.kind.value == pool.value
            and seat.player is not None
            and seat.ending is not SeatEnding.EXCUSED
        ):
            ranks.setdefault(seat.player, []).append(seat.rank)
    if len(ranks) < 2:
        return []
    before = [
        current(player, match.variant, pool) or new_rating(player, match.variant, pool) for player in ranks
    ]
    model = _model()
    after = model.rate(
        [[model.create_rating([old.mu, old.sigma])] for old in before],
        ranks=[sum(taken) / len(taken) for taken in ranks.values()],
    )
    return [
        Rating(
            player=old.player,
            variant=old.variant,
            pool=pool,
            mu=new.mu,
            sigma=new.sigma,
            matches=old.matches + 1,
            wins=old.wins + (min(ranks[old.player]) == 1),
        )
        for old, (new,) in zip(before, after, strict=True)
    ]


def load() -> None:
    """Load the code that computes ratings, so that the end of a match does not have to open files."""
    _model()


@cache
def _model() -> "PlackettLuce":
    from openskill.models import PlackettLuce  # a large import, needed only for rated matches

    return PlackettLuce(mu=START_MU, sigma=START_SIGMA)
