"""Writes that are the same in every database: results, players and ratings. Tables and events are written elsewhere.

The statements use the SQL that SQLite and PostgreSQL share, with ``?`` for values, as in ``store``.
"""

import zlib
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from golfnet.storage import results
from golfnet.storage.records import record_of
from golfnet.storage.store import (
    LoggedEvent,
    Query,
    contradiction,
    matches_where,
    need_number,
    rating_of,
)
from golfnet.storage.writes import (
    DeletePlayer,
    FinishMatch,
    ReserveMatch,
    SavePlayer,
    SaveRating,
    Write,
)


class Statements(NamedTuple):
    """How to run a statement on the writing connection: to get rows, to get a cursor, or once per row of values."""

    query: Query
    run: Callable[..., Any]
    run_each: Callable[[str, Iterable[tuple[Any, ...]]], object]


def count(on: Statements, kind: str, number: int) -> None:
    """Make sure that no number of this kind up to this one is ever assigned again."""
    on.run("UPDATE counter SET last = ? WHERE kind = ? AND last < ?", number, kind, number)


def _reserve_match(on: Statements, write: ReserveMatch) -> None:
    count(on, "m", need_number("m", write.match))


def _finish_match(on: Statements, write: FinishMatch) -> None:
    match, number = write.match, need_number("m", write.match.id)
    if stored := matches_where(on.query, "WHERE number = ?", number):
        ((record,),) = on.query("SELECT record FROM match WHERE number = ?", number)
        if stored != (match,) or write.record not in (None, zlib.decompress(record)):
            contradiction(f"match {match.id} is stored with a different result")
        return
    table, record = need_number("t", match.table), write.record
    if record is None:
        events = on.query("SELECT seq, body FROM event WHERE live = ? ORDER BY seq", table)
        record = record_of(match, [LoggedEvent(seq, body) for seq, body in events])
    on.run(
        "INSERT INTO match (number, live, variant, options, started, ended, finished, rated, record)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(number, table, match.variant, match.options, match.started, match.ended),
        *(match.finished, match.rated, zlib.compress(record)),
    )
    on.run_each(
        "INSERT INTO match_seat (match, seat, player, name, kind, total, place, ending, rank)"
        " VALUES ((SELECT ordinal FROM match WHERE number = ?), ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                *(number, seat, None if result.player is None else need_number("p", result.player)),
                *(result.name, result.kind.value, result.total, result.place),
                *(result.ending.value, result.rank),
            )
            for seat, result in enumerate(match.seats)
        ],
    )
    count(on, "m", number)
    for rating in results.rated(match, lambda *key: rating_of(on.query, *key)):
        _save_rating(on, SaveRating(rating))


def _save_player(on: Statements, write: SavePlayer) -> None:
    player, number = write.player, need_number("p", write.player.id)
    on.run(
        "INSERT INTO player (number, name, skeleton, kind, password_hash, created, seen, settings)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET name = excluded.name,"
        " skeleton = excluded.skeleton, kind = excluded.kind, password_hash = excluded.password_hash,"
        " created = excluded.created, seen = excluded.seen, settings = excluded.settings",
        *(number, player.name, player.skeleton, player.kind.value),
        *(player.password_hash, player.created, player.seen, player.settings),
    )
    on.run("DELETE FROM token WHERE player = ?", number)
    if player.tokens:
        on.run_each(
            "INSERT INTO token (hash, player, place, issued, used, origin, claimed) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (it.hash, number, n, it.issued, it.used, it.origin, it.claimed)
                for n, it in enumerate(player.tokens)
            ],
        )
    count(on, "p", number)


def _delete_player(on: Statements, write: DeletePlayer) -> None:
    number = need_number("p", write.player)
    on.run("DELETE FROM player WHERE number = ?", number)
    on.run("DELETE FROM rating WHERE player = ?", number)


def _save_rating(on: Statements, write: SaveRating) -> None:
    rating = write.rating
    on.run(
        "INSERT INTO rating (player, variant, pool, mu, sigma, matches, wins) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (player, variant, pool) DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma,"
        " matches = excluded.matches, wins = excluded.wins",
        *(need_number("p", rating.player), rating.variant, rating.pool.value),
        *(rating.mu, rating.sigma, rating.matches, rating.wins),
    )


WRITES: Final[dict[type[Write], Callable[[Statements, Any], None]]] = {
    ReserveMatch: _reserve_match,
    FinishMatch: _finish_match,
    SavePlayer: _save_player,
    DeletePlayer: _delete_player,
    SaveRating: _save_rating,
}
"""The function that applies each kind of write. It raises ``StoreError`` if the write contradicts what is stored."""
