"""Save a database whose file was deleted: SQLite still has it open, but it is lost when the process ends."""

import itertools
import sqlite3
from pathlib import Path

from golfnet.storage.backup import write_copy
from golfnet.storage.faults import not_rescued


def rescue(source: sqlite3.Connection, path: Path) -> Path:
    """Save a copy beside the database's path, and return its path. Raise ``StoreError``."""
    names = (f"{path.name}.rescued{number or ''}" for number in itertools.count())
    copy = next(free for free in map(path.with_name, names) if not free.exists())
    try:
        write_copy(source, copy)
    except (OSError, sqlite3.Error) as error:
        raise not_rescued(path, copy, error) from error
    return copy
