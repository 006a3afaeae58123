"""Closed tables and connections are freed: nothing refers to them, even without garbage collection.

Tables live whole lives here: opened, played for a while or to the end, left in every possible way, and closed.
"""

import gc
import logging
import random
import weakref
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest
import trio

from golfnet.engine.variants import VARIANTS
from golfnet.server.budget import Addresses
from golfnet.server.commands.dispatch import Dispatcher, LobbyAcceptor
from golfnet.server.net.hub import Hub, HubTransport
from golfnet.server.net.transport import LINGER_SECONDS
from golfnet.server.session.session import Session
from golfnet.server.table.table import Table
from golfnet.storage import sqlite as memory
from tests.server import house as houses
from tests.server.cluster import Cluster, apart
from tests.server.held_journal import HeldJournal
from tests.server.house import House, choose_line, open_house
from tests.server.null_transport import KeepingTransport

CLOCK: Final = 10
GRACE: Final = 30
LONGEST: Final = 5000
"""Steps after which an unfinished match is abandoned."""
WAYS: Final = ("leave", "bot", "drop", "grace", "rematch")
"""Ways in which a table ends."""


class RandomPlayer:
    """A player who plays at random; ``prompt`` is the latest prompt."""

    def __init__(self, dispatcher: Dispatcher, name: str) -> None:
        self._dispatcher = dispatcher
        self.name = name
        self.token = ""
        self.prompt: dict[str, Any] | None = None
        self._line = KeepingTransport()
        self._session: Session | None = None
        self._connect(f"name {name}")

    def say(self, line: str) -> dict[str, Any]:
        """Send a line and return its answer, or one of type ``later`` if the answer is waiting for the disk."""
        assert self._session is not None
        self._session.receive(line.encode() + b"\n", trio.current_time())
        answers = [thing for thing in self.listen() if thing["type"] in ("ok", "error")]
        return answers[-1] if answers else {"type": "later"}

    def listen(self) -> list[dict[str, Any]]:
        """Read what the server has sent, and answer its pings."""
        lines, self._line.written = self._line.written.splitlines(), b""
        things = [msgspec.json.decode(line) for line in lines if line.startswith(b"{")]
        for thing in things:
            if thing["type"] == "prompt":
                self.prompt = thing
            elif thing["type"] == "ping" and self._session is not None:
                self._session.receive(f"pong {thing['key']}\n".encode(), trio.current_time())
        return things

    def disconnect(self) -> None:
        session, self._session, self.prompt = self._session, None, None
        if session is not None:
            session.lost("lost")

    def reconnect(self) -> None:
        self._connect(f"resume {self.token}")

    def _connect(self, who: str) -> None:
        self._line = KeepingTransport()
        self._session = LobbyAcceptor(self._dispatcher, Addresses(1)).welcome(self._line)
        self.say("hello 1")
        answer = self.say(who)
        assert answer["type"] != "error", answer
        self.token = answer.get("token", self.token)


Parts = list[weakref.ref[Any]]


def references_to(table: Table) -> Parts:
    """Return weak references to a table and to parts of it, none of which may outlive it."""
    return [weakref.ref(part) for part in (table, table.parts.clocks, table.parts.membership)]


def are_alive(parts: Parts) -> bool:
    """Return whether any part of a table still exists."""
    return any(part() is not None for part in parts)


class Crowd:
    """Three people who open, play and leave one table after another."""

    def __init__(self, dispatcher: Dispatcher, chance: random.Random) -> None:
        self._lobby = dispatcher.lobby
        self._chance = chance
        self._players = [RandomPlayer(dispatcher, "Ann"), RandomPlayer(dispatcher, "Bob")]
        self._watcher = RandomPlayer(dispatcher, "Eve")

    async def run_table(self, variant: str, way: str, *, steps: int) -> Parts:
        """Open a table, play the given number of steps of a hole, and close the table in one of ``WAYS``."""
        host, other = self._players
        table = str(host.say(f"create {variant} seats=2 holes=1 clock={CLOCK} pause=1")["table"])
        remains = references_to(self._lobby.tables[table])
        if self._chance.random() < 0.3:
            self._watcher.say(f"watch {table}")
        if way == "bot":
            host.say(f"bot {self._chance.choice(('random', 'easy', 'medium'))}")
        else:
            other.say(f"join {table}")
            other.say("ready")
        host.say("start")
        await self._play(table, steps)
        await self._close(way)
        assert table not in self._lobby.tables
        return remains

    async def open(self, variant: str) -> str:
        """Open a table for consecutive matches; return its id."""
        host, other = self._players
        table = str(host.say(f"create {variant} seats=2 holes=1 clock={CLOCK} pause=1")["table"])
        other.say(f"join {table}")
        return table

    async def play_and_ask_for_more(self, table: str) -> None:
        """Play a match at a table to its end, and start the next one there."""
        for each in self._players:
            each.say("ready")
        await self._play(table, LONGEST)
        for each in self._players:
            each.say("rematch")

    async def _play(self, table: str, steps: int) -> None:
        for _ in range(steps):
            now = self._lobby.tables.get(table)
            if now is None or now.match.places is not None:
                return
            del now  # the crowd itself must not keep a reference to the table
            acting = next((each for each in self._players if _may_act(each, table)), None)
            if acting is not None and acting.prompt is not None:
                acting.say(choose_line(acting.prompt, self._chance))
            if acting is None or self._chance.random() < 0.05:
                await trio.sleep(self._chance.choice((0.3, 1, 1, 5)))

    async def _close(self, way: str) -> None:
        host, other = self._players
        if way == "rematch":
            for each in self._players:
                each.say("rematch")
            await trio.sleep(1)
        elif way in ("drop", "grace"):
            other.disconnect()
            await trio.sleep(1 if way == "drop" else GRACE + 2)
            other.reconnect()
        for each in (other, host):
            each.say("leave")
            each.listen()
            each.prompt = None


def _may_act(player: RandomPlayer, table: str) -> bool:
    player.listen()
    prompt = player.prompt
    return prompt is not None and prompt["table"] == table and bool(prompt["actions"])


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Turn off garbage collection, so that only reference counts free objects."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.settings(grace=GRACE, house_delay=0.2)
async def test_closed_tables_leave_nothing_behind_without_garbage_collection(
    no_collector: None, house: House
) -> None:
    """All rule sets take turns; one table in fifty is played to the end."""
    chance = random.Random(1)
    crowd, names = Crowd(house.dispatcher, chance), list(VARIANTS)
    for number in range(60):
        steps = LONGEST if number % 50 == 0 else chance.randrange(8)
        remains = await crowd.run_table(names[number % len(names)], chance.choice(WAYS), steps=steps)
        assert not are_alive(remains)


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
        genuine, disk = lobby.gate._submit, HeldJournal(lobby.store, is_open=False)
        ann, bob = RandomPlayer(house.dispatcher, "Ann"), RandomPlayer(house.dispatcher, "Bob")
        ann.say("create four-turn seats=2")
        bob.say("join t1")
        bob.say("ready")
        remains = references_to(lobby.tables["t1"])
        lobby.gate._submit = disk.submit
        for each, line in ((ann, "start"), (bob, "leave"), (ann, "leave")):
            each.say(line)
        lobby.gate._submit = genuine
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


def connection_objects() -> dict[int, str]:
    """Return the type of each session and transport in memory, by id."""
    return {
        id(one): type(one).__name__ for one in gc.get_objects() if isinstance(one, Session | HubTransport)
    }


@pytest.mark.skipif(not Hub.is_supported(), reason="no hub here")
@pytest.mark.parametrize("end", ["drop", "quit", "slow"])
async def test_a_closed_connection_leaves_nothing_behind(
    no_collector: None, house: House, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(houses, "over", "hub")
    before = connection_objects()  # of servers of other tests whose disk hangs for good
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
