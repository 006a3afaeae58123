"""Read a PostgreSQL database: for the server's reads beside its writes, and for tools alone.

Each read sees what is durable at that time, uses one of a few connections, and fails once its limit has passed, so that
a database which does not answer holds nobody up for long.
"""

from __future__ import annotations

from functools import cache
from queue import Empty, LifoQueue
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

import psycopg

from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.postgres.connections import LimitedConnection, connect, shown
from golfnet.storage.postgres.faults import store_error
from golfnet.storage.postgres.migrations import need_version, steps
from golfnet.storage.queries import Queries

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

READERS: Final = 2
"""Connections for reads: one for the slow ones, one for the others."""

READ_SECONDS: Final = 2.0
"""How long a read of a server may take."""

TOOL_SECONDS: Final = 120.0
"""How long a read of a tool may take, for which nobody waits."""


class PostgresReads(Queries):
    """All queries of a database. Raise ``StoreError`` if it cannot be opened or is not golfnet's.

    An older schema is refused too: only a server migrates a database.
    """

    IS_BEYOND_ASCII = "name ~ '[^ -~]'"

    def __init__(self, url: str, limit: float = TOOL_SECONDS) -> None:
        self.url = url
        self.place = shown(url)
        self._limit = limit
        self._readers: LifoQueue[LimitedConnection | None] = LifoQueue()
        """The connections that nobody uses; None for one that is not open."""
        for _ in range(READERS):
            self._readers.put(None)
        try:
            self._use(lambda connection: need_version(connection, self.place, len(steps())))
        except BaseException:
            PostgresReads.close(self)
            raise

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for _ in range(READERS):
            try:
                reader = self._readers.get_nowait()
            except Empty:
                return
            if reader is not None:
                reader.close()

    def check(self) -> None:
        """Read everything that is stored, so that the database compares its checksums. Raise ``StoreError``."""
        with connect(self.url) as connection:
            try:
                for columns in ("live.row", "event.body", "match.record", "player.name", "rating.mu"):
                    table, column = columns.split(".")
                    connection.execute(f"SELECT count(md5({column}::text)) FROM {table}".encode())
            except psycopg.Error as error:
                raise store_error(self.place, error) from error

    def _all(self, sql: str, *values: Any) -> list[Any]:
        statement = _statement(sql)
        return self._use(lambda connection: connection.execute(statement, values).fetchall())

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            StoreReason.DAMAGED,
            f"The database {self.place} is damaged ({what}). Keep a copy of it, and restore the last good backup.",
        )

    def _use(self, read: Callable[[LimitedConnection], Result]) -> Result:
        """Read on a connection of its own; one that the database has closed since its last use is replaced."""
        until = monotonic() + self._limit
        try:
            reader = self._readers.get(timeout=self._limit)
        except Empty:
            raise StoreError(
                StoreReason.SLOW, f"The database {self.place} is too slow: other reads still wait for it."
            ) from None
        try:
            for is_used in (True, False) if reader is not None else (False,):
                reader = reader or self._open_reader()
                reader.until = until
                try:
                    return read(reader)
                except psycopg.Error as error:
                    is_closed = reader.closed
                    reader.close()
                    reader = None
                    if not (is_used and is_closed):
                        raise store_error(self.place, error) from error
            raise AssertionError("a read either returns or raises")
        finally:
            self._readers.put(reader)

    def _open_reader(self) -> LimitedConnection:
        reader = connect(self.url)
        reader.limit(self._limit)
        reader.execute(f"SET statement_timeout = {round(self._limit * 1000)}".encode())
        return reader


@cache
def _statement(sql: str) -> bytes:
    """Return a statement with the driver's marks for values."""
    return sql.replace("?", "%s").encode()
