"""Damage is found while a server runs, and writers do not wait for the scan."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from golfnet.storage import damage_scan as inspection
from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.writes import AppendEvent, OpenTable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def filled(path: Path) -> SqliteStore:
    store = SqliteStore(path)
    store.write([OpenTable("t1", b"row")])
    for start in range(1, 3000, 100):
        store.write([AppendEvent("t1", seq, b"x" * 100) for seq in range(start, start + 100)])
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(filled(tmp_path / "golf.db")) as store:
        yield store


def move_log(store: SqliteStore) -> None:
    """Write what the log holds into the database, as SQLite does from time to time."""
    store._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]


def found(store: SqliteStore) -> StoreError:
    with pytest.raises(StoreError) as caught:
        store.inspect()
    return caught.value


def test_an_undamaged_database_raises_nothing(store: SqliteStore) -> None:
    store.inspect()
    move_log(store)
    store.inspect()


@pytest.mark.parametrize("filler", [b"\xff", b"\0"])
def test_pages_that_were_overwritten_are_found_while_it_runs(store: SqliteStore, filler: bytes) -> None:
    move_log(store)
    with store.path.open("r+b") as file:
        file.seek(store.path.stat().st_size // 2)
        file.write(filler * 8192)
    error = found(store)
    assert error.reason is StoreReason.DAMAGED
    assert str(store.path) in error.sentence


def test_a_missing_file_is_an_error(store: SqliteStore) -> None:
    store.path.unlink()
    assert found(store).reason is StoreReason.MISSING
    assert not store.path.exists()


def test_writing_does_not_wait_for_it_and_closing_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path / "golf.db")
    monkeypatch.setattr(inspection, "_STEP", 10)
    monkeypatch.setattr(inspection, "SHARE", 1e-9)
    monkeypatch.setattr(inspection, "LONGEST_PAUSE", 600.0)
    naps = threading.Semaphore(0)
    stopped = store._scan._stopped
    wait = stopped.wait

    def pause(seconds: float | None = None) -> bool:
        naps.release()
        return wait(seconds)

    monkeypatch.setattr(stopped, "wait", pause)
    looking = threading.Thread(target=store.inspect)
    looking.start()
    assert naps.acquire(timeout=60)  # in the middle of the file, and asleep
    store.write([AppendEvent("t1", 3001, b"x")])
    assert looking.is_alive()
    store.close()
    looking.join(60)
    assert not looking.is_alive()
    store.inspect()  # does nothing any more
