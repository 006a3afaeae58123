"""Queries of a SQLite database, on a connection opened by the caller; one thread uses it at a time."""

import sqlite3
import threading
from pathlib import Path
from typing import Any

from golfnet.storage.errors import StoreError
from golfnet.storage.faults import damaged, store_error
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
