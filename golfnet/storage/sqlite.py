"""A store in one SQLite file: every acknowledged write survives, whenever the process stops.

Writes use one connection in the writer's thread, reads another; a write-ahead log separates them. Nothing is written,
and no file reopened, unless all files are still in their places. After any failure the connection is closed and
reopened, so it holds no partial transaction. A batch is one transaction. Consecutive events in it, even of different
tables, are one statement, since events are most of what a server writes. Files are readable only by their owner: they
contain password hashes and the seeds of future deals.
"""

import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import Any, Final, cast

from golfnet.storage.faults import StoreError, StoreReason, contradiction, store_error, violation
from golfnet.storage.sqlite_files import (
    DamageScan,
    DatabaseFiles,
    SqliteReads,
    check_version,
    connect,
    migrate,
    rescue,
    steps,
)
from golfnet.storage.store import WRITES, Run, Store, count, need_number
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    FinishMatch,
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
    """Commit a batch in order, or change nothing; consecutive events are stored by one statement.

    Raise ``StoreError`` if the batch contradicts what is stored. Raise ``sqlite3.Error`` on any other failure, in which
    case the state of the transaction is unknown, and the caller must close the connection.
    """
    try:
        if len(batch) <= EVENTS_AT_ONCE and all(type(write) is AppendEvent for write in batch):
            _append(writer, cast("Sequence[AppendEvent]", batch))  # one statement is a transaction
            return
        writer.execute("BEGIN IMMEDIATE")
        for kind, neighbours in groupby(batch, type):
            if kind is AppendEvent:
                _append(writer, [*cast("Iterator[AppendEvent]", neighbours)])
                continue
            for write in neighbours:
                _APPLY[kind](lambda sql, *values: writer.execute(sql, values), write)
        writer.execute("COMMIT")
    except BaseException as error:
        if writer.in_transaction:
            writer.execute("ROLLBACK")
        if isinstance(error, sqlite3.IntegrityError):
            contradiction(violation(str(error)) or str(error))
        raise


def _append(writer: sqlite3.Connection, events: Sequence[AppendEvent]) -> None:
    """Append events; one that is already stored with a different body violates NOT NULL, so the statement fails."""
    for start in range(0, len(events), EVENTS_AT_ONCE):
        chunk = events[start : start + EVENTS_AT_ONCE]
        rows = 1 << (len(chunk) - 1).bit_length()
        values: list[Any] = []
        for write in chunk:
            values += need_number("t", write.table), write.seq, write.body
        # Padded with repeats, which are ignored, so that there are only a few different statements.
        values += values[-3:] * (rows - len(chunk))
        writer.execute(
            f"INSERT INTO event (live, seq, body) VALUES {', '.join(['(?, ?, ?)'] * rows)}"
            " ON CONFLICT (live, seq) DO UPDATE SET body = NULL WHERE body IS NOT excluded.body",
            values,
        )


def _open_table(run: Run, write: OpenTable) -> None:
    number = need_number("t", write.table)
    run(
        "INSERT INTO live (number, row) VALUES (?, ?)"
        " ON CONFLICT (number) DO UPDATE SET row = NULL WHERE row IS NOT excluded.row",
        *(number, write.row),
    )
    count(run, "t", number)


def _change_table(run: Run, table: str, change: str, value: bytes | str) -> None:
    if not run(f"UPDATE live SET {change} WHERE number = ?", value, need_number("t", table)).rowcount:
        contradiction(f"table {table} is not open")


def _trim_table(run: Run, write: TrimTable) -> None:
    run(
        "DELETE FROM event WHERE live = ? AND seq < ? AND EXISTS (SELECT 1 FROM match WHERE number = ?)",
        *(need_number("t", write.table), write.before, need_number("m", write.match)),
    )


_APPLY: Final[dict[type[Write], Callable[[Run, Any], None]]] = {
    **WRITES,
    OpenTable: _open_table,
    SaveTable: lambda run, write: _change_table(run, write.table, "row = ?", write.row),
    SetAside: lambda run, write: _change_table(run, write.table, "aside = ?", write.why),
    CloseTable: lambda run, write: run("DELETE FROM live WHERE number = ?", need_number("t", write.table)),
    TrimTable: _trim_table,
}


CHECK_SECONDS: Final = 0.1
"""Before a write, the files are checked again if the last check is older than this: a check takes half as long as a
commit that does not wait for the disk."""


class SqliteStore(SqliteReads, Store):
    """A database file, created and migrated as needed. Raise ``StoreError`` if that is impossible.

    Opening scans the whole file for damage, about a second per gigabyte. With the ``durability`` ``full``, a commit
    waits for the disk: nothing that a player has been shown is lost, even in a power failure. ``normal`` leaves that to
    the operating system: nothing is lost if the server is killed, but a power failure may lose writes.
    """

    def __init__(self, path: Path, durability: str = "full") -> None:
        self.durability = durability
        self.path = path
        self._writer: sqlite3.Connection | None = None
        self._in_use = threading.Lock()
        """Held while the writing connection is in use, for as long as the disk takes."""
        self._was_missing = False
        self._check_due = 0.0
        self._rescued: Path | None = None
        self._scan = DamageScan(path, self.probe)
        self._files = DatabaseFiles(path)
        with ExitStack() as undo:
            undo.callback(self._files.release)
            undo.callback(self._drop_writer)
            try:
                self._open_writer()
                super().__init__(path, connect(path, "mode=ro"))
            except sqlite3.Error as error:
                raise store_error(path, error) from error
            undo.callback(super().close)
            super().inspect()
            self._files.remember()
            undo.pop_all()

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch durably, all or nothing. Raise ``StoreError`` on failure."""
        with self._in_use:
            if self._writer is None or self._was_missing or monotonic() >= self._check_due:
                self._check_files()
            else:
                self._files.check_log()  # must come first, because a write would hide that the log was truncated
            try:
                apply(self._writer or self._open_writer(), batch)
            except sqlite3.Error as error:
                self._drop_writer()
                raise store_error(self.path, error) from error
            except (MemoryError, OSError, ImportError) as error:  # applying may load the ratings library
                self._drop_writer()
                raise StoreError(
                    StoreReason.FULL,
                    f"The server has too little memory, or too many files open, to write to the database {self.path} "
                    f"({str(error) or 'out of memory'}). Play continues by itself when it has more.",
                ) from error

    def probe(self) -> None:
        """Raise ``StoreError`` unless all files are still in their places."""
        with self._in_use:
            self._check_files()

    def inspect(self) -> None:
        """Scan the whole file for damage, slowly. Raise ``StoreError`` on failure. ``close`` interrupts it."""
        self._scan.run()

    def close(self) -> None:
        """Close the file and release its locks; this may have to wait for the disk."""
        self._scan.stop()
        super().close()
        with self._in_use:
            self._drop_writer()
            self._files.release()

    def _open_writer(self) -> sqlite3.Connection:
        """Open the writing connection. Raise ``StoreError`` or ``sqlite3.Error``."""
        writer = connect(self.path, "mode=rw")
        try:
            check_version(writer, self.path)  # before anything is changed
            (mode,) = writer.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise StoreError(
                    StoreReason.FAULTY, f"{self.path}: its file system cannot hold a write-ahead log."
                )
            writer.execute(f"PRAGMA synchronous = {self.durability}")
            writer.execute("PRAGMA foreign_keys = ON")
            # 512 KiB are enough for the last page of each of a hundred tables. The system's cache has the other pages a
            # microsecond away, and caching them twice would take a third of a table's memory.
            writer.execute("PRAGMA cache_size = -512")
            writer.execute(
                f"PRAGMA journal_size_limit = {64 << 20}"
            )  # for the log on disk after a checkpoint
            migrate(writer, self.path, steps())
        except BaseException:
            writer.close()
            raise
        self._writer = writer
        return writer

    def _check_files(self) -> None:
        """Raise ``StoreError`` unless the files are in place; save a copy of a database that has been deleted.

        The copy is made the second time that the loss is noticed: the first time, the loss must be reported at once.
        """
        try:
            self._files.check()
        except StoreError:
            if self._was_missing and self._files.is_deleted:
                if self._rescued is None:
                    self._rescued = rescue(self._writer or self._reader, self.path)
                path, copy = self.path, self._rescued
                raise StoreError(
                    StoreReason.MISSING,
                    f"The database {path} was deleted while this server was using it. Everything recorded is saved in "
                    f"{copy}. Stop this server, remove {path}-wal and {path}-shm if they are there, move {copy} to "
                    f"{path}, and start again.",
                ) from None
            self._was_missing = True
            raise
        self._was_missing = False
        self._check_due = monotonic() + CHECK_SECONDS


MATCHES_KEPT: Final = 1000
RECORD_BYTES_KEPT: Final = 64 << 20
"""Enough for many evenings: the record of a six-card match is about 40 kB, and is stored compressed."""

_NO_FILE: Final = Path(":memory:")


class MemoryStore(SqliteReads, Store):
    """An SQLite database in memory, on one connection that is closed with the last reference to the store."""

    immediate = True

    def __init__(self) -> None:
        connection = _connect()
        _empty_database().backup(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        super().__init__(_NO_FILE, connection)
        weakref.finalize(self, connection.close)

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, all or nothing. Raise ``StoreError`` if it contradicts what is stored."""
        with self._reading:
            try:
                apply(self._reader, batch)
                if any(type(write) is FinishMatch for write in batch):
                    self._reader.execute(_DELETE_OLD_MATCHES, (MATCHES_KEPT, RECORD_BYTES_KEPT))
            except sqlite3.Error as error:
                raise store_error(self.path, error) from error

    def probe(self) -> None:
        """Do nothing: memory can always be written."""

    def inspect(self) -> None:
        """Do nothing: memory cannot be damaged."""


_DELETE_OLD_MATCHES: Final = """
    DELETE FROM match WHERE ordinal IN (
        SELECT ordinal FROM (
            SELECT ordinal, count(*) OVER latest AS matches, sum(length(record)) OVER latest AS bytes
            FROM match WINDOW latest AS (ORDER BY ordinal DESC)
        ) WHERE matches > ? OR bytes > ?
    )
"""


@cache
def _empty_database() -> sqlite3.Connection:
    """Return an empty database with the schema; copying it takes a hundredth of the time that creating one takes."""
    connection = _connect()
    migrate(connection, _NO_FILE, steps())
    return connection


def _connect() -> sqlite3.Connection:
    return sqlite3.connect(_NO_FILE, isolation_level=None, check_same_thread=False)
