"""Connections to a PostgreSQL database, reads through them, and what it must be like before anything is stored there.

A connection is in autocommit mode. With a ``limit``, a query fails once the time is over, however long the database is
silent. Without a limit it waits, but even then it fails if the network drops every packet. Each read sees what is
durable at that time, and uses one of a few connections.

The server that opens a database migrates the schema. Step n is ``schema/n.sql``; the table ``golfnet_schema`` has the
number of applied steps. All missing steps are applied in one transaction, under a lock, so if two servers start
together, one waits for the other. A step must be compatible with the version before it, which may still be running: add
columns with defaults, drop a column one release later. The statements of released steps are never changed.
"""

import contextlib
import re
from collections.abc import Callable, Generator
from functools import partial
from math import inf
from pathlib import Path
from queue import Empty, LifoQueue
from time import monotonic
from typing import Any, Final, TypeVar

import msgspec
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from golfnet.storage.directory import ClusterReport
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.store import Reads, schema_steps

_CONTINUES: Final = "Play continues by itself when it works again."


def store_error(place: str, error: psycopg.Error) -> StoreError:
    """Return the error for a failed query or connection."""
    state = error.sqlstate or ""
    reason, sentence = next(
        (found for start, found in _FAULTS.items() if state.startswith(start)),
        _FAULTY if state else _UNREACHABLE,
    )
    return StoreError(reason, sentence.format(place=place, error=message(error)))


def message(error: psycopg.Error) -> str:
    """Return the database's message, on one line."""
    text = error.diag.message_primary or str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".").removeprefix("connection failed: ")


_REFUSALS: Final = {
    "password authentication failed": "Check the user and the password; a file ~/.pgpass can hold the password.",
    "no password supplied": "Give the password in the URL, in PGPASSWORD, or in a file ~/.pgpass.",
    "no pg_hba.conf entry": "Its pg_hba.conf does not allow this user to connect from here.",
    "authentication failed": "Check the user; its pg_hba.conf says who may connect and how.",
    'role "': "Create the user with createuser, or name another.",
    "does not exist": "Create the database with createdb, or name another.",
    "too many clients": "Raise its max_connections; a golfnet server uses four.",
    "remaining connection slots": "Raise its max_connections; a golfnet server uses four.",
    "starting up": "It will be ready in a moment.",
    "shutting down": "Start it again.",
    "recovery": "It is not open yet.",
    "could not translate host name": "Check the host name.",
    "failed to resolve host": "Check the host name.",
    "invalid connection option": "See the list of connection options in PostgreSQL's manual.",
    "invalid": "Check the options in the URL.",
    "SSL": "Check sslmode in the URL, and the certificates.",
}
"""What to do when the database refuses a connection, by a part of its message; the first match counts."""

_UNREACHABLE: Final = (
    StoreReason.UNREACHABLE,
    "The connection to the database {place} was lost ({error}). " + _CONTINUES,
)
_FAULTY: Final = (StoreReason.FAULTY, "The database {place} cannot be used: {error}. " + _CONTINUES)
DAMAGED: Final = (
    StoreReason.DAMAGED,
    "The database {place} is damaged ({error}). Keep a copy of it, and restore the last good backup.",
)
_FAULTS: Final[dict[str, tuple[StoreReason, str]]] = {
    "53100": (
        StoreReason.FULL,
        "There is no room on the disk of the database {place} ({error}). Make room; play then continues by itself.",
    ),
    "53": (StoreReason.FULL, "The database {place} has run out of a resource ({error}). " + _CONTINUES),
    "25006": (
        StoreReason.READ_ONLY,
        "The database {place} can only be read at the moment ({error}). Is it a standby? " + _CONTINUES,
    ),
    "25": _UNREACHABLE,
    "40": _UNREACHABLE,
    "57014": (StoreReason.SLOW, "The database {place} did not answer in time ({error}). " + _CONTINUES),
    "57": _UNREACHABLE,
    "08": _UNREACHABLE,
    "42501": (
        StoreReason.READ_ONLY,
        "The user of the database {place} lacks a privilege ({error}). It should own the database, or its own schema: "
        "ALTER DATABASE ... OWNER TO, or CREATE SCHEMA ... AUTHORIZATION.",
    ),
    "42P01": (
        StoreReason.MISSING,
        "A table of the database {place} is missing ({error}). Restore it from a backup.",
    ),
    "42P07": (
        StoreReason.UNUSABLE,
        "The database {place} has another program's tables ({error}). Name a database that only golfnet uses.",
    ),
    "XX001": DAMAGED,
    "XX002": DAMAGED,
    "58": (StoreReason.FAULTY, "The disk of the database {place} reports an error ({error}). " + _CONTINUES),
}
"""What went wrong, by the start of the SQLSTATE; the first match counts. If none matches, the connection was lost."""

Result = TypeVar("Result")

_DEFAULTS: Final = {
    "connect_timeout": 3,
    "keepalives_idle": 3,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 6000,
}
"""Options that apply unless the URL sets them: a silent network is noticed after six seconds."""

OLDEST_VERSION: Final = 13


class LimitedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose queries fail once ``until``, a monotonic time, has passed."""

    until = inf

    def run(self, sql: str, *values: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        """Execute a statement, in which ``?`` stands for each of the values."""
        return self.execute(sql.replace("?", "%s").encode(), values)

    def wait(
        self, gen: Generator[Any, Any, Result], interval: float = 0.05, *timeout: Any, **named: Any
    ) -> Result:
        """Run one of the driver's operations until it ends or the time limit has passed, checked every ``interval``."""
        return super().wait(gen if self.until == inf else self._until_limit(gen), interval, *timeout, **named)

    def _until_limit(self, gen: Generator[Any, Any, Result]) -> Generator[Any, Any, Result]:
        """Yield what an operation yields; raise ``OperationalError`` when the limit has passed."""
        try:
            waits_for = next(gen)
            while True:
                ready = yield waits_for
                if monotonic() > self.until:
                    raise psycopg.errors.QueryCanceled("the time limit has passed")
                waits_for = gen.send(ready)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def connect(url: str, *, name: str = "golfnet") -> LimitedConnection:
    """Open a connection, which the database lists under ``name``. Raise ``StoreError`` on failure."""
    options: dict[str, Any] = {**_DEFAULTS, **_read(url), "application_name": name, "client_encoding": "UTF8"}
    try:
        return LimitedConnection.connect(make_conninfo(**options), autocommit=True)
    except psycopg.Error as error:
        text = message(error)  # the driver reports the reason only as text
        what, advice = next(
            (("opened", advice) for part, advice in _REFUSALS.items() if part in text),
            ("reached", "Is it running, and are the host and port right?"),
        )
        raise StoreError(
            StoreReason.UNREACHABLE, f"The database {shown(url)} cannot be {what} ({text}). {advice}"
        ) from error


def shown(url: str) -> str:
    """Return a URL in a form that may be shown, without password and options. Raise ``StoreError`` if it is invalid."""
    given = _read(url)
    user = f"{given['user']}@" if given.get("user") else ""
    host = f"{given.get('host') or given.get('hostaddr') or ''}"
    port = f":{given['port']}" if given.get("port") else ""
    return f"postgresql://{user}{host}{port}/{given.get('dbname') or ''}"


def _read(url: str) -> dict[str, Any]:
    try:
        return conninfo_to_dict(url)
    except psycopg.Error as error:
        # The driver may repeat all of the URL, including the password.
        text = re.sub(r'( in URI)?:? *"[^"]*://.*', "", message(error))
        raise StoreError(
            StoreReason.UNREACHABLE,
            f"The URL of the database is invalid ({text}). It should look like "
            "postgresql://USER:PASSWORD@HOST/DATABASE; in a password, write @ as %40, / as %2F, and % as %25.",
        ) from None


def check_engine(connection: LimitedConnection, place: str) -> None:
    """Raise ``StoreError`` unless everything that the database acknowledges is durable."""
    row = connection.run(_SETTINGS).fetchone() or ()
    version, fsync, commit, standbys, isolation, is_read_only, is_standby, encoding, pid, schema = row
    if is_standby:
        raise StoreError(
            StoreReason.READ_ONLY,
            f"The database {place} is a standby, which can only be read. Name the primary, or all hosts with "
            "?target_session_attrs=read-write.",
        )
    if is_read_only == "on":
        raise StoreError(
            StoreReason.READ_ONLY,
            f"The database {place} is read-only for this user. Fix it with ALTER ROLE ... SET "
            "default_transaction_read_only = off.",
        )
    problems = {
        f"is PostgreSQL {version // 10_000}; golfnet needs {OLDEST_VERSION} or later. Upgrade it, or name another "
        "database.": version // 10_000 < OLDEST_VERSION,
        "is reached through a connection pooler, such as PgBouncer, which loses the state of connections. Name the "
        "database server itself: its own host and port.": pid != connection.info.backend_pid,
        "runs with fsync = off, so a power failure can destroy it. Set fsync = on in its postgresql.conf and reload "
        "it.": fsync != "on",
        f"runs with synchronous_commit = {commit}, so what players were told could be lost. Fix it with ALTER ROLE "
        "... SET synchronous_commit = on.": commit == "off" or (commit == "local" and standbys),
        f"runs with default_transaction_isolation = {isolation}. Fix it with ALTER ROLE ... SET "
        "default_transaction_isolation = 'read committed'.": isolation != "read committed",
        f"has the encoding {encoding}, in which not every name can be stored. Name one that was created with createdb "
        "--encoding UTF8 --template template0.": encoding != "UTF8",
        "has no schema for this user to put tables in. Create one with CREATE SCHEMA, and name it with ALTER ROLE ... "
        "SET search_path.": schema is None,
    }
    for problem, is_there in problems.items():
        if is_there:
            raise StoreError(StoreReason.UNUSABLE, f"The database {place} {problem}")


_SETTINGS: Final = """
    SELECT current_setting('server_version_num')::int, current_setting('fsync'),
        current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
        current_setting('default_transaction_isolation'), current_setting('transaction_read_only'),
        pg_is_in_recovery(), current_setting('server_encoding'), pg_backend_pid(), current_schema()
"""


STARTING: Final = 0x474F4C46
"""``GOLF``: the advisory lock that a starting server holds while it migrates and becomes the owner."""


steps: Final = partial(schema_steps, Path(__file__).with_name("schema"))
"""Returns the SQL of each migration step, in order."""


def migrate(connection: LimitedConnection, place: str, known: tuple[str, ...]) -> None:
    """Apply the missing steps. Raise ``StoreError`` for a newer database, or ``psycopg.Error``."""
    with connection.transaction():
        connection.run("SELECT pg_advisory_xact_lock(?)", STARTING)
        version = _version(connection, place, len(known))
        if version is None:
            connection.run("CREATE TABLE golfnet_schema (version integer NOT NULL)")
            connection.run("INSERT INTO golfnet_schema VALUES (0)")
            version = 0
        if version < len(known):
            for step in known[version:]:
                connection.execute(step.encode())
            connection.run("UPDATE golfnet_schema SET version = ?", len(known))


def need_version(connection: LimitedConnection, place: str) -> None:
    """Raise ``StoreError`` unless the schema is the one that this program knows; only a server migrates a database."""
    known = len(steps())
    version = _version(connection, place, known)
    if version is None:
        raise StoreError(
            StoreReason.UNUSABLE, f"The database {place} is not golfnet's: no server has ever used it."
        )
    if version < known:
        raise StoreError(
            StoreReason.UNUSABLE,
            f"The database {place} was written by an older golfnet; golfnet serve --database {place} brings it up to "
            "date.",
        )


def _version(connection: LimitedConnection, place: str, known: int) -> int | None:
    """Return the number of applied steps, or None if no server has ever used the database.

    Raise ``StoreError`` if more steps have been applied than are known.
    """
    ((is_used,),) = connection.run("SELECT to_regclass('golfnet_schema') IS NOT NULL")
    if not is_used:
        return None
    ((version,),) = connection.run("SELECT version FROM golfnet_schema")
    if version > known:
        raise StoreError(
            StoreReason.UNUSABLE,
            f"The database {place} was written by a newer golfnet (schema {version}, this one supports up to {known}). "
            "Install the newer golfnet again, or name another database.",
        )
    return int(version)


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
            while True:
                is_used = connection is not None
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
