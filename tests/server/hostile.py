"""A catalogue of small scripts, each of which attacks a server.

A script connects some peers, lets them do their worst, and returns; ``test_hostile`` checks the server meanwhile. Most
scripts ``pour`` bytes into one connection; the others are async functions marked ``@hostile``. All send as fast as the
kernel lets them.
"""

import contextlib
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio
import trio.testing

from golfnet.server.budget import Addresses
from golfnet.server.commands.dispatch import LobbyAcceptor
from golfnet.server.web import REQUEST_SECONDS, WebEntrance
from tests.server.house import House, Peer
from tests.server.null_transport import NullTransport

LINES: Final = 600
"""Lines in a flood: twenty times the limit for one turn."""

JUNK: Final = b"p\n" * LINES


async def connect(
    house: House, name: str = "", *, reads: bool = True, telnet: bool = False, streamed: bool = False
) -> Peer:
    """Connect with a socket of the hub, or with a stream, as is done for TLS and proxies."""
    peer = Peer(house.line(telnet=telnet, streamed=streamed))
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
    "muting_many_names": pour(
        b"".join([b"mute Nobody%d\nnoplay Nobody%d\n" % (n, n) for n in range(1000)]), name="Moody"
    ),
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
    "mud_client_objects": over_telnet(
        b"\xff\xfd\xc9", b'\xff\xfa\xc9Golf.Command "nonsense"\xff\xf0' * LINES
    ),
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
