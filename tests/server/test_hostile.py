"""Whatever hostile peers do, others get their turns soon, and nobody uses up the server's memory.

"Soon" is measured in work, not in seconds: in what the server does for hostile peers between the arrival of a
bystander's line and its execution. So a script that fails on a slow machine also fails on a fast one. The scripts
connect some peers, let them do their worst, and return; most ``pour`` bytes into one connection, the others are async
functions marked ``@hostile``. All send as fast as the kernel lets them.
"""

import contextlib
import random
import socket
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from typing import Any, Final

import pytest
import trio
import trio.testing

from golfnet.server import budget
from golfnet.server.budget import CHUNK, LINES_AT_ONCE, Addresses, Allowance
from golfnet.server.commands.dispatch import LobbyAcceptor
from golfnet.server.session.player import Player
from golfnet.server.session.session import Session
from golfnet.server.session.traffic import Traffic
from golfnet.server.web import REQUEST_SECONDS, WebEntrance
from tests.server import house as houses
from tests.server.conftest import replace_hashing
from tests.server.house import House, Peer, Program, all_done, open_house, play_at_random
from tests.server.listeners import needs_hub
from tests.server.null_transport import NullTransport

LINES: Final = 600
"""Lines in a flood: twenty times the limit for one turn."""

JUNK: Final = b"p\n" * LINES


async def connect(house: House, name: str = "", *, reads: bool = True, **how: Any) -> Peer:
    """Connect with a socket of the hub, or with a stream, as is done for TLS and proxies."""
    peer = Peer(house.line(**how))
    if reads:
        house.nursery.start_soon(peer.read)
    await trio.lowlevel.checkpoint()
    if name:
        await peer.send(f"name {name}")
    return peer


def add_crowd(house: House, count: int) -> None:
    """Fill the lobby with people who only listen, every fifth of them at their own table."""
    for number in range(count):
        session = LobbyAcceptor(house.dispatcher, Addresses(1)).welcome(NullTransport())
        session.receive(b"name crowd%d\n" % number, trio.current_time())
        if number % 5 == 0:
            session.receive(b"create six-card\n", trio.current_time())


async def send_all(peer: Peer, *pieces: bytes) -> None:
    """Send bytes until all are sent or the server closes; also stop if the server stops reading."""
    with trio.move_on_after(5):
        for piece in pieces:
            await peer.send(piece)
        await trio.sleep(2)  # virtual time, in which the server can handle what was sent


Script = Callable[[House], Awaitable[None]]


def pour(*pieces: bytes, name: str = "", crowd: int = 0, **how: bool) -> Script:
    """Return a script that pours bytes into one connection, optionally with a name and with a crowd around it."""

    async def script(house: House) -> None:
        add_crowd(house, crowd)
        await send_all(await connect(house, name, **how), *pieces)

    return script


over_telnet = partial(pour, telnet=True)
by_a_stream = partial(pour, streamed=True)


CATALOGUE: Final[dict[str, Script]] = {
    # a slow request, followed by many others
    "login_and_junk": pour(b"login nobody wrongpw\n", JUNK),
    "login_and_junk_by_a_stream": by_a_stream(b"login nobody wrongpw\n", JUNK),
    "junk_after_a_list": pour(b"tables\n" + JUNK, crowd=100),
    # plain floods
    "junk_by_a_stream": by_a_stream(JUNK),
    "pongs": pour(b"hello 1\n", b"pong\n" * LINES, b"7 pong x\n" * LINES),
    "valid_lines": pour(b"hello 1\n", b"".join([b"ping %d\n" % number for number in range(LINES)])),
    "endless_line": pour(b"x" * 500_000),
    "invalid_utf_8": pour(b"\xfe\n" * LINES),
    "backspaces": pour(b"x\b" * 20_000, b"\x7f" * 50_000),
    "web_requests": pour(b"GET / HTTP/1.1\r\nHost: golf\r\n\r\n" * 20),
    "blank_lines": pour(b"\n" * 50_000, b"\0" * 50_000, b"\r\n" * 50_000),
    # expensive commands
    "lists_in_text": pour(b"who\ntables\nset width 200\n" * 10, crowd=300),
    "lists_unread": pour(b"hello 1\n", b"who\ntables\n" * 100, crowd=200, reads=False),
    "shouts": pour(b"shout %b\n" % (b"hey " * 200) * 100, name="Shouter", crowd=300),
    "unknown_words": pour(b"%b\n" % (b"abcdefgh" * 120) * 500),
    "muting_many": pour(b"".join([b"mute No%d\nnoplay No%d\n" % (n, n) for n in range(1000)]), name="Moody"),
    # tables
    "watching_on_and_off": pour(b"watch t1\nunwatch t1\n" * 1000, name="Flipper"),
    "tables_opened_and_left": pour(b"hello 1\n", b"create six-card\nleave\n" * 300, name="Opener"),
    "looking_without_reading": pour(b"watch t1\n", b"look\n" * LINES, name="Starer", reads=False),
    "chat": pour(b"watch t1\n", b"say hello\ntell Canary hello\n" * 1000, name="Talker"),
    # telnet
    "telnet_options": over_telnet(b"".join([b"\xff\xfd" + bytes([option % 200]) for option in range(5000)])),
    "telnet_questions": over_telnet(b"\xff\xf6" * LINES),  # Are You There
    "telnet_erasing_by_a_stream": by_a_stream(b"\xff\xf1x\xff\xf7" * 20_000),
    "window_sizes": over_telnet(b"\xff\xfb\x1f", b"\xff\xfa\x1f\0\x50\0\x18\xff\xf0" * 10_000),
    "endless_telnet": over_telnet(b"\xff\xfa\x1f" + b"x" * 200_000, b"\xff\xf0" * 1000),
    "mud_objects": over_telnet(b"\xff\xfd\xc9", b'\xff\xfa\xc9Golf.Command "nonsense"\xff\xf0' * LINES),
}


def hostile(script: Script) -> Script:
    CATALOGUE[script.__name__] = script
    return script


async def lists_of_many(house: House, *, streamed: bool = False) -> None:
    """Let many peers request every long list at once without reading."""
    add_crowd(house, 50)
    lines = b"rules cactus full\nhelp all\nvariants\nevening\nwho\ntables\nhistory all\ntop\n"
    peers = [await connect(house, reads=False, streamed=streamed) for _ in range(40)]
    async with trio.open_nursery() as nursery:
        for peer in peers:
            nursery.start_soon(send_all, peer, lines)


CATALOGUE["lists_of_many"] = lists_of_many
CATALOGUE["lists_of_many_by_streams"] = partial(lists_of_many, streamed=True)


@hostile
async def watching_everything(house: House) -> None:
    add_crowd(house, 200)
    peer = await connect(house, "Watcher")
    tables = [table.encode() for table in house.lobby.tables]
    await send_all(peer, b"hello 1\n", b"".join([b"watch %b\n" % table for table in tables]))
    await peer.stream.aclose()


@hostile
async def opened_and_closed(house: House) -> None:
    for number in range(40):
        for sent in (b"", b"name Hal", b"name Churn%d\n" % number):
            peer = await connect(house, reads=False)
            await peer.send(sent)
            await peer.stream.aclose()


@hostile
async def half_closed(house: House) -> None:
    peer = await connect(house)
    assert isinstance(peer.stream, trio.SocketStream)
    peer.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    await peer.send(b"login nobody wrongpw\n" + b"p\n" * LINES)
    with contextlib.suppress(trio.BrokenResourceError):
        await peer.stream.send_eof()
    await trio.sleep(2)


@hostile
async def endless_web_requests(house: House) -> None:
    acceptor = LobbyAcceptor(house.dispatcher, Addresses(50))
    entrance = WebEntrance(acceptor, house.lobby.config.outbox, (), None)
    for _ in range(70):
        here, there = trio.testing.memory_stream_pair()
        house.nursery.start_soon(entrance.carry, there, "127.0.0.1")
        await here.send_all(b"GET / HTTP/1.1\r\nX: ")
    await trio.sleep(REQUEST_SECONDS)


@hostile
async def left_behind(house: House) -> None:
    for filler in (b"\xff\xf1", b"x\b", b"p\n"):
        for peer in [await connect(house, reads=False, telnet=True) for _ in range(3)]:
            with trio.move_on_after(1):
                await peer.send(filler * 200_000)
            await peer.stream.aclose()


# --- the server under attack

pytestmark = [needs_hub, pytest.mark.usefixtures("virtual_time", "hub_house")]

TURNS: Final = 6
"""The turns that each other peer may have before a bystander's: two in the current round and two in the next (one for
new input and one for leftovers), and two more because peers may connect in between."""

UNLIMITED = dict.fromkeys(("commands_per_second", "chat_per_10_seconds", "excess_per_10_seconds"), 100_000)
"""Settings without limits on commands, so that the server is protected only by how it shares out turns."""


BESIDE_OUTBOX: Final = 256 * 1024
"""Memory of one connection besides its outbox: the piece that is being sent, one chunk split into lines (up to 2048
Python objects), the current line, the reply that exceeds the limit, and the session itself."""


class Bystander(Program):
    """A program that plays fair among hostile peers; the siege measures how long each of its lines waits."""

    siege: "Siege"
    session: Session

    async def send(self, text: str | bytes) -> None:
        self.siege.begin_waiting(self.session)
        await super().send(text)

    async def ask(self, line: str) -> dict[str, Any]:
        """Send a command and return its ok or error as soon as it arrives."""
        await self.send(line)
        while True:
            for thing in self.unread():
                if thing["type"] in ("ok", "error"):
                    return thing
            await trio.lowlevel.checkpoint()

    async def poll(self) -> list[dict[str, Any]]:
        """Return what has arrived once everybody else has had a turn."""
        for _ in range(3):
            await trio.lowlevel.checkpoint()
        return self.unread()


def memory_of(session: Session) -> int:
    """Return how many bytes the server holds for one connection alone."""
    found: dict[int, int] = {}
    waiting: list[object] = [session]
    while waiting:
        thing = waiting.pop()
        if id(thing) in found or thing is None:
            continue
        found[id(thing)] = sys.getsizeof(thing)
        if isinstance(thing, dict):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset | deque):
            waiting += thing
        elif type(thing).__module__.startswith(("golfnet.server", "golfnet.protocol")):
            waiting += [getattr(thing, name, None) for name in _own_fields(thing)]
    return sum(found.values())


_SHARED = ("server", "_gate", "_hub", "_acceptor", "player", "table", "session", "_timer", "_sock", "_stream")


def _own_fields(thing: object) -> list[str]:
    if isinstance(thing, Player | type):
        return []
    names = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return [name for name in [*names, *getattr(thing, "__dict__", ())] if name not in _SHARED]


@pytest.fixture
def hub_house(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let peers connect with sockets of a hub, and let hashing a password take a while."""
    monkeypatch.setattr(houses, "over", "hub")
    replace_hashing(monkeypatch, seconds=0.2)


class Siege:
    """A server under attack; ``bystanders`` are peers whose lines it has to execute soon nevertheless."""

    def __init__(self, house: houses.House, monkeypatch: pytest.MonkeyPatch) -> None:
        self.house = house
        self.bystanders: list[Bystander] = []
        self.is_over = False
        """Whether all scripts have ended."""
        self._peers = 0
        self._done = Counter[str]()
        """The lines, bytes and turns of everybody else so far."""
        self._most = Counter[str]()
        """The most lines, bytes and turns of everybody else while a bystander's line waited."""
        self._waiting: dict[Traffic, Counter[str] | None] = {}
        """For each bystander's session: ``_done`` when its waiting line was sent; None if no line is waiting."""
        line, receive, proceed = Session._line, Traffic.receive, Traffic.proceed

        def counted_line(session: Session, text: Any) -> None:
            if (before := self._waiting.get(session)) is not None:
                self._most |= self._done - before
                self._waiting[session] = None
            self._count(session, lines=1)
            line(session, text)

        def counted_receive(session: Traffic, received: bytes, arrived: float) -> None:
            self._count(session, bytes=len(received), turns=1)
            receive(session, received, arrived)

        def counted_proceed(session: Traffic) -> None:
            self._count(session, turns=1)
            proceed(session)

        monkeypatch.setattr(Session, "_line", counted_line)
        monkeypatch.setattr(Traffic, "receive", counted_receive)
        monkeypatch.setattr(Traffic, "proceed", counted_proceed)

    def _count(self, session: Traffic, **done: int) -> None:
        if session not in self._waiting and not isinstance(session.transport, NullTransport):
            self._done.update(done)

    def begin_waiting(self, session: Session) -> None:
        self._waiting[session] = self._done.copy()

    async def add_bystander(self, name: str) -> None:
        program = await self.house._connect(Bystander)
        program.siege, program.name = self, name
        [program.session] = [each for each in self.house.lobby.sessions if each.player is None]
        program.session._rate = Allowance(100_000, excess_per_10_seconds=100_000)
        await program.done("hello 1", f"name {name}")
        self.bystanders.append(program)

    def look(self) -> None:
        bound = self.house.lobby.config.outbox + BESIDE_OUTBOX
        here = [each for each in self.house.lobby.sessions if not isinstance(each.transport, NullTransport)]
        self._peers = max(self._peers, len(here))
        assert max(map(memory_of, here)) <= bound

    async def endure(self) -> None:
        """Let the first bystander ask for something again and again until all scripts have ended."""
        for number in range(3000):
            assert (await self.bystanders[0].ask(f"ping {number}"))["key"] == str(number)
            if number % 20 == 0:
                self.look()
            if self.is_over:
                return
            if number > 200:  # nearly all scripts have ended, so let time pass for the rest
                await trio.sleep(0.05)
        raise AssertionError("the scripts did not end")

    def check_turns(self) -> None:
        """Check how long the bystanders have waited for their turns."""
        turns = TURNS * self._peers
        assert self._most <= Counter(turns=turns, lines=turns * LINES_AT_ONCE, bytes=turns * CHUNK)


@contextlib.asynccontextmanager
async def besieged(
    monkeypatch: pytest.MonkeyPatch, scripts: Iterable[str], *names: str, **settings: Any
) -> AsyncIterator[Siege]:
    """Run a server with bystanders, two of them at a table, and hostile scripts."""
    async with open_house(**settings) as house:
        siege = Siege(house, monkeypatch)
        for name in names:
            await siege.add_bystander(name)
        await siege.bystanders[0].done("create six-card seats=2 holes=1 clock=0")

        async def run() -> None:
            async with trio.open_nursery() as running:
                for script in scripts:
                    running.start_soon(CATALOGUE[script], house)
            siege.is_over = True

        house.nursery.start_soon(run)
        yield siege
    siege.check_turns()


@pytest.mark.parametrize("script", CATALOGUE)
async def test_attacks_take_little_time_and_memory(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Each attack runs alone and without limits on commands; the next test runs all of them with the usual limits."""
    monkeypatch.setattr(budget, "BESIDE_LINES", 1 << 40)
    async with besieged(monkeypatch, [script], "Canary", "Finch", **UNLIMITED) as siege:
        await siege.endure()
        await siege.bystanders[1].done("join t1")


async def test_four_people_can_play_a_hole_under_all_attacks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("Canary", "Ann", "Bob", "Cid", "Dora")
    async with besieged(monkeypatch, CATALOGUE, *names) as siege:
        _, first, *others = siege.bystanders
        opened = await first.done("create six-card seats=4 holes=1 clock=0")
        await all_done(others, f"join {opened['table']}", "ready")
        siege.look()
        await first.done("start")
        await play_at_random([first, *others], random.Random(1))
        assert first.events("match_ended")
        siege.look()
