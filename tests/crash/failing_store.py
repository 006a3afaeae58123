"""A program to run under the shim: it uses a store again and again, each time with a different call failing.

``python -m tests.crash.failing_store FOLDER CONTROL ERROR TIMES STEP FIRST KINDS`` makes call number ``FIRST`` of
these kinds fail, then ``FIRST + STEP`` and so on, until there are no more. It prints how many it tried, and exits with
a traceback if a store does anything but refuse with a message.
"""

import shutil
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.sqlite_files import SqliteReads
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    FinishMatch,
    OpenTable,
    SavePlayer,
    TrimTable,
    Write,
)
from tests.crash.shim import Control, Kind
from tests.storage.rows import match, player, rating, seat

TRIES: Final = 3
"""How often a store is used while calls fail, before they stop failing."""


class ShortLog(SqliteStore):
    """A store that writes its log back every few commits, so that the calls for this can fail, too."""

    def _open_writer(self) -> sqlite3.Connection:
        writer = super()._open_writer()
        writer.execute("PRAGMA wal_autocheckpoint = 12")
        return writer


def batches() -> list[Sequence[Write]]:
    """Return batches: a table is opened and played at, a match ends, a second table is opened and closed."""
    play = [[AppendEvent("t1", 3 * n + k, bytes([n]) * 900) for k in (1, 2, 3)] for n in range(4)]
    return [
        [SavePlayer(player(1)), OpenTable("t1", b"row")],
        *play,
        [FinishMatch(match(1, seat(1, 1)), b"record\n"), TrimTable("t1", 4, "m1")],
        [OpenTable("t2", b""), AppendEvent("t2", 1, b"last"), CloseTable("t2")],
    ]


def tell(store: SqliteReads) -> tuple[object, ...]:
    """Return everything that the batches have written to a store."""
    return (
        [*store.tables()],
        [*store.match_ids()],
        [*(store.record("m1") or ())],
        store.player("p1"),
        rating(store, "p1", "six-card", player(1).kind),
    )


def use(path: Path, control: Control) -> None:
    """Use a store while calls fail; check that it refuses properly and recovers."""
    store, acknowledged = None, 0
    errors: list[StoreError] = []
    for attempt in range(len(batches()) * (TRIES + 1) + TRIES):
        if attempt >= TRIES and control.failed:
            control.heal()
        try:
            if store is None:
                store = ShortLog(path)
            if acknowledged == len(batches()):
                break
            store.write(batches()[acknowledged])
            acknowledged += 1
            tell(store)
            store.probe()
        except StoreError as error:
            errors.append(error)
    assert all(error.reason is not StoreReason.CONFLICT for error in errors), errors
    assert all(str(path.parent) in error.sentence for error in errors), errors
    assert store is not None
    assert acknowledged == len(batches()), "it did not recover when the disk did"
    with suppress(StoreError):
        store.inspect()
    store.close()


def main() -> None:
    """Make one call after another fail."""
    folder, path = Path(sys.argv[1]), Path(sys.argv[1]) / "golf.db"
    control = Control(Path(sys.argv[2]))
    error, times, step, number, kinds = map(int, sys.argv[3:])
    use(path, control)
    with closing(SqliteReads(path)) as reader:
        expected = tell(reader)
    tried = 0
    while True:
        shutil.rmtree(folder)
        folder.mkdir()
        control.fail(number, error, times=times, kinds=Kind(kinds))
        use(path, control)
        if not control.failed:
            break
        control.heal()
        with closing(SqliteReads(path)) as reader:
            assert tell(reader) == expected
        tried += 1
        number += step
    print(tried)


if __name__ == "__main__":
    main()
