"""A whole server in a test: virtual time, seeded randomness, and connected peers.

Peers connect with memory streams; if a test uses the fixture ``each_transport``, also with the sockets of a hub.
"""

import contextlib
import math
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import msgspec
import trio
import trio.testing

from golfnet.rulesets import catalogue
from golfnet.server.accounts.passwords import FairQueue
from golfnet.server.budget import Addresses
from golfnet.server.clock import Timers
from golfnet.server.commands.dispatch import Dispatcher, LobbyAcceptor
from golfnet.server.config import Config
from golfnet.server.journal.journal import DurabilityGate, Journal
from golfnet.server.lobby import Lobby
from golfnet.server.lookups import Lookups
from golfnet.server.net.hub import Hub, HubTransport
from golfnet.server.net.kernel import ProxyRoundTrip
from golfnet.server.net.transport import StreamTransport
from golfnet.server.nodes import Nodes
from golfnet.server.session.session import Session
from golfnet.storage.sqlite import MemoryStore


class Peer:
    """The other end of one connection; ``received`` holds what the server wrote until it is read."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.received = bytearray()
        self.is_closed = False
        self._sending = trio.Lock()

    async def read(self) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for data in self.stream:
                await self.receive(data)
        self.is_closed = True

    async def receive(self, data: bytes | bytearray) -> None:
        self.received += data

    async def settle(self) -> None:
        """Wait until the server is idle."""
        await trio.testing.wait_all_tasks_blocked()

    async def send(self, text: str | bytes) -> None:
        """Send one line, or bytes as they are."""
        data = text if isinstance(text, bytes) else text.encode() + b"\n"
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async with self._sending:
                await self.stream.send_all(data)

    async def type(self, *lines: str | bytes) -> None:
        """Send lines, and wait after each until the server is idle."""
        for line in lines:
            await self.send(line)
            await self.settle()

    async def take(self) -> bytes:
        """Return everything received since the last call."""
        await self.settle()
        received, self.received = bytes(self.received), bytearray()
        return received

    async def say(self, text: str | bytes) -> str:
        """Send a line and return the reply as text."""
        await self.take()
        await self.send(text)
        return (await self.take()).decode()

    async def drop(self) -> None:
        await self.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()


class Program(Peer):
    """A peer in machine mode; ``objects`` has every object received so far."""

    name = ""
    token = ""
    """The last token that an answer contained."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        super().__init__(stream)
        self.objects: list[dict[str, Any]] = []
        self._unread: list[dict[str, Any]] = []
        self._line = b""

    async def receive(self, data: bytes | bytearray) -> None:
        await super().receive(data)
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            if line.startswith(b"{"):
                await self.handle(msgspec.json.decode(line))

    async def handle(self, thing: dict[str, Any]) -> None:
        self.objects.append(thing)
        self._unread.append(thing)

    def unread(self) -> list[dict[str, Any]]:
        """Return the objects received since the last call, without waiting for more."""
        unread, self._unread = self._unread, []
        return unread

    async def poll(self) -> list[dict[str, Any]]:
        """Wait until the server is idle, and return the objects received since the last call."""
        await self.settle()
        return self.unread()

    async def ask(self, line: str) -> dict[str, Any]:
        """Send a command and return its ok or error; earlier objects are in ``objects``."""
        await self.send(line)
        answer = [thing for thing in await self.poll() if thing["type"] in ("ok", "error")][-1]
        self.token = answer.get("token", self.token)
        return answer

    async def done(self, *lines: str) -> dict[str, Any]:
        """Send commands that must succeed, and return the last answer."""
        answer: dict[str, Any] = {}
        for line in lines:
            answer = await self.ask(line)
            assert answer["type"] == "ok", (line, answer)
        return answer

    async def codes(self, *lines: str) -> list[str]:
        """Send commands, and return ``ok`` or the code of each answer."""
        return [str((await self.ask(line)).get("code", "ok")) for line in lines]

    async def look(self, table: str = "") -> dict[str, Any]:
        """Return the view of a table; the default is the table at which the program sits."""
        await self.done(f"look {table}".rstrip())
        return self.last("view")

    async def rows(self, line: str) -> list[Any]:
        """Send a command that returns a list, and return its last part."""
        await self.done(line)
        return list(self.last("rows")["rows"])

    def last(self, kind: str) -> dict[str, Any]:
        return next(thing for thing in reversed(self.objects) if thing["type"] == kind)

    def events(self, name: str | None = None) -> list[dict[str, Any]]:
        """Return the events so far, all of them or those with a given name."""
        events = [thing for thing in self.objects if thing["type"] == "event"]
        return events if name is None else [event for event in events if event["event"] == name]

    def notices(self, code: str) -> list[dict[str, Any]]:
        """Return the notices with a given code so far."""
        return [thing for thing in self.objects if thing["type"] == "notice" and thing["code"] == code]


class Far(Program):
    """A program on a slow connection, with ``delay`` seconds each way, which answers every ping at once."""

    delay = 0.0

    def __init__(self, stream: trio.abc.Stream) -> None:
        super().__init__(stream)
        self.times: list[float] = []
        """When each of ``objects`` arrived."""

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The oks and errors so far."""
        return [thing for thing in self.objects if thing["type"] in ("ok", "error")]

    async def handle(self, thing: dict[str, Any]) -> None:
        await super().handle(thing)
        self.times.append(trio.current_time())
        if thing["type"] == "ping":
            await self.send(f"pong {thing['key']}")


P = TypeVar("P", bound=Peer)

over = "streams"
"""The transport for peers: streams, or hub."""

run_query: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None
"""How store queries run, or None if they are answered at once."""


async def answer_late(query: Callable[[], Any]) -> Any:
    """Return a query's answer after other tasks have run, without any virtual time passing."""
    answer = query()
    for _ in range(5):
        await trio.lowlevel.checkpoint()
    return answer


class House:
    def __init__(self, nursery: trio.Nursery, dispatcher: Dispatcher, hub: Hub | None) -> None:
        self.nursery = nursery
        self.dispatcher = dispatcher
        self.lobby = dispatcher.lobby
        self._hub = hub
        self._sockets: list[trio.socket.SocketType] = []

    async def connect(self, *, telnet: bool = False, address: str = "127.0.0.1") -> Peer:
        """Connect a peer in text mode."""
        return await self._connect(Peer, address, telnet=telnet)

    async def far(self, name: str, *, delay: float, address: str = "127.0.0.1") -> Far:
        """Connect a program with the given name, whose bytes take ``delay`` seconds each way."""
        far = await self._connect(Far, address, delay=delay)
        far.delay = delay
        await far.send("hello 1")
        await far.send(f"name {name}")
        await trio.sleep(3 * delay)
        await far.poll()
        far.token, far.name = far.last("ok")["token"], name
        return far

    async def _connect(self, kind: type[P], address: str = "127.0.0.1", **how: Any) -> P:
        peer = kind(self.line(address, **how))
        self.nursery.start_soon(peer.read)
        await peer.settle()
        return peer

    def line(
        self, address: str = "127.0.0.1", *, telnet: bool = False, delay: float = 0.0, streamed: bool = False
    ) -> trio.abc.Stream:
        """Return the far end of a new connection; if it has a delay, a proxy reports the delay to the server."""
        addresses = Addresses(self.lobby.config.connections_per_address)
        acceptor = LobbyAcceptor(self.dispatcher, addresses, telnet=telnet)
        if self._hub is None or streamed:
            here, there = trio.testing.memory_stream_pair()
            by_proxy = ProxyRoundTrip(2 * delay) if delay else None
            transport = StreamTransport(there, address, self.lobby.config.outbox, by_proxy)
            self.nursery.start_soon(transport.run, acceptor.welcome)
            return delayed(self.nursery, here, delay)
        mine, theirs = socket.socketpair()
        theirs.setblocking(False)
        HubTransport(self._hub, theirs, address, acceptor).open(acceptor.welcome)
        self._sockets.append(trio.socket.from_stdlib_socket(mine))
        return trio.SocketStream(self._sockets[-1])

    def close(self) -> None:
        for sock in self._sockets:
            sock.close()

    async def person(self, name: str, *lines: str) -> Peer:
        """Connect a person who gives a name and types the given lines."""
        peer = await self.connect()
        for line in (f"name {name}", *lines):
            await peer.say(line)
        return peer

    async def program(self, name: str | None = None, *lines: str, address: str = "127.0.0.1") -> Program:
        """Connect a program, optionally with a name, and send commands that must succeed."""
        program = await self._connect(Program, address)
        await program.done("hello 1")
        if name is not None:
            await program.done(f"name {name}")
            program.name = name
        await program.done(*lines)
        return program

    async def programs(self, *names: str) -> list[Program]:
        return [await self.program(name) for name in names]

    def session(self, name: str) -> Session:
        """Return the session of the player with this name."""
        (session,) = [each for each in self.lobby.sessions if each.player and each.player.name == name]
        return session

    async def resumed(self, player: Program) -> Program:
        """Reconnect a player's program with its token."""
        program = await self.program()
        await program.done(f"resume {player.token}")
        program.token, program.name = player.token, player.name
        return program

    async def opened(self, create: str, *names: str) -> list[Program]:
        """Seat programs at a new table, the first as its host, without starting a match."""
        programs = await self.programs(*names)
        opened = await programs[0].done(f"create {create}")
        await all_done(programs[1:], f"join {opened['table']}")
        return programs

    async def table(self, create: str, *names: str) -> list[Program]:
        """Seat programs at a new table and start a match."""
        programs = await self.opened(create, *names)
        await all_done(programs[1:], "ready")
        await programs[0].done("start")
        await poll_all(programs)
        return programs


async def all_done(programs: Iterable[Program], *lines: str) -> None:
    """Let each program send commands that must succeed."""
    for program in programs:
        await program.done(*lines)


async def poll_all(programs: Iterable[Program]) -> None:
    for program in programs:
        await program.poll()


def delayed(nursery: trio.Nursery, line: trio.abc.Stream, delay: float) -> trio.abc.Stream:
    """Return the far end of a line whose bytes take ``delay`` seconds each way."""
    if not delay:
        return line
    far, near = trio.testing.memory_stream_pair()
    nursery.start_soon(carry, near, line, delay)
    nursery.start_soon(carry, line, near, delay)
    return far


async def carry(source: trio.abc.ReceiveStream, target: trio.abc.SendStream, delay: float) -> None:
    """Forward bytes ``delay`` seconds after they arrive, and then the end of the stream."""
    send, receive = trio.open_memory_channel[tuple[float, bytes]](math.inf)

    async def hand_on() -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for due, data in receive:
                await trio.sleep_until(due)
                await target.send_all(data)
        await target.aclose()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hand_on)
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for data in source:
                send.send_nowait((trio.current_time() + delay, bytes(data)))
        send.close()


class InlineQueue(FairQueue):
    """Runs jobs at once instead of in a thread, because virtual time does not wait for threads."""

    def __init__(self) -> None:
        super().__init__(1)

    async def run(self, origin: str, work: Callable[[], Any]) -> Any:
        return work()


@contextlib.asynccontextmanager
async def open_house(
    seed: int = 1, *, store: Any = None, nodes_of: Callable[[Any], Nodes] | None = None, **settings: Any
) -> AsyncIterator[House]:
    """Run a server in memory, with the tables of its store; ``settings`` are for its configuration."""
    store = MemoryStore() if store is None else store
    config = Config(**{"commands_per_second": 10_000, "chat_per_10_seconds": 10_000} | settings)
    chance = random.Random(seed)
    async with trio.open_nursery() as nursery:
        journal = Journal(store)
        await nursery.start(journal.run)
        timers = Timers()
        nursery.start_soon(timers.run)
        hub = Hub(timers, outbox=config.outbox, around=journal) if over == "hub" else None
        if hub is not None:
            journal.around_callbacks = hub
            nursery.start_soon(hub.run)
        lobby = Lobby(
            config=config,
            store=store,
            gate=DurabilityGate(journal.submit),
            timers=timers,
            catalogue=catalogue(),
            spawn=nursery.start_soon,
            entropy=chance.randbytes,
            wall_clock=lambda: 1_800_000_000.0 + trio.current_time(),
            nodes=None if nodes_of is None else nodes_of(nursery.start_soon),
            lookups=None if run_query is None else Lookups(is_immediate=False, run=run_query),
        )
        lobby.evenings = lobby.coach = InlineQueue()
        lobby.tables.restore()
        house = House(nursery, Dispatcher(lobby), hub)
        try:
            yield house
        finally:
            house.close()
            nursery.cancel_scope.cancel()


async def hole_played(programs: list[Program]) -> None:
    """Let programs play at random until a hole has ended."""
    await play_at_random(programs, random.Random(1), until=lambda: programs[0].events("hole_ended"))


async def play_at_random(
    programs: list[Program],
    chance: random.Random,
    listen: Callable[[], Awaitable[None]] | None = None,
    *,
    until: Callable[[], object] = lambda: False,
) -> None:
    """Let programs choose at random among the offered actions until the match has ended or ``until`` is true.

    Before each choice, ``listen`` reads what the programs have been sent, and may replace programs in the list; by
    default, each program polls.
    """
    before = len(programs[0].events("match_ended"))
    listen = listen or partial(poll_all, programs)
    for _ in range(20_000):
        await listen()
        if until() or len(programs[0].events("match_ended")) > before:
            return
        ready = [each for each in programs if not each.is_closed and each.last("prompt")["actions"]]
        if not ready:
            await trio.sleep(1)
            continue
        program = chance.choice(ready)
        line = choose_line(program.last("prompt"), chance)
        if line.startswith("slam"):  # nobody slams faster than a person could
            await trio.sleep(0.2)
            await listen()
            if program.is_closed or line.split()[1] not in program.last("prompt")["targets"]:
                continue
        await program.ask(line)
    raise AssertionError("the match did not end")


def choose_line(prompt: dict[str, Any], chance: random.Random) -> str:
    """Return one of the offered command lines, with targets if it needs them."""
    line = str(chance.choice(prompt["actions"]))
    if line == "slam":
        return f"slam {chance.choice(prompt['targets'])}"
    if line == "switch":
        return f"switch {' '.join(chance.sample(prompt['targets'], 2))}"
    return line
