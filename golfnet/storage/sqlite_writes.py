"""Write to a database: the SQL of each write.

A batch is one transaction. Consecutive events of all tables in it are one statement: that is most of what a server
writes.
"""

import sqlite3
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, cast

from golfnet.storage import ratings
from golfnet.storage.faults import refused
from golfnet.storage.queries import matches_where, rating_of
from golfnet.storage.records import record_of
from golfnet.storage.store import LoggedEvent, contradiction, need_number
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    DeletePlayer,
    FinishMatch,
    OpenTable,
    ReserveMatch,
    SavePlayer,
    SaveRating,
    SaveTable,
    SetAside,
    TrimTable,
    Write,
)

EVENTS_AT_ONCE: Final = 256
"""Maximum rows of one INSERT, a power of two. Each statement releases the interpreter lock and must acquire it again;
one statement for all tables saves a busy server from waiting hundreds of times in one commit.
"""


def apply(writer: sqlite3.Connection, batch: Sequence[Write]) -> None:
    """Commit a batch, or leave everything as it was.

    Raise ``StoreError`` if the batch contradicts what is stored, and ``sqlite3.Error`` for a failure: then the state of
    the transaction is unknown, and the caller must close the connection.
    """
    try:
        if len(batch) <= EVENTS_AT_ONCE and all(type(write) is AppendEvent for write in batch):
            _append(writer, cast("Sequence[AppendEvent]", batch))  # one statement is a transaction
            return
        writer.execute("BEGIN IMMEDIATE")
        _apply_in_order(writer, batch)
        writer.execute("COMMIT")
    except BaseException as error:
        if writer.in_transaction:
            writer.execute("ROLLBACK")
        if isinstance(error, sqlite3.IntegrityError):
            raise refused(error) from error
        raise


def _apply_in_order(writer: sqlite3.Connection, batch: Sequence[Write]) -> None:
    """Apply writes one after the other, neighbouring events together."""
    events: list[AppendEvent] = []
    for write in batch:
        if isinstance(write, AppendEvent):
            events.append(write)
            continue
        if events:
            _append(writer, events)
            events = []
        _APPLY[type(write)](writer, write)
    if events:
        _append(writer, events)


def _append(writer: sqlite3.Connection, events: Sequence[AppendEvent]) -> None:
    """Append events; one that is there already with another body breaks NOT NULL, and with it the statement."""
    for start in range(0, len(events), EVENTS_AT_ONCE):
        chunk = events[start : start + EVENTS_AT_ONCE]
        rows = 1 << (len(chunk) - 1).bit_length()
        values: list[Any] = []
        for write in chunk:
            values += need_number("t", write.table), write.seq, write.body
        values += values[-3:] * (
            rows - len(chunk)
        )  # the last one again does nothing, and few statements serve all
        writer.execute(_insert_events(rows), values)


@cache
def _insert_events(rows: int) -> str:
    return (
        f"INSERT INTO event (live, seq, body) VALUES {', '.join(['(?, ?, ?)'] * rows)} "
        "ON CONFLICT (live, seq) DO UPDATE SET body = NULL WHERE body IS NOT excluded.body"
    )


def _count(writer: sqlite3.Connection, kind: str, number: int) -> None:
    writer.execute("UPDATE counter SET last = max(last, ?) WHERE kind = ?", (number, kind))


def _open_table(writer: sqlite3.Connection, write: OpenTable) -> None:
    number = need_number("t", write.table)
    writer.execute(
        "INSERT INTO live (number, row) VALUES (?, ?)"
        " ON CONFLICT (number) DO UPDATE SET row = NULL WHERE row IS NOT excluded.row",
        (number, write.row),
    )
    _count(writer, "t", number)


def _save_table(writer: sqlite3.Connection, write: SaveTable) -> None:
    changed = writer.execute(
        "UPDATE live SET row = ? WHERE number = ?", (write.row, need_number("t", write.table))
    )
    if not changed.rowcount:
        contradiction(f"table {write.table} is not open")


def _close_table(writer: sqlite3.Connection, write: CloseTable) -> None:
    writer.execute("DELETE FROM live WHERE number = ?", (need_number("t", write.table),))


def _trim_table(writer: sqlite3.Connection, write: TrimTable) -> None:
    writer.execute(
        "DELETE FROM event WHERE live = ? AND seq < ? AND EXISTS (SELECT 1 FROM match WHERE number = ?)",
        (need_number("t", write.table), write.before, need_number("m", write.match)),
    )


def _set_aside(writer: sqlite3.Connection, write: SetAside) -> None:
    changed = writer.execute(
        "UPDATE live SET aside = ? WHERE number = ?", (write.why, need_number("t", write.table))
    )
    if not changed.rowcount:
        contradiction(f"table {write.table} is not open")


def _reserve_match(writer: sqlite3.Connection, write: ReserveMatch) -> None:
    _count(writer, "m", need_number("m", write.match))


def _finish_match(writer: sqlite3.Connection, write: FinishMatch) -> None:
    match = write.match
    number = need_number("m", match.id)

    def query(sql: str, *values: Any) -> list[Any]:
        return writer.execute(sql, values).fetchall()

    if stored := matches_where(query, "WHERE number = ?", number):
        ((record,),) = query("SELECT record FROM match WHERE number = ?", number)
        if stored != (match,) or write.record not in (None, zlib.decompress(record)):
            contradiction(f"match {match.id} has ended otherwise")
        return
    table, record = need_number("t", match.table), write.record
    if record is None:
        events = query("SELECT seq, body FROM event WHERE live = ? ORDER BY seq", table)
        record = record_of(match, [LoggedEvent(seq, body) for seq, body in events])
    inserted = writer.execute(
        "INSERT INTO match (number, live, variant, options, started, ended, finished, rated, record)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(
                number,
                table,
                match.variant,
                match.options,
                match.started,
                match.ended,
            ),
            *(match.finished, match.rated, zlib.compress(record)),
        ),
    )
    for seat, result in enumerate(match.seats):
        player = None if result.player is None else need_number("p", result.player)
        writer.execute(
            "INSERT INTO match_seat (match, seat, player, name, kind, total, place, ending, rank)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(inserted.lastrowid, seat, player, result.name, result.kind),
                *(result.total, result.place, result.ending, result.rank),
            ),
        )
    _count(writer, "m", number)
    for rating in ratings.rated(match, lambda *key: rating_of(query, *key)):
        _save_rating(writer, SaveRating(rating))


def _save_player(writer: sqlite3.Connection, write: SavePlayer) -> None:
    player = write.player
    number = need_number("p", player.id)
    writer.execute(
        "INSERT INTO player (number, name, skeleton, kind, password_hash, created, seen, settings)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET name = excluded.name,"
        " skeleton = excluded.skeleton, kind = excluded.kind, password_hash = excluded.password_hash,"
        " created = excluded.created, seen = excluded.seen, settings = excluded.settings",
        (
            *(number, player.name, player.skeleton, player.kind),
            *(player.password_hash, player.created, player.seen, player.settings),
        ),
    )
    writer.execute("DELETE FROM token WHERE player = ?", (number,))
    writer.executemany(
        "INSERT INTO token (hash, player, place, issued, used, origin, claimed) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (it.hash, number, n, it.issued, it.used, it.origin, it.claimed)
            for n, it in enumerate(player.tokens)
        ],
    )
    _count(writer, "p", number)


def _delete_player(writer: sqlite3.Connection, write: DeletePlayer) -> None:
    number = need_number("p", write.player)
    writer.execute("DELETE FROM player WHERE number = ?", (number,))
    writer.execute("DELETE FROM rating WHERE player = ?", (number,))


def _save_rating(writer: sqlite3.Connection, write: SaveRating) -> None:
    rating = write.rating
    writer.execute(
        "INSERT OR REPLACE INTO rating VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            *(need_number("p", rating.player), rating.variant, rating.pool),
            *(rating.mu, rating.sigma, rating.matches, rating.wins),
        ),
    )


_APPLY: Final[dict[type[Write], Callable[[sqlite3.Connection, Any], None]]] = {
    OpenTable: _open_table,
    SaveTable: _save_table,
    CloseTable: _close_table,
    SetAside: _set_aside,
    TrimTable: _trim_table,
    ReserveMatch: _reserve_match,
    FinishMatch: _finish_match,
    SavePlayer: _save_player,
    DeletePlayer: _delete_player,
    SaveRating: _save_rating,
}
