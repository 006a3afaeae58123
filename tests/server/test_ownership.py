"""Nodes that take over the tables of a dead node, and nodes that give their tables away before they stop.

Tables continue as after a restart, and their players follow.
"""

import random

import pytest
import trio

from golfnet.server.ownership import LOST_SECONDS, TAKEN_AT_ONCE, TOGETHER_SECONDS, Watch
from golfnet.server.table.table import Table
from golfnet.storage.directory import ClusterLook, NodeState
from golfnet.storage.faults import StoreError, StoreReason
from tests.server.cluster import LEASE, Cluster, apart, playing
from tests.server.house import Program, play_at_random
from tests.server.test_recovery import KilledAtTheEnd

pytestmark = pytest.mark.settings(2, looking=True)

MOVED = TOGETHER_SECONDS + 1.0

SOON = 1.5 * LEASE + 0.5
"""How long it takes until a table is back: a lease, two looks, and a relay's wait between two queries."""


# --- which nodes count as silent; the simulation checks that no other nodes do


def silent(watch: Watch, now: float, batch: int, *, is_connected: bool, connection: int = 7) -> list[bool]:
    """Return [] if node 2 does not count as silent, [True] if it lost its connections, [False] if only its lease."""
    seen = NodeState(2, batch, "node 2", "10.0.0.2:1", is_connected)
    return [found.is_lost for found in watch.silent(ClusterLook((seen,), False, connection), now)]


def test_an_older_node_never_seen_connected_keeps_its_full_lease() -> None:
    watch = Watch(1, 3.0)
    assert silent(watch, 10.0, 5, is_connected=False) == []
    assert silent(watch, 12.0, 6, is_connected=False) == []
    assert silent(watch, 14.9, 6, is_connected=False) == []
    assert silent(watch, 15.0, 6, is_connected=False) == [False]


def test_a_node_that_lost_its_connections_has_a_moment_to_reconnect() -> None:
    watch = Watch(1, 3.0)
    assert silent(watch, 10.0, 5, is_connected=True) == []
    assert silent(watch, 10.1, 5, is_connected=False) == []
    assert watch.seconds_to_wait(10.1) == LOST_SECONDS
    assert silent(watch, 10.5, 5, is_connected=False, connection=8) == [], (
        "over a new connection of its own, the watching node cannot tell"
    )
    assert silent(watch, 10.6, 5, is_connected=True) == []
    assert silent(watch, 10.7, 5, is_connected=False) == []
    assert silent(watch, 11.0, 6, is_connected=False) == [True]


# --- taking over from each other, while people only play


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
    cluster.nodes[1].is_stopped = False
    before = len(ann.objects)
    await trio.sleep(LEASE)
    assert [thing["type"] for thing in ann.objects[before:]] == ["bye"]


@pytest.mark.settings(3, looking=True, tables=200)
async def test_a_dead_nodes_tables_are_shared_out_and_each_is_taken_once(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("golfnet.server.ownership.TAKEN_AT_ONCE", 2)
    count = 7
    tables = set()
    for number in range(count):
        host = await cluster[1].program(f"Ann{number}")
        tables.add((await host.done("create four-turn"))["table"])
    cluster.nodes[1].die()
    await trio.sleep(SOON)
    taken = [set(cluster[number].lobby.tables) for number in (2, 3)]
    assert taken[0] | taken[1] == tables
    assert not taken[0] & taken[1]
    assert sum(cluster[number].lobby.counters.tables_taken for number in (2, 3)) == count


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
async def test_a_login_is_refused_while_the_players_table_cannot_be_read(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann], table = await apart(cluster, "Ann", create="four-turn")
    cluster.kill(1)
    taking = cluster.nodes[2].taking
    # The table is this node's, but has not been read from the store.
    taking._directory.take_tables(TAKEN_AT_ONCE, ())
    again = await cluster[2].program()
    with monkeypatch.context() as silent:
        silent.setattr(taking, "_read", unreadable)
        refused = await again.ask(f"resume {ann.token}")
    assert (refused.get("code"), refused.get("retry")) == ("PAUSED", True)
    assert (await again.done(f"resume {ann.token}"))["table"] == table


def unreadable(known: object) -> None:
    raise StoreError(StoreReason.SLOW, "The database does not answer.")


# --- giving tables away before a stop


def at(cluster: Cluster, table: str) -> tuple[int, Table]:
    """Return the only node that has a table, and the table there."""
    ((number, found),) = [
        (number, node.lobby.tables[table])
        for number, node in cluster.nodes.items()
        if table in node.lobby.tables
    ]
    return number, found


def kinds(program: Program, since: int) -> list[str]:
    """Return the codes of notices and names of table events that a program has been sent."""
    return [str(thing.get("code") or thing.get("event")) for thing in program.objects[since:]]


async def drained(cluster: Cluster) -> None:
    """Let node 1 stop, and give its tables away."""
    cluster[1].lobby.drain()
    await trio.sleep(MOVED)


async def test_players_get_a_view_within_half_a_second_of_the_stop(cluster: Cluster) -> None:
    programs, _ = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
    marks = [len(program.objects) for program in programs]
    cluster[1].lobby.drain()
    await trio.sleep(0.5)
    for program, mark in zip(programs, marks, strict=True):
        assert "view" in {thing["type"] for thing in program.objects[mark:]}


async def test_a_player_who_cannot_follow_is_dropped_by_the_server_and_excused(cluster: Cluster) -> None:
    (ann, ben), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
    cluster.is_cut = True  # no connection to node 2 can be made any more
    await drained(cluster)
    seat = next(each for each in ben.last("view")["seats"] if each["seat"] == "A")
    assert not seat["present"]
    await trio.sleep(20)
    assert (ann.last("bye")["code"], ann.is_closed) == ("MOVED", True)
    again = await cluster[2].resumed(ann)
    assert again.last("ok")["table"] == table


@pytest.mark.settings(3, looking=True)
async def test_watchers_follow_a_moved_table(cluster: Cluster) -> None:
    _, table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
    eve, fay = await cluster[1].program("Eve"), await cluster[3].program("Fay")
    for watcher in (eve, fay):
        await watcher.done(f"watch {table}")
    await drained(cluster)
    for watcher in (eve, fay):
        assert watcher.last("view")["table"] == table
        assert (await watcher.done("say well played"))["type"] == "ok"
    assert eve.last("chat")["from"] == "Fay"


@pytest.mark.parametrize("mode", ["race", "order"])
async def test_a_table_moves_only_between_slam_windows(cluster: Cluster, mode: str) -> None:
    programs, table = await playing(cluster, f"cactus slam={mode} clock=0", "Ann", "Ben")
    home = cluster[1].lobby.tables[table]
    chance = random.Random(1)
    for _ in range(200):
        for program in programs:
            await program.poll()
            prompt = program.last("prompt")
            if prompt["actions"] and home.can_move:
                await program.ask(chance.choice(prompt["actions"]))
        if not home.can_move:
            break
    assert not home.can_move
    cluster[1].lobby.drain()
    await trio.sleep(TOGETHER_SECONDS + 0.5)
    assert at(cluster, table)[0] == 1
    await trio.sleep(13)
    assert at(cluster, table)[0] == 2


@pytest.mark.settings(3, looking=True)
async def test_several_tables_go_to_the_nodes_with_the_fewest(cluster: Cluster) -> None:
    for number, count in ((1, 3), (2, 1)):
        for each in range(count):
            host = await cluster[number].program(f"Ann{number}x{each}")
            await host.done("create four-turn")
    await drained(cluster)
    assert [len(cluster[number].lobby.tables) for number in (1, 2, 3)] == [0, 2, 2]


async def test_nodes_that_stop_together_give_each_other_no_tables(cluster: Cluster) -> None:
    (ann, _), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
    for number in (1, 2):
        cluster[number].lobby.drain()
    await trio.sleep(MOVED)
    assert at(cluster, table)[0] == 1
    assert "MOVING" not in kinds(ann, 0)
    assert cluster[1].lobby.given_away.is_set()


async def test_a_draining_node_lets_others_open_tables(cluster: Cluster) -> None:
    ann = await cluster[1].program("Ann")
    await drained(cluster)
    table = (await ann.done("create four-turn"))["table"]
    assert at(cluster, table)[0] == 2
    await cluster[1].program("Eve", "seek four-turn")
    assert at(cluster, table)[1].seating.players


async def test_draining_ends_when_the_last_connection_has_gone(cluster: Cluster) -> None:
    (ann, _), _ = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
    lobby = cluster[1].lobby
    await drained(cluster)
    assert lobby.given_away.is_set()
    assert not lobby.emptied.is_set()  # Ann is relayed
    await ann.drop()
    await trio.sleep(0.1)
    assert lobby.emptied.is_set()


async def test_players_who_log_in_at_the_old_node_get_their_seat_at_the_new_one(cluster: Cluster) -> None:
    (ann, _), table = await playing(cluster, "four-turn clock=0", "Ann", "Ben")
    await ann.drop()
    cluster[1].lobby.drain()
    comers = [await cluster[1].program() for _ in range(40)]
    for comer in comers:  # before, while and after the table is given away
        await comer.send(f"resume {ann.token}")
        await trio.sleep(TOGETHER_SECONDS / 20)
    await trio.sleep(MOVED)
    await comers[-1].poll()
    assert comers[-1].last("ok")["table"] == table
    assert comers[-1].last("view")["table"] == table
    for comer in comers[:-1]:
        await comer.poll()
        assert "NOT_SEATED" not in str(comer.objects)
