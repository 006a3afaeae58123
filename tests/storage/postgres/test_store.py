"""Everything is stored once, whatever happens to the connection; and a server declared gone stores nothing."""

import subprocess
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.store import PostgresStore
from golfnet.storage.writes import (
    AppendEvent,
    FinishMatch,
    LoggedEvent,
    OpenTable,
    ReserveMatch,
    SavePlayer,
    SaveTable,
    Write,
)
from tests.postgres import PATIENCE, PostgresServer
from tests.storage.conftest import refused
from tests.storage.postgres.conftest import LEASE, Loss, OpenStore, Proxy, Sql
from tests.storage.rows import match, player

EVENTS: list[Write] = [AppendEvent("t1", 1, b"a"), AppendEvent("t1", 2, b"b")]
MIXED: list[Write] = [*EVENTS, SaveTable("t1", b"changed"), ReserveMatch("m7")]


def events(store: PostgresStore) -> tuple[LoggedEvent, ...]:
    return next(store.tables()).events


def batches(sql: Sql) -> int:
    """Return how many batches the servers have committed."""
    return int(sql("SELECT sum(batch) FROM node")[0][0])


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def until_waiting(sql: Sql, count: int = 1) -> None:
    """Wait until this many connections of servers are waiting for a lock."""
    waiting = (
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name LIKE 'golfnet:%'"
    )
    until(lambda: len(sql(waiting)) == count)


def writing(store: PostgresStore, batch: list[Write]) -> Future[None]:
    """Start a write that may have to wait."""
    return ThreadPoolExecutor(1).submit(store.write, batch)


def lost(write: Future[None]) -> bool:
    """Wait for the end of a write, and return whether the store could not be reached."""
    error = write.exception(PATIENCE)
    return isinstance(error, StoreError) and error.reason is StoreReason.UNREACHABLE


@pytest.mark.parametrize("batch", [EVENTS, MIXED], ids=["events", "mixed"])
@pytest.mark.parametrize("loss", ["request", "answer"])
def test_a_batch_that_is_repeated_after_a_lost_connection_is_stored_once(
    open_store: OpenStore, proxy: Proxy, sql: Sql, loss: Loss, batch: list[Write]
) -> None:
    store = open_store(proxy.url)
    store.write([OpenTable("t1", b"row")])
    proxy.lose(loss, b"COMMIT" if batch is MIXED else b"")
    with refused(StoreReason.UNREACHABLE, "Play continues by itself"):
        store.write(batch)
    assert batches(sql) == (2 if loss == "answer" else 1)
    store.write(batch)
    assert batches(sql) == 2
    assert events(store) == (LoggedEvent(1, b"a"), LoggedEvent(2, b"b"))
    store.write([AppendEvent("t1", 3, b"c")])
    assert batches(sql) == 3


@pytest.mark.parametrize("loss", ["request", "answer"])
def test_no_batch_is_mistaken_for_an_earlier_one(open_store: OpenStore, proxy: Proxy, loss: Loss) -> None:
    store = open_store(proxy.url)
    store.write([OpenTable("t1", b"row")])
    proxy.lose(loss)
    with pytest.raises(StoreError):
        store.probe()
    store.write(EVENTS)
    proxy.lose(loss)
    with refused(StoreReason.UNREACHABLE):
        store.write([AppendEvent("t1", 3, b"c")])
    store.write([AppendEvent("t1", 4, b"d")])
    assert {seq for seq, _ in events(store)} - {3} == {1, 2, 4}


def test_a_batch_that_the_old_connection_is_still_executing_is_stored_once(
    open_store: OpenStore, proxy: Proxy, sql: Sql, url: str
) -> None:
    store = open_store(proxy.url)
    store.write([OpenTable("t1", b"row")])
    with psycopg.connect(url) as in_the_way:
        in_the_way.execute("LOCK TABLE event IN EXCLUSIVE MODE")
        first = writing(store, EVENTS)
        until_waiting(sql)
        proxy.cut()
        assert lost(first)
        proxy.heal()
        again = writing(store, EVENTS)
        until_waiting(sql, 2)
    again.result(PATIENCE)
    assert batches(sql) == 2
    assert len(events(store)) == 2


def test_a_commit_that_did_not_wait_for_its_standby_does_not_count(open_store: OpenStore, sql: Sql) -> None:
    store = open_store()
    store.write([OpenTable("t1", b"row")])

    def waits() -> bool:
        return bool(sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))

    def ask_for_copies(name: str) -> None:
        sql(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        sql("SELECT pg_reload_conf()")
        until(lambda: sql("SHOW synchronous_standby_names") == [(name,)])

    try:
        ask_for_copies("nobody")
        first = writing(store, EVENTS)
        until(waits)
        sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        assert lost(first)
        again = writing(store, EVENTS)
        until(waits)
    finally:
        ask_for_copies("")
    again.result(PATIENCE)
    assert batches(sql) == 2


def test_a_database_restored_from_a_backup_is_left_alone(open_store: OpenStore, sql: Sql) -> None:
    store = open_store()
    store.write([OpenTable("t1", b"row")])
    store.write(EVENTS)
    sql("UPDATE node SET batch = 1")
    for write in (SaveTable("t1", b"x"), AppendEvent("t1", 3, b"c")):
        with refused(StoreReason.FENCED, "restored from a backup"):
            store.write([write])


def test_text_that_cannot_be_stored_is_a_conflict_and_not_an_outage(open_store: OpenStore) -> None:
    store = open_store()
    with refused(StoreReason.CONFLICT):
        store.write([SavePlayer(player(1, "An\0n"))])
    store.write([SavePlayer(player(1, "Ann"))])


def test_a_server_continues_from_a_dump_of_a_running_servers_database(postgres: PostgresServer) -> None:
    for database in ("played", "restored"):
        postgres.execute(f"CREATE DATABASE {database}")
    played, restored = (postgres.url(database=name) for name in ("played", "restored"))
    with closing(PostgresStore(played)) as store:
        store.write([OpenTable("t3", b"row"), AppendEvent("t3", 1, b"a"), SavePlayer(player(4, "Zoë"))])
        store.write([FinishMatch(match(1), b"{}\n")])
        dump = subprocess.run(
            [postgres.program("pg_dump"), "--format", "custom", played], capture_output=True, check=True
        )
        subprocess.run(
            [postgres.program("pg_restore"), "--no-owner", "--dbname", restored],
            input=dump.stdout,
            capture_output=True,
            check=True,
        )
        expected = list(store.tables()), store.numbers(), store.match("m1"), store.player_by_name("Zoë")
    with closing(PostgresStore(restored, lease=LEASE)) as again:
        assert (list(again.tables()), again.numbers(), again.match("m1"), again.player("p4")) == expected
        again.write([AppendEvent("t3", 2, b"b"), FinishMatch(match(2), b"{}\n")])
        assert [each.id for each in again.matches()] == ["m2", "m1"]
