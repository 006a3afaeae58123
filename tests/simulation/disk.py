"""The disk of a world: a real SQLite database that outlives servers, and the faults of its medium.

It simulates a file in WAL mode with ``synchronous = FULL``, and keeps the same contract: a batch is durable when
``write`` returns; one that failed, or was in progress at a crash, may still be recovered from the log as a whole,
if nothing was written after it. The schema and the statements are golfnet's own.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from golfnet.storage import sqlite_files
from golfnet.storage.faults import StoreError, StoreReason, store_error
from golfnet.storage.sqlite import apply
from golfnet.storage.sqlite_files import SqliteReads
from golfnet.storage.store import Store
from golfnet.storage.writes import CloseTable, FinishMatch, OpenTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from golfnet.storage.writes import Write
    from tests.simulation.world import World

_NO_FILE: Final = Path("simulated.db")


class Disk:
    """The data that survives a crash; at present all writes fail with ``failing``, if set, and take ``latency``."""

    keeps_failed = True
    """Whether a failed batch may turn out to be stored when the same server retries it."""

    def __init__(self, chance: Random, world: World, connection: sqlite3.Connection | None = None) -> None:
        self.connection = _new_database() if connection is None else connection
        self.failing: StoreReason | None = None
        self.latency = 0.001
        self._hangs = False
        self._held: list[Callable[[], None]] = []
        self._in_doubt: Sequence[Write] | None = None
        """The last batch, if it failed: its bytes may or may not be in the log."""
        self._chance = chance
        self._world = world

    def begin_write(self, write: Callable[[], None]) -> None:
        """Call back when a write is done: after its duration or, if the disk hangs, when the disk recovers."""

        def end() -> None:
            if self._hangs:
                self._held.append(write)
            else:
                write()

        self._world.after(self._chance.uniform(0.5, 1.5) * self.latency, end)

    @property
    def hangs(self) -> bool:
        return self._hangs

    @hangs.setter
    def hangs(self, hangs: bool) -> None:
        self._hangs = hangs
        if not hangs:
            held, self._held = self._held, []
            for write in held:
                write()

    def write(self, batch: Sequence[Write]) -> None:
        failing = self.failing
        if self.keeps_failed and any(isinstance(write, FinishMatch) for write in batch):
            failing = failing or (StoreReason.FAULTY if self._chance.random() < 0.1 else None)
        if failing is not None:
            self._world.faults[f"write failed: {failing.value}"] += 1
            self._in_doubt = batch
            # Writing a batch twice changes nothing, except that a table is opened and closed only once.
            can_repeat = not any(isinstance(write, OpenTable | CloseTable) for write in batch)
            if self.keeps_failed and can_repeat and self._chance.random() < 0.5:
                self._world.faults["a failed write is found when it is retried"] += 1
                self._in_doubt = None
                self._survived(batch)
            raise StoreError(failing, f"The simulated disk is {failing.value}.")
        self._in_doubt = None
        try:
            apply(self.connection, batch)
        except sqlite3.Error as error:
            raise store_error(_NO_FILE, error) from error
        self._world.ledger.stored(batch)

    def crash(self) -> None:
        """Lose everything that is not durable."""
        if self.connection.in_transaction:
            self.connection.rollback()
        batch, self._in_doubt = self._in_doubt, None
        if batch is not None:
            survives = self._chance.random() < 0.5
            fate = "it survived" if survives else "it is lost"
            self._world.faults[f"crash after a failed write: {fate}"] += 1
            if survives:
                self._survived(batch)

    def _survived(self, batch: Sequence[Write]) -> None:
        apply(self.connection, batch)
        self._world.ledger.stored(batch)

    def probe(self) -> None:
        """Do nothing: only writes show the faults of this disk."""

    def queries(self) -> SqliteReads:
        return SqliteReads(_NO_FILE, self.connection)


class SimulatedStore(SqliteReads, Store):
    """A server's store on a disk, for the life of the server."""

    immediate = False

    def __init__(self, disk: Disk) -> None:
        super().__init__(_NO_FILE, disk.connection)
        self.disk = disk
        self.is_dead = False

    def write(self, batch: Sequence[Write]) -> None:
        assert not self.is_dead, "a dead server writes"
        self.disk.write(batch)

    def probe(self) -> None:
        self.disk.probe()

    def inspect(self) -> None:
        """Do nothing: this disk is never damaged."""

    def close(self) -> None:
        """Do nothing: the disk remains."""


def _new_database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _empty_database().backup(connection)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


@cache
def _empty_database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    sqlite_files.migrate(connection, _NO_FILE, sqlite_files.steps())
    return connection
