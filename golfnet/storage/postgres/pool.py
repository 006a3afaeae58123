"""A few connections that threads take turns with, each for one access with a limit of time."""

from __future__ import annotations

import contextlib
from queue import Empty, LifoQueue
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import psycopg

from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.postgres.connections import LimitedConnection, connect, shown
from golfnet.storage.postgres.faults import store_error

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class ConnectionPool:
    """Connections to one database, opened when they are needed."""

    def __init__(self, url: str, count: int, limit: float) -> None:
        self.url = url
        self.place = shown(url)
        self._limit = limit
        self._is_closed = False
        self._free: LifoQueue[LimitedConnection | None] = LifoQueue()
        """The connections that nobody uses; None for one that is not open."""
        for _ in range(count):
            self._free.put(None)

    def use(self, access: Callable[[LimitedConnection], Result]) -> Result:
        """Return what an access returns, on a connection of its own. Raise ``StoreError``.

        It is made again where the database had closed the connection since its last use, as after a restart.
        """
        until = monotonic() + self._limit
        try:
            connection = self._free.get(timeout=self._limit)
        except Empty:
            raise StoreError(
                StoreReason.SLOW, f"The database {self.place} is too slow: others still wait for it."
            ) from None
        try:
            for is_used in (True, False) if connection is not None else (False,):
                connection = connection or connect(self.url)
                connection.until = until
                try:
                    if not is_used:
                        self._prepare(connection)
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
                self.close()

    def close(self) -> None:
        """Close the connections; one that is in use is closed after that."""
        self._is_closed = True
        with contextlib.suppress(Empty):
            while True:
                connection = self._free.get_nowait()
                if connection is not None:
                    connection.close()

    def _prepare(self, connection: LimitedConnection) -> None:
        """Let the database itself end what takes too long."""
        connection.execute(f"SET statement_timeout = {round(self._limit * 1000)}".encode())
