"""The command ``evening``: a scoreboard for the last few hours, or since a time of day, with honours.

The scoreboard is made from stored matches, so it covers all nodes and survives restarts. Only people are listed. The
number of matches is limited, and scoreboards are made one at a time, in a worker thread.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from msgspec import Struct

from golfnet.protocol.commands.parse import Request
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.text.words import counted
from golfnet.server.budget import origin_of
from golfnet.server.commands.answers import Handlers, send_list
from golfnet.server.commands.contexts import Anyone
from golfnet.storage.honours import Honours, MatchHonours
from golfnet.storage.store import Reads
from golfnet.storage.writes import MatchResult, SeatKind

HANDLERS: Final = Handlers()

MOST_MATCHES: Final = 200
"""How many of an evening's latest matches are counted: enough for twenty tables that play ten each."""

EVENING_SECONDS: Final = 12 * 3600.0
"""How far back to look by default, in seconds: covers a long evening, but not the one before."""

MOST_PLAYERS: Final = 50
"""Maximum number of players listed."""

Row = dict[str, Any]


@HANDLERS.on("evening")
def evening(context: Anyone, request: Request) -> None:
    """Send the scoreboard for the last few hours, or since a time of day."""
    lobby, session = context.lobby, context.session
    now = lobby.wall_clock()
    since = hour_before(request.words[0], now) if request.words else now - EVENING_SECONDS

    async def answer() -> None:
        board = partial(lobby.lookups.read, partial(scoreboard, lobby.store, lobby.honours, since))
        matches, rows = await lobby.evenings.run(origin_of(session.transport.address), board)
        if request.words:
            note = f"since {datetime.fromtimestamp(since):%Y-%m-%d %H:%M}, the server's time."
        else:
            note = f"in the last {EVENING_SECONDS / 3600:g} hours."
        send_list(session, request, "evening", rows, note=f"{counted(matches, 'match')} {note}")

    context.tasks.start(session, request, answer)


def scoreboard(store: Reads, honours: Honours, since: float) -> tuple[int, list[Row]]:
    """Return how many matches have finished since a time, and the rows: players, best first, then honours."""
    matches = [match for match in store.matches(since=since, limit=MOST_MATCHES) if match.finished]
    return len(matches), [*_players(matches), *_honours([(match, honours.of(match)) for match in matches])]


def hour_before(word: str, now: float) -> float:
    """Return when it was last this time of day, in the server's time zone; raises ``Refused``."""
    found = re.fullmatch(r"([01]?[0-9]|2[0-3])(?::([0-5][0-9]))?", word)
    if found is None:
        raise Refused(Code.BAD_ARGUMENT, "evening takes an hour such as 20:00, or nothing.")
    today = datetime.fromtimestamp(now)
    begun = today.replace(hour=int(found[1]), minute=int(found[2] or 0), second=0, microsecond=0)
    return (begun if begun <= today else begun - timedelta(days=1)).timestamp()


class _EveningScore(Struct, frozen=True):
    """One player's results: the place in each match."""

    name: str
    kind: SeatKind
    places: list[int]

    @property
    def wins(self) -> int:
        return self.places.count(1)

    @property
    def average(self) -> float:
        return sum(self.places) / len(self.places)


def _players(matches: Sequence[MatchResult]) -> Iterator[Row]:
    """Yield the people who played, ordered by wins and then by average place."""
    scores: dict[str, _EveningScore] = {}
    for match in matches:
        for seat in match.seats:
            if seat.kind is SeatKind.BOT:
                continue
            score = scores.setdefault(seat.player or seat.name, _EveningScore(seat.name, seat.kind, []))
            score.places.append(seat.rank)
    order = sorted(scores.values(), key=lambda each: (-each.wins, each.average, each.name))
    keys = [(-each.wins, each.average) for each in order]
    for each in order[:MOST_PLAYERS]:
        yield {
            "place": 1 + keys.index((-each.wins, each.average)),
            "name": each.name,
            "kind": each.kind.value,
            "matches": len(each.places),
            "wins": each.wins,
            "average_place": round(each.average, 1),
        }


def _honours(matches: Sequence[tuple[MatchResult, MatchHonours]]) -> Iterator[Row]:
    """Yield the best hole, the luckiest slam and the player with the most comebacks, if there are any."""
    best = [(each.best.score, match, each.best) for match, each in matches if each.best is not None]
    if best:
        score, match, hole = min(best, key=lambda found: found[0])
        yield _honour("best_hole", hole.player, match=match, hole=hole.hole) | {"score": score}
    slams = [(each.slam.points, match, each.slam) for match, each in matches if each.slam is not None]
    if slams:
        _, match, slam = max(slams, key=lambda found: found[0])
        yield _honour("luckiest_slam", slam.player, match=match, hole=slam.hole) | {"card": slam.card}
    names = [each.comeback for _, each in matches if each.comeback is not None]
    if names:
        most = max(dict.fromkeys(names), key=names.count)
        yield {"honour": "comebacks", "name": most, "matches": names.count(most)}


def _honour(what: str, name: str, *, match: MatchResult, hole: int) -> Row:
    return {"honour": what, "name": name, "match": match.id, "variant": match.variant, "hole": hole}
