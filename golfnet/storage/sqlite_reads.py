"""Open a database file read-only: for the server's reads beside its writes, and for tools alone.

Each read sees what is durable at that time and waits for no writer.
"""

import sqlite3
from pathlib import Path
from typing import Final
from urllib.parse import quote

from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.faults import damaged, store_error
from golfnet.storage.migrations import check_version, steps
from golfnet.storage.sqlite_queries import SqliteQueries

BUSY_SECONDS: Final = 2.0
"""How long an access waits for another program that writes before it fails."""


class SqliteReads(SqliteQueries):
    """All queries of a database file. Raise ``StoreError`` if it cannot be opened or is not a golfnet database.

    An older schema is refused too: only a server migrates a database.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, _open_to_read(path))
        try:
            version = check_version(self._reader, path, len(steps()))
        except sqlite3.Error as error:
            self._reader.close()
            raise store_error(path, error) from error
        except StoreError:
            self._reader.close()
            raise
        if version < len(steps()):
            self._reader.close()
            raise StoreError(
                StoreReason.OLDER,
                f"The database {path} was written by an older golfnet; golfnet serve --db {path} brings it up to date.",
            )

    def check(self) -> None:
        """Scan the whole file. Raise ``StoreError`` if it is damaged."""
        problems = [problem for (problem,) in self._all("PRAGMA quick_check(3)")]
        if problems != ["ok"]:
            raise damaged(self.path, "; ".join(problems))


def connect(path: Path, how: str) -> sqlite3.Connection:
    """Open a database file with the URI parameters ``how``, in autocommit mode, for use by any one thread at a time."""
    uri = f"file:{quote(str(path))}?{how}"
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
    )
    connection.execute(
        "PRAGMA cell_size_check = ON"
    )  # a corrupt page raises an error instead of returning wrong rows
    return connection


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open a database to read; one that no program uses may be on a read-only medium, such as a CD."""
    at_rest = not path.with_name(path.name + "-wal").exists()
    for how in ("mode=ro", "mode=ro&immutable=1") if at_rest else ("mode=ro",):
        try:
            connection = connect(path, how)
            try:
                connection.execute("SELECT count(*) FROM sqlite_schema")
            except sqlite3.Error:
                connection.close()
                raise
        except sqlite3.Error as error:
            failure = error
        else:
            return connection
    raise store_error(path, failure) from failure
