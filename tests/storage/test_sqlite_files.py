"""The files of a database: migrated, copied, locked against other servers, and never moved or replaced."""

import os
import shutil
import sqlite3
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from golfnet.storage import sqlite, sqlite_files
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.sqlite_files import SqliteReads, back_up, check_version, migrate, steps, write_copy
from golfnet.storage.writes import AppendEvent, OpenTable, PlayerKind, PlayerRow, SavePlayer, Token
from tests.e2e.service import printed
from tests.storage.conftest import refused
from tests.storage.rows import player

ROOT = Path(__file__).parents[2]
FILES = ("golf.db", "golf.db-wal", "golf.db-shm")


@pytest.fixture(autouse=True)
def check_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "CHECK_SECONDS", 0.0)


def opened(path: Path) -> SqliteStore:
    """Return a store with a table and one event."""
    store = SqliteStore(path)
    store.write([OpenTable("t1", b""), AppendEvent("t1", 1, b"one")])
    return store


def append(store: SqliteStore, seq: int) -> None:
    store.write([AppendEvent("t1", seq, b"x")])


def seqs(reads: SqliteReads) -> list[int]:
    return [seq for log in reads.tables() for seq, _ in log.events]


def stored(path: Path) -> list[int]:
    """Return the numbers of the events that a server finds when it starts."""
    with closing(SqliteStore(path)) as store:
        return seqs(store)


def refusal(store: SqliteStore, seq: int = 2) -> StoreError:
    """Check that a write and a probe are refused, and return the error."""
    with pytest.raises(StoreError) as caught:
        append(store, seq)
    with pytest.raises(StoreError) as probed:
        store.probe()
    assert caught.value.reason is probed.value.reason is StoreReason.MISSING
    return caught.value


def elsewhere(code: str, path: Path) -> str:
    """Run a program in a separate process and return what it prints."""
    return printed(sys.executable, "-c", textwrap.dedent(code), str(path), cwd=ROOT)


# Files that disappear while a server is running.


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("how", ["moved", "replaced"])
def test_nothing_is_stored_while_a_file_is_moved_or_replaced(path: Path, name: str, how: str) -> None:
    store = opened(path)
    file, away = path.with_name(name), path.with_name("away")
    file.rename(away)
    if how == "replaced":
        shutil.copy(away, file)
    error = refusal(store)
    assert str(file) in error.sentence
    assert file.exists() is (how == "replaced")
    assert seqs(store) == [1]
    away.replace(file)
    store.probe()
    append(store, 2)
    store.close()
    assert stored(path) == [1, 2]


def test_a_reopened_connection_creates_no_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_files, "BUSY_SECONDS", 0.05)
    store = opened(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError):
        append(store, 2)  # makes the store reopen the file
    other.close()
    path.rename(path.with_name("elsewhere.db"))
    refusal(store)
    assert not path.exists()
    store.close()


def test_a_database_changed_while_it_was_moved_away_is_refused(path: Path) -> None:
    store = opened(path)
    away = path.with_name("away")
    path.rename(away)
    refusal(store)
    with away.open("r+b") as file:
        file.write(b"SQLite format 3\0")
    os.utime(away, ns=(1, 1))
    away.rename(path)
    assert "changed" in refusal(store).sentence
    store.close()


@pytest.mark.parametrize("names", [FILES, FILES[:1]])
def test_a_whole_copy_of_a_deleted_database_is_saved(path: Path, names: tuple[str, ...]) -> None:
    store = opened(path)
    for name in names:
        path.with_name(name).unlink()
    with pytest.raises(StoreError):
        append(store, 2)
    assert not list(path.parent.glob("*rescued*")), "waiting callers are told first"
    copy = path.with_name("golf.db.rescued")
    for _ in range(3):
        assert str(copy) in refusal(store).sentence
    assert [found.name for found in path.parent.glob("*rescued*")] == [copy.name]
    assert copy.stat().st_mode & 0o777 == 0o600
    store.close()
    path.with_name("golf.db-wal").unlink(missing_ok=True)
    path.with_name("golf.db-shm").unlink(missing_ok=True)
    copy.rename(path)
    with closing(SqliteStore(path)) as store:
        assert seqs(store) == [1]
        append(store, 2)


def test_saving_a_copy_is_retried(path: Path) -> None:
    store = opened(path)
    shutil.rmtree(path.parent)
    with pytest.raises(StoreError):
        append(store, 2)
    assert "Do not stop it" in refusal(store).sentence
    path.parent.mkdir()
    path.with_name("golf.db.rescued").write_bytes(b"an older one")
    assert str(path.with_name("golf.db.rescued1")) in refusal(store).sentence
    assert {file.name for file in path.parent.iterdir()} == {"golf.db.rescued", "golf.db.rescued1"}
    store.close()
    assert stored(path.with_name("golf.db.rescued1")) == [1]


@pytest.mark.parametrize("name", FILES[1:])
def test_a_graceful_stop_writes_a_deleted_log_into_the_database(path: Path, name: str) -> None:
    store = opened(path)
    for seq in range(2, 100):
        append(store, seq)
    path.with_name(name).unlink()
    assert "TERM" in refusal(store, 100).sentence
    store.close()
    assert stored(path) == list(range(1, 100))


@pytest.mark.parametrize("size", [0, 32, -4120, -1])
def test_a_truncated_log_does_not_damage_the_database(path: Path, size: int) -> None:
    store = opened(path)
    move_log(store)
    for seq in range(2, 30):
        append(store, seq)
    log = Path(f"{path}-wal")
    os.truncate(log, size % log.stat().st_size)
    with refused(StoreReason.DAMAGED, str(log)):
        append(store, 30)
    store.close()
    kept = stored(path)
    assert kept == list(range(1, len(kept) + 1))


def test_a_log_truncated_between_two_writes_is_noticed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next write would restore the log's length, with a hole in it."""
    monkeypatch.setattr(sqlite, "CHECK_SECONDS", 1000.0)
    store = opened(path)
    append(store, 2)
    os.truncate(f"{path}-wal", 0)
    for _ in range(2):
        with refused(StoreReason.DAMAGED):
            append(store, 3)
    store.close()


@pytest.mark.parametrize("mode", ["PASSIVE", "RESTART", "TRUNCATE"])
def test_other_programs_may_checkpoint_the_log(path: Path, mode: str) -> None:
    store = opened(path)
    for seq in range(2, 30):
        append(store, seq)
        if seq % 7 == 0:
            with closing(sqlite3.connect(path)) as other:
                other.execute(f"PRAGMA wal_checkpoint({mode})")
    store.close()
    assert stored(path) == list(range(1, 30))


# One server per file, whatever its name.

SECOND = """
    import sys
    from pathlib import Path
    from golfnet.storage.faults import StoreError
    from golfnet.storage.sqlite import SqliteStore
    try:
        SqliteStore(Path(sys.argv[1])).close()
    except StoreError as error:
        print(error.reason)
    else:
        print("opened")
    """

TAKE_LOG = """
    import sqlite3, sys
    other = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
    try:
        print(other.execute("PRAGMA journal_mode = DELETE").fetchone()[0])
    except sqlite3.OperationalError as error:
        print(error)
    """
"""Deletes the log if SQLite believes that no other process has the database open."""


@pytest.mark.skipif(sys.platform != "linux", reason="needs open file description locks")
@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_another_name_for_the_file_does_not_avoid_the_lock(path: Path, link: str) -> None:
    store = opened(path)
    other = path.with_name("other.db")
    getattr(other, link)(path)
    assert elsewhere(SECOND, other) == "unusable\n"
    append(store, 2)
    store.close()
    assert elsewhere(SECOND, other) == "opened\n"


def test_other_attempts_to_open_the_file_release_none_of_sqlites_locks(path: Path) -> None:
    store = opened(path)
    elsewhere(SECOND, path)
    with pytest.raises(StoreError):
        SqliteStore(path)
    store.inspect()
    assert elsewhere(TAKE_LOG, path) == "database is locked\n"
    append(store, 2)
    store.close()
    assert elsewhere(TAKE_LOG, path) == "delete\n"


# Starts that would lose data.


@pytest.mark.parametrize("is_empty", [False, True])
@pytest.mark.parametrize("traces", [(".lock",), ("-wal",), (".lock", "-wal", "-shm")])
def test_a_start_is_refused_if_the_earlier_database_is_missing(
    path: Path, traces: tuple[str, ...], is_empty: bool
) -> None:
    store = opened(path)
    saved = path.with_name("saved.db")
    for suffix in ("", "-wal", "-shm"):
        shutil.copy(f"{path}{suffix}", f"{saved}{suffix}")
    store.close()
    shutil.copy(f"{path}.lock", f"{saved}.lock")
    for suffix in {"", "-wal", "-shm", ".lock"} - set(traces):
        Path(f"{saved}{suffix}").unlink()
    if is_empty:
        saved.touch()
    with refused(StoreReason.MISSING, f"remove {saved}.lock and {saved}-wal"):
        SqliteStore(saved)
    assert [file.stat().st_size for file in saved.parent.glob("saved.db")] == [0] * is_empty
    assert all(Path(f"{saved}{suffix}").exists() for suffix in traces)
    Path(f"{saved}.lock").unlink()
    Path(f"{saved}-wal").unlink(missing_ok=True)
    SqliteStore(saved).close()


def test_a_file_that_replaced_the_database_is_not_opened_with_the_old_log(path: Path) -> None:
    store = opened(path)
    copy = path.with_name("copy.db")
    path.with_name("copy.db.part").write_bytes(b"what an interrupted backup has left")
    write_copy(store._reader, copy)
    append(store, 2)
    log = Path(f"{path}-wal")
    replaced = log.read_bytes()
    store.close()
    copy.replace(path)
    log.write_bytes(replaced)
    before = path.read_bytes()
    for use in (SqliteStore, SqliteReads, lambda path: back_up(path, copy)):
        with refused(StoreReason.UNUSABLE, str(log)):
            use(path)
        assert (path.read_bytes(), log.read_bytes()) == (before, replaced)
    log.unlink()
    assert stored(path) == [1]


@pytest.mark.parametrize("log", [None, b""])
def test_a_database_whose_whole_content_was_in_a_lost_log_is_refused(path: Path, log: bytes | None) -> None:
    store = opened(path)
    lost = path.with_name("lost.db")
    shutil.copy(path, lost)
    store.close()
    shutil.copy(f"{path}.lock", f"{lost}.lock")
    if log is not None:
        Path(f"{lost}-wal").write_bytes(log)
    for use in (SqliteStore, SqliteReads, lambda path: back_up(path, path.with_name("copy.db"))):
        with refused(StoreReason.DAMAGED, "is empty"):
            use(lost)


def test_the_log_of_an_emptied_database_is_kept(path: Path) -> None:
    store = opened(path)
    os.truncate(path, 0)
    uses = (store.probe, store.inspect, lambda: append(store, 2))
    others = (lambda: SqliteReads(path), lambda: back_up(path, path.with_name("copy.db")))
    for use in (*uses, *others):
        with refused(StoreReason.DAMAGED, "is empty", f"{path}-wal"):
            use()
    store.close()
    assert stored(path) == [1]


def filled(path: Path) -> SqliteStore:
    """Return a store with some 300 KiB in its database."""
    store = opened(path)
    store.write([AppendEvent("t1", seq, b"x" * 100) for seq in range(2, 3001)])
    move_log(store)
    return store


def move_log(store: SqliteStore) -> None:
    """Move the contents of the log into the database, as SQLite does from time to time."""
    store._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]


@pytest.mark.parametrize("filler", [b"\xff", b"\0"])
def test_an_inspection_finds_overwritten_pages_and_a_missing_file(path: Path, filler: bytes) -> None:
    with closing(filled(path)) as store:
        store.inspect()
        with path.open("r+b") as file:
            file.seek(path.stat().st_size // 2)
            file.write(filler * 8192)
        with refused(StoreReason.DAMAGED, str(path)):
            store.inspect()
        path.unlink()
        with refused(StoreReason.MISSING):
            store.inspect()
        assert not path.exists()


def test_an_inspection_delays_no_write_and_ends_at_close(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(path)
    monkeypatch.setattr(sqlite_files, "_STEP", 10)
    monkeypatch.setattr(sqlite_files, "SHARE", 1e-9)
    monkeypatch.setattr(sqlite_files, "LONGEST_PAUSE", 600.0)
    naps = threading.Semaphore(0)
    stopped = store._scan._stopped
    wait = stopped.wait

    def pause(seconds: float | None = None) -> bool:
        naps.release()
        return wait(seconds)

    monkeypatch.setattr(stopped, "wait", pause)
    looking = threading.Thread(target=store.inspect)
    looking.start()
    assert naps.acquire(timeout=60)  # the inspection pauses in the middle of the file
    store.write([AppendEvent("t1", 3001, b"x")])
    assert looking.is_alive()
    store.close()
    looking.join(60)
    assert not looking.is_alive()
    store.inspect()  # does nothing once the store is closed


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def test_a_step_that_fails_leaves_the_database_as_it_was(connection: sqlite3.Connection, path: Path) -> None:
    migrate(connection, path, steps()[:1])
    before = connection.execute("SELECT sql FROM sqlite_schema").fetchall()
    with pytest.raises(sqlite3.Error):
        migrate(connection, path, (*steps()[:3], "INSERT INTO nowhere VALUES (1);"))
    assert not connection.in_transaction
    assert check_version(connection, path) == 1
    assert connection.execute("SELECT sql FROM sqlite_schema").fetchall() == before
    for _ in range(2):
        migrate(connection, path, steps()[:3])
        assert check_version(connection, path) == 3


def test_seats_and_tokens_of_the_first_schema_are_read(connection: sqlite3.Connection, path: Path) -> None:
    """The first schema stored a seat that a player had left to a bot as a bot's seat, and one token for each player."""
    names = ("Ann", "easy-bot", "hard-bot-2", "easy-botany", "my-bot")
    migrate(connection, path, steps()[:1])
    connection.execute("INSERT INTO match VALUES (1, 1, 1, 'cactus', x'7B7D', 1, 2, 1, 1, x'')")
    rows = [(number, None, name, "bot") for number, name in enumerate(names)]
    connection.executemany(
        "INSERT INTO match_seat VALUES (1, ?, ?, ?, ?, 9, 3)", [*rows, (len(rows), 1, "Eve", "guest")]
    )
    connection.execute(
        "INSERT INTO player (number, name, skeleton, kind, password_hash, token_hash, created, seen)"
        " VALUES (7, 'Ann', 'ann', 'account', 'hash', x'beef', 10.5, 20.5), (8, 'Bot', 'bot', 'bot', NULL, NULL, 1, 2)"
    )
    connection.execute("UPDATE counter SET last = 8 WHERE kind = 'p'")
    connection.close()
    with refused(StoreReason.UNUSABLE, "older golfnet"):
        SqliteReads(path)
    with closing(SqliteStore(path)) as store:
        kept = store.match("m1")
        assert kept is not None
        assert [each.kind for each in kept.seats] == ["house", "bot", "bot", "house", "house", "guest"]
        assert [each.ending for each in kept.seats] == ["left", "played", "played", "left", "left", "played"]
        assert {each.rank for each in kept.seats} == {3}
        ann, bot = store.player_by_token(b"\xbe\xef"), store.player("p8")
        assert ann == store.player_by_name("Ann") == PlayerRow(
            id="p7", name="Ann", skeleton="ann", kind=PlayerKind.ACCOUNT, password_hash="hash",
            tokens=(Token(hash=b"\xbe\xef", issued=10.5, used=20.5, origin=""),), created=10.5, seen=20.5,
        )  # fmt: skip
        assert bot is not None
        assert bot.tokens == ()
        changed = replace(ann, settings=b'{"style":"speech"}')
        store.write([SavePlayer(player(9, "Ben", tokens=(b"new",))), SavePlayer(changed)])
        assert store.player_by_token(b"\xbe\xef") == changed


def test_a_copy_that_fails_leaves_no_file(connection: sqlite3.Connection, path: Path) -> None:
    connection.close()
    with pytest.raises(sqlite3.Error):
        write_copy(connection, path.with_name("copy.db"))
    assert not list(path.parent.glob("copy*"))
