"""A SQLite store in memory: for tests, for play at home, and for a server that keeps nothing.

It differs from the store in a file in two ways. There is no file, so nothing is durable, nothing is locked, and a write
is immediate. And it keeps at most ``MATCHES_KEPT`` finished matches, and at most ``RECORD_BYTES_KEPT`` of their
records. Ratings are never deleted.
"""

import sqlite3
import weakref
from collections import deque
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from golfnet.storage import migrations
from golfnet.storage.faults import store_error
from golfnet.storage.sqlite_queries import SqliteQueries
from golfnet.storage.sqlite_writes import apply
from golfnet.storage.writes import FinishMatch, Write

MATCHES_KEPT: Final = 1000
RECORD_BYTES_KEPT: Final = 64 << 20
"""Enough for many evenings: the record of a match of six-card has some 40 kB, and is stored compressed."""

_NO_FILE: Final = Path(":memory:")


class MemoryStore(SqliteQueries):
    """A SQLite database in memory, on one connection, closed with the last reference to the store."""

    immediate = True

    def __init__(self) -> None:
        connection = _connect()
        _empty_database().backup(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        super().__init__(_NO_FILE, connection)
        self._kept: deque[tuple[int, int]] = deque()
        """The finished matches with the bytes of their records, oldest first."""
        self._record_bytes = 0
        weakref.finalize(self, connection.close)

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, all or nothing. Raise ``StoreError`` if it contradicts what is stored."""
        with self._reading:
            try:
                apply(self._reader, batch)
                if any(type(write) is FinishMatch for write in batch):
                    self._delete_old_matches()
            except sqlite3.Error as error:
                raise store_error(self.path, error) from error

    def probe(self) -> None:
        """Do nothing: memory can always be written."""

    def inspect(self) -> None:
        """Do nothing: memory has no damage."""

    def _delete_old_matches(self) -> None:
        latest = self._kept[-1][0] if self._kept else 0
        for ordinal, size in self._reader.execute(
            "SELECT ordinal, length(record) FROM match WHERE ordinal > ? ORDER BY ordinal", (latest,)
        ).fetchall():
            self._kept.append((ordinal, size))
            self._record_bytes += size
        while len(self._kept) > MATCHES_KEPT or self._record_bytes > RECORD_BYTES_KEPT:
            oldest, size = self._kept.popleft()
            self._record_bytes -= size
            self._reader.execute("DELETE FROM match WHERE ordinal = ?", (oldest,))


@cache
def _empty_database() -> sqlite3.Connection:
    """Return an empty database with the schema; copying it takes a hundredth of the time of creating it."""
    connection = _connect()
    migrations.migrate(connection, _NO_FILE, migrations.steps())
    return connection


def _connect() -> sqlite3.Connection:
    """Open an empty database in memory, in autocommit mode, for use in any one thread."""
    return sqlite3.connect(_NO_FILE, isolation_level=None, check_same_thread=False)
