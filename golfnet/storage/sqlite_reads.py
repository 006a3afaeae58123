"""Migrate, read and copy a database file; reading and copying also work while a server writes to it.

Invariants: each read sees what is durable at that time and waits for no writer. A copy is a snapshot in one file, which
either is complete or does not exist; only its owner can read it, nothing is overwritten, and no server waits for it.
"""

import contextlib
import itertools
import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from golfnet.storage.faults import StoreError, StoreReason, damaged, not_copied, store_error
from golfnet.storage.store import Reads, schema_steps


class SqliteReads(Reads):
    """All reads of a database file, or of an open connection's database. Raise ``StoreError`` if it is not golfnet's.

    An older schema is refused too: only a server migrates a database.
    """

    IS_BEYOND_ASCII = "name GLOB '*[^ -~]*'"

    def __init__(self, path: Path, reader: sqlite3.Connection | None = None) -> None:
        self.path = path
        self._reading = threading.Lock()
        """Held while the connection is in use."""
        self._reader = _open_to_read(path) if reader is None else reader

    def inspect(self) -> None:
        """Scan the whole database. Raise ``StoreError`` if it is damaged."""
        need_whole(self._all("PRAGMA quick_check(3)"), self.path)

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


def need_whole(rows: list[Any], path: Path) -> None:
    """Raise ``StoreError`` unless these are the rows from a ``quick_check`` that found no damage."""
    if rows != [("ok",)]:
        raise damaged(path, "; ".join([problem for (problem,) in rows]))


APPLICATION_ID: Final = 0x474F4C46
"""``GOLF``: distinguishes golfnet's databases from those of other programs, also for the ``file`` command."""


def steps() -> tuple[str, ...]:
    """Return the SQL of each migration step, in order."""
    return schema_steps(Path(__file__).with_name("schema"))


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the number of applied steps. Raise ``StoreError`` for a newer database or another program's."""
    ((version, application, objects),) = connection.execute(
        "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)"
        " FROM pragma_user_version, pragma_application_id"
    )
    if objects and application != APPLICATION_ID:
        raise StoreError(
            StoreReason.UNUSABLE, f"{path} is another program's database. Name golfnet's own file with --db."
        )
    if version > len(steps()):
        raise StoreError(
            StoreReason.UNUSABLE,
            f"The database {path} was written by a newer golfnet (schema {version}, this one supports up to "
            f"{len(steps())}). Install the newer golfnet again, or name another file with --db.",
        )
    return int(version)


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> None:
    """Apply the missing steps. Raise ``StoreError`` on failure."""
    for number in range(check_version(connection, path) + 1, len(steps) + 1):
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
"""How long a read or write waits for another program's write before it fails."""


def connect(path: Path, how: str) -> sqlite3.Connection:
    """Open a database file with the URI parameters ``how``, in autocommit mode, for any one thread at a time."""
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?{how}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_SECONDS,
    )
    # With this check, a corrupt page raises an error instead of returning wrong rows.
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open a database for reading; one that no program is using may be on a read-only medium, such as a CD."""
    at_rest = not path.with_name(path.name + "-wal").exists()
    for how in ("mode=ro", "mode=ro&immutable=1") if at_rest else ("mode=ro",):
        try:
            with contextlib.ExitStack() as undo:
                connection = undo.enter_context(contextlib.closing(connect(path, how)))
                if check_version(connection, path) < len(steps()):
                    raise StoreError(
                        StoreReason.UNUSABLE,
                        f"The database {path} was written by an older golfnet; golfnet serve --db {path} brings it up "
                        "to date.",
                    )
                undo.pop_all()
                return connection
        except sqlite3.Error as error:
            failure = error
    raise store_error(path, failure) from failure


def back_up(path: Path, copy: Path) -> int:
    """Copy an undamaged database to a new file; return its size in bytes. Raise ``StoreError`` on failure."""
    if copy.exists():
        raise not_copied(path, copy, "that file exists; name a new one")
    try:
        with contextlib.closing(connect(path, "mode=rw")) as source:
            check_version(source, path)
            need_whole(source.execute("PRAGMA quick_check(3)").fetchall(), path)
            try:
                write_copy(source, copy)
            except (OSError, sqlite3.Error) as error:
                raise not_copied(path, copy, getattr(error, "strerror", None) or str(error)) from error
    except sqlite3.Error as error:
        raise store_error(path, error) from error
    return copy.stat().st_size


def write_copy(source: sqlite3.Connection, copy: Path) -> None:
    """Copy what a connection sees into a new file. Raise ``OSError`` or ``sqlite3.Error``."""
    draft = copy.with_name(f"{copy.name}.part")
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with contextlib.closing(sqlite3.connect(draft)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")  # one file, without a separate log
        draft.rename(copy)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def rescue(source: sqlite3.Connection, path: Path) -> Path:
    """Save a copy next to the database's path, and return the copy's path. Raise ``StoreError`` on failure."""
    names = (f"{path.name}.rescued{number or ''}" for number in itertools.count())
    copy = next(free for free in map(path.with_name, names) if not free.exists())
    try:
        write_copy(source, copy)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            StoreReason.MISSING,
            f"The database {path} was deleted while this server was using it, and only this server still has what was "
            f"recorded. Do not stop it: it keeps trying to save a copy as {copy} ({error}).",
        ) from error
    return copy
