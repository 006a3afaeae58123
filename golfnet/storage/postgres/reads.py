"""Read a PostgreSQL database: the server's reads alongside its writes, and tools' reads.

Each read sees what is durable at that time, uses one of a few connections, and fails once its limit has passed, so a
database that does not answer blocks nobody for long.
"""

import contextlib
from collections.abc import Callable
from queue import Empty, LifoQueue
from time import monotonic
from typing import Any, Final, TypeVar

import msgspec
import psycopg
from psycopg.rows import dict_row

from golfnet.storage.directory import ClusterReport
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.connections import (
    DAMAGED,
    LimitedConnection,
    connect,
    need_version,
    shown,
    store_error,
)
from golfnet.storage.store import Reads


def read_report(connection: LimitedConnection) -> ClusterReport:
    """Return the report on the cluster. Raise ``psycopg.Error`` on failure."""
    with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        report: dict[str, Any] = cursor.execute(_SUMS).fetchone() or {}
        report["nodes"] = cursor.execute(_NODES).fetchall()
        report["ended"] = cursor.execute(_ENDED).fetchall()
    return msgspec.convert(report, ClusterReport)


_NODES: Final = """
    SELECT id AS node, name, link, version, extract(epoch FROM now() - began)::float8 AS up,
        greatest(0, extract(epoch FROM now() - seen))::float8 AS silent, lease, draining AS is_draining, unreached,
        (SELECT count(*) FROM live WHERE owner = node.id AND aside IS NULL) AS tables,
        (SELECT count(*) FROM stay WHERE stay.node = node.id AND connected) AS connected,
        (SELECT count(*) FROM seat JOIN live ON live.number = seat.live WHERE owner = node.id) AS seated
    FROM node WHERE NOT gone ORDER BY id
"""

_ENDED: Final = """
    SELECT id AS node, name, extract(epoch FROM now() - began)::float8 AS began,
        extract(epoch FROM now() - seen)::float8 AS ago, stopped AS has_stopped
    FROM node WHERE gone AND node.began IS NOT NULL AND seen > now() - interval '1 day'
    ORDER BY seen DESC, id DESC LIMIT 5
"""
"""The latest are the most informative. A row without a start time is left out: it is older than both columns, so how
the node stopped is unknown, too."""

_SUMS: Final = """
    WITH unowned AS (
        SELECT number FROM live LEFT JOIN node ON node.id = owner
        WHERE aside IS NULL AND (owner IS NULL OR node.gone)
    )
    SELECT extract(epoch FROM now())::float8 AS at, (SELECT count(*) FROM unowned) AS unowned,
        (SELECT count(*) FROM seat JOIN unowned ON unowned.number = seat.live) AS waiting,
        (SELECT count(*) FROM live WHERE aside IS NOT NULL) AS aside,
        count(*) FILTER (WHERE kind = 'ban') AS bans, count(*) FILTER (WHERE kind = 'mute') AS mutes
    FROM sanction
"""


Result = TypeVar("Result")

READERS: Final = 2
"""Connections for reads: one for slow reads, one for the others."""

READ_SECONDS: Final = 2.0
"""Maximum seconds for a server's read."""


class PostgresReads(Reads):
    """All queries on a database. Raise ``StoreError`` if it cannot be opened or is not golfnet's.

    An older schema is refused too: only a server migrates a database.
    """

    IS_BEYOND_ASCII = "name ~ '[^ -~]'"

    def __init__(self, url: str, limit: float | None = None) -> None:
        self.url = url
        self.place = shown(url)
        self._limit = READ_SECONDS if limit is None else limit
        self._is_closed = False
        self._free: LifoQueue[LimitedConnection | None] = LifoQueue()
        """The connections that are not in use; None stands for one that is not open yet."""
        for _ in range(READERS):
            self._free.put(None)
        try:
            self._use(lambda connection: need_version(connection, self.place))
        except BaseException:
            self._close_free()
            raise

    def close(self) -> None:
        """Close the connections; one that is in use is closed after its use."""
        self._is_closed = True
        self._close_free()

    def cluster(self) -> ClusterReport:
        """Return what the database knows about all nodes."""
        return self._use(read_report)

    def inspect(self) -> None:
        """Read all that is stored, so that the database verifies its checksums. Raise ``StoreError`` on failure."""
        with connect(self.url) as connection:
            try:
                for columns in ("live.row", "event.body", "match.record", "player.name", "rating.mu"):
                    table, column = columns.split(".")
                    connection.run(f"SELECT count(md5({column}::text)) FROM {table}")
            except psycopg.Error as error:
                raise store_error(self.place, error) from error

    def _all(self, sql: str, *values: Any) -> list[Any]:
        return self._use(lambda connection: connection.run(sql, *values).fetchall())

    def _use(self, access: Callable[[LimitedConnection], Result]) -> Result:
        """Run ``access`` on a connection that nothing else uses; return its result. Raise ``StoreError`` on failure.

        If the database closed the connection after its last use, for example in a restart, run ``access`` again.
        """
        until = monotonic() + self._limit
        try:
            connection = self._free.get(timeout=self._limit)
        except Empty:
            raise StoreError(
                StoreReason.SLOW, f"The database {self.place} is too slow: others are still waiting for it."
            ) from None
        try:
            for is_used in (True, False) if connection is not None else (False,):
                connection = connection or connect(self.url)
                connection.until = until
                try:
                    if not is_used:
                        # The database itself then stops what takes too long, in case this process is suspended while
                        # it holds locks.
                        connection.run(
                            f"SET statement_timeout = {self._limit * 1000:.0f};"
                            f" SET idle_in_transaction_session_timeout = {self._limit * 1000:.0f}"
                        )
                    return access(connection)
                except psycopg.Error as error:
                    is_lost = connection.closed
                    connection.close()
                    connection = None
                    if not (is_used and is_lost):
                        raise store_error(self.place, error) from error
            raise AssertionError("an access either returns or raises")
        finally:
            self._free.put(connection)
            if self._is_closed:
                self._close_free()

    def _close_free(self) -> None:
        with contextlib.suppress(Empty):
            while True:
                connection = self._free.get_nowait()
                if connection is not None:
                    connection.close()

    def _damaged(self, what: str) -> StoreError:
        return StoreError(DAMAGED[0], DAMAGED[1].format(place=self.place, error=what))
