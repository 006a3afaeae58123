"""A store in one SQLite file: what it has acknowledged survives the end of the process at any moment.

Writes go through one connection in the thread of the writer, reads through another; a write-ahead log keeps them out
of each other's way. A lock file keeps a second server away, whatever SQLite would allow. After any failure the
connection is thrown away and opened anew, so nothing half-done is left in it. Files are readable by their owner only:
they hold password hashes and the seeds of deals to come.
"""

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from golfnet.storage import migrations
from golfnet.storage.errors import Reason, StoreError
from golfnet.storage.faults import os_error, refused, store_error
from golfnet.storage.sqlite_reads import SqliteReads, connect
from golfnet.storage.sqlite_writes import apply
from golfnet.storage.writes import Write


class Durability(StrEnum):
    """When a commit counts as done.

    ``FULL`` waits for the disk: nothing a player was told is lost, even when the power fails. ``NORMAL`` leaves the
    waiting to the system: nothing is lost when the server is killed, the last moments may be when the power fails.
    """

    FULL = "full"
    NORMAL = "normal"


WRITER_CACHE_KIB: Final = 512
"""Pages that the writer keeps for itself: the last one of each of a hundred tables. The system's own cache has the
others a microsecond away, and what is kept twice would be a third of what a table costs."""

WAL_BYTES: Final = 64 * 1024 * 1024
"""What the write-ahead log may keep on the disk once it has been taken over, after a time of much writing."""


def default_path(environ: Mapping[str, str]) -> Path:
    """Return where a server keeps its database unless told otherwise, from the environment's variables."""
    state = environ.get("XDG_STATE_HOME") or f"{environ.get('HOME') or Path.home()}/.local/state"
    return Path(state) / "golfnet" / "golfnet.db"


class SqliteStore(SqliteReads):
    """A database file, created and brought up to date as needed; raises ``StoreError`` where that cannot be done.

    Opening looks through the whole file for damage, about a second for a gigabyte.
    """

    immediate = False

    def __init__(self, path: Path, durability: Durability = Durability.FULL) -> None:
        self.durability = durability
        self.path = path
        self._writer: sqlite3.Connection | None = None
        self._lock = _lock(path)
        try:
            _create(path)
            self._open_writer()
            super().__init__(path)
        except BaseException as error:
            self._drop_writer()
            os.close(self._lock)
            if isinstance(error, sqlite3.Error):
                raise store_error(path, error) from error  # noqa: ASYNC104
            raise
        try:
            self.check()
        except BaseException:
            self.close()
            raise

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, all or nothing, durably; raises ``StoreError``."""
        try:
            writer = self._writer or self._open_writer()
            apply(writer, batch)
        except sqlite3.IntegrityError as error:
            self._rollback()
            raise refused(error) from error
        except sqlite3.Error as error:
            self._drop_writer()
            raise store_error(self.path, error) from error
        except BaseException:
            self._rollback()
            raise

    def close(self) -> None:
        """Close the file and let other servers have it."""
        super().close()
        self._drop_writer()
        os.close(self._lock)

    def _open_writer(self) -> sqlite3.Connection:
        """Open the writing connection; raises ``StoreError`` and ``sqlite3.Error``."""
        writer = connect(self.path, "mode=rw")
        try:
            migrations.check_version(writer, self.path, len(migrations.steps()))  # before anything is changed
            (mode,) = writer.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise StoreError(Reason.FAULTY, f"{self.path} lies where SQLite can keep no write-ahead log.")
            writer.execute(f"PRAGMA synchronous = {self.durability}")
            writer.execute("PRAGMA foreign_keys = ON")
            writer.execute(f"PRAGMA cache_size = -{WRITER_CACHE_KIB}")
            writer.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
            migrations.migrate(writer, self.path, migrations.steps())
        except BaseException:
            writer.close()
            raise
        self._writer = writer
        return writer

    def _rollback(self) -> None:
        try:
            if self._writer is not None and self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
        except sqlite3.Error:
            self._drop_writer()

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


def _lock(path: Path) -> int:
    """Take the database for this process until the returned descriptor is closed; raises ``StoreError``."""
    place = path.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(place.with_name(place.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise os_error(path, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.truncate(lock, 0)
        os.write(lock, str(os.getpid()).encode())
    except BlockingIOError:
        holder = os.read(lock, 20).decode("ascii", "replace") or "unknown"
        os.close(lock)
        raise StoreError(
            Reason.LOCKED,
            f"Another server (process {holder}) uses the database {path}. Stop it, or give this one another file "
            "with --db.",
        ) from None
    except OSError as error:
        os.close(lock)
        raise os_error(path, error) from error
    return lock


def _create(path: Path) -> None:
    """Make the file if there is none, and see that nobody else can read it; SQLite's own files follow its mode."""
    try:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        for suffix in ("", "-wal", "-shm"):
            file = path.with_name(path.name + suffix)
            with contextlib.suppress(FileNotFoundError, PermissionError):  # another's file keeps its mode
                if file.stat().st_mode & 0o077:
                    file.chmod(0o600)
    except OSError as error:
        raise os_error(path, error) from error
