"""Open a database file read-only: for the server's reads beside its writes, and for tools alone.

Each read sees what is durable at that time and waits for no writer.
"""

import sqlite3
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from golfnet.storage.faults import StoreError, StoreReason, damaged, store_error
from golfnet.storage.queries import Queries


class SqliteQueries(Queries):
    """All reads of a SQLite database. Raise ``StoreError`` if it cannot be read."""

    IS_BEYOND_ASCII = "name GLOB '*[^ -~]*'"

    def __init__(self, path: Path, reader: sqlite3.Connection) -> None:
        self.path = path
        self._reading = threading.Lock()
        """Held while the connection is used."""
        self._reader = reader

    def close(self) -> None:
        """Close the connection."""
        with self._reading:
            self._reader.close()

    def _all(self, sql: str, *values: Any) -> list[Any]:
        with self._reading:
            try:
                return self._reader.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise store_error(self.path, error) from error

    def _damaged(self, what: str) -> StoreError:
        return damaged(self.path, what)


APPLICATION_ID: Final = 0x474F4C46
"""``GOLF``: distinguishes our databases from those of other programs, here and for the ``file`` command."""


@cache
def steps() -> tuple[str, ...]:
    """Return the SQL of each step, in order."""
    schema = Path(__file__).with_name("schema")
    count = sum(each.name.endswith(".sql") for each in schema.iterdir())
    return tuple((schema / f"{number}.sql").read_text("utf-8") for number in range(1, count + 1))


def check_version(connection: sqlite3.Connection, path: Path, known: int) -> int:
    """Return the number of applied steps. Raise ``StoreError`` for a newer database or one of another program."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if objects and application != APPLICATION_ID:
        raise StoreError(
            StoreReason.FOREIGN,
            f"{path} is a database of another program. Name golfnet's own file with --db.",
        )
    if version > known:
        raise StoreError(
            StoreReason.NEWER,
            f"The database {path} was written by a newer golfnet (schema {version}, this one knows {known}). "
            "Install the newer golfnet again, or name another file with --db.",
        )
    return int(version)


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> None:
    """Apply the missing steps. Raise ``StoreError``."""
    for number in range(check_version(connection, path, len(steps)) + 1, len(steps) + 1):
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE;\n{steps[number - 1]}\n;"
                f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number}; COMMIT;"
            )
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


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
