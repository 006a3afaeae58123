"""Reads have a time limit, and reconnect after the database server has been down."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from math import inf
from time import monotonic
from typing import TypeVar

import psycopg
import pytest

from golfnet import __version__
from golfnet.storage.directory import ClusterReport, Sanction, SanctionKind
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres import open_reads
from golfnet.storage.postgres.connections import (
    READERS,
    LimitedConnection,
    PostgresReads,
    connect,
    migrate,
    steps,
)
from golfnet.storage.postgres.directory import PostgresDirectory
from golfnet.storage.postgres.fence import shut_out_silent
from golfnet.storage.postgres.store import PostgresStore
from golfnet.storage.store import IdKind
from golfnet.storage.writes import FinishMatch, OpenTable, SavePlayer, SetAside
from tests.postgres import PATIENCE, PostgresServer
from tests.storage.conftest import refused
from tests.storage.postgres.conftest import LEASE, OpenStore, Sql
from tests.storage.rows import match, player

T = TypeVar("T")

LIMIT = 0.3


@pytest.fixture
def served(url: str) -> str:
    """Return the URL of a database that a server has used."""
    with closing(PostgresStore(url)) as store:
        store.write([OpenTable("t1", b"row"), FinishMatch(match(1), b"{}\n")])
    return url


def patiently(act: Callable[[], T]) -> T:
    """Repeat a call while a busy machine makes it too slow, and return its result."""
    until = monotonic() + PATIENCE
    while True:
        try:
            return act()
        except StoreError as error:
            if error.reason is not StoreReason.SLOW or monotonic() > until:
                raise


def limited(url: str) -> closing[PostgresReads]:
    """Open a database for reads with a short time limit."""
    return closing(patiently(lambda: PostgresReads(url, LIMIT)))


def test_a_reader_that_hangs_in_a_transaction_does_not_block_writers(served: str) -> None:
    """The locks of a suspended process, for example, would keep other processes waiting."""
    changed: list[int] = []

    def stand_still(connection: LimitedConnection) -> None:
        connection.until = inf
        with connection.transaction(), psycopg.connect(served) as other:
            connection.execute("UPDATE live SET row = row")
            other.execute(f"SET lock_timeout = '{PATIENCE:.0f} s'".encode())
            changed.append(other.execute("UPDATE live SET row = row").rowcount)

    with limited(served) as reads, pytest.raises(StoreError):
        patiently(lambda: reads._use(stand_still))
    assert changed


def test_a_read_from_a_frozen_database_times_out(served: str, postgres: PostgresServer) -> None:
    with limited(served) as reads:
        patiently(reads.numbers)
        postgres.freeze()
        try:
            with pytest.raises(StoreError) as caught:
                reads.numbers()
        finally:
            postgres.thaw()
        assert caught.value.reason is StoreReason.SLOW
        assert patiently(reads.numbers)[IdKind.TABLE] == 2


def test_reads_that_wait_for_a_connection_have_the_same_time_limit(served: str) -> None:
    with limited(served) as reads, psycopg.connect(served) as in_the_way:
        in_the_way.execute("LOCK TABLE counter")
        with ThreadPoolExecutor(READERS + 2) as threads:
            waiting = [threads.submit(reads.numbers) for _ in range(READERS + 2)]
        for each in waiting:
            with refused(StoreReason.SLOW):
                each.result()
        assert patiently(lambda: reads.match("m1")) == match(1), (
            "the database itself has stopped the slow reads"
        )
        in_the_way.rollback()
        assert patiently(reads.numbers)[IdKind.TABLE] == 2


def test_a_connection_closed_by_the_database_is_replaced(served: str, postgres: PostgresServer) -> None:
    with closing(PostgresStore(served, link="10.0.0.1:7790")) as store:
        store.numbers()
        postgres.stop()
        for query in (store.numbers, store.probe):
            with refused(StoreReason.UNREACHABLE):
                query()
        postgres.start()
        assert store.numbers()[IdKind.TABLE] == 2
        postgres.stop()
        postgres.start()
        assert store.numbers()[IdKind.TABLE] == 2


def test_a_damaged_record_is_found_when_it_is_read(served: str, sql: Sql) -> None:
    with closing(PostgresReads(served)) as reads:
        reads.inspect()
        sql("UPDATE match SET record = 'x'")
        with refused(StoreReason.DAMAGED):
            reads.record("m1")


def report_of(url: str) -> ClusterReport:
    with closing(open_reads(url)) as reads:
        return reads.cluster()


def test_a_node_is_reported_with_its_tables_and_players(url: str, open_store: OpenStore) -> None:
    store = open_store(link="10.0.0.1:7790")
    store.write([SavePlayer(player(1, "Ann")), SavePlayer(player(2, "Bob"))])
    store.write([OpenTable("t1", b"row", ("p1", "p2")), OpenTable("t2", b"row"), OpenTable("t3", b"row")])
    store.write([SetAside("t3", "a fault")])
    with closing(PostgresDirectory(url, store.node)) as directory:
        for one in ("p1", "p2"):
            directory.arrive(one)
        directory.publish((), (), {"p1": True, "p2": False})
        directory.sanction(SanctionKind.BAN, Sanction(whom="Eve", since=1.0))
        directory.report_unreached({7, 3})
    report = report_of(url)
    (node,) = report.nodes
    assert (node.node, node.link, node.lease) == (store.node, "10.0.0.1:7790", LEASE)
    assert node.unreached == (3, 7)
    assert re.fullmatch(rf"{re.escape(__version__)}\+[0-9a-f]{{7}}", node.version)
    assert (node.tables, node.connected, node.seated) == (2, 1, 2)
    assert node.up is not None
    assert 0 <= node.silent <= node.up < 60
    assert not node.is_draining
    assert (report.unowned, report.waiting, report.aside, report.bans, report.mutes) == (0, 0, 1, 1, 0)
    store.close()
    report = report_of(url)
    assert report.nodes == ()
    assert [(each.node, each.has_stopped) for each in report.ended] == [(store.node, True)]
    assert (report.unowned, report.waiting, report.aside) == (2, 2, 1)


def test_a_node_declared_gone_is_not_reported_as_stopped(url: str, open_store: OpenStore, sql: Sql) -> None:
    store = open_store(link="10.0.0.1:7790")
    assert len(shut_out_silent(url, LEASE)) == 1
    for reason in (StoreReason.UNREACHABLE, StoreReason.FENCED):  # the connection was closed, too
        with refused(reason):
            store.write([])
    store.close()
    assert [each.has_stopped for each in report_of(url).ended] == [False]
    sql("UPDATE node SET seen = now() - interval '25 hours'")
    assert report_of(url).ended == ()


def test_the_start_time_of_a_node_stored_before_the_migration_is_unknown(postgres: PostgresServer) -> None:
    url = postgres.new_url()
    with connect(url) as connection:
        migrate(connection, "it", steps()[:1])
        connection.execute("INSERT INTO node (name, link, version) VALUES ('old', '', '0')")
        connection.execute("INSERT INTO node (name, link, version, gone) VALUES ('older', '', '0', true)")
        migrate(connection, "it", steps())
        connection.execute("INSERT INTO node (name, link, version) VALUES ('new', '', '0')")
    report = report_of(url)
    assert [(node.name, node.up is None, node.lease) for node in report.nodes] == [
        ("old", True, 3),
        ("new", False, 3),
    ]
    assert report.ended == ()
