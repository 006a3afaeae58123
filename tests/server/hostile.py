"""What hostile peers do to a server: a catalogue of small scripts, easy to add to.

A script is an async function that does its worst with the peers it connects, and ends; ``@hostile`` puts it in the
catalogue, and ``test_hostile`` holds the server to its law beside it. Scripts send as fast as the kernel lets them.
"""

from __future__ import annotations

import contextlib
import socket
from functools import partial
from typing import TYPE_CHECKING, Final

import trio
import trio.testing

from golfnet.server.budget import Addresses
from golfnet.server.commands.dispatch import LobbyAcceptor, greet
from golfnet.server.web.entrance import REQUEST_SECONDS, WebEntrance
from tests.server.house import House, serve_stream
from tests.server.null_transport import NullTransport

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LINES: Final = 1500
"""Lines of a flood: fifty times what one turn is for."""


class Wire:
    """A hostile peer's end of a connection."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self.received = bytearray()

    async def pour(self, *data: bytes) -> None:
        """Send bytes, until all are sent or the server has closed; a server that reads nothing more ends it too."""
        with trio.move_on_after(5), contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            for piece in data:
                await self._stream.send_all(piece)
            await trio.sleep(2)  # virtual: whatever the server has still to do with it

    async def read(self) -> None:
        """Read what the server sends, until it closes."""
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for data in self._stream:
                self.received += bytes(data)

    async def drop(self) -> None:
        """Close without a word."""
        await self._stream.aclose()


class Foes:
    """The hostile peers of one server."""

    def __init__(self, house: House, nursery: trio.Nursery) -> None:
        self.house = house
        self.nursery = nursery

    async def connect(self, *, reads: bool = True, telnet: bool = False, streamed: bool = False) -> Wire:
        """Connect, by a socket of the hub or by a stream as under TLS and behind proxies."""
        if streamed:
            here, there = trio.testing.memory_stream_pair()
            self.nursery.start_soon(partial(serve_stream, self.house.dispatcher, there, "127.0.0.1"))
            wire = Wire(here)
        else:
            wire = Wire(self.house._line("127.0.0.1", telnet=telnet))
        if reads:
            self.nursery.start_soon(wire.read)
        await trio.lowlevel.checkpoint()
        return wire

    async def named(self, name: str, *, reads: bool = True, streamed: bool = False) -> Wire:
        """Connect a peer that has a name."""
        wire = await self.connect(reads=reads, streamed=streamed)
        await wire._stream.send_all(b"name %b\n" % name.encode())
        return wire

    def crowd(self, count: int) -> None:
        """Fill the lobby with people who only listen, every fifth at a table of its own."""
        for number in range(count):
            session = greet(self.house.dispatcher, NullTransport(), telnet=False)
            session.receive(b"name crowd%d\n" % number, trio.current_time())
            if number % 5 == 0:
                session.receive(b"create six-card\n", trio.current_time())


CATALOGUE: Final[dict[str, Callable[[Foes], Awaitable[None]]]] = {}


def hostile(script: Callable[[Foes], Awaitable[None]]) -> Callable[[Foes], Awaitable[None]]:
    """Put a script into the catalogue."""
    CATALOGUE[script.__name__] = script
    return script


# --- requests behind one that takes its time


@hostile
async def login_and_junk(foes: Foes) -> None:
    await (await foes.connect()).pour(b"login nobody wrongpw\n", b"p\n" * LINES)


@hostile
async def login_and_junk_by_a_stream(foes: Foes) -> None:
    await (await foes.connect(streamed=True)).pour(b"login nobody wrongpw\n", b"p\n" * LINES)


@hostile
async def passwd_and_junk(foes: Foes) -> None:
    wire = await foes.named("Passwd")
    await wire.pour(b"register longenough\n" + b"passwd wrongone another1\n" + b"p\n" * LINES)


@hostile
async def junk_behind_a_list(foes: Foes) -> None:
    foes.crowd(300)
    await (await foes.connect()).pour(b"tables\n" + b"p\n" * LINES)


# --- plain floods


@hostile
async def junk(foes: Foes) -> None:
    await (await foes.connect()).pour(b"p\n" * LINES)


@hostile
async def junk_for_programs(foes: Foes) -> None:
    lines = b"".join([b"%d nonsense\n" % number for number in range(LINES)])
    await (await foes.connect()).pour(b"hello 1\n", lines)


@hostile
async def junk_by_a_stream(foes: Foes) -> None:
    await (await foes.connect(streamed=True)).pour(b"p\n" * LINES)


@hostile
async def pongs(foes: Foes) -> None:
    await (await foes.connect()).pour(b"hello 1\n", b"pong\n" * LINES, b"7 pong x\n" * LINES)


@hostile
async def pongs_by_a_stream(foes: Foes) -> None:
    await (await foes.connect(streamed=True)).pour(b"hello 1\n", b"pong 1\n" * LINES)


@hostile
async def many_at_once(foes: Foes) -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            wire = await foes.connect()
            nursery.start_soon(wire.pour, b"p\n" * 1000)


@hostile
async def lines_that_are_known(foes: Foes) -> None:
    lines = b"".join([b"ping %d\n" % number for number in range(LINES)])
    await (await foes.connect()).pour(b"hello 1\n", lines)


@hostile
async def without_an_end(foes: Foes) -> None:
    await (await foes.connect()).pour(b"x" * 500_000)


@hostile
async def lines_too_long(foes: Foes) -> None:
    await (await foes.connect()).pour((b"y" * 1500 + b"\n") * 300)


@hostile
async def no_text(foes: Foes) -> None:
    await (await foes.connect()).pour(b"\xfe\n" * LINES)


@hostile
async def backspaces(foes: Foes) -> None:
    await (await foes.connect()).pour(b"x\b" * 20_000, b"\x7f" * 50_000)


@hostile
async def nothing_at_all(foes: Foes) -> None:
    await (await foes.connect()).pour(b"\n" * 50_000, b"\0" * 50_000, b"\r\n" * 50_000)


# --- dear commands


@hostile
async def lists(foes: Foes) -> None:
    foes.crowd(600)
    wire = await foes.connect()
    await wire.pour(b"hello 1\n", b"who\ntables\ntop\nhistory\nvariants\nhelp\nrules cactus\n" * 20)


@hostile
async def lists_in_text(foes: Foes) -> None:
    foes.crowd(300)
    await (await foes.connect()).pour(b"who\ntables\nset width 200\n" * 10)


@hostile
async def lists_of_many(foes: Foes) -> None:
    await _long_lists(foes, streamed=False)


@hostile
async def lists_of_many_by_streams(foes: Foes) -> None:
    await _long_lists(foes, streamed=True)


async def _long_lists(foes: Foes, *, streamed: bool) -> None:
    """Let many ask for every long list at once, and read nothing."""
    foes.crowd(50)
    lines = b"rules cactus full\nhelp all\nvariants\nevening\nwho\ntables\nhistory all\ntop\n"
    wires = [await foes.connect(reads=False, streamed=streamed) for _ in range(40)]
    async with trio.open_nursery() as nursery:
        for wire in wires:
            nursery.start_soon(wire.pour, lines)


@hostile
async def lists_unread(foes: Foes) -> None:
    foes.crowd(600)
    await (await foes.connect(reads=False)).pour(b"hello 1\n", b"who\ntables\n" * 100)


@hostile
async def shouts(foes: Foes) -> None:
    foes.crowd(600)
    wire = await foes.named("Shouter")
    await wire.pour(b"shout %b\n" % (b"hey " * 200) * 100)


@hostile
async def words_nobody_knows(foes: Foes) -> None:
    await (await foes.connect()).pour(b"%b\n" % (b"abcdefgh" * 120) * 500)


@hostile
async def quoted_words(foes: Foes) -> None:
    wire = await foes.named("Quoter")
    line = b'create six-card name="%b" password="%b" seats=99999999999\n' % (b"n" * 400, b"p" * 400)
    await wire.pour(line * 500)


@hostile
async def numbers_of_events(foes: Foes) -> None:
    wire = await foes.named("Later")
    lines = b"".join([b"draw at=%d\n" % number for number in range(LINES)])
    await wire.pour(b"hello 1\ncreate six-card\n", lines)


@hostile
async def names_not_wanted(foes: Foes) -> None:
    wire = await foes.named("Moody")
    await wire.pour(b"".join([b"mute Nobody%d\nnoplay Nobody%d\n" % (n, n) for n in range(1000)]))


# --- tables


@hostile
async def watching_everything(foes: Foes) -> None:
    foes.crowd(200)
    wire = await foes.named("Watcher")
    tables = [table.encode() for table in foes.house.lobby.tables]
    await wire.pour(b"hello 1\n", b"".join([b"watch %b\n" % table for table in tables]))
    await wire.drop()


@hostile
async def watching_on_and_off(foes: Foes) -> None:
    wire = await foes.named("Flipper")
    await wire.pour(b"watch t1\nunwatch t1\n" * 1000)


@hostile
async def tables_opened_and_left(foes: Foes) -> None:
    wire = await foes.named("Opener")
    await wire.pour(b"hello 1\n", b"create six-card\nleave\n" * 300)


@hostile
async def looking_without_reading(foes: Foes) -> None:
    wire = await foes.named("Starer", reads=False)
    await wire.pour(b"watch t1\n", b"look\n" * LINES)


@hostile
async def talk(foes: Foes) -> None:
    wire = await foes.named("Talker")
    await wire.pour(b"watch t1\n", b"say hello\ntell Canary hello\n" * 1000)


# --- connections


@hostile
async def slowly(foes: Foes) -> None:
    wires = [await foes.connect() for _ in range(40)]
    for _ in range(5):
        for wire in wires:
            with contextlib.suppress(trio.BrokenResourceError):
                await wire._stream.send_all(b"n")
        await trio.sleep(0.5)


@hostile
async def opened_and_closed(foes: Foes) -> None:
    for _ in range(100):
        await (await foes.connect(reads=False)).drop()


@hostile
async def half_lines(foes: Foes) -> None:
    for _ in range(50):
        wire = await foes.connect(reads=False)
        await wire._stream.send_all(b"name Hal")
        await wire.drop()


@hostile
async def new_names(foes: Foes) -> None:
    for number in range(50):
        wire = await foes.named(f"Churn{number}", reads=False)
        await wire.drop()


@hostile
async def half_closed(foes: Foes) -> None:
    wire = await foes.connect()
    stream = wire._stream
    assert isinstance(stream, trio.SocketStream)
    stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    with contextlib.suppress(trio.BrokenResourceError):
        await stream.send_all(b"login nobody wrongpw\n" + b"p\n" * LINES)
        await stream.send_eof()
    await trio.sleep(2)


# --- other protocols


@hostile
async def web_pages(foes: Foes) -> None:
    for _ in range(5):
        await (await foes.connect()).pour(b"GET / HTTP/1.1\r\nHost: golf\r\n\r\n" * 20)


@hostile
async def web_requests_without_an_end(foes: Foes) -> None:
    dispatcher = foes.house.dispatcher
    entrance = WebEntrance(LobbyAcceptor(dispatcher, Addresses(50)), dispatcher.config.outbox, (), None)
    for _ in range(70):
        here, there = trio.testing.memory_stream_pair()
        foes.nursery.start_soon(entrance.carry, there, "127.0.0.1")
        await here.send_all(b"GET / HTTP/1.1\r\nX: ")
    await trio.sleep(REQUEST_SECONDS)


@hostile
async def tls_hellos(foes: Foes) -> None:
    for _ in range(5):
        await (await foes.connect()).pour(b"\x16\x03\x01\x02\x00\x01" * 1000)


@hostile
async def telnet_options(foes: Foes) -> None:
    wire = await foes.connect(telnet=True)
    await wire.pour(b"".join([b"\xff\xfd" + bytes([option % 200]) for option in range(5000)]))


@hostile
async def telnet_that_asks(foes: Foes) -> None:
    await (await foes.connect(telnet=True)).pour(b"\xff\xf6" * LINES)  # Are You There


@hostile
async def telnet_that_does_nothing(foes: Foes) -> None:
    await (await foes.connect(telnet=True)).pour(b"\xff\xf1" * 20_000)


@hostile
async def telnet_that_erases(foes: Foes) -> None:
    await (await foes.connect(telnet=True)).pour(b"x\xff\xf7" * 20_000, b"\xff\xf8" * 20_000)


@hostile
async def telnet_that_erases_by_a_stream(foes: Foes) -> None:
    await (await foes.connect(streamed=True)).pour(b"\xff\xf1x\xff\xf7" * 20_000)


@hostile
async def window_sizes(foes: Foes) -> None:
    wire = await foes.connect(telnet=True)
    await wire.pour(b"\xff\xfb\x1f", b"\xff\xfa\x1f\0\x50\0\x18\xff\xf0" * 10_000)


@hostile
async def left_behind(foes: Foes) -> None:
    for filler in (b"\xff\xf1", b"x\b", b"p\n"):
        wires = [await foes.connect(reads=False, telnet=True) for _ in range(5)]
        for wire in wires:
            with trio.move_on_after(1), contextlib.suppress(trio.BrokenResourceError):
                await wire._stream.send_all(filler * 500_000)
            await wire.drop()


@hostile
async def telnet_without_an_end(foes: Foes) -> None:
    await (await foes.connect(telnet=True)).pour(b"\xff\xfa\x1f" + b"x" * 200_000, b"\xff\xf0" * 1000)


@hostile
async def objects_of_mud_clients(foes: Foes) -> None:
    sent = b'\xff\xfa\xc9Golf.Command "nonsense"\xff\xf0'
    await (await foes.connect(telnet=True)).pour(b"\xff\xfd\xc9", sent * LINES)
