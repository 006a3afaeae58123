"""Write to an SQLite database: the SQL of its tables and events.

A batch is one transaction. Consecutive events of all tables in it are one statement: they are most of what a server
writes.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any, Final, cast

from golfnet.storage.faults import refused
from golfnet.storage.statements import WRITES, Statements, count
from golfnet.storage.store import contradiction, need_number
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    OpenTable,
    SaveTable,
    SetAside,
    TrimTable,
    Write,
)

EVENTS_AT_ONCE: Final = 256
"""Maximum rows per INSERT, a power of two. Each statement releases the interpreter lock and has to reacquire it; one
statement for all tables saves a busy server from waiting hundreds of times in one commit.
"""


def apply(writer: sqlite3.Connection, batch: Sequence[Write]) -> None:
    """Commit a batch, or change nothing.

    Raise ``StoreError`` if the batch contradicts what is stored. Raise ``sqlite3.Error`` on any other failure, in which
    case the state of the transaction is unknown, and the caller must close the connection.
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
    """Apply writes in order, consecutive events together."""

    def run(sql: str, *values: Any) -> sqlite3.Cursor:
        return writer.execute(sql, values)

    on = Statements(lambda sql, *values: run(sql, *values).fetchall(), run, writer.executemany)
    for kind, neighbours in groupby(batch, type):
        if kind is AppendEvent:
            _append(writer, [*cast("Iterator[AppendEvent]", neighbours)])
            continue
        for write in neighbours:
            _APPLY[kind](on, write)


def _append(writer: sqlite3.Connection, events: Sequence[AppendEvent]) -> None:
    """Append events; one that is already stored with another body violates NOT NULL, so the statement fails."""
    for start in range(0, len(events), EVENTS_AT_ONCE):
        chunk = events[start : start + EVENTS_AT_ONCE]
        rows = 1 << (len(chunk) - 1).bit_length()
        values: list[Any] = []
        for write in chunk:
            values += need_number("t", write.table), write.seq, write.body
        values += values[-3:] * (
            rows - len(chunk)
        )  # repeating the last one does nothing, and a few statements serve all sizes
        writer.execute(_insert_events(rows), values)


@cache
def _insert_events(rows: int) -> str:
    return (
        f"INSERT INTO event (live, seq, body) VALUES {', '.join(['(?, ?, ?)'] * rows)} "
        "ON CONFLICT (live, seq) DO UPDATE SET body = NULL WHERE body IS NOT excluded.body"
    )


def _open_table(on: Statements, write: OpenTable) -> None:
    number = need_number("t", write.table)
    on.run(
        "INSERT INTO live (number, row) VALUES (?, ?)"
        " ON CONFLICT (number) DO UPDATE SET row = NULL WHERE row IS NOT excluded.row",
        *(number, write.row),
    )
    count(on, "t", number)


def _save_table(on: Statements, write: SaveTable) -> None:
    _change_table(on, write.table, "row = ?", write.row)


def _set_aside(on: Statements, write: SetAside) -> None:
    _change_table(on, write.table, "aside = ?", write.why)


def _change_table(on: Statements, table: str, change: str, value: bytes | str) -> None:
    if not on.run(f"UPDATE live SET {change} WHERE number = ?", value, need_number("t", table)).rowcount:
        contradiction(f"table {table} is not open")


def _close_table(on: Statements, write: CloseTable) -> None:
    on.run("DELETE FROM live WHERE number = ?", need_number("t", write.table))


def _trim_table(on: Statements, write: TrimTable) -> None:
    on.run(
        "DELETE FROM event WHERE live = ? AND seq < ? AND EXISTS (SELECT 1 FROM match WHERE number = ?)",
        *(need_number("t", write.table), write.before, need_number("m", write.match)),
    )


_APPLY: Final[dict[type[Write], Callable[[Statements, Any], None]]] = {
    **WRITES,
    OpenTable: _open_table,
    SaveTable: _save_table,
    CloseTable: _close_table,
    SetAside: _set_aside,
    TrimTable: _trim_table,
}
