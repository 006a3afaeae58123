"""Scan the database for damage while a server runs: slowly, at low priority, and on its own connection.

SQLite finds damage when a server starts; in a server that runs for weeks that is too late, when every backup is damaged
too. A scan holds no lock that a writer waits for; only the write-ahead log grows a little longer meanwhile.
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
"""The share of the time that a scan reads; it sleeps the rest."""

LONGEST_PAUSE: Final = 1.0
"""Maximum seconds of one pause: checking one table may be a single long step of SQLite."""

_STEP: Final = 5000
"""SQLite operations between two pauses: some milliseconds."""

_LOWEST_PRIORITY: Final = 19
_CACHE_KIB: Final = 256


class DamageScan:
    """Scans the database at a path each time ``run`` is called, until ``stop``; calls ``check`` before each scan."""

    def __init__(self, path: Path, check: Callable[[], None]) -> None:
        self._path = path
        self._check = check
        self._stopped = threading.Event()
        self._running = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def run(self) -> None:
        """Scan the whole file. Raise ``StoreError`` if it is damaged or cannot be read."""
        with self._running:
            if self._stopped.is_set():
                return
            self._check()
            found: list[StoreError] = []
            # A new thread, since it cannot raise its priority again.
            thread = threading.Thread(target=self._run_scan, args=(found,), name="inspection", daemon=True)
            thread.start()
            thread.join()
        for error in found:
            raise error

    def stop(self) -> None:
        """Interrupt a running scan, and start no other."""
        self._stopped.set()
        connection = self._connection
        if connection is not None:
            with contextlib.suppress(sqlite3.ProgrammingError):  # it is closed already
                connection.interrupt()
        with self._running:
            pass

    def _run_scan(self, found: list[StoreError]) -> None:
        _lower_priority()
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

        def pause() -> bool:
            nonlocal began
            worked = perf_counter() - began
            self._stopped.wait(min(worked * (1 - SHARE) / SHARE, LONGEST_PAUSE))
            began = perf_counter()
            return self._stopped.is_set()

        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.set_progress_handler(pause, _STEP)
        return [problem for (problem,) in connection.execute("PRAGMA quick_check(3)")]


def _lower_priority() -> None:
    """Lower the priority of this thread; only Linux has priorities of threads."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWEST_PRIORITY)
