"""Migrations of the schema: a server that opens a database applies the steps that are missing.

Step n is ``schema/n.sql``; ``PRAGMA user_version`` is the number of applied steps. A step is one transaction, so an
interrupted migration leaves the database as it was. Released steps are never changed.
"""

import sqlite3
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from golfnet.storage.errors import StoreError, StoreReason

APPLICATION_ID: Final = 0x474F4C46
"""``GOLF``: distinguishes our databases from those of other programs, here and for the ``file`` command."""


@cache
def steps() -> tuple[str, ...]:
    """Return the SQL of each step, in order."""
    schema = Path(__file__).with_name("schema")
    count = sum(each.name.endswith(".sql") for each in schema.iterdir())
    return tuple((schema / f"{number}.sql").read_text("utf-8") for number in range(1, count + 1))


def check_version(connection: sqlite3.Connection, path: Path, known: int) -> int:
    """Return the number of applied steps. Raise ``StoreError`` for a newer database or one of another program."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if objects and application != APPLICATION_ID:
        raise StoreError(
            StoreReason.FOREIGN,
            f"{path} is a database of another program. Name golfnet's own file with --db.",
        )
    if version > known:
        raise StoreError(
            StoreReason.NEWER,
            f"The database {path} was written by a newer golfnet (schema {version}, this one knows {known}). "
            "Install the newer golfnet again, or name another file with --db.",
        )
    return int(version)


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[str]) -> None:
    """Apply the missing steps. Raise ``StoreError``."""
    for number in range(check_version(connection, path, len(steps)) + 1, len(steps) + 1):
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE;\n{steps[number - 1]}\n;"
                f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number}; COMMIT;"
            )
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
