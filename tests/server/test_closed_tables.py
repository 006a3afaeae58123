"""Closed tables and connections are freed: nothing refers to them, even without garbage collection."""

import gc
import logging
import random
from collections.abc import Iterator
from typing import Final

import pytest
import trio

from golfnet.server.net.hub import Hub, HubTransport
from golfnet.server.net.transport import LINGER_SECONDS
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table
from golfnet.storage import sqlite as memory
from tests.server import house as houses
from tests.server.cluster import Cluster, apart
from tests.server.held_journal import HeldJournal
from tests.server.house import House, open_house
from tests.server.table_lifetimes import (
    CLOCK,
    GRACE,
    Crowd,
    RandomPlayer,
    are_alive,
    references_to,
    run_tables,
)

LIVES: Final = 64


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Turn off garbage collection, so that only reference counts free objects."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("seed", range(4))
async def test_a_thousand_closed_tables_leave_nothing_behind_without_garbage_collection(
    no_collector: None, autojump_clock: object, seed: int
) -> None:
    chance = random.Random(seed)
    async with open_house(seed, grace=GRACE, house_delay=0.2) as house:
        remains = await run_tables(Crowd(house.dispatcher, chance), chance, 1000 // 4, whole=0.01)
        assert not any(map(are_alive, remains))


@pytest.mark.settings(clock=CLOCK)
async def test_a_table_that_fails_leaves_nothing_behind(
    no_collector: None, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "do", None)  # a bug: every command fails
    logging.disable()  # the logged exception would keep its frames alive
    ann = RandomPlayer(house.dispatcher, "Ann")
    opened = ann.say("create four-turn")
    ann.say("bot easy")
    remains = references_to(house.lobby.tables[opened["table"]])
    ann.say("start")
    await trio.sleep(4 * CLOCK)
    assert not house.lobby.tables
    assert not are_alive(remains)
    logging.disable(logging.NOTSET)


async def test_a_table_waiting_for_the_disk_is_freed_once_the_disk_has_answered(
    no_collector: None, autojump_clock: object
) -> None:
    async with open_house(clock=CLOCK) as house:
        lobby = house.lobby
        genuine, disk = lobby.gate._log, HeldJournal(lobby.store, is_open=False)
        ann, bob = RandomPlayer(house.dispatcher, "Ann"), RandomPlayer(house.dispatcher, "Bob")
        ann.say("create four-turn seats=2")
        bob.say("join t1")
        bob.say("ready")
        remains = references_to(lobby.tables["t1"])
        lobby.gate._log = disk
        for each, line in ((ann, "start"), (bob, "leave"), (ann, "leave")):
            each.say(line)
        lobby.gate._log = genuine
        assert not lobby.tables
        disk.store_waiting()
        assert not are_alive(remains)


async def test_a_table_moved_to_another_node_leaves_nothing_behind(
    no_collector: None, cluster: Cluster
) -> None:
    _, table = await apart(cluster, "Ann", create="four-turn")
    tables = cluster[1].lobby.tables
    remains = references_to(tables[table])
    tables.give(tables[table], 2)
    await trio.sleep(10)
    assert not are_alive(remains)


@pytest.mark.skipif(not Hub.is_supported(), reason="no hub here")
@pytest.mark.parametrize("end", ["drop", "quit", "slow"])
async def test_a_closed_connection_leaves_nothing_behind(
    no_collector: None, house: House, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(houses, "over", "hub")
    for number in range(20):
        program = await house.program(f"Ann{number}x")
        if end == "quit":
            await program.say("quit")
        elif end == "slow":
            next(iter(house.lobby.sessions)).transport.cut_off("slow")
        await program.drop()
    await trio.sleep(4 * LINGER_SECONDS)
    assert not house.lobby.sessions
    left = [type(one).__name__ for one in gc.get_objects() if isinstance(one, Session | HubTransport)]
    assert left == []


@pytest.mark.settings(seed=5)
async def test_a_table_does_not_grow_with_its_rematches(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does its log: only the record of a finished match is kept."""
    monkeypatch.setattr(memory, "MATCHES_KEPT", 2)
    chance = random.Random(5)
    crowd, counts = Crowd(house.dispatcher, chance), list[int]()
    table = await crowd.open("four-turn")
    for _ in range(20):
        await crowd.play_and_ask_for_more(table)
        gc.collect()
        counts.append(len(gc.get_objects()))
        [log] = house.lobby.store.tables()
        assert len(log.events) < 100, "nothing from before the match that has just started"
        assert log.events[-1].seq == house.lobby.tables[table].seq
    assert house.lobby.tables[table].match.id == "m21"
    assert counts[-1] - counts[10] < 10 * 10, counts
