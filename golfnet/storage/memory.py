"""A store in memory: for tests, for play at home, and for a server that shall forget.

It is a database like the one in a file, but for two things: there is no file, so nothing is durable, nothing is locked
and a write takes no time; and it keeps no more than ``MATCHES_KEPT`` finished matches, and no more than
``RECORD_BYTES_KEPT`` of their records. Ratings stay.
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
"""Many evenings with everybody one knows: the record of a match of six-card has some 40 kB, and is kept compressed."""

_NOWHERE: Final = Path(":memory:")


class MemoryStore(SqliteQueries):
    """A database in memory, on one connection; it goes with the last reference to the store."""

    immediate = True

    def __init__(self) -> None:
        connection = _connect()
        _empty_database().backup(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        super().__init__(_NOWHERE, connection)
        self._kept: deque[tuple[int, int]] = deque()
        """The finished matches with the bytes of their records, oldest first."""
        self._record_bytes = 0
        weakref.finalize(self, connection.close)

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, all or nothing; raises ``StoreError`` where it contradicts what is stored."""
        with self._reading:
            try:
                apply(self._reader, batch)
                if any(type(write) is FinishMatch for write in batch):
                    self._forget_old_matches()
            except sqlite3.Error as error:
                raise store_error(self.path, error) from error

    def probe(self) -> None:
        """Find that memory can always be written."""

    def inspect(self) -> None:
        """Find no damage: there is none in memory."""

    def _forget_old_matches(self) -> None:
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
    """Return a database with the schema and nothing in it; to copy it takes a hundredth of the time to make it."""
    connection = _connect()
    migrations.migrate(connection, _NOWHERE, migrations.steps())
    return connection


def _connect() -> sqlite3.Connection:
    """Open an empty database in memory, in autocommit mode, for use in any one thread."""
    return sqlite3.connect(_NOWHERE, isolation_level=None, check_same_thread=False)
