"""Copies of a database as of one moment, made while a server uses it: one file, whole or not there at all.

What stays true: the owner alone can read a copy, nothing is written over, and no server waits for a copy being made.
"""

import contextlib
import itertools
import os
import sqlite3
from pathlib import Path

from golfnet.storage.faults import damaged, not_copied, not_rescued, store_error
from golfnet.storage.sqlite_reads import check_version, connect, steps


def back_up(path: Path, copy: Path) -> int:
    """Write a copy of a database without damage to a new file; return its bytes. Raise ``StoreError``."""
    if copy.exists():
        raise not_copied(path, copy, "it exists; name a file that does not")
    try:
        with contextlib.closing(connect(path, "mode=rw")) as source:
            check_version(source, path, len(steps()))
            problems = [problem for (problem,) in source.execute("PRAGMA quick_check(3)")]
            if problems != ["ok"]:
                raise damaged(path, "; ".join(problems))
            try:
                write_copy(source, copy)
            except (OSError, sqlite3.Error) as error:
                raise not_copied(path, copy, getattr(error, "strerror", None) or str(error)) from error
    except sqlite3.Error as error:
        raise store_error(path, error) from error
    return copy.stat().st_size


def write_copy(source: sqlite3.Connection, copy: Path) -> None:
    """Write all that a connection sees to a new file. Raise ``OSError`` and ``sqlite3.Error``."""
    draft = copy.with_name(f"{copy.name}.part")
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with contextlib.closing(sqlite3.connect(draft)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        draft.rename(copy)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def rescue(source: sqlite3.Connection, path: Path) -> Path:
    """Save a copy beside the database's path, and return its path. Raise ``StoreError``."""
    names = (f"{path.name}.rescued{number or ''}" for number in itertools.count())
    copy = next(free for free in map(path.with_name, names) if not free.exists())
    try:
        write_copy(source, copy)
    except (OSError, sqlite3.Error) as error:
        raise not_rescued(path, copy, error) from error
    return copy
