"""What SQLite's errors mean for the person who runs the server."""

import errno
import sqlite3
from pathlib import Path
from typing import Final

from golfnet.storage.errors import Reason, StoreError


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """Return the error with its reason, and a sentence that says what to do."""
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the higher bits only say more of the same
    reason, sentence = _FAULTS.get(primary, (Reason.FAULTY, _FAULTY))
    return StoreError(reason, sentence.format(path=path, directory=path.parent, error=error))


def os_error(path: Path, error: OSError) -> StoreError:
    """Return the error for a file or directory that cannot be made or opened."""
    code = _CODES.get(error.errno or 0, sqlite3.SQLITE_CANTOPEN)
    reason, sentence = _FAULTS[code]
    return StoreError(reason, sentence.format(path=path, directory=path.parent, error=error.strerror))


def refused(error: sqlite3.IntegrityError) -> StoreError:
    """Return the error for writes that contradict what is stored."""
    what = next((text for part, text in _CONTRADICTIONS.items() if part in str(error)), str(error))
    return StoreError(Reason.CONFLICT, f"The store refuses a contradiction: {what}.")


def damaged(path: Path, what: str) -> StoreError:
    """Return the error for a database that is not as it was written."""
    return StoreError(Reason.DAMAGED, _DAMAGED.format(path=path, error=what))


_DAMAGED: Final = (
    "The database {path} is damaged ({error}). Keep a copy of it and of {path}-wal, then put back the last good copy, "
    "or save what can be read: sqlite3 {path} .recover | sqlite3 NEW"
)
_READ_ONLY: Final = (
    "The database {path} may not be written ({error}). The server's user needs write access to the file and to "
    "{directory}, on a file system that is not mounted read-only."
)
_FAULTY: Final = (
    "The database {path} cannot be used: {error}. The system's log may say what is wrong with the disk."
)
_LOCKED: Final = (
    "Another program is writing to the database {path} ({error}). End it, or give this server another file with "
    "--db."
)

_FAULTS: Final[dict[int, tuple[Reason, str]]] = {
    sqlite3.SQLITE_FULL: (
        Reason.FULL,
        "There is no room for the database {path} ({error}). Make room on its disk; play goes on by itself then.",
    ),
    sqlite3.SQLITE_BUSY: (Reason.LOCKED, _LOCKED),
    sqlite3.SQLITE_LOCKED: (Reason.LOCKED, _LOCKED),
    sqlite3.SQLITE_READONLY: (Reason.READ_ONLY, _READ_ONLY),
    sqlite3.SQLITE_PERM: (Reason.READ_ONLY, _READ_ONLY),
    sqlite3.SQLITE_AUTH: (Reason.READ_ONLY, _READ_ONLY),
    sqlite3.SQLITE_CANTOPEN: (
        Reason.UNREACHABLE,
        "The database {path} cannot be opened ({error}). Does {directory} exist, and may this user read and write it?",
    ),
    sqlite3.SQLITE_CORRUPT: (Reason.DAMAGED, _DAMAGED),
    sqlite3.SQLITE_NOTADB: (Reason.DAMAGED, _DAMAGED),
}

_CONTRADICTIONS: Final = {
    "event.body": "the table has another event of this number",
    "live.row": "the table is open already",
    "FOREIGN KEY": "the table is not open",
    "player.": "another player has the name or the token",
}
"""What broken constraints mean, by a part of SQLite's words."""

_CODES: Final = {
    errno.ENOSPC: sqlite3.SQLITE_FULL,
    errno.EDQUOT: sqlite3.SQLITE_FULL,
    errno.EROFS: sqlite3.SQLITE_READONLY,
    errno.EACCES: sqlite3.SQLITE_READONLY,
    errno.EPERM: sqlite3.SQLITE_READONLY,
}
