"""A server brings the schema up to date once, completely or not at all."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from golfnet.storage.faults import StoreReason
from golfnet.storage.postgres.connections import PostgresReads, connect, migrate, steps
from golfnet.storage.postgres.store import PostgresStore
from tests.postgres import PostgresServer
from tests.storage.conftest import refused

STEPS = (
    "CREATE TABLE one (a integer)",
    "ALTER TABLE one ADD b integer NOT NULL DEFAULT 0",
    "INSERT INTO one VALUES (1)",
)


def migrated(url: str, known: tuple[str, ...]) -> None:
    with connect(url) as connection:
        migrate(connection, "it", known)


def test_missing_steps_are_applied_in_order_and_once_or_not_at_all(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    migrated(url, STEPS[:1])
    with pytest.raises(psycopg.Error):
        migrated(url, (*STEPS, "INSERT INTO nothing VALUES (1)"))
    assert postgres.execute("SELECT version FROM golfnet_schema", url) == [(1,)]
    for _ in range(2):
        migrated(url, STEPS)
    assert postgres.execute("SELECT a, b FROM one", url) == [(1, 0)]
    assert postgres.execute("SELECT version FROM golfnet_schema", url) == [(3,)]


def test_when_servers_start_together_one_migrates_and_the_others_wait(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    with ThreadPoolExecutor() as servers:
        list(servers.map(migrated, [url] * 3, [STEPS] * 3))
    assert postgres.execute("SELECT a, b FROM one", url) == [(1, 0)]


def test_a_schema_of_another_version_is_refused(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    with refused(StoreReason.UNUSABLE):
        PostgresReads(url)
    PostgresStore(url).close()
    postgres.execute("UPDATE golfnet_schema SET version = 0", url)
    with refused(StoreReason.UNUSABLE):  # only a server brings it up to date
        PostgresReads(url)
    postgres.execute("UPDATE golfnet_schema SET version = 99", url)
    for opened in (PostgresStore, PostgresReads):
        with refused(StoreReason.UNUSABLE, "schema 99"):
            opened(url)


def test_tables_of_another_program_are_left_alone(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    postgres.execute("CREATE TABLE player (id integer)", url)
    with refused(StoreReason.UNUSABLE):
        PostgresStore(url)
    assert postgres.execute("SELECT to_regclass('golfnet_schema') IS NULL", url) == [(True,)]


def test_a_user_who_may_not_create_tables_can_serve_an_existing_schema(postgres: PostgresServer) -> None:
    schema = postgres.new_schema()
    PostgresStore(postgres.url(schema)).close()
    postgres.execute("CREATE ROLE plain LOGIN")
    postgres.execute(f"GRANT USAGE ON SCHEMA {schema} TO plain")
    postgres.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO plain")
    with closing(PostgresStore(postgres.url(schema, user="plain"))) as store:
        store.write([])


def test_seats_stored_by_a_node_of_the_previous_version_are_found(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    migrated(url, steps()[:3])
    for sql in (
        "INSERT INTO node (name, link, version) VALUES ('old', '', '0')",
        "INSERT INTO live (number, owner, row, aside) VALUES (1, 1, '', NULL), (2, 1, '', NULL), (3, 1, '', 'broken')",
        "INSERT INTO stay (player, number, node, live) VALUES (7, 1, 1, 1), (8, 2, 1, NULL), (9, 3, 1, 3)",
    ):
        postgres.execute(sql, url)
    migrated(url, steps()[:4])

    def seats() -> list[tuple[int, int]]:
        return postgres.execute("SELECT player, live FROM seat ORDER BY player", url)

    assert seats() == [(7, 1)]
    postgres.execute("UPDATE stay SET live = 2 WHERE player IN (7, 8)", url)
    assert seats() == [(7, 2), (8, 2)]
    postgres.execute("UPDATE stay SET live = CASE WHEN player = 7 THEN NULL ELSE 5 END", url)
    assert seats() == []
