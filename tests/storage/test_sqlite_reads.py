from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from golfnet.storage import sqlite_reads
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.sqlite_reads import SqliteReads, check_version, migrate, steps
from golfnet.storage.writes import OpenTable, SavePlayer, Token
from tests.storage.rows import player

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OLD = ("CREATE TABLE a (x);", "CREATE TABLE b (x); INSERT INTO b VALUES (2);")
NEW = (*OLD, "CREATE TABLE c (x); INSERT INTO c SELECT x + 1 FROM b;")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "golf.db"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def test_missing_steps_are_applied_once_to_an_old_database(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, OLD)
    connection.execute("UPDATE b SET x = 10")
    migrate(connection, path, NEW)
    migrate(connection, path, NEW)
    assert connection.execute("SELECT x FROM c").fetchall() == [(11,)]


def test_a_step_that_fails_leaves_the_database_as_it_was(connection: sqlite3.Connection, path: Path) -> None:
    migrate(connection, path, OLD)
    with pytest.raises(sqlite3.Error):
        migrate(connection, path, (*OLD, "CREATE TABLE c (x); INSERT INTO nowhere VALUES (1);"))
    assert not connection.in_transaction
    assert check_version(connection, path, 3) == 2
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'c'").fetchone() == (0,)
    migrate(connection, path, NEW)
    assert check_version(connection, path, 3) == 3


def test_seats_left_to_a_bot_are_distinct_from_bots(path: Path) -> None:
    """Schema step 1 stored both as bots; real bots have names that no player can have."""
    names = ("Ann", "easy-bot", "hard-bot-2", "easy-botany", "my-bot")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, steps()[:1])
        connection.execute("INSERT INTO match VALUES (1, 1, 1, 'cactus', x'7B7D', 1, 2, 1, 1, x'')")
        rows = [(number, None, name, "bot") for number, name in enumerate(names)]
        connection.executemany(
            "INSERT INTO match_seat VALUES (1, ?, ?, ?, ?, 9, 3)", [*rows, (len(rows), 1, "Eve", "guest")]
        )
    store = SqliteStore(path)
    kept = store.match("m1")
    store.close()
    assert kept is not None
    assert [each.kind for each in kept.seats] == ["house", "bot", "bot", "house", "house", "guest"]
    assert [each.ending for each in kept.seats] == ["left", "played", "played", "left", "left", "played"]
    assert {each.rank for each in kept.seats} == {3}


def test_a_players_single_token_becomes_the_first_of_several(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, steps()[:2])
    connection.execute(
        "INSERT INTO player (number, name, skeleton, kind, password_hash, token_hash, created, seen)"
        " VALUES (7, 'Ann', 'ann', 'account', 'hash', x'beef', 10.5, 20.5), (8, 'Bot', 'bot', 'bot', NULL, NULL, 1, 2)"
    )
    connection.execute("UPDATE counter SET last = 8 WHERE kind = 'p'")
    connection.close()
    with closing(SqliteStore(path)) as store:
        ann, bot = store.player_by_token(b"\xbe\xef"), store.player("p8")
        assert (ann, bot and bot.tokens) == (store.player_by_name("Ann"), ())
        assert ann is not None
        assert ann.tokens == (Token(hash=b"\xbe\xef", issued=10.5, used=20.5, origin=""),)
        assert (ann.id, ann.kind, ann.password_hash, ann.created, ann.seen) == (
            "p7",
            "account",
            "hash",
            10.5,
            20.5,
        )
        store.write([SavePlayer(player(9, "Ben", tokens=(b"new",)))])


def test_migrated_players_have_no_settings_and_no_claimed_name(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, steps()[:4])
    connection.execute(
        "INSERT INTO player (number, name, skeleton, kind, password_hash, created, seen)"
        " VALUES (7, 'Ann', 'ann', 'guest', NULL, 10.5, 20.5)"
    )
    connection.execute("INSERT INTO token VALUES (x'beef', 7, 0, 10.5, 15.5, '192.0.2.7')")
    connection.execute("UPDATE counter SET last = 7 WHERE kind = 'p'")
    connection.close()
    with closing(SqliteStore(path)) as store:
        ann = store.player("p7")
        assert ann is not None
        assert (ann.settings, [token.claimed for token in ann.tokens]) == (b"", [0.0])
        changed = replace(ann, settings=b'{"style":"speech"}')
        store.write([SavePlayer(changed)])
        assert store.player_by_token(b"\xbe\xef") == changed


def test_a_store_brings_an_old_database_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(path)
    store.write([OpenTable("t1", b"row"), SavePlayer(player(1))])
    store.close()
    newer = (*steps(), "ALTER TABLE player ADD COLUMN shoes INTEGER NOT NULL DEFAULT 42;")
    monkeypatch.setattr(sqlite_reads, "steps", lambda: newer)
    monkeypatch.setattr("golfnet.storage.sqlite_reads.steps", lambda: newer)

    with pytest.raises(StoreError, match="older golfnet") as caught:
        SqliteReads(path)
    assert caught.value.reason is StoreReason.OLDER

    store = SqliteStore(path)
    assert store.player("p1") == player(1)
    assert [log.row for log in store.tables()] == [b"row"]
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT shoes FROM player").fetchall() == [(42,)]
