"""Turn errors of SQLite and the operating system into ``StoreError``, each with advice for the operator."""

import errno
import re
import sqlite3
import sys
from enum import StrEnum
from pathlib import Path
from typing import Final, NoReturn


def stop_command(process: str, proc: Path = Path("/proc")) -> str:
    """Return the command that stops the server with this process id, or ``""`` if it is unknown."""
    if not process.isdecimal():
        return ""
    if sys.platform == "win32":
        return f"taskkill /f /pid {process}"
    if not sys.platform.startswith("linux"):
        return f"kill {process}"
    try:
        command_line = (proc / process / "cmdline").read_bytes()
        groups = (proc / process / "cgroup").read_text()
        parent = re.search(r"(?m)^PPid:\s*(\d+)$", (proc / process / "status").read_text())
        manager = (proc / parent.group(1) / "comm").read_text().strip() if parent is not None else ""
    except OSError:
        return ""
    if b"golfnet" not in command_line:
        return ""
    unit = re.search(r"(?m)/([\w@.:-]+\.service)$", groups)
    if unit is None or manager != "systemd":  # otherwise the unit is that of a terminal
        return f"kill {process}"
    control = "systemctl --user" if "/user.slice/" in groups else "sudo systemctl"
    return f"{control} stop {unit.group(1)}"


class StoreReason(StrEnum):
    """Why a store failed or refused."""

    CONFLICT = "conflict"
    """The write contradicts what is stored: the only reason that means a bug in the writer. Do not retry."""
    FENCED = "fenced"
    """Another server has taken over the database: this one can no longer store anything. Do not retry; stop."""
    FULL = "full"
    """There is no room on the disk, too little memory, or too many files are open."""
    READ_ONLY = "read-only"
    UNREACHABLE = "unreachable"
    """The file or its directory does not exist or may not be opened, or the database server does not answer."""
    MISSING = "missing"
    """One of the database's files was moved, deleted or replaced."""
    UNUSABLE = "unusable"
    """The database is used by another server, or is not one that this version of golfnet can use."""
    DAMAGED = "damaged"
    """The file is not a database, or was changed by something other than SQLite."""
    SLOW = "slow"
    """The disk is not responding."""
    FAULTY = "faulty"
    """The disk reports an error without details."""


class StoreError(Exception):
    """A store has refused something or failed. Nothing in the batch is stored.

    The message names files and says what to do. It is for the person who runs the server, never for players.
    """

    def __init__(self, reason: StoreReason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence


def contradiction(what: str) -> NoReturn:
    """Raise ``StoreError`` for a write that contradicts what is stored."""
    raise StoreError(StoreReason.CONFLICT, f"This contradicts what is stored: {what}.")


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """Return the error for an SQLite error, with its reason and what to do about it."""
    # The higher bits of SQLite's code are the extended code.
    return _fault(getattr(error, "sqlite_errorcode", 0) & 0xFF, path, error)


def os_error(path: Path, error: OSError) -> StoreError:
    """Return the error for a file or directory that cannot be created or opened."""
    if error.errno == errno.EISDIR:
        return StoreError(
            StoreReason.UNREACHABLE,
            f"The database {path} is a folder. Name a file in it: --db {path / 'golfnet.db'}",
        )
    return _fault(_CODES.get(error.errno or 0, sqlite3.SQLITE_CANTOPEN), path, error.strerror)


def _fault(code: int, path: Path, error: object) -> StoreError:
    reason, sentence = _FAULTS.get(code, (StoreReason.FAULTY, _FAULTY))
    return StoreError(reason, sentence.format(path=path, directory=path.parent, error=error))


def damaged(path: Path, what: str) -> StoreError:
    """Return the error for a damaged database."""
    return StoreError(StoreReason.DAMAGED, _DAMAGED.format(path=path, error=what))


def emptied(path: Path) -> StoreError:
    """Return the error for a database whose file has no content; SQLite would delete the log beside it."""
    return StoreError(
        StoreReason.DAMAGED,
        f"The database {path} is empty: something has removed its content. If a server is using it, stop that with "
        f"SIGTERM, which writes back what {path}-wal has; otherwise put back the last good copy.",
    )


def locked_by(path: Path, holder: str) -> StoreError:
    """Return the error for a database that another server uses; ``holder`` is its process id, or ``""`` if unknown."""
    who = f" (process {holder})" if holder else ""
    command = stop_command(holder)
    stop = f"Stop it with: {command} - or give" if command else "Stop it where it was started, or give"
    return StoreError(
        StoreReason.UNUSABLE,
        f"Another server{who} is using the database {path}, perhaps under another name. {stop} this one another file "
        "with --db.",
    )


def violation(constraint: str) -> str:
    """Return the meaning of a violated constraint, empty if unknown; ``constraint`` is any text that names it."""
    return next((meaning for part, meaning in _CONTRADICTIONS.items() if part in constraint), "")


def not_copied(path: Path, copy: Path, reason: str) -> StoreError:
    """Return the error for a copy that cannot be written; the database itself is unchanged."""
    return StoreError(StoreReason.UNREACHABLE, f"No copy of {path} can be written to {copy}: {reason}.")


def slow(seconds: float) -> StoreError:
    """Return the error for a disk that has not responded for ``seconds``."""
    return StoreError(
        StoreReason.SLOW,
        f"The database has not answered for {seconds:g} seconds. Play continues by itself when it does; the system's "
        "log may say what is wrong with its disk.",
    )


_DAMAGED: Final = (
    "The database {path} is damaged ({error}). Keep a copy of it and of {path}-wal, then put back the last good copy, "
    "or save what can be read: sqlite3 {path} .recover | sqlite3 NEW"
)
_READ_ONLY: Final = (
    "The database {path} is not writable ({error}). The server's user needs write access to the file and to "
    "{directory}, on a file system that is not mounted read-only."
)
_FAULTY: Final = (
    "The database {path} cannot be used: {error}. The system's log may say what is wrong with the disk."
)
_LOCKED: Final = (
    "Another program is writing to the database {path} ({error}). Stop it, or give this server another file with "
    "--db."
)

_FAULTS: Final[dict[int, tuple[StoreReason, str]]] = {
    sqlite3.SQLITE_FULL: (
        StoreReason.FULL,
        "There is no room for the database {path} ({error}). Make room on its disk; a running server then continues by "
        "itself.",
    ),
    sqlite3.SQLITE_BUSY: (StoreReason.UNUSABLE, _LOCKED),
    sqlite3.SQLITE_LOCKED: (StoreReason.UNUSABLE, _LOCKED),
    sqlite3.SQLITE_READONLY: (StoreReason.READ_ONLY, _READ_ONLY),
    sqlite3.SQLITE_PERM: (StoreReason.READ_ONLY, _READ_ONLY),
    sqlite3.SQLITE_AUTH: (StoreReason.READ_ONLY, _READ_ONLY),
    sqlite3.SQLITE_CANTOPEN: (
        StoreReason.UNREACHABLE,
        "The database {path} cannot be opened ({error}). Does {directory} exist, and may this user read and write it?",
    ),
    sqlite3.SQLITE_CORRUPT: (StoreReason.DAMAGED, _DAMAGED),
    sqlite3.SQLITE_NOTADB: (StoreReason.DAMAGED, _DAMAGED),
}

_CONTRADICTIONS: Final = {
    "event.body": "the table has a different event with this number",
    "live.row": "the table is already open",
    "player.": "another player has the name",
    "token.": "another player has the token",
    **dict.fromkeys(("FOREIGN KEY", "event.live", "seat."), "the table is not open"),
}
"""The meaning of a violated constraint, by its table and column, which SQLite does not name for a foreign key."""

_CODES: Final = {
    errno.ENOSPC: sqlite3.SQLITE_FULL,
    errno.EDQUOT: sqlite3.SQLITE_FULL,
    errno.EROFS: sqlite3.SQLITE_READONLY,
    errno.EACCES: sqlite3.SQLITE_READONLY,
    errno.EPERM: sqlite3.SQLITE_READONLY,
}
