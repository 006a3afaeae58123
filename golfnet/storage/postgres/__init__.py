"""PostgreSQL instead of the SQLite file: the same store, on a database server, opened by its URL.

Invariants: the driver, psycopg, is imported only in this package, and only if a PostgreSQL database is named. Every
write passes the fence: a server that has been declared gone can store nothing.
"""

from typing import TYPE_CHECKING, Final

from golfnet.storage.faults import StoreError, StoreReason

if TYPE_CHECKING:
    from golfnet.storage.postgres.connections import PostgresReads

LOOK_SECONDS: Final = 5.0
"""Maximum seconds for a read for which a person is waiting."""


def open_reads(url: str, seconds: float = 120.0) -> "PostgresReads":
    """Open a database for reading; ``seconds`` is the time limit for each read. Raise ``StoreError`` on failure."""
    need_driver()
    from golfnet.storage.postgres.connections import PostgresReads

    return PostgresReads(url, seconds)


def need_driver() -> None:
    """Raise ``StoreError`` if the driver is not installed; then no other module of this package can be imported."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreError(
            StoreReason.MISSING,
            "A PostgreSQL database needs the driver psycopg, which is not installed: "
            f"pip install 'golfnet[cluster]' ({error})",
        ) from None
