"""Compute what follows from the result of a match: its players' new ratings, and its remarkable moments.

Players are rated by Plackett–Luce over the order of their places, per rule set, and only against others of their own
pool: accounts, guests and bots never change each other's ratings. A player who leaves a match, or is absent at its end,
is rated as coming last. Ratings are computed from places, so it does not matter that the lowest total wins. The same
results in the same order always give the same ratings.

The best hole, a lucky slam and a comeback are read from the record. Only people who played to the end are honoured. A
match is read once, and the results are cached for a limited number of matches. A record is about 40 kB, so records are
read in a worker thread, one at a time.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct, json, structs

from golfnet.engine.cards import SEAT_LETTERS
from golfnet.storage.writes import (
    FORFEITED,
    START_MU,
    START_SIGMA,
    MatchResult,
    PlayerKind,
    Rating,
    SeatEnding,
    SeatKind,
)

Current = Callable[[str, str, PlayerKind], Rating]
"""Returns a player's rating under a rule set, in a pool."""


def rated(match: MatchResult, current: Current) -> tuple[Rating, ...]:
    """Return the new ratings after a match, in order of the players' first seats.

    An unrated match changes no rating, and no match changes the rating of a player who is alone in a pool. An abandoned
    match counts only if every player has forfeited it: then the last to leave comes first. A player with several seats,
    such as a bot, counts with the mean of its ranks; an excused player does not count.
    """
    endings = [seat.ending for seat in match.seats if seat.player is not None]
    is_forfeited = endings and FORFEITED.issuperset(endings)
    if not (match.rated and (match.finished or is_forfeited)):
        return ()
    return tuple(rating for pool in PlayerKind for rating in _rated_pool(match, pool, current))


def _rated_pool(match: MatchResult, pool: PlayerKind, current: Current) -> list[Rating]:
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
    before = [current(player, match.variant, pool) for player in ranks]
    model = rating_model()
    after = model.rate(
        [[model.create_rating([old.mu, old.sigma])] for old in before],
        ranks=[sum(taken) / len(taken) for taken in ranks.values()],
    )
    return [
        structs.replace(
            old,
            mu=new.mu,
            sigma=new.sigma,
            matches=old.matches + 1,
            wins=old.wins + (min(ranks[old.player]) == 1),
        )
        for old, (new,) in zip(before, after, strict=True)
    ]


@cache
def rating_model() -> Any:
    """Return the model; the first call loads its library, so it should come while files can be opened."""
    from openskill.models import PlackettLuce  # a large import, needed only for rated matches

    return PlackettLuce(mu=START_MU, sigma=START_SIGMA)


HONOURS_KEPT: Final = 256
"""Maximum number of matches whose honours are cached: enough for a long evening at several tables."""


class BestHole(Struct, frozen=True):
    """The lowest score in a hole."""

    score: int
    player: str
    hole: int


class LuckySlam(Struct, frozen=True):
    """A successful slam with a card that the player could not know; ``points`` is what the card was worth."""

    points: int
    player: str
    card: str
    hole: int


class MatchHonours(Struct, frozen=True):
    """Remarkable moments in one match; ``comeback`` names a winner who was last after an earlier hole."""

    best: BestHole | None = None
    slam: LuckySlam | None = None
    comeback: str | None = None


def honours_of(result: MatchResult, record: Iterable[bytes]) -> MatchHonours:
    """Return the remarkable moments in a match, from the lines of its record."""
    people = {
        SEAT_LETTERS[at]: seat.name
        for at, seat in enumerate(result.seats)
        if seat.kind is not SeatKind.BOT and seat.ending is SeatEnding.PLAYED
    }
    everyone = set(SEAT_LETTERS)
    best: list[BestHole] = []
    slams: list[LuckySlam] = []
    were_last: list[set[str]] = []
    values: Mapping[str, int] = {}
    known: dict[str, set[str]] = {}  # who knows which card, by its position
    number, took = 0, False
    for line in map(json.decode, record):
        match line.get("event"):
            case "match_started":
                values = line["options"].get("values", {})
            case "hole_started":
                number, known = line["hole"], {}
            case "hole_ended" if line["scores"] is not None:
                were_last.append(_last(line["totals"]))
                scores = zip(SEAT_LETTERS, line["scores"], strict=False)
                best += [BestHole(score, people[seat], number) for seat, score in scores if seat in people]
            case "slammed" if line["result"] != "hit":
                known[line["at"]] = everyone
            case "slammed":
                by, card = line["by"], line["card"]
                if by not in known.pop(line["at"], ()) and by in people:
                    points = values.get(card if card == "*" else card[:-1], 0)
                    slams.append(LuckySlam(points, people[by], card, number))
            case "drew" | "took" as event:
                took = event == "took"
            case "peeked":
                for at in line["at"]:
                    known[at] = known.get(at, set()) | {line["seat"]}
            case "swapped":
                known[f"{line['seat']}{line['slot']}"] = everyone if took else {line["seat"]}
            case "switched":
                first, second = line["at"]
                known[first], known[second] = known.pop(second, set()), known.pop(first, set())
            case "penalty":
                at = f"{line['seat']}{line['slot']}"
                known[at] = known.pop(line["from"], set()) if line["from"] else set()
            case "gave":
                known[line["to"]] = known.pop(f"{line['seat']}{line['slot']}", set())
    winners = [SEAT_LETTERS[at] for at, seat in enumerate(result.seats) if seat.place == 1]
    came_back = len(winners) == 1 and any(winners[0] in last for last in were_last[:-1])
    return MatchHonours(
        max(best, key=lambda best: -best.score, default=None),
        max(slams, key=lambda slam: slam.points, default=None),
        people.get(winners[0]) if came_back else None,
    )


def _last(totals: list[int]) -> set[str]:
    """Return the seats that have the highest total, alone or with others, unless all have the same."""
    return {SEAT_LETTERS[at] for at, total in enumerate(totals) if total == max(totals) != min(totals)}
