"""Open a PostgreSQL database by its URL; the driver is imported here, and only then."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from golfnet.storage.faults import StoreError, StoreReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.storage.postgres.bus import PostgresBus
    from golfnet.storage.postgres.directory import PostgresDirectory
    from golfnet.storage.postgres.reads import PostgresReads
    from golfnet.storage.postgres.store import PostgresStore


def open_store(url: str, notify: Callable[[str], None], *, link: str = "", lease: float) -> PostgresStore:
    """Open a database to serve it; ``notify`` is told what that waits for. Raise ``StoreError``.

    ``link`` is the address of a node of several, ``lease`` for how many seconds it may write nothing.
    """
    _need_driver()
    from golfnet.storage.postgres.store import PostgresStore

    return PostgresStore(url, link=link, lease=lease, notify=notify)


def shut_out_silent_nodes(url: str, lease: float) -> list[str]:
    """Declare gone the nodes that commit nothing for a lease; return their names. Raise ``StoreError``."""
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


def open_directory(url: str, node: int) -> PostgresDirectory:
    """Open the directory of a node. Raise ``StoreError``."""
    from golfnet.storage.postgres.directory import PostgresDirectory

    return PostgresDirectory(url, node)


def open_bus(url: str, node: int) -> PostgresBus:
    """Open the bus of a node; it connects by itself, again and again."""
    from golfnet.storage.postgres.bus import PostgresBus

    return PostgresBus(url, node)


def open_reads(url: str) -> PostgresReads:
    """Open a database to read it. Raise ``StoreError``."""
    _need_driver()
    from golfnet.storage.postgres.reads import PostgresReads

    return PostgresReads(url)


def open_report(url: str) -> PostgresReads:
    """Open a database to look at its nodes, with little patience. Raise ``StoreError``."""
    _need_driver()
    from golfnet.storage.postgres.reads import LOOK_SECONDS, PostgresReads

    return PostgresReads(url, LOOK_SECONDS)


def _need_driver() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreError(
            StoreReason.MISSING,
            "A PostgreSQL database needs the driver psycopg, which is not installed: "
            f"pip install 'golfnet[cluster]' ({error})",
        ) from None
