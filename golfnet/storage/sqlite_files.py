"""An SQLite database's files: how they are read, migrated and copied, and how a server locks and checks them.

Invariants: each read sees what is durable at that time and waits for no writer. A copy is a snapshot in one file, which
either is complete or does not exist; only its owner can read it, nothing is overwritten, and no server waits for it.

Two locks keep a second server out: a lock file next to the database stops a server that uses the same path, and a lock
on the database itself stops one that uses a hard link or a bind mount. SQLite opens its files once and never looks at
their names again, so only checks notice a file that was moved, deleted or replaced.

A server's descriptors stay open until SQLite has closed the files: closing any descriptor of a file drops all POSIX
locks that the process holds on it, including SQLite's own (fcntl(2), sqlite.org/howtocorrupt.html 2.2).
"""

import contextlib
import itertools
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from urllib.parse import quote

from golfnet.storage.faults import (
    StoreError,
    StoreReason,
    damaged,
    emptied,
    locked_by,
    not_copied,
    os_error,
    store_error,
)
from golfnet.storage.files import (
    BINARY,
    is_truncated,
    lock,
    lock_byte,
    make_folder,
    read_start,
    write_at_start,
)
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


steps: Final = partial(schema_steps, Path(__file__).with_name("schema"))
"""Returns the SQL of each migration step, in order."""


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
    """Apply the missing steps, all or none, with one wait for the disk. Raise ``StoreError`` on failure."""
    if missing := steps[check_version(connection, path) :]:
        try:
            script = "\n;".join(missing)
            connection.executescript(
                f"BEGIN IMMEDIATE;\n{script}\n;"
                f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {len(steps)}; COMMIT;"
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
    _refuse_stray_log(path)
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


def _refuse_stray_log(path: Path) -> None:
    """Raise ``StoreError`` for an empty file, whose log SQLite would delete, or a copy beside another database's log.

    A server checks its own descriptor instead: closing another one would drop its locks.
    """
    with contextlib.suppress(OSError), path.open("rb") as file:  # otherwise SQLite says what is wrong
        if not (header := file.read(64)):
            raise emptied(path)
        _refuse_wrong_log(path.resolve(), header, was_served=True)


def _refuse_wrong_log(path: Path, header: bytes, *, was_served: bool) -> None:
    """Raise ``StoreError`` if SQLite would apply a log to the wrong database, or if the content was in a lost log."""
    # The number of pages is 1, so there is no table, and the schema 0.
    if was_served and header[28:32] + header[60:64] == b"\0\0\0\1\0\0\0\0" and not _size(f"{path}-wal"):
        raise emptied(path)
    # Byte 18 is the write version; 1 means no write-ahead log (sqlite.org/fileformat2.html 1.3).
    if header.startswith(b"SQLite format 3\0") and header[18:19] == b"\1" and _size(f"{path}-wal"):
        raise StoreError(
            StoreReason.UNUSABLE,
            f"{path} is a copy that has replaced another database, and {path}-wal still belongs to that one: it "
            f"would undo the restore. Move {path}-wal and {path}-shm out of the way, then start again.",
        )


def back_up(path: Path, copy: Path) -> int:
    """Copy an undamaged database to a new file; return its size in bytes. Raise ``StoreError`` on failure."""
    if copy.exists():
        raise not_copied(path, copy, "that file exists; name a new one")
    _refuse_stray_log(path)
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


class DatabaseFiles:
    """The files of the database at a path, locked for this process until ``release``.

    A missing database is created. Raise ``StoreError`` if another server has it, if using it would lose data, or if a
    file cannot be created or opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._real = path.resolve()  # SQLite follows links too, and puts its files next to the target
        self._names = [str(path), f"{self._real}-wal", f"{self._real}-shm"]
        self._opened: list[os.stat_result] = []
        self._index = -1
        self._state_when_missing: tuple[int, int] | None = None
        """The database's size and modification time when it was found missing."""
        holder = ""
        with contextlib.ExitStack() as undo:
            try:
                make_folder(self._real.parent)
                self._lock = os.open(f"{self._real}.lock", os.O_RDWR | os.O_CREAT, 0o600)
                undo.callback(os.close, self._lock)
                holder = os.read(self._lock, 20).decode("ascii", "replace")
                lock(self._lock)
                holder = ""  # nothing says who holds the other lock
                was_served = os.fstat(self._lock).st_size > 0
                self._database = _open_database(self._real, was_served=was_served)
                undo.callback(os.close, self._database)
                # Beyond the end of any file, and far from the bytes that SQLite locks (at 1 GiB).
                lock_byte(self._database, 1 << 62)
                _refuse_wrong_log(self._real, read_start(self._database, 64), was_served=was_served)
                _restrict_access(self._names)
                if was_served:
                    self._write_holder()
            except BlockingIOError:
                raise locked_by(path, holder) from None
            except OSError as error:
                raise os_error(path, error) from error
            self._held = undo.pop_all()

    def release(self) -> None:
        """Release the files for other servers; SQLite must have closed them."""
        self._held.close()

    def remember(self) -> None:
        """Remember the identities of the files that SQLite has opened, for ``check`` and for later starts."""
        try:
            # On Windows, no other program can truncate an open log, and an open index cannot be removed.
            if sys.platform != "win32":
                self._index = os.open(self._names[2], os.O_RDONLY)
                self._held.callback(os.close, self._index)
            self._opened = [os.stat(name) for name in self._names]
        except OSError as error:
            raise os_error(self.path, error) from error
        self._write_holder()

    def check(self) -> None:
        """Raise ``StoreError`` unless every file is still in its place, and unchanged by other programs."""
        for name, opened in zip(self._names, self._opened, strict=True):
            is_in_place = False
            with contextlib.suppress(OSError):
                is_in_place = os.path.samestat(os.stat(name), opened)
            if not is_in_place:
                if self._state_when_missing is None:
                    self._state_when_missing = self._state()
                raise self._missing(name)
        if self._state_when_missing not in (None, self._state()):
            raise StoreError(
                StoreReason.MISSING,
                f"The database {self.path} is back, but another program has changed it. Stop this server, check "
                f"the file with golfnet verify --db {self.path}, and start again.",
            )
        self._state_when_missing = None
        if not self._state()[0]:
            raise emptied(self.path)
        self.check_log()

    def check_log(self) -> None:
        """Raise ``StoreError`` if the log has been truncated: SQLite would keep writing after the gap."""
        if self._index < 0:
            return
        log = self._names[1]
        try:
            is_short = is_truncated(self._index, log)
        except OSError:  # deleted since the check
            raise self._missing(log) from None
        if is_short:
            raise StoreError(
                StoreReason.DAMAGED,
                f"{log}, a part of the database, was truncated while this server was using it: what was recorded last "
                "is no longer on the disk. Nothing more is recorded, so that the rest stays intact. Stop this server "
                f"and start it again to continue from what {self.path} still has, or put back the last good copy.",
            )

    def _missing(self, name: str) -> StoreError:
        if name == self._names[0]:
            what = f"The database {name}"
            advice = "not a copy of it; play then continues by itself."
        else:
            what = f"{name}, a part of the database,"
            advice = (
                "or stop this server with SIGTERM and start it again: what has been recorded is then written into "
                f"{self.path}."
            )
        return StoreError(
            StoreReason.MISSING,
            f"{what} was moved, deleted or replaced while this server was using it. Nothing more can be recorded. Put "
            f"the same file back with mv, {advice}",
        )

    @property
    def is_deleted(self) -> bool:
        """Whether the database's file has no name left, so that it is lost when this process exits."""
        return os.fstat(self._database).st_nlink == 0

    def _write_holder(self) -> None:
        """Write the process id into the lock file; any content there shows that a server has used the database."""
        with contextlib.suppress(OSError):  # a full disk must not prevent a start
            write_at_start(self._lock, str(os.getpid()).encode())

    def _state(self) -> tuple[int, int]:
        found = os.fstat(self._database)
        return found.st_size, found.st_mtime_ns


def _size(name: str) -> int:
    return os.path.getsize(name) if os.path.exists(name) else 0


def _open_database(path: Path, *, was_served: bool) -> int:
    """Open the database and return its descriptor; create it if that loses nothing."""
    if not _size(f"{path}") and (was_served or _size(f"{path}-wal")):
        raise StoreError(
            StoreReason.MISSING,
            f"The database {path} is missing or empty, but a server has used it before ({path}.lock or {path}-wal "
            f"still exists). Put the database back from where it was moved to, from {path}.rescued, which a server "
            "saves when its database is deleted, or from a backup. To start with an empty one instead, remove "
            f"{path}.lock and {path}-wal.",
        )
    return os.open(path, os.O_RDWR | os.O_CREAT | BINARY, 0o600)


def _restrict_access(names: list[str]) -> None:
    """Remove all access for other users; SQLite's own files follow the database's mode."""
    for name in names:
        with contextlib.suppress(FileNotFoundError, PermissionError):  # another user's file keeps its mode
            if os.stat(name).st_mode & 0o077:
                os.chmod(name, 0o600)


SHARE: Final = 0.2
"""The fraction of its time that a scan spends reading; the rest of the time it sleeps."""

LONGEST_PAUSE: Final = 1.0
"""Maximum seconds per pause: checking one table may be a single long step for SQLite."""

_STEP: Final = 5000
"""SQLite operations between pauses: they take a few milliseconds."""


class DamageScan:
    """Scans the database at a path each time ``run`` is called, until ``stop``; calls ``check`` before each scan."""

    def __init__(self, path: Path, check: Callable[[], None]) -> None:
        self._path = path
        self._check = check
        self._stopped = threading.Event()
        self._running = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def run(self) -> None:
        """Scan the whole file. Raise ``StoreError`` if it is damaged or cannot be read."""
        from concurrent.futures import ThreadPoolExecutor  # an import that only a long-running server needs

        with self._running:
            if self._stopped.is_set():
                return
            self._check()
            # In a new thread, since a thread cannot raise its priority again.
            with ThreadPoolExecutor(1, "inspection", lower_priority) as thread:
                thread.submit(self._scan).result()

    def stop(self) -> None:
        """Interrupt a scan that is running, and prevent further scans."""
        self._stopped.set()
        if (connection := self._connection) is not None:
            with contextlib.suppress(sqlite3.ProgrammingError):  # it is already closed
                connection.interrupt()
        with self._running:
            pass

    def _scan(self) -> None:
        began = perf_counter()

        def pause() -> bool:
            nonlocal began
            self._stopped.wait(min((perf_counter() - began) * (1 - SHARE) / SHARE, LONGEST_PAUSE))
            began = perf_counter()
            return self._stopped.is_set()

        try:
            with contextlib.closing(connect(self._path, "mode=ro")) as self._connection:
                self._connection.execute("PRAGMA cache_size = -256")  # in KiB
                self._connection.set_progress_handler(pause, _STEP)
                need_whole(self._connection.execute("PRAGMA quick_check(3)").fetchall(), self._path)
        except sqlite3.Error as error:
            if not self._stopped.is_set():  # otherwise it was interrupted
                raise store_error(self._path, error) from error
        finally:
            self._connection = None


def lower_priority(niceness: int = 19) -> None:
    """Lower this thread's priority, unless it is lower already; only Linux has thread priorities."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, max(niceness, os.getpriority(os.PRIO_PROCESS, thread)))
