"""Nodes that take over from each other automatically, in virtual time, while people only play."""

import random
from collections.abc import Collection

import pytest
import trio

from golfnet.protocol.replies.presence import Cause
from golfnet.server.ownership import TAKEN_AT_ONCE
from golfnet.storage.faults import StoreError, StoreReason
from tests.server.cluster import LEASE, Cluster, apart, playing
from tests.server.house import play_at_random
from tests.server.test_recovery import KilledAtTheEnd

SOON = 1.5 * LEASE + 0.5
"""How long it takes until a table is back: a lease, two looks, and a relay's wait between two queries."""


def owners(cluster: Cluster, table: str, numbers: Collection[int]) -> list[int]:
    """Return which of the given nodes have a table."""
    return [number for number in numbers if table in cluster[number].lobby.tables]


@pytest.mark.settings(3, looking=True)
async def test_a_stalled_node_is_taken_over_and_sends_nothing_late(cluster: Cluster) -> None:
    (ann, ben, cid), table = await playing(cluster, "four-turn", "Ann", "Ben", "Cid")
    cluster.nodes[1].is_stopped = True  # its heartbeats are not stored any more
    await trio.sleep(0.95 * LEASE)
    await ann.poll()
    assert ann.last("notice")["code"] == "PAUSED"
    for line in ("look", "tables", "who", f"watch {table}", "say hello", "take 1", "history"):
        assert (await ann.ask(line))["code"] == "PAUSED", line
    for line in ("ping x", "help", "set prefix"):
        assert (await ann.ask(line))["type"] == "ok", line
    await trio.sleep(SOON)
    await ben.poll()
    assert ben.last("view")["table"] == cid.last("view")["table"] == table
    cluster.nodes[1].is_stopped = False
    before = len(ann.objects)
    await trio.sleep(LEASE)
    await ann.poll()
    assert [thing["type"] for thing in ann.objects[before:]] == ["bye"]


@pytest.mark.settings(3, looking=True, tables=200)
async def test_a_dead_nodes_tables_are_shared_out_and_each_is_taken_once(cluster: Cluster) -> None:
    count = 2 * TAKEN_AT_ONCE + 5
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


async def test_a_match_that_ended_just_before_its_node_died_gets_its_result(cluster: Cluster) -> None:
    programs, table = await playing(cluster, "six-card holes=1 clock=0", "Ann", "Ben")
    lobby = cluster[1].lobby
    match, lobby.gate._log = lobby.tables[table].match.id, KilledAtTheEnd(lobby.store)
    await play_at_random(programs, random.Random(1))
    cluster.kill(1)
    assert cluster.store.match(match) is None
    await cluster.take_over(1, 2)
    result = cluster.store.match(match)
    assert result is not None
    assert result.finished


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


@pytest.mark.settings(2, looking=True, grace=60)
async def test_players_who_are_away_when_a_table_is_taken_over_get_a_fresh_grace_period(
    cluster: Cluster,
) -> None:
    (_, ben), table = await apart(cluster, "Ann", "Ben", create="four-turn seats=3")
    await ben.done(f"join {table}")
    cluster.nodes[1].die()
    await trio.sleep(SOON)
    await ben.poll()
    (dropped,) = [event for event in ben.last("view")["seats"] if event["name"] == "Ann"]
    assert not dropped["present"]
    await trio.sleep(61)
    await ben.poll()
    left = ben.events("left")[-1]
    assert (left["name"], left["cause"]) == ("Ann", Cause.GRACE)
