"""Save a database whose file was deleted: SQLite still has it open, but it is lost when the process ends."""

import contextlib
import itertools
import os
import sqlite3
from pathlib import Path

from golfnet.storage.faults import not_rescued


def rescue(source: sqlite3.Connection, path: Path) -> Path:
    """Save a copy beside the database's path, and return its path. Raise ``StoreError``."""
    names = (f"{path.name}.rescued{number or ''}" for number in itertools.count())
    copy = next(free for free in map(path.with_name, names) if not free.exists())
    draft = copy.with_name(f"{copy.name}.part")
    try:
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with contextlib.closing(sqlite3.connect(draft)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        draft.rename(copy)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise not_rescued(path, copy, error) from error
    return copy
