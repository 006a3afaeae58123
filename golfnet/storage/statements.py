"""Writes that are the same in every database: results, players and ratings. Tables and events are written elsewhere.

The statements use the SQL that SQLite and PostgreSQL share, with ``?`` for values, as in ``store``.
"""

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from golfnet.storage import results
from golfnet.storage.records import record_of
from golfnet.storage.store import LoggedEvent, Run, contradiction, matches_where, need_number, rating_of
from golfnet.storage.writes import DeletePlayer, FinishMatch, ReserveMatch, SavePlayer, Write


def count(run: Run, kind: str, number: int) -> None:
    """Make sure that no number of this kind up to this one is ever assigned again."""
    run("UPDATE counter SET last = ? WHERE kind = ? AND last < ?", number, kind, number)


def _finish_match(run: Run, write: FinishMatch) -> None:
    match, number = write.match, need_number("m", write.match.id)
    if stored := matches_where(run, "WHERE number = ?", number):
        ((record,),) = run("SELECT record FROM match WHERE number = ?", number)
        if stored != (match,) or write.record not in (None, zlib.decompress(record)):
            contradiction(f"match {match.id} is stored with a different result")
        return
    table, record = need_number("t", match.table), write.record
    if record is None:
        events = run("SELECT seq, body FROM event WHERE live = ? ORDER BY seq", table)
        record = record_of(match, [LoggedEvent(seq, body) for seq, body in events])
    run(
        "INSERT INTO match (number, live, variant, options, started, ended, finished, rated, record)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(number, table, match.variant, match.options, match.started, match.ended),
        *(match.finished, match.rated, zlib.compress(record)),
    )
    for seat, result in enumerate(match.seats):
        run(
            "INSERT INTO match_seat (match, seat, player, name, kind, total, place, ending, rank)"
            " VALUES ((SELECT ordinal FROM match WHERE number = ?), ?, ?, ?, ?, ?, ?, ?, ?)",
            *(number, seat, None if result.player is None else need_number("p", result.player)),
            *(result.name, result.kind.value, result.total, result.place, result.ending.value, result.rank),
        )
    count(run, "m", number)
    for rating in results.rated(match, partial(rating_of, run)):
        run(
            "INSERT INTO rating (player, variant, pool, mu, sigma, matches, wins) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (player, variant, pool) DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma,"
            " matches = excluded.matches, wins = excluded.wins",
            *(need_number("p", rating.player), rating.variant, rating.pool.value),
            *(rating.mu, rating.sigma, rating.matches, rating.wins),
        )


def _save_player(run: Run, write: SavePlayer) -> None:
    player, number = write.player, need_number("p", write.player.id)
    run(
        "INSERT INTO player (number, name, skeleton, kind, password_hash, created, seen, settings)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET name = excluded.name,"
        " skeleton = excluded.skeleton, kind = excluded.kind, password_hash = excluded.password_hash,"
        " created = excluded.created, seen = excluded.seen, settings = excluded.settings",
        *(number, player.name, player.skeleton, player.kind.value),
        *(player.password_hash, player.created, player.seen, player.settings),
    )
    run("DELETE FROM token WHERE player = ?", number)
    for place, token in enumerate(player.tokens):
        run(
            "INSERT INTO token (hash, player, place, issued, used, origin, claimed) VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(token.hash, number, place, token.issued, token.used, token.origin, token.claimed),
        )
    count(run, "p", number)


def _delete_player(run: Run, write: DeletePlayer) -> None:
    number = need_number("p", write.player)
    run("DELETE FROM player WHERE number = ?", number)
    run("DELETE FROM rating WHERE player = ?", number)


WRITES: Final[dict[type[Write], Callable[[Run, Any], None]]] = {
    ReserveMatch: lambda run, write: count(run, "m", need_number("m", write.match)),
    FinishMatch: _finish_match,
    SavePlayer: _save_player,
    DeletePlayer: _delete_player,
}
"""The function that applies each kind of write. It raises ``StoreError`` if the write contradicts what is stored."""
