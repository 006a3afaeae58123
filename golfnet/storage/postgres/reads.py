"""Read a PostgreSQL database: for the server's reads beside its writes, and for tools alone.

Each read sees what is durable at that time, uses one of a few connections, and fails once its limit has passed, so that
a database which does not answer holds nobody up for long.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

import psycopg

from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.postgres.connections import connect, shown
from golfnet.storage.postgres.faults import store_error
from golfnet.storage.postgres.migrations import need_version, steps
from golfnet.storage.postgres.pool import ConnectionPool
from golfnet.storage.postgres.report import read_report
from golfnet.storage.queries import Queries

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.storage.cluster_report import ClusterReport
    from golfnet.storage.postgres.connections import LimitedConnection

Result = TypeVar("Result")

READERS: Final = 2
"""Connections for reads: one for the slow ones, one for the others."""

READ_SECONDS: Final = 2.0
"""How long a read of a server may take."""

TOOL_SECONDS: Final = 120.0
"""How long a read of a tool may take, for which nobody waits."""

LOOK_SECONDS: Final = 5.0
"""How long a read may take for which a person waits."""


class PostgresReads(Queries):
    """All queries of a database. Raise ``StoreError`` if it cannot be opened or is not golfnet's.

    An older schema is refused too: only a server migrates a database.
    """

    IS_BEYOND_ASCII = "name ~ '[^ -~]'"

    def __init__(self, url: str, limit: float = TOOL_SECONDS) -> None:
        self.url = url
        self.place = shown(url)
        self._pool = ConnectionPool(url, READERS, limit)
        try:
            self._use(lambda connection: need_version(connection, self.place, len(steps())))
        except BaseException:
            self._pool.close()
            raise

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def cluster(self) -> ClusterReport:
        """Return what the database knows of all nodes."""
        return self._use(read_report)

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

    def _use(self, access: Callable[[LimitedConnection], Result]) -> Result:
        """Return what an access returns, on a connection of its own."""
        return self._pool.use(access)

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            StoreReason.DAMAGED,
            f"The database {self.place} is damaged ({what}). Keep a copy of it, and restore the last good backup.",
        )


@cache
def _statement(sql: str) -> bytes:
    """Return a statement with the driver's marks for values."""
    return sql.replace("?", "%s").encode()
