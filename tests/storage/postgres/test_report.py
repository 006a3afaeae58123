"""What the database knows of all nodes: who serves, since when, with how much, and what belongs to nobody."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from golfnet.storage.directory import SanctionKind, SanctionRow
from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.postgres.connections import connect
from golfnet.storage.postgres.directory import PostgresDirectory
from golfnet.storage.postgres.migrations import migrate, steps
from golfnet.storage.postgres.opening import open_report, shut_out_silent_nodes
from golfnet.storage.writes import OpenTable, SavePlayer, SetAside
from tests.storage.postgres.conftest import LEASE
from tests.storage.rows import player

if TYPE_CHECKING:
    from golfnet.storage.cluster_report import ClusterReport
    from tests.postgres import Engine
    from tests.storage.postgres.conftest import OpenStore


def report_of(url: str) -> ClusterReport:
    with closing(open_report(url)) as reads:
        return reads.cluster()


def test_a_node_is_told_with_its_tables_and_players(url: str, open_store: OpenStore) -> None:
    store = open_store(link="10.0.0.1:7790")
    store.write([SavePlayer(player(1, "Ann")), SavePlayer(player(2, "Bob"))])
    store.write([OpenTable("t1", b"row", ("p1", "p2")), OpenTable("t2", b"row"), OpenTable("t3", b"row")])
    store.write([SetAside("t3", "a fault")])
    with closing(PostgresDirectory(url, store.node)) as directory:
        for one in ("p1", "p2"):
            directory.arrive(one)
        directory.publish((), (), {"p1": True, "p2": False})
        directory.sanction(SanctionRow(kind=SanctionKind.BAN, whom="Eve", reason="", since=1.0))
    report = report_of(url)
    (node,) = report.nodes
    assert (node.node, node.link, node.lease) == (store.node, "10.0.0.1:7790", LEASE)
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


def test_a_node_that_was_declared_gone_did_not_stop_by_itself(
    url: str, open_store: OpenStore, postgres: Engine
) -> None:
    store = open_store(link="10.0.0.1:7790")
    assert len(shut_out_silent_nodes(url, LEASE)) == 1
    for reason in (StoreReason.UNREACHABLE, StoreReason.FENCED):  # its connection was ended, too
        with pytest.raises(StoreError) as refused:
            store.write([])
        assert refused.value.reason is reason
    store.close()
    assert [each.has_stopped for each in report_of(url).ended] == [False]
    postgres.execute("UPDATE node SET seen = now() - interval '25 hours'", url)
    assert report_of(url).ended == ()


def test_of_nodes_from_before_it_is_not_known_when_they_began(postgres: Engine) -> None:
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
