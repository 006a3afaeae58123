import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from golfnet.storage.faults import StoreReason
from golfnet.storage.sqlite import SqliteStore
from golfnet.storage.sqlite_files import SqliteReads, check_version, migrate, steps, write_copy
from golfnet.storage.writes import PlayerKind, PlayerRow, SavePlayer, Token
from tests.storage.conftest import refused
from tests.storage.rows import player


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def test_a_step_that_fails_leaves_the_database_as_it_was(connection: sqlite3.Connection, path: Path) -> None:
    migrate(connection, path, steps()[:2])
    with pytest.raises(sqlite3.Error):
        migrate(connection, path, (*steps()[:2], "CREATE TABLE c (x); INSERT INTO nowhere VALUES (1);"))
    assert not connection.in_transaction
    assert check_version(connection, path) == 2
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'c'").fetchone() == (0,)
    for _ in range(2):
        migrate(connection, path, steps()[:3])
        assert check_version(connection, path) == 3


def test_seats_and_tokens_stored_under_the_first_schema_are_read_correctly(
    connection: sqlite3.Connection, path: Path
) -> None:
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
