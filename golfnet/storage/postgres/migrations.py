"""Migrations of the schema in PostgreSQL: a server that opens a database applies the missing steps.

Step n is ``schema/n.sql``; the table ``golfnet_schema`` has the number of applied steps. All missing steps are one
transaction, under a lock, so if two servers start together, one waits for the other. A step must be compatible with the
version before it, which may still be running: add columns with defaults, drop a column one release later. Released
steps are never changed.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.connections import newer

if TYPE_CHECKING:
    from golfnet.storage.postgres.connections import LimitedConnection

STARTING: Final = 0x474F4C46
"""``GOLF``: the advisory lock that a starting server holds while it migrates and becomes the owner."""


@cache
def steps() -> tuple[str, ...]:
    """Return the SQL of each step, in order."""
    schema = Path(__file__).with_name("schema")
    count = sum(each.name.endswith(".sql") for each in schema.iterdir())
    return tuple((schema / f"{number}.sql").read_text("utf-8") for number in range(1, count + 1))


def migrate(connection: LimitedConnection, place: str, known: tuple[str, ...]) -> None:
    """Apply the missing steps. Raise ``StoreError`` for a newer database, and ``psycopg.Error``."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (STARTING,))
        version = _version(connection)
        if version is None:
            connection.execute("CREATE TABLE golfnet_schema (version integer NOT NULL)")
            connection.execute("INSERT INTO golfnet_schema VALUES (0)")
            version = 0
        if version > len(known):
            raise newer(place, version, len(known))
        if version < len(known):
            for step in known[version:]:
                connection.execute(step.encode())
            connection.execute("UPDATE golfnet_schema SET version = %s", (len(known),))


def need_version(connection: LimitedConnection, place: str, known: int) -> None:
    """Raise ``StoreError`` unless the schema is the one that this program knows; only a server migrates a database."""
    version = _version(connection)
    if version is None:
        raise StoreError(
            StoreReason.FOREIGN, f"The database {place} is not golfnet's: no server has ever used it."
        )
    if version > known:
        raise newer(place, version, known)
    if version < known:
        raise StoreError(
            StoreReason.OLDER,
            f"The database {place} was written by an older golfnet; golfnet serve --database {place} brings it up to "
            "date.",
        )


def _version(connection: LimitedConnection) -> int | None:
    """Return the number of applied steps, or None if no server has ever used the database."""
    found = connection.execute("SELECT to_regclass('golfnet_schema') IS NOT NULL").fetchone()
    if found is None or not found[0]:
        return None
    row = connection.execute("SELECT version FROM golfnet_schema").fetchone()
    return row[0] if row is not None else 0
