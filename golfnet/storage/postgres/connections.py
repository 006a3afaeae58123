"""Connections to a PostgreSQL database, and what has to be true of it before golfnet keeps anything there.

A connection is in autocommit mode. Within a ``limit`` an access ends by itself, however long the database is silent;
without one it waits, but a network that swallows everything ends it too.
"""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.postgres.faults import no_connection, unreadable_url, unsuitable

if TYPE_CHECKING:
    from collections.abc import Generator

Result = TypeVar("Result")

CONNECT_SECONDS: Final = 3
"""How long a connection may take to come about."""

_DEFAULTS: Final = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 3,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 6000,
}
"""Options that hold where the URL does not name them: a silent network is noticed after six seconds."""

OLDEST_VERSION: Final = 13

_LOOK_SECONDS: Final = 0.05
"""How often an access that is being waited for looks at its limit."""


class LimitedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose accesses fail once ``until``, a monotonic time, has passed."""

    until = inf

    def limit(self, seconds: float) -> None:
        """Let accesses from now on last so long together."""
        self.until = monotonic() + seconds

    def wait(
        self, gen: Generator[Any, Any, Result], interval: float = _LOOK_SECONDS, timeout: float | None = None
    ) -> Result:
        """Run one of the driver's operations to its end, or to the limit."""
        operation = gen if self.until == inf else self._until_limit(gen)
        return (
            super().wait(operation, interval)
            if timeout is None
            else super().wait(operation, interval, timeout)
        )

    def _until_limit(self, gen: Generator[Any, Any, Result]) -> Generator[Any, Any, Result]:
        """Yield what an operation yields, and raise ``OperationalError`` in it when the limit has passed."""
        try:
            waits_for = next(gen)
            while True:
                ready = yield waits_for
                if monotonic() > self.until:
                    raise psycopg.errors.QueryCanceled("the limit of time has passed")
                waits_for = gen.send(ready)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def connect(url: str, *, name: str = "golfnet") -> LimitedConnection:
    """Open a connection; ``name`` is what the database shows of it. Raise ``StoreError``."""
    given = _read(url)
    options = {key: value for key, value in _DEFAULTS.items() if key not in given}
    try:
        return LimitedConnection.connect(
            make_conninfo(url, application_name=name, client_encoding="UTF8", **options), autocommit=True
        )
    except psycopg.Error as error:
        raise no_connection(shown(url), error) from error


def shown(url: str) -> str:
    """Return a URL as people may see it, without passwords and options. Raise ``StoreError`` if it is none."""
    given = _read(url)
    user = f"{given['user']}@" if given.get("user") else ""
    host = f"{given.get('host') or given.get('hostaddr') or ''}"
    port = f":{given['port']}" if given.get("port") else ""
    return f"postgresql://{user}{host}{port}/{given.get('dbname') or ''}"


def _read(url: str) -> dict[str, Any]:
    try:
        return conninfo_to_dict(url)
    except psycopg.Error as error:
        raise unreadable_url(error) from None  # the error has the URL, and so the password


def check_engine(connection: LimitedConnection, place: str) -> None:
    """Raise ``StoreError`` unless the database is one where everything acknowledged is durable."""
    row = connection.execute(_SETTINGS).fetchone() or ()
    version, fsync, commit, standbys, isolation, is_read_only, is_standby, encoding, pid, schema = row
    if version // 10_000 < OLDEST_VERSION:
        raise unsuitable(
            place,
            f"is PostgreSQL {version // 10_000}; golfnet needs {OLDEST_VERSION} or later",
            "Upgrade it, or name another database.",
        )
    if pid != connection.info.backend_pid:
        raise unsuitable(
            place,
            "is reached through a connection pooler, such as PgBouncer, which loses the state of connections",
            "Name the database server itself: its own host and port.",
        )
    if is_standby:
        raise StoreError(
            StoreReason.READ_ONLY,
            f"The database {place} is a standby, which can only be read. Name the primary, or all hosts with "
            "?target_session_attrs=read-write.",
        )
    if is_read_only == "on":
        raise StoreError(
            StoreReason.READ_ONLY,
            f"The database {place} is read-only for this user. Set it right with ALTER ROLE ... SET "
            "default_transaction_read_only = off.",
        )
    if fsync != "on":
        raise unsuitable(
            place,
            "runs with fsync = off, so a power failure can destroy it",
            "Set fsync = on in its postgresql.conf and reload it.",
        )
    if commit == "off" or (commit == "local" and standbys):
        raise unsuitable(
            place,
            f"runs with synchronous_commit = {commit}, so what players were told could be lost",
            "Set it right with ALTER ROLE ... SET synchronous_commit = on.",
        )
    if isolation != "read committed":
        raise unsuitable(
            place,
            f"runs with default_transaction_isolation = {isolation}",
            "Set it right with ALTER ROLE ... SET default_transaction_isolation = 'read committed'.",
        )
    if encoding != "UTF8":
        raise unsuitable(
            place,
            f"has the encoding {encoding}, in which not every name can be stored",
            "Name one that was made with createdb --encoding UTF8 --template template0.",
        )
    if schema is None:
        raise unsuitable(
            place,
            "has no schema for this user to put tables in",
            "Make one with CREATE SCHEMA, and name it with ALTER ROLE ... SET search_path.",
        )


_SETTINGS: Final = """
    SELECT current_setting('server_version_num')::int, current_setting('fsync'),
        current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
        current_setting('default_transaction_isolation'), current_setting('transaction_read_only'),
        pg_is_in_recovery(), current_setting('server_encoding'), pg_backend_pid(), current_schema()
"""
