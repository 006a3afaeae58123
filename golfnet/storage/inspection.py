"""Looking for damage while a server runs: slowly, so that nobody notices, and on a connection of its own.

What SQLite finds when it starts is found weeks too late in a server that runs for weeks, when every backup is damaged
too. A look holds no lock that a writer waits for; the write-ahead log only grows a little longer meanwhile.
"""

import contextlib
import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Final

from golfnet.storage.errors import StoreError
from golfnet.storage.faults import damaged, store_error
from golfnet.storage.sqlite_reads import connect

SHARE: Final = 0.2
"""How much of the time it reads; the rest it sleeps."""

LONGEST_NAP: Final = 1.0
"""Seconds it sleeps at once at the most: a walk through one table may be a single long step of SQLite's."""

_STEP: Final = 5000
"""Operations of SQLite between two naps: some milliseconds."""

_LOWEST_PRIORITY: Final = 19
_CACHE_KIB: Final = 256


class Inspection:
    """A look through the database at a path, from time to time until ``stop``; ``check`` comes before each."""

    def __init__(self, path: Path, check: Callable[[], None]) -> None:
        self._path = path
        self._check = check
        self._stopped = threading.Event()
        self._running = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def run(self) -> None:
        """Look through the whole file; raises ``StoreError`` for damage, and where it cannot be read."""
        with self._running:
            if self._stopped.is_set():
                return
            self._check()
            found: list[StoreError] = []
            # A thread of its own: it keeps the low priority that it takes.
            thread = threading.Thread(target=self._look, args=(found,), name="inspection", daemon=True)
            thread.start()
            thread.join()
        for error in found:
            raise error

    def stop(self) -> None:
        """End a look that is under way, and begin no other."""
        self._stopped.set()
        connection = self._connection
        if connection is not None:
            with contextlib.suppress(sqlite3.ProgrammingError):  # it is closed already
                connection.interrupt()
        with self._running:
            pass

    def _look(self, found: list[StoreError]) -> None:
        _give_way()
        try:
            with contextlib.closing(connect(self._path, "mode=ro")) as self._connection:
                problems = self._problems(self._connection)
            if problems != ["ok"]:
                found.append(damaged(self._path, "; ".join(problems)))
        except sqlite3.Error as error:
            if not self._stopped.is_set():  # else it was interrupted
                found.append(store_error(self._path, error))
        finally:
            self._connection = None

    def _problems(self, connection: sqlite3.Connection) -> list[str]:
        began = perf_counter()

        def nap() -> bool:
            nonlocal began
            worked = perf_counter() - began
            self._stopped.wait(min(worked * (1 - SHARE) / SHARE, LONGEST_NAP))
            began = perf_counter()
            return self._stopped.is_set()

        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.set_progress_handler(nap, _STEP)
        return [problem for (problem,) in connection.execute("PRAGMA quick_check(3)")]


def _give_way() -> None:
    """Let this thread run only where nobody else would; only Linux has priorities of threads."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWEST_PRIORITY)
