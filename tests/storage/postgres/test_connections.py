"""A database that cannot keep golfnet's guarantees is refused; the error says what is wrong and what to do."""

from types import SimpleNamespace
from typing import Any

import pytest

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.connections import check_engine, connect, shown
from golfnet.storage.postgres.store import PostgresStore
from tests.postgres import PostgresServer
from tests.storage.conftest import refused

GOOD: dict[str, Any] = {
    "version": 130_000,
    "fsync": "on",
    "commit": "on",
    "standbys": "",
    "isolation": "read committed",
    "read_only": "off",
    "standby": False,
    "encoding": "UTF8",
    "pid": 7,
    "schema": "public",
}


def check(**settings: object) -> None:
    """Check a database that has the given settings and is otherwise safe."""
    answer = SimpleNamespace(fetchone=lambda: tuple((GOOD | settings).values()))
    connection: Any = SimpleNamespace(run=lambda _: answer, info=SimpleNamespace(backend_pid=7))
    check_engine(connection, "postgresql://golf@db/golf")


@pytest.mark.parametrize(
    "settings", [{}, {"commit": "remote_apply"}, {"commit": "local"}, {"version": 180_001}], ids=str
)
def test_a_safe_database_is_accepted(settings: dict[str, Any]) -> None:
    check(**settings)


@pytest.mark.parametrize(
    ("settings", "reason", "words"),
    [
        ({"version": 120_022}, StoreReason.UNUSABLE, "is PostgreSQL 12; golfnet needs 13"),
        ({"fsync": "off"}, StoreReason.UNUSABLE, "Set fsync = on"),
        ({"commit": "local", "standbys": "b"}, StoreReason.UNUSABLE, "synchronous_commit = local"),
        ({"standby": True, "read_only": "on"}, StoreReason.READ_ONLY, "is a standby"),
        ({"encoding": "SQL_ASCII"}, StoreReason.UNUSABLE, "the encoding SQL_ASCII"),
        ({"pid": 8}, StoreReason.UNUSABLE, "pooler"),
    ],
    ids=str,
)
def test_an_unsafe_server_is_refused(settings: dict[str, Any], reason: StoreReason, words: str) -> None:
    with refused(reason, words, "postgresql://golf@db/golf"):
        check(**settings)


@pytest.mark.parametrize(
    ("setting", "reason", "words"),
    [
        ("synchronous_commit%3Doff", StoreReason.UNUSABLE, "synchronous_commit = off"),
        ("default_transaction_isolation%3Dserializable", StoreReason.UNUSABLE, "'read committed'"),
        ("default_transaction_read_only%3Don", StoreReason.READ_ONLY, "read-only for this user"),
        ("search_path%3Dnix", StoreReason.UNUSABLE, "no schema"),
    ],
)
def test_a_database_with_unsafe_settings_is_refused(
    postgres: PostgresServer, setting: str, reason: StoreReason, words: str
) -> None:
    with refused(reason, words):
        PostgresStore(f"{postgres.url()}?options=-c{setting}")


def test_a_user_who_may_not_create_tables_is_told_what_is_missing(postgres: PostgresServer) -> None:
    schema = postgres.new_schema()
    postgres.execute("CREATE ROLE visitor LOGIN")
    postgres.execute(f"GRANT USAGE ON SCHEMA {schema} TO visitor")
    with pytest.raises(StoreError, match="lacks a privilege") as caught:
        PostgresStore(postgres.url(schema, user="visitor"))
    assert "OWNER TO" in caught.value.sentence


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("127.0.0.1:1/golf", "Is it running"),
        ("name.invalid/golf", "Check the host name"),
        ("[half/golf", "is invalid"),
        ("127.0.0.1/golf?nonsense=1", "nonsense"),
        ("127.0.0.1:{port}/none", "Create the database"),
        ("127.0.0.1:{port}/postgres?user=who", "Create the user"),
    ],
)
def test_a_refusal_does_not_show_the_password(postgres: PostgresServer, where: str, words: str) -> None:
    with pytest.raises(StoreError, match=words) as caught:
        connect(f"postgresql://golf:geheim@{where.format(port=postgres.port)}")
    assert caught.value.reason is StoreReason.UNREACHABLE
    assert "geheim" not in caught.value.sentence


def test_a_wrong_password_is_reported(postgres: PostgresServer) -> None:
    postgres.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
    with postgres.asking_for_passwords("locked"):
        url = postgres.url(user="locked").replace("locked@", "locked:geheim@")
        with pytest.raises(StoreError, match="Check the user and the password") as caught:
            connect(url)
        assert "geheim" not in caught.value.sentence
        with pytest.raises(StoreError, match="Give the password"):
            connect(postgres.url(user="locked"))
        connect(url.replace("geheim", "right")).close()


def test_a_url_is_shown_without_password_and_options() -> None:
    url = "postgres://golf:geheim@db.example.org:5433/golfnet?sslmode=require&connect_timeout=9"
    assert shown(url) == "postgresql://golf@db.example.org:5433/golfnet"
    assert shown("postgresql:///golfnet") == "postgresql:///golfnet"
