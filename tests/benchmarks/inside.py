"""What it costs to make events durable, without a server around the journal."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

import trio

from golfnet.server.journal.journal import Journal
from golfnet.storage.sqlite import MemoryStore, SqliteStore
from golfnet.storage.writes import AppendEvent, OpenTable
from tests.benchmarks.table import Row

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from golfnet.storage.store import Store

BODY: Final = b"x" * 100


def commits(options: argparse.Namespace) -> Iterator[Row]:
    """Measure the cost of durability: every table waits until its latest event is on disk before the next one."""
    for tables in (1, 200):
        with tempfile.TemporaryDirectory(dir=options.directory) as folder:
            with closing(SqliteStore(Path(folder) / "db")) as store:
                ours = trio.run(_appended, store, tables, options.seconds)
            bare = _bare_loop(Path(folder) / "bare", tables, options.seconds)
        memory = trio.run(_appended, MemoryStore(), tables, options.seconds)
        yield Row(f"an event on disk, tables: {tables} (baseline: in memory)", "µs", ours, memory, bare)


async def _appended(store: Store, tables: int, seconds: float) -> float:
    """Return the elapsed microseconds per event when each table waits for its latest one."""
    journal, count, end = Journal(store), 0, perf_counter() + seconds

    def append(table: str, seq: int) -> None:
        nonlocal count
        if perf_counter() < end:
            count += 1
            journal.submit([AppendEvent(table, seq, BODY)], lambda: append(table, seq + 1))

    async with trio.open_nursery() as nursery:
        await nursery.start(journal.run)
        for number in range(1, tables + 1):
            table = f"t{number}"
            journal.submit([OpenTable(table, b"{}")], partial(append, table, 1))
        await journal.aclose()
    return seconds / count * 1e6


def _bare_loop(path: Path, rows: int, seconds: float) -> float:
    """Return the microseconds per row in bare commits of this many rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = full")
        connection.execute("CREATE TABLE event (live INTEGER, seq INTEGER, body BLOB, UNIQUE (live, seq))")
        end, seq = perf_counter() + seconds, 0
        while perf_counter() < end:
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO event VALUES (?, ?, ?)", [(n, seq, BODY) for n in range(rows)]
            )
            connection.execute("COMMIT")
            seq += 1
        return seconds / (seq * rows) * 1e6
