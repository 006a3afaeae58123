"""PostgreSQL instead of the SQLite file: the same store, on a database server, opened by its URL.

Invariants: the driver, psycopg, is imported only in this package, and only if a PostgreSQL database is named. Every
write passes the fence: a server that has been declared gone can store nothing.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from golfnet.storage.faults import StoreError, StoreReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.storage.postgres.bus import PostgresBus
    from golfnet.storage.postgres.directory import PostgresDirectory
    from golfnet.storage.postgres.reads import PostgresReads
    from golfnet.storage.postgres.store import PostgresStore

TOOL_SECONDS: Final = 120.0
"""Maximum seconds for a tool's read, for which nobody is waiting."""

LOOK_SECONDS: Final = 5.0
"""Maximum seconds for a read for which a person is waiting."""


def open_store(url: str, notify: Callable[[str], None], *, link: str = "", lease: float) -> PostgresStore:
    """Open a database for a server; call ``notify`` with the reason for any delay. Raise ``StoreError`` on failure.

    ``link`` is this node's address if it is one of several, ``lease`` how many seconds it may go without writing.
    """
    _need_driver()
    from golfnet.storage.postgres.store import PostgresStore

    return PostgresStore(url, link=link, lease=lease, notify=notify)


def shut_out_silent_nodes(url: str, lease: float) -> list[str]:
    """Declare gone each node that commits nothing during a lease; return the names. Raise ``StoreError`` on failure."""
    _need_driver()
    import psycopg

    from golfnet.storage.postgres import fence
    from golfnet.storage.postgres.connections import connect, shown, store_error

    try:
        with contextlib.closing(connect(url)) as connection:
            is_new = connection.execute("SELECT to_regclass('node') IS NULL").fetchone() == (True,)
            return [] if is_new else fence.shut_out_silent(connection, lease)
    except psycopg.Error as error:
        raise store_error(shown(url), error) from error


def open_node(url: str, node: int) -> tuple[PostgresDirectory, PostgresBus]:
    """Open a node's directory and its bus, which reconnects by itself. Raise ``StoreError`` on failure."""
    from golfnet.storage.postgres.bus import PostgresBus
    from golfnet.storage.postgres.directory import PostgresDirectory

    return PostgresDirectory(url, node), PostgresBus(url, node)


def open_reads(url: str, seconds: float = TOOL_SECONDS) -> PostgresReads:
    """Open a database for reading; ``seconds`` is the time limit for each read. Raise ``StoreError`` on failure."""
    _need_driver()
    from golfnet.storage.postgres.reads import PostgresReads

    return PostgresReads(url, seconds)


def _need_driver() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreError(
            StoreReason.MISSING,
            "A PostgreSQL database needs the driver psycopg, which is not installed: "
            f"pip install 'golfnet[cluster]' ({error})",
        ) from None
