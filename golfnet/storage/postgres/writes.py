"""Write to a PostgreSQL database: the SQL of each write, behind the fence.

A batch is one transaction, which begins by incrementing ``batch`` in the server's own row: if that fails, the server
has been declared gone, or the batch is already stored. A batch with only events, nine in ten, is one statement. The
statements of any other batch are sent without waiting for each answer, so the batch takes three round trips.
"""

from __future__ import annotations

from contextlib import nullcontext
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import psycopg

from golfnet.storage.postgres.connections import fenced, is_contradiction, refused, set_back
from golfnet.storage.statements import WRITES, Statements, count
from golfnet.storage.store import contradiction, need_number
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    FinishMatch,
    GiveTable,
    OpenTable,
    SaveTable,
    SetAside,
    TrimTable,
    Write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from golfnet.storage.postgres.connections import LimitedConnection


OpenTableChange = SaveTable | SetAside | GiveTable


class Batch(NamedTuple):
    """The writing server, and the number of the batch; ``is_repeated`` if it may already be stored."""

    place: str
    node: int
    number: int
    is_repeated: bool


def apply(writer: LimitedConnection, batch: Batch, writes: Sequence[Write]) -> None:
    """Commit a batch, or change nothing.

    Raise ``StoreError`` if it contradicts what is stored or the server has been declared gone, or ``psycopg.Error`` on
    any other failure: the caller must then close the connection, and cannot know whether the batch was stored.
    """
    try:
        if all(type(write) is AppendEvent for write in writes):
            _append_alone(writer, batch, cast("Sequence[AppendEvent]", writes))
        else:
            _apply_together(writer, batch, writes)
    except psycopg.Error as error:
        if is_contradiction(error):
            raise refused(error) from error
        raise


def settle(writer: LimitedConnection, batch: Batch) -> None:
    """Use up the number of a batch that may have been stored, and the next one: the batch can no longer be stored."""
    taken = writer.execute(
        "UPDATE node SET batch = %s WHERE id = %s AND NOT gone AND batch BETWEEN %s AND %s",
        (batch.number + 1, batch.node, batch.number - 1, batch.number + 1),
    )
    if not taken.rowcount:
        _explain(writer, batch._replace(is_repeated=False))


def _append_alone(writer: LimitedConnection, batch: Batch, events: Sequence[AppendEvent]) -> None:
    """Append events in one statement, which is a transaction of its own."""
    row = writer.execute(
        _APPEND_ALONE, (batch.number, batch.node, batch.number - 1, *_columns(events))
    ).fetchone()
    if row is None or not row[0]:
        _explain(writer, batch)


def _apply_together(writer: LimitedConnection, batch: Batch, writes: Sequence[Write]) -> None:
    cursor = writer.execute(
        (
            f"BEGIN; UPDATE node SET batch = {batch.number:d}, seen = now()"
            f" WHERE id = {batch.node:d} AND NOT gone AND batch = {batch.number - 1:d}"
        ).encode()
    )
    try:
        cursor.nextset()
        if cursor.rowcount:
            _apply_in_order(writer, batch.node, writes)
            writer.execute("COMMIT")
            return
    except BaseException:
        if not writer.closed:
            writer.rollback()
        raise
    writer.rollback()
    _explain(writer, batch)


def _explain(writer: LimitedConnection, batch: Batch) -> None:
    """Return if the batch is already stored. Raise ``StoreError`` if this server is gone or the database was set back.

    Another small commit waits for all that a commit must wait for, such as a replica, and therefore for the batch too.
    """
    row = writer.execute("SELECT batch, gone FROM node WHERE id = %s", (batch.node,)).fetchone()
    if row is None or row[1]:
        raise fenced(batch.place)
    if row[0] != batch.number or not batch.is_repeated:
        raise set_back(batch.place, row[0], batch.number - 1)
    writer.execute("UPDATE node SET seen = now() WHERE id = %s", (batch.node,))


def _apply_in_order(writer: LimitedConnection, node: int, writes: Sequence[Write]) -> None:
    """Apply writes in order, consecutive events together."""
    changes: list[tuple[OpenTableChange, psycopg.Cursor[Any]]] = []
    with writer.pipeline() if psycopg.Pipeline.is_supported() else nullcontext():
        _lock_ratings(writer, writes)
        for kind, neighbours in groupby(writes, type):
            if kind is AppendEvent:
                writer.execute(_APPEND, (node, *_columns(cast("Iterator[AppendEvent]", neighbours))))
                continue
            for write in neighbours:
                if isinstance(write, OpenTableChange):
                    changes.append((write, _change_table(writer, node, write)))
                elif (apply_here := _APPLY.get(type(write))) is not None:
                    apply_here(writer, node, write)
                else:
                    WRITES[type(write)](_statements(writer), write)
    for write, changed in changes:
        if not changed.rowcount:
            contradiction(f"table {write.table} is not open")


def _columns(events: Iterable[AppendEvent]) -> tuple[list[int], list[int], list[bytes]]:
    """Return the tables, numbers and bodies of events, each event once: one statement cannot touch a row twice."""
    given: dict[tuple[int, int], bytes] = {}
    for write in events:
        if given.setdefault((need_number("t", write.table), write.seq), write.body) != write.body:
            contradiction(f"table {write.table} has a different event {write.seq}")
    return [table for table, _ in given], [seq for _, seq in given], [*given.values()]


_INSERT: Final = """
    INSERT INTO event (live, seq, body)
    SELECT live.number, given.seq, given.body
    FROM owner CROSS JOIN unnest(%s::bigint[], %s::bigint[], %b::bytea[]) AS given (live, seq, body)
        LEFT JOIN live ON live.number = given.live AND live.owner = owner.id
    ON CONFLICT (live, seq) DO UPDATE SET body = NULL WHERE event.body <> excluded.body
"""
"""Insert events. One whose table is not open here, or that is stored with a different body, violates NOT NULL."""
_APPEND: Final = f"WITH owner AS (SELECT %s::bigint AS id) {_INSERT}".encode()
_APPEND_ALONE: Final = f"""
    WITH owner AS (
        UPDATE node SET batch = %s, seen = now() WHERE id = %s AND NOT gone AND batch = %s RETURNING id
    ), stored AS ({_INSERT})
    SELECT count(*) FROM owner
""".encode()


def _statements(writer: LimitedConnection) -> Statements:
    def run(sql: str, *values: Any) -> psycopg.Cursor[Any]:
        return writer.execute(sql.replace("?", "%s").encode(), values)

    def run_each(sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        writer.cursor().executemany(sql.replace("?", "%s").encode(), rows)

    return Statements(lambda sql, *values: run(sql, *values).fetchall(), run, run_each)


def _open_table(writer: LimitedConnection, node: int, write: OpenTable) -> None:
    number = need_number("t", write.table)
    writer.execute(
        "INSERT INTO live (number, owner, row) VALUES (%s, %s, %s) ON CONFLICT (number) DO UPDATE SET row = NULL"
        " WHERE live.row <> excluded.row OR live.owner IS DISTINCT FROM excluded.owner",
        (number, node, write.row),
    )
    _save_seats(writer, number, write.seated)
    count(_statements(writer), "t", number)


def _save_seats(writer: LimitedConnection, table: int, seated: Iterable[str]) -> None:
    """Store that exactly these players have seats at a table."""
    players = [need_number("p", player) for player in seated]
    writer.execute(
        "WITH others AS (DELETE FROM seat WHERE live = %s AND player <> ALL(%s::bigint[]))"
        " INSERT INTO seat (player, live) SELECT given, %s FROM unnest(%s::bigint[]) AS given"
        " ON CONFLICT (player) DO UPDATE SET live = excluded.live WHERE seat.live <> excluded.live",
        (table, players, table, players),
    )


def _change_table(writer: LimitedConnection, node: int, write: OpenTableChange) -> psycopg.Cursor[Any]:
    """Change an open table; the returned cursor counts no row if the table is not open here."""
    here = (need_number("t", write.table), node)
    match write:
        case SaveTable(row=row):
            changed = writer.execute(
                "UPDATE live SET row = %s, moving = NULL WHERE number = %s AND owner = %s", (row, *here)
            )
        case SetAside(why=why):
            changed = writer.execute(
                "UPDATE live SET aside = %s WHERE number = %s AND owner = %s", (why, *here)
            )
        case GiveTable():
            changed = _give_table(writer, node, write)
    _save_seats(writer, here[0], () if isinstance(write, SetAside) else write.seated)
    return changed


def _give_table(writer: LimitedConnection, node: int, write: GiveTable) -> psycopg.Cursor[Any]:
    """Give an open table away; if its next node is gone by now, the table and its players wait for any other node."""
    number = need_number("t", write.table)
    given = writer.execute(
        "UPDATE live SET row = %s, moving = 'given', owner = (SELECT id FROM node WHERE id = %s AND NOT gone)"
        " WHERE number = %s AND owner = %s",
        (write.row, write.node, number, node),
    )
    writer.execute(
        "UPDATE stay SET node = %s, number = given.number"
        " FROM unnest(%s::bigint[], %s::bigint[]) AS given (player, number)"
        " WHERE stay.player = given.player AND stay.node = %s",
        (
            write.node,
            [need_number("p", player) for player, _ in write.stays],
            [number for _, number in write.stays],
            node,
        ),
    )
    return given


def _close_table(writer: LimitedConnection, node: int, write: CloseTable) -> None:
    writer.execute(
        "WITH closed AS (DELETE FROM live WHERE number = %s AND owner = %s RETURNING number)"
        " DELETE FROM event USING closed WHERE event.live = closed.number",
        (need_number("t", write.table), node),
    )


def _trim_table(writer: LimitedConnection, node: int, write: TrimTable) -> None:
    table = need_number("t", write.table)
    writer.execute(
        "DELETE FROM event WHERE live = %s AND seq < %s AND EXISTS (SELECT 1 FROM match WHERE number = %s)"
        " AND EXISTS (SELECT 1 FROM live WHERE number = %s AND owner = %s)",
        (table, write.before, need_number("m", write.match), table, node),
    )


def _lock_ratings(writer: LimitedConnection, writes: Sequence[Write]) -> None:
    """Lock the ratings that a batch changes, in order, so that no other server's change to them is lost."""
    players = sorted(
        {
            need_number("p", seat.player)
            for write in writes
            if type(write) is FinishMatch and write.match.rated
            for seat in write.match.seats
            if seat.player is not None
        }
    )
    if players:
        writer.execute(
            "SELECT pg_advisory_xact_lock(-player) FROM unnest(%s::bigint[]) AS player", (players,)
        )


_APPLY: Final[dict[type[Write], Callable[[LimitedConnection, int, Any], None]]] = {
    OpenTable: _open_table,
    CloseTable: _close_table,
    TrimTable: _trim_table,
}
