"""Closed tables and connections are freed: nothing refers to them, even without garbage collection.

Tables are opened, used for part of a match or to its end, left in every possible way, and closed.
"""

import gc
import logging
import weakref
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
import trio

from golfnet.engine.variants import VARIANTS
from golfnet.server.links.link_transport import LinkTransport
from golfnet.server.links.relay import Relay
from golfnet.server.net.hub import HubTransport
from golfnet.server.net.transport import LINGER_SECONDS
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table
from golfnet.storage import sqlite as memory
from tests.server import house as houses
from tests.server.cluster import Cluster, apart
from tests.server.conftest import HeldJournal
from tests.server.house import House, Program, play_at_random
from tests.server.listeners import needs_hub

CLOCK: Final = 10
GRACE: Final = 30
Parts = list[weakref.ref[Any]]


def references_to(table: Table) -> Parts:
    """Return weak references to a table and to parts of it, none of which may outlive it."""
    return [weakref.ref(part) for part in (table, table.clocks, table.membership)]


def are_alive(parts: Parts) -> bool:
    return any(part() is not None for part in parts)


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    """Turn off garbage collection, so that only reference counts free objects."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def table_life(house: House, players: list[Program], variant: str, steps: int, chance: Random) -> Parts:
    """Open a table, play for some steps, and let everybody leave in some way; return references to the table."""
    left = iter(range(steps))
    host, other = players
    way = chance.choice(("leave", "bot", "drop", "grace", "rematch"))
    table = (await host.done(f"create {variant} seats=2 holes=1 clock={CLOCK} pause=1"))["table"]
    remains = references_to(house.lobby.tables[table])
    if way == "bot":
        await host.done(f"bot {chance.choice(('random', 'easy', 'medium'))}")
    else:
        await other.done(f"join {table}")
        await other.done("ready")
    await host.ask("start")
    seated = players[:1] if way == "bot" else players
    await play_at_random(seated, chance, until=lambda: next(left, None) is None)
    if way == "rematch":
        for player in players:
            await player.ask("rematch")
    elif way in ("drop", "grace"):
        await other.drop()
        await trio.sleep(1 if way == "drop" else GRACE + 2)
        other = players[1] = await house.resumed(other)
    for player in players:
        await player.ask("leave")
    assert table not in house.lobby.tables
    return remains


@pytest.mark.settings(grace=GRACE, house_delay=0.2)
async def test_closed_tables_leave_nothing_behind(house: House) -> None:
    """All rule sets take turns; one table in fifty is played to the end."""
    chance, players, names = Random(1), await house.programs("Ann", "Bob"), list(VARIANTS)
    watcher = await house.program("Eve")
    for number in range(60):
        if number % 3 == 0:
            await watcher.ask(f"watch t{number + 1}")
        steps = 5000 if number % 50 == 0 else chance.randrange(8)
        assert not are_alive(await table_life(house, players, names[number % len(names)], steps, chance))


@pytest.mark.settings(clock=CLOCK)
async def test_a_failed_table_leaves_nothing_behind(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "do", None)  # a bug: every command fails
    logging.disable()  # the logged exception would keep its frames alive
    ann = await house.program("Ann", "create four-turn", "bot easy")
    remains = references_to(house.lobby.tables["t1"])
    await ann.ask("start")
    await trio.sleep(4 * CLOCK)
    assert not house.lobby.tables
    assert not are_alive(remains)
    logging.disable(logging.NOTSET)


async def test_a_table_waiting_for_the_disk_is_freed_afterwards(house: House) -> None:
    ann, bob = await house.opened("four-turn seats=2", "Ann", "Bob")
    await bob.done("ready")
    remains = references_to(house.lobby.tables["t1"])
    genuine, disk = house.lobby.gate._submit, HeldJournal(house.lobby.store, is_open=False)
    house.lobby.gate._submit = disk.submit
    for program, line in ((ann, "start"), (bob, "leave"), (ann, "leave")):
        await program.type(line)
    house.lobby.gate._submit = genuine
    assert not house.lobby.tables
    disk.store_waiting()
    await ann.settle()
    assert not are_alive(remains)


async def test_a_table_moved_elsewhere_leaves_nothing_behind(cluster: Cluster) -> None:
    _, table = await apart(cluster, "Ann", create="four-turn")
    tables = cluster[1].lobby.tables
    remains, called = references_to(tables[table]), list[int]()
    late = tables[table].guarded(lambda: called.append(1))  # as by a timer
    tables.give(tables[table], 2)
    late()
    assert not called
    del late
    await trio.sleep(10)
    assert not are_alive(remains)
    assert not list(cluster[1].lobby.accounts)


def connection_objects() -> dict[int, str]:
    """Return the type of each session and transport in memory, by id."""
    kinds = Session | HubTransport | LinkTransport | Relay
    return {id(one): type(one).__name__ for one in gc.get_objects() if isinstance(one, kinds)}


@needs_hub
@pytest.mark.parametrize("end", ["drop", "quit", "slow"])
async def test_closed_connections_are_freed(house: House, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setattr(houses, "over", "hub")
    before = connection_objects()  # those left by tests in which a disk hangs forever
    for number in range(20):
        program = await house.program(f"Ann{number}x")
        if end == "quit":
            await program.say("quit")
        elif end == "slow":
            next(iter(house.lobby.sessions)).transport.cut_off("slow")
        await program.drop()
    await trio.sleep(4 * LINGER_SECONDS)
    assert not house.lobby.sessions
    assert connection_objects() == before


@pytest.mark.parametrize("end", ["drop", "quit", "home"])
async def test_a_player_who_was_elsewhere_leaves_nothing_behind_there(cluster: Cluster, end: str) -> None:
    _, table = await apart(cluster, "Ann")
    home = (await (await cluster[2].program("Eve")).done("create four-turn"))["table"]
    before = connection_objects()
    for number in range(5):
        program = await cluster[2].program(f"Ben{number}x")
        await program.done(f"watch {table}")
        if end == "quit":
            await program.say("quit")
        elif end == "home":
            await program.done(f"watch {home}")
        await program.drop()
    await trio.sleep(60)
    assert [len(cluster[number].lobby.sessions) for number in (1, 2)] == [1, 1]
    assert connection_objects() == before


@pytest.mark.settings(seed=5)
async def test_a_table_does_not_grow_with_rematches(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MATCHES_KEPT", 2)
    chance, counts = Random(5), list[int]()
    players = await house.table(f"four-turn seats=2 clock={CLOCK}", "Ann", "Bob")
    for _ in range(20):
        await play_at_random(players, chance)
        for player in players:
            player.objects.clear()
            await player.done("rematch")
        house.lobby.timers._remove_cancelled()  # the server keeps up to 1000 of them
        gc.collect()
        counts.append(len(gc.get_objects()))
        [log] = house.lobby.store.tables()
        assert len(log.events) < 100, "nothing from before the match that has just started"
        assert log.events[-1].seq == house.lobby.tables["t1"].seq
    assert house.lobby.tables["t1"].match.id == "m21"
    assert counts[-1] - counts[10] < 10 * 10, counts
