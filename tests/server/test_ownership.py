"""Nodes that take over the tables of a dead node, and nodes that give their tables away before they stop.

Tables continue as after a restart, and their players follow.
"""

import random

import pytest
import trio

from golfnet.server.ownership import LOST_SECONDS, TAKEN_AT_ONCE, TOGETHER_SECONDS, Watch
from golfnet.storage.directory import ClusterLook, NodeState
from golfnet.storage.faults import StoreError, StoreReason
from tests.server.cluster import LEASE, Cluster, apart, playing
from tests.server.house import play_at_random
from tests.server.test_recovery import KilledAtTheEnd

pytestmark = pytest.mark.settings(2, looking=True)

MOVED = TOGETHER_SECONDS + 1.0

SOON = 1.5 * LEASE + 0.5
"""Seconds until a table is back: a lease, two looks at the directory, and a relay's wait between two queries."""


def silent(watch: Watch, now: float, batch: int, *, is_connected: bool, connection: int = 7) -> list[bool]:
    """Return [] if node 2 is not silent, [True] if it has lost its connections, [False] if only its lease has ended."""
    seen = NodeState(2, batch, "node 2", "10.0.0.2:1", is_connected)
    return [is_lost for _, is_lost in watch.silent(ClusterLook((seen,), False, connection), now)]


def test_a_node_that_has_not_looked_for_long_concludes_nothing() -> None:
    watch = Watch(1, 3.0)
    assert silent(watch, 10.0, 5, is_connected=False) == []
    assert silent(watch, 13.5, 5, is_connected=False) == [], "it was suspended, or the database answered late"
    for now in (14.5, 15.5, 16.4):
        assert silent(watch, now, 5, is_connected=False) == []
    assert silent(watch, 16.5, 5, is_connected=False) == [False]


def test_a_node_that_lost_its_connections_has_a_moment_to_reconnect() -> None:
    watch = Watch(1, 3.0)
    assert silent(watch, 10.0, 5, is_connected=True) == []
    assert silent(watch, 10.1, 5, is_connected=False) == []
    assert watch.seconds_to_wait(10.1) == LOST_SECONDS
    assert silent(watch, 10.5, 5, is_connected=False, connection=8) == [], "its own connection is new"
    assert silent(watch, 10.6, 5, is_connected=True) == []
    assert silent(watch, 10.7, 5, is_connected=False) == []
    assert silent(watch, 11.0, 6, is_connected=False) == [True]


async def test_a_node_is_not_declared_gone_while_the_database_stores_nothing(cluster: Cluster) -> None:
    first, second = cluster.nodes.values()
    second.is_stopped = True
    await trio.sleep(0.2 * LEASE)
    first.is_stopped = True  # a full disk: nodes can read, but not write
    await trio.sleep(0.5 * LEASE)
    assert first.lease.is_sure()
    first.is_stopped = False
    await trio.sleep(0.75 * LEASE)
    second.is_stopped = False
    await trio.sleep(SOON)
    assert cluster.state.gone == set()


@pytest.mark.settings(3, looking=True)
async def test_a_stalled_node_is_taken_over_and_sends_nothing_late(cluster: Cluster) -> None:
    (ann, ben, cid), table = await playing(cluster, "four-turn", "Ann", "Ben", "Cid")
    cluster.nodes[1].is_stopped = True  # its heartbeats are not stored any more
    await trio.sleep(0.95 * LEASE)
    assert ann.last("notice")["code"] == "PAUSED"
    for line in ("look", "tables", "who", f"watch {table}", "say hello", "take 1", "history"):
        assert (await ann.ask(line))["code"] == "PAUSED", line
    for line in ("ping x", "help", "set prefix"):
        assert (await ann.ask(line))["type"] == "ok", line
    await trio.sleep(SOON)
    assert ben.last("view")["table"] == cid.last("view")["table"] == table
    assert sum([cluster[number].lobby.counters.tables_taken for number in (2, 3)]) == 1
    cluster.nodes[1].is_stopped = False
    before = len(ann.objects)
    await trio.sleep(LEASE)
    assert [thing["type"] for thing in ann.objects[before:]] == ["bye"]


@pytest.mark.settings(2)
async def test_a_match_that_ended_just_before_its_node_died_gets_its_result(cluster: Cluster) -> None:
    programs, table = await playing(cluster, "six-card holes=1 clock=0", "Ann", "Ben")
    lobby = cluster[1].lobby
    match, lobby.gate._submit = lobby.tables[table].match.id, KilledAtTheEnd(lobby.store).submit
    await play_at_random(programs, random.Random(1))
    cluster.kill(1)
    assert cluster.store.match(match) is None
    await cluster.take_over(1, 2)
    result = cluster.store.match(match)
    assert result is not None
    assert result.finished


@pytest.mark.settings(2)
async def test_no_login_before_the_table_is_read(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    [ann], table = await apart(cluster, "Ann", create="four-turn")
    cluster.kill(1)
    taking = cluster.nodes[2].taking
    # The table is this node's, but has not been read from the store.
    await cluster[2].lobby.nodes.ask(lambda directory: directory.take_tables(TAKEN_AT_ONCE, ()))
    again = await cluster[2].program()
    with monkeypatch.context() as silent:
        silent.setattr(taking, "_read", unreadable)
        refused = await again.ask(f"resume {ann.token}")
    assert (refused.get("code"), refused.get("retry")) == ("PAUSED", True)
    assert (await again.done(f"resume {ann.token}"))["table"] == table


def unreadable(known: object, directory: object) -> None:
    raise StoreError(StoreReason.SLOW, "The database does not answer.")


def owner(cluster: Cluster, table: str) -> int:
    """Return the node that has a table; check that no other node has it."""
    (number,) = [number for number, node in cluster.nodes.items() if table in node.lobby.tables]
    return number


async def drained(cluster: Cluster) -> None:
    cluster[1].lobby.drain()
    await trio.sleep(MOVED)


async def test_players_get_a_view_within_half_a_second_of_the_stop(cluster: Cluster) -> None:
    programs, _ = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
    marks = [len(program.objects) for program in programs]
    cluster[1].lobby.drain()
    await trio.sleep(0.5)
    for program, mark in zip(programs, marks, strict=True):
        assert "view" in {thing["type"] for thing in program.objects[mark:]}


@pytest.mark.parametrize("mode", ["race", "order"])
async def test_a_table_moves_only_between_slam_windows(cluster: Cluster, mode: str) -> None:
    programs, table = await playing(cluster, f"cactus slam={mode} clock=0", "Ann", "Ben")
    home = cluster[1].lobby.tables[table]
    await play_at_random(programs, random.Random(1), until=lambda: home.has_open_window)
    assert home.has_open_window
    cluster[1].lobby.drain()
    await trio.sleep(TOGETHER_SECONDS + 0.5)
    assert owner(cluster, table) == 1
    await trio.sleep(13)
    assert owner(cluster, table) == 2


@pytest.mark.settings(3, looking=True)
async def test_tables_of_a_stopping_node_go_to_the_nodes_with_the_fewest_tables(cluster: Cluster) -> None:
    for number, count in ((1, 3), (2, 1)):
        for each in range(count):
            host = await cluster[number].program(f"Ann{number}x{each}")
            await host.done("create four-turn")
    await drained(cluster)
    assert [len(cluster[number].lobby.tables) for number in (1, 2, 3)] == [0, 2, 2]


async def test_a_draining_node_lets_other_nodes_open_tables(cluster: Cluster) -> None:
    ann = await cluster[1].program("Ann")
    await drained(cluster)
    table = (await ann.done("create four-turn"))["table"]
    assert owner(cluster, table) == 2
    eve = await cluster[1].program("Eve", "seek four-turn")
    assert eve.last("ok")["table"] == table
