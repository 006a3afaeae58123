"""A catalogue of servers that try to harm their clients, each served on its own port.

A script gets a connection and does its worst with it; when it returns, the connection is closed.
"""

from __future__ import annotations

import json
import random
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Script = Callable[[trio.SocketStream], Awaitable[None]]

HOSTILE: Final[dict[str, Script]] = {}
"""Every script, by name."""

WELCOME: Final = b'{"type":"ok","id":1}\n{"type":"ok","id":2,"name":"Ann","token":"secret"}\n'
"""The replies that log a program in: one to its greeting, and one to its name."""

DEEP: Final = 100_000


def hostile(script: Script) -> Script:
    """Add a script to the catalogue."""
    HOSTILE[script.__name__] = script
    return script


async def pour(stream: trio.SocketStream, piece: bytes) -> None:
    """Send a piece forever, as fast as it is read."""
    while True:
        await stream.send_all(piece)


@hostile
async def closes_at_once(stream: trio.SocketStream) -> None:
    pass


@hostile
async def random_bytes(stream: trio.SocketStream) -> None:
    await pour(stream, random.Random(1).randbytes(65536))


@hostile
async def an_endless_line(stream: trio.SocketStream) -> None:
    await stream.send_all(WELCOME)
    await pour(stream, b"x" * 65536)


@hostile
async def pings(stream: trio.SocketStream) -> None:
    await stream.send_all(WELCOME)
    await pour(stream, b'{"type":"ping","key":"k"}\n' * 1000)


@hostile
async def endless_lists(stream: trio.SocketStream) -> None:
    await stream.send_all(WELCOME)
    row = {"table": "t1", "variant": "cactus", "state": "open", "seats": 2, "taken": 1}
    line = {"type": "rows", "kind": "tables", "rows": [row] * 50, "more": True}
    await pour(stream, json.dumps(line).encode() + b"\n")


@hostile
async def deep_nesting(stream: trio.SocketStream) -> None:
    await stream.send_all(WELCOME)
    for opening in (b"[", b'{"type":', b'{"type":"ok","x":', b'{"type":"rows","kind":"who","rows":'):
        for _ in range(20):
            await stream.send_all(opening * (16_000 // len(opening)) + b"\n")
    await stream.send_all(b'{"type":"ok","id":7,"key":"' + b"[" * DEEP + b'"}\n')
    await trio.sleep_forever()


class Calls:
    """A server's port, and how many connections it has had."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.count = 0


@asynccontextmanager
async def hostile_server(name: str) -> AsyncIterator[Calls]:
    """Serve a script from the catalogue."""
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    calls = Calls(listener.socket.getsockname()[1])

    async def serve(stream: trio.SocketStream) -> None:
        calls.count += 1
        async with stream, trio.open_nursery() as nursery:
            nursery.start_soon(_read, stream)
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await HOSTILE[name](stream)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        await nursery.start(trio.serve_listeners, serve, [listener])
        yield calls
        nursery.cancel_scope.cancel()


async def _read(stream: trio.SocketStream) -> None:
    """Read everything, so that the client never has to wait."""
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while await stream.receive_some():
            pass
