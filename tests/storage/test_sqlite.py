"""A store in a file, and one in memory, which deletes old matches, so that its server does not grow without limit."""

import errno
import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from golfnet.storage import results, sqlite, sqlite_files
from golfnet.storage.faults import StoreReason
from golfnet.storage.sqlite import MemoryStore, SqliteStore
from golfnet.storage.sqlite_files import SqliteReads
from golfnet.storage.store import IdKind
from golfnet.storage.writes import AppendEvent, FinishMatch, MatchResult, OpenTable, SavePlayer
from tests.storage.conftest import refused
from tests.storage.rows import ACCOUNT, match, player, rating, seat

# Files.


def test_only_the_owner_can_access_the_files(path: Path) -> None:
    old = os.umask(0o022)
    try:
        store = SqliteStore(path)
        store.write([OpenTable("t1", b"")])
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        store.close()
    finally:
        os.umask(old)
    path.chmod(0o644)
    SqliteStore(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert modes == dict.fromkeys(("golf.db", "golf.db-wal", "golf.db-shm", "golf.db.lock"), 0o600)
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1)])
def test_sqlite_waits_for_the_disk_as_configured(path: Path, durability: str, level: int) -> None:
    with closing(SqliteStore(path, durability)) as store:
        assert store._writer is not None
        assert store._writer.execute("PRAGMA synchronous").fetchone() == (level,)


def test_a_path_may_contain_any_character(tmp_path: Path) -> None:
    path = tmp_path / "a?b#c%20 ö.db"
    store = SqliteStore(path)
    store.write([OpenTable("t1", b"")])
    store.close()
    assert path.exists()
    with closing(SqliteReads(path)) as reads:
        assert reads.numbers()[IdKind.TABLE] == 2


def test_a_failed_start_leaves_the_file_free(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all, but long enough to look like one" * 50)
    with refused(StoreReason.DAMAGED, str(path)):
        SqliteStore(path)
    path.unlink()
    SqliteStore(path).close()


# Files that are not golfnet databases.


@pytest.mark.parametrize("opens", [SqliteStore, SqliteReads])
@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("CREATE TABLE mail (text)", "another program"),
        ("PRAGMA application_id = 1196379206; PRAGMA user_version = 99", "schema 99"),
    ],
)
def test_a_database_of_another_program_or_a_newer_golfnet_is_left_alone(
    path: Path, opens: type[SqliteReads], sql: str, words: str
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.executescript(sql)
    before = path.read_bytes()
    with refused(StoreReason.UNUSABLE, words, str(path)):
        opens(path)
    assert path.read_bytes() == before


def test_only_a_server_creates_a_missing_file(path: Path) -> None:
    with refused(StoreReason.UNREACHABLE, str(path)):
        SqliteReads(path)
    assert not path.exists()


@pytest.fixture
def read_only() -> Iterator[Path]:
    """Yield a closed database that can be read but not written, in a read-only directory."""
    with tempfile.TemporaryDirectory() as directory:  # reachable by other users, unlike pytest's directories
        path = Path(directory, "db", "golf.db")
        store = SqliteStore(path)
        store.write([SavePlayer(player(1))])
        store.close()
        path.with_name("golf.db.lock").unlink()
        Path(directory).chmod(0o755)
        path.chmod(0o444)
        path.parent.chmod(0o555)
        superuser = os.geteuid() == 0
        if superuser:
            os.seteuid(65534)  # the user nobody, since the superuser may write everywhere
        yield path
        if superuser:
            os.seteuid(0)
        path.parent.chmod(0o755)


def test_a_database_in_a_read_only_directory_can_be_read_but_not_served(read_only: Path) -> None:
    access = f"write access to the file and to {read_only.parent}"
    with refused(StoreReason.READ_ONLY, access, str(read_only)):
        SqliteStore(read_only)
    with closing(SqliteReads(read_only)) as reads:
        assert reads.player("p1") == player(1)
        reads.inspect()


def test_a_file_in_place_of_the_folder_is_an_error(path: Path) -> None:
    path.parent.touch()
    with refused(StoreReason.UNREACHABLE, str(path)):
        SqliteStore(path)


# Damage.


@pytest.mark.parametrize("is_truncated", [False, True])
def test_damage_is_found_when_a_server_starts(path: Path, is_truncated: bool) -> None:
    with closing(SqliteStore(path)) as store:
        store.write(
            [OpenTable("t1", b"row"), *[AppendEvent("t1", seq, b"x" * 100) for seq in range(1, 2001)]]
        )
    middle = path.stat().st_size // 2
    with path.open("r+b") as file:
        file.seek(middle)
        file.write(b"\xff" * 8192)
        if is_truncated:
            file.truncate(middle)
    with refused(StoreReason.DAMAGED, ".recover", str(path)):
        SqliteStore(path)


# Failures while running.


@pytest.mark.parametrize(
    "error",
    [MemoryError(), OSError(errno.EMFILE, "Too many open files"), ImportError("failed to map segment")],
)
def test_a_process_out_of_memory_or_file_descriptors_refuses_a_write_and_continues(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """The rating library is loaded when the first rated match ends, and that may fail."""

    def fail() -> None:
        raise error

    store = SqliteStore(path)
    with monkeypatch.context() as patch:
        patch.setattr(results, "rating_model", fail)
        with refused(StoreReason.FULL, str(path)):
            store.write([OpenTable("t1", b""), FinishMatch(match(1), b"line\n")])
        assert not list(store.tables())
    store.write([OpenTable("t1", b""), FinishMatch(match(1), b"line\n")])
    assert list(store.match_ids()) == ["m1"]
    store.close()


def test_another_programs_lock_is_reported_after_a_while(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_files, "BUSY_SECONDS", 0.05)
    store = SqliteStore(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with refused(StoreReason.UNUSABLE):
            store.write([OpenTable("t1", b"")])
    store.write([OpenTable("t1", b"")])
    store.close()


def test_a_record_that_cannot_be_unpacked_is_reported_as_damage(path: Path) -> None:
    store = SqliteStore(path)
    store.write([FinishMatch(match(1), b"line\n")])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("UPDATE match SET record = x'00'")
    with refused(StoreReason.DAMAGED):
        store.record("m1")
    store.close()


def finish(result: MatchResult, size: int = 10) -> FinishMatch:
    """Return a match whose record is random and so takes slightly more than ``size`` bytes when compressed."""
    return FinishMatch(result, random.Random(size).randbytes(size))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    monkeypatch.setattr(sqlite, "MATCHES_KEPT", 5)
    monkeypatch.setattr(sqlite, "RECORD_BYTES_KEPT", 1000)
    return MemoryStore()


def test_only_the_last_matches_are_kept_but_all_count_for_ratings(store: MemoryStore) -> None:
    for number in range(1, 9):
        store.write([finish(match(number, seat(1, 1), seat(2, 2)))])
        assert list(store.match_ids())[-1] == f"m{number}"
    assert list(store.match_ids()) == ["m4", "m5", "m6", "m7", "m8"]
    assert (store.match("m3"), store.record("m3")) == (None, None)
    assert store.record("m4") is not None
    assert store.numbers()[IdKind.MATCH] == 9
    found = rating(store, "p1", "six-card", ACCOUNT)
    assert found is not None
    assert (found.matches, found.wins) == (8, 8)


def test_long_records_leave_room_for_fewer_matches(store: MemoryStore) -> None:
    store.write([finish(match(number), 300) for number in range(1, 5)])
    assert list(store.match_ids()) == ["m2", "m3", "m4"]
    store.write([finish(match(5), 980)])
    assert list(store.match_ids()) == ["m5"]
    store.write([finish(match(6), 1000)])
    assert list(store.match_ids()) == []
    store.write([finish(match(7))])
    assert list(store.match_ids()) == ["m7"]
