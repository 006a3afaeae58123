"""Open a PostgreSQL database by its URL; the driver is imported here, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.storage.errors import StoreError, StoreReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.storage.postgres.reads import PostgresReads
    from golfnet.storage.postgres.store import PostgresStore


def open_store(url: str, notify: Callable[[str], None]) -> PostgresStore:
    """Open a database to serve it; ``notify`` is told what that waits for. Raise ``StoreError``."""
    _need_driver()
    from golfnet.storage.postgres.store import PostgresStore

    return PostgresStore(url, notify=notify)


def open_reads(url: str) -> PostgresReads:
    """Open a database to read it. Raise ``StoreError``."""
    _need_driver()
    from golfnet.storage.postgres.reads import PostgresReads

    return PostgresReads(url)


def _need_driver() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreError(
            StoreReason.MISSING,
            "A PostgreSQL database needs the driver psycopg, which is not installed: "
            f"pip install 'golfnet[cluster]' ({error})",
        ) from None
