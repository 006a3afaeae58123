"""One server at a time: a second server is refused while the first is alive, and fences off a dead one."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from time import monotonic

import psycopg
import pytest

from golfnet.storage.directory import NodeState
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.bus import PostgresBus
from golfnet.storage.postgres.directory import PostgresDirectory
from golfnet.storage.postgres.store import PostgresStore
from golfnet.storage.writes import AppendEvent, CloseTable, FinishMatch, OpenTable, SaveTable, TrimTable
from tests.postgres import PATIENCE
from tests.storage.conftest import refused
from tests.storage.postgres.conftest import LEASE, OpenStore, Sql
from tests.storage.postgres.test_store import until, until_waiting, writing
from tests.storage.rows import ACCOUNT, match


@pytest.mark.parametrize(("first", "second"), [("", ""), ("", "10.0.0.2:1"), ("10.0.0.1:1", "")])
def test_a_second_server_is_refused_while_the_first_is_alive_unless_both_have_links(
    open_store: OpenStore, url: str, first: str, second: str
) -> None:
    told: list[str] = []
    store = open_store(link=first)

    def notify(line: str) -> None:
        told.append(line)
        store.write(())  # shows that the first server is alive

    with refused(StoreReason.UNUSABLE, f"Another server (process {os.getpid()} on", "--database"):
        PostgresStore(url, link=second, lease=2.0, notify=notify)
    assert ["waiting 2 seconds" in line for line in told] == [True]
    store.write([OpenTable("t1", b"")])
    open_store(link=second)  # the first has stopped writing


def test_a_silent_server_is_fenced_off_after_a_lease_and_loses_its_tables(open_store: OpenStore) -> None:
    told: list[str] = []
    first = open_store()
    first.write([OpenTable("t1", b"row"), AppendEvent("t1", 1, b"a")])
    began = monotonic()
    second = open_store(notify=told.append)
    assert monotonic() - began >= LEASE
    assert len(told) == 1
    assert [len(log.events) for log in second.tables()] == [1]
    for writes in ([AppendEvent("t1", 2, b"old")], [SaveTable("t1", b"old")], []):
        with pytest.raises(StoreError) as caught:  # its connection was closed
            first.write(writes)
        if caught.value.reason is not StoreReason.FENCED:
            with refused(StoreReason.FENCED):
                first.write(writes)
    second.write([AppendEvent("t1", 2, b"new")])
    assert [log.events[1].body for log in second.tables()] == [b"new"]


def test_a_server_that_hangs_in_a_transaction_is_fenced_off_too(open_store: OpenStore, url: str) -> None:
    first = open_store()
    first.write([OpenTable("t1", b"row")])
    with psycopg.connect(url) as stopped:
        stopped.execute(
            "SELECT set_config('application_name', 'golfnet:' || %s || '@' || current_schema(), false)",
            (first.node,),
        )
        stopped.execute("UPDATE node SET batch = batch + 1 WHERE id = %s", (first.node,))
        second = open_store()
        with pytest.raises(psycopg.OperationalError):
            stopped.execute("COMMIT")
        stopped.close()
    second.write([AppendEvent("t1", 1, b"a")])


def test_one_of_two_servers_started_together_is_refused_or_fenced_off(url: str, sql: Sql) -> None:
    with ThreadPoolExecutor(2) as threads:
        stores = [*threads.map(lambda _: PostgresStore(url, lease=LEASE), range(2))]

    def is_alive(store: PostgresStore) -> bool:
        for _ in range(2):  # its connection may have been closed
            with suppress(StoreError):
                store.write([])
                return True
        return False

    assert sorted(map(is_alive, stores)) == [False, True]
    for store in stores:
        store.close()
    assert sql("SELECT count(*) FROM node WHERE NOT gone") == [(0,)]


def test_a_stopped_server_blocks_nobody_and_is_forgotten_in_a_week(open_store: OpenStore, sql: Sql) -> None:
    told: list[str] = []
    for _ in range(2):
        with closing(open_store(notify=told.append)) as first:
            first.write([OpenTable("t1", b"row")])
    sql("UPDATE node SET seen = now() - interval '8 days' WHERE id < (SELECT max(id) FROM node)")
    second = open_store(notify=told.append)
    assert [log.table for log in second.tables()] == ["t1"]
    assert second.node > first.node
    assert told == []
    assert sql("SELECT id FROM node ORDER BY id") == [(first.node,), (second.node,)]


def test_servers_with_links_have_their_own_tables_until_one_starts_alone(open_store: OpenStore) -> None:
    one, two = (open_store(link=f"10.0.0.{number}:1") for number in (1, 2))
    one.write([OpenTable("t1", b"one")])
    two.write([OpenTable("t2", b"two"), AppendEvent("t2", 1, b"a")])
    assert [[log.table for log in store.tables()] for store in (one, two)] == [["t1"], ["t2"]]
    for write in (AppendEvent("t2", 2, b"b"), SaveTable("t2", b"x"), OpenTable("t2", b"two")):
        with refused(StoreReason.CONFLICT):
            one.write([write])
    one.write([CloseTable("t2"), TrimTable("t2", 2, "m1")])
    assert [len(log.events) for log in two.tables()] == [1]
    for each in (one, two):
        each.close()
    assert [log.table for log in open_store().tables()] == ["t1", "t2"]


def test_a_probe_stores_a_heartbeat_only_for_a_server_without_a_link(open_store: OpenStore, sql: Sql) -> None:
    batches = []
    for link in ("", "10.0.0.1:1"):
        store = open_store(link=link)
        store.probe()
        batches += sql(f"SELECT batch FROM node WHERE id = {store.node}")
        store.close()
    assert batches == [(1,), (0,)]


def test_a_rating_change_by_another_server_is_not_lost(open_store: OpenStore, url: str, sql: Sql) -> None:
    store = open_store()
    store.write([FinishMatch(match(1), b"{}\n")])
    with psycopg.connect(url) as other:
        other.execute("SELECT pg_advisory_xact_lock(-2)")  # like a server that is writing a rating of p2
        other.execute("UPDATE rating SET matches = 7 WHERE player = 2")
        write = writing(store, [FinishMatch(match(2), b"{}\n")])
        until_waiting(sql)
    write.result(PATIENCE)
    assert {rating.player: rating.matches for rating in store.top("six-card", ACCOUNT)} == {"p1": 2, "p2": 8}


def test_a_node_is_connected_while_it_has_any_connection(open_store: OpenStore, url: str, sql: Sql) -> None:
    one, two = (open_store(link=f"10.0.0.{number}:1") for number in (1, 2))
    mine = f"application_name LIKE 'golfnet:{one.node}@%'"
    with closing(PostgresDirectory(url, two.node)) as directory:

        def seen() -> NodeState:
            (state,) = [node for node in directory.look().nodes if node.node == one.node]
            return state

        def end_connections(which: str) -> None:
            sql(f"SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE {which}")

        with closing(PostgresBus(url, one.node)) as bus:
            bus.listen(lambda _: None, lambda: None)
            assert bus.is_listening.wait(10)
            end_connections(mine)
            assert seen().is_connected, "the bus has another connection"
            assert not directory.declare_gone(seen(), is_lost=True)
            bus.is_listening.clear()
            end_connections("application_name = 'golfnet bus'")
            assert bus.is_listening.wait(10)
            assert seen().is_connected, "it was reopened at once"
        until(lambda: not seen().is_connected)
        with pytest.raises(StoreError):  # its connection was closed
            one.write([])
        one.write([])
        assert seen().is_connected
        end_connections(mine)
        assert directory.declare_gone(seen(), is_lost=True)
    with pytest.raises(StoreError):
        one.write([])
    with refused(StoreReason.FENCED):
        one.write([])


def test_a_node_is_not_declared_gone_during_its_write(open_store: OpenStore, url: str, sql: Sql) -> None:
    one, two = (open_store(link=f"10.0.0.{number}:1") for number in (1, 2))
    with closing(PostgresDirectory(url, two.node)) as directory, psycopg.connect(url) as other:
        seen = next(node for node in directory.look().nodes if node.node == one.node)
        other.execute("SELECT FROM node WHERE id = %s FOR UPDATE", (one.node,))
        write = writing(one, [])
        until_waiting(sql)
        assert not directory.declare_gone(seen)
        other.rollback()
        write.result(PATIENCE)
