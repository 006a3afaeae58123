"""Play continues after every failure, and everything players were told is stored."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from functools import partial
from typing import TYPE_CHECKING

import psycopg
import pytest
import trustme

from tests.e2e.cluster.next_version import VERSION, make_next_version
from tests.e2e.cluster.nodes import FENCED, LEASE, Nodes, until
from tests.e2e.cluster.scene import Scene
from tests.e2e.program import Program
from tests.e2e.service import GOLFNET, PATIENCE
from tests.server.net.test_tls import node_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.cluster.nodes import Node
    from tests.postgres import PostgresServer

    Failure = Callable[[Scene, PostgresServer], list[Node]]
    """Causes a failure, waits for its effect, and repairs it; returns the nodes that have exited."""


def kill(scene: Scene, database: PostgresServer) -> list[Node]:
    """Kill a node that owns a table, as with ``kill -9``."""
    node, _ = scene.owner()
    node.kill()
    return [node]


def freeze_in_transaction(scene: Scene, database: PostgresServer) -> list[Node]:
    """Freeze a node in the middle of a transaction; thaw it once it has been declared gone."""

    def freeze(node: Node) -> None:
        activity = f"FROM pg_stat_activity WHERE application_name LIKE 'golfnet:{node.number}@%'"
        with psycopg.connect(scene.nodes.url) as other, Program(node.port) as opening:
            opening.ask("hello 1")
            opening.ask(f"name o{time.monotonic_ns() % 10**9}")
            other.execute("LOCK TABLE live IN SHARE ROW EXCLUSIVE MODE")
            opening.sock.sendall(b"7 create six-card\n")
            until(lambda: scene.nodes.rows(f"SELECT 1 {activity} AND wait_event_type = 'Lock'"), "a lock")
            node.freeze()

    return _lose(scene, freeze, lambda node: node.thaw())


def cut_from_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Cut a node's connections to the database server, and allow no new ones until it has been declared gone."""
    return _lose(scene, lambda node: node.database.cut(), lambda node: node.database.heal())


def hold_from_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Silently stop all traffic between a node and the database server until the node has been declared gone."""
    return _lose(scene, lambda node: node.database.hold(), lambda node: node.database.heal())


def drain(scene: Scene, database: PostgresServer, node: Node | None = None) -> list[Node]:
    """Ask a node to stop."""
    node = node or scene.owner()[0]
    node.drain()
    status = node.wait()
    assert status == 0, f"node {node.number} exited with {status} when it was asked to stop"
    return [node]


def freeze_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Freeze the database server for more than two leases."""
    database.freeze()
    time.sleep(2.5 * LEASE)
    database.thaw()
    scene.goes_on()
    time.sleep(2 * LEASE)
    return []


def restart_database(scene: Scene, database: PostgresServer) -> list[Node]:
    """Make the database server exit at once, and start it again."""
    database.stop(signal.SIGQUIT)
    database.start()
    return []


def _lose(scene: Scene, hurt: Callable[[Node], None], heal: Callable[[Node], None]) -> list[Node]:
    """Hurt a node until others have declared it gone; check that from then on it only says goodbye and exits."""
    node, table = scene.owner()
    with Program(node.port) as watcher:
        for line in "hello 1", f"name w{time.monotonic_ns() % 10**9}", f"watch {table}":
            watcher.ask(line)
        node.is_well = False
        hurt(node)
        until(lambda: node.number in scene.nodes.gone(), f"node {node.number} being declared gone")
        scene.leave(node)
        scene.goes_on()
        _received(watcher, seconds=0.2)
        heal(node)
        status = node.wait()
        assert status == FENCED, f"node {node.number} exited with {status} after it had been declared gone"
        node.wait_for("has taken over the database")
        told = [json.loads(line) for line in _received(watcher).splitlines() if line.startswith(b"{")]
        assert {each["type"] for each in told} <= {"notice", "ping", "bye"}, told
        assert {each["code"] for each in told if each["type"] == "bye"} <= {"SHUTDOWN", "TAKEN_OVER"}
    return [node]


def _received(program: Program, *, seconds: float = PATIENCE) -> bytes:
    """Return what a program receives until the connection ends, or until nothing has come for a while."""
    received = b""
    program.sock.settimeout(seconds)
    with contextlib.suppress(TimeoutError, ConnectionError):
        while data := program.sock.recv(65536):
            received += data
    return received


def inject(scene: Scene, database: PostgresServer, failure: Failure) -> None:
    """Cause a failure; check that play continues, and that only the nodes it hits and their players are affected."""
    owners, gone = scene.nodes.owners(), scene.nodes.gone()
    before = [(each, each.port, each.connections, len(each.notices)) for each in scene.players]
    hurt = failure(scene, database)
    scene.goes_on()
    for player, port, connections, notices in before:
        if port not in [node.port for node in hurt]:
            assert player.connections == connections, f"{player.name} was cut off from {port}"
            if owners[player.table] in [node.number for node in hurt]:
                assert "MOVING" in player.notices[notices:]
    if not hurt:
        assert scene.nodes.gone() == gone, "a node was declared gone"


@pytest.mark.parametrize(
    "failure",
    [
        kill,
        freeze_in_transaction,
        cut_from_database,
        hold_from_database,
        drain,
        freeze_database,
        restart_database,
    ],
)
def test_play_continues_and_nothing_players_were_told_is_lost(
    scene: Scene, postgres: PostgresServer, failure: Failure
) -> None:
    first, second, third = scene.nodes.well
    scene.seat(first, second, third)
    inject(scene, postgres, failure)


def test_nothing_players_were_told_is_lost_when_a_standby_is_promoted(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    with contextlib.ExitStack() as running:
        primary = running.enter_context(contextlib.closing(postgres.another()))
        standby = running.enter_context(contextlib.closing(primary.standby()))
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        url = f"postgresql://golf@{hosts}/postgres?target_session_attrs=read-write"
        nodes = running.enter_context(contextlib.closing(Nodes(url, primary.port, tmp_path)))
        first, second = nodes.be(2)

        def fail_over(scene: Scene, database: PostgresServer) -> list[Node]:
            primary.kill()
            standby.promote()
            return []

        with Scene(nodes) as scene:
            scene.seat(first, second)
            inject(scene, primary, fail_over)


def test_play_works_over_tls_links_and_a_node_without_tls_is_named(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url, files = postgres.new_url(), node_files(tmp_path / "tls", trustme.CA())
    with contextlib.closing(Nodes(url, postgres.port, tmp_path, tls=files)) as nodes:
        first, second, third = nodes.be(3)
        with Scene(nodes) as scene:
            scene.seat(first, second, third)
            inject(scene, postgres, kill)
            nodes.tls = ()
            plain = nodes.start()
            plain.wait_for(r"cannot link to node \d: it has cluster_tls, but this node does not")
            second.wait_for(r"cannot link to node \d: it has no cluster_tls, but this node does")
            seen = subprocess.run([GOLFNET, "cluster", "--database", url, "--json"], capture_output=True)
            assert "tls" in [each["code"] for each in json.loads(seen.stdout)["problems"]]


def test_nobody_is_dropped_during_a_rolling_upgrade(postgres: PostgresServer, tmp_path: Path) -> None:
    later = make_next_version(tmp_path / "later")
    with contextlib.closing(Nodes(postgres.new_url(), postgres.port, tmp_path)) as nodes:
        one, other = nodes.be(2)
        with Scene(nodes) as scene:
            scene.seat(one, other)
            scene.seat(other, one, other)
            for old in (one, other):
                new = nodes.start(env=later)
                scene.seat(new, old)
                elsewhere = [(each, set(each.seen)) for each in scene.players if each.port != old.port]
                here = {player.name for player in scene.players if player.port == old.port}
                inject(scene, postgres, partial(drain, node=old))
                for player, known in elsewhere:
                    events = [event for seq, event in [*player.seen.items()] if seq not in known]
                    assert {each["name"] for each in events if each["event"] == "dropped"} <= here
            versions = "SELECT DISTINCT split_part(version, '+', 1) FROM node WHERE NOT gone"
            assert nodes.rows(versions) == [(VERSION,)]
