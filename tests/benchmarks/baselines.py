"""Servers to compare with, each written the usual way; run by name, one prints its port and serves until it is ended.

``echo`` is trio's own ``serve_tcp`` with a task for each connection, ``protocol`` the same lines with asyncio,
``tables`` passes every line to all four at a table through a channel and a writer task for each, ``bare`` accepts.
"""

from __future__ import annotations

import argparse
import asyncio
from functools import partial
from itertools import count
from typing import Final

import trio


async def echo_line(stream: trio.SocketStream) -> None:
    """Send every line back."""
    rest = b""
    async for data in stream:
        *lines, rest = (rest + bytes(data)).split(b"\n")
        for line in lines:
            await stream.send_all(line + b"\n")


async def bare(stream: trio.SocketStream) -> None:
    """Do nothing with a connection."""


class EchoProtocol(asyncio.Protocol):
    """Send every line back, with asyncio."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.rest = b""

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        assert isinstance(self.transport, asyncio.WriteTransport)
        for line in lines:
            self.transport.write(line + b"\n")


class Tables:
    """Tables of four in the order of connecting; a line goes to all four."""

    def __init__(self) -> None:
        self.numbers = count()
        self.tables: dict[int, list[trio.MemorySendChannel[bytes]]] = {}

    async def serve(self, stream: trio.SocketStream) -> None:
        table = self.tables.setdefault(next(self.numbers) // 4, [])
        send, receive = trio.open_memory_channel[bytes](100)
        table.append(send)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.write_all, stream, receive)
            rest = b""
            async for data in stream:
                *lines, rest = (rest + bytes(data)).split(b"\n")
                for line in lines:
                    for seat in table:
                        seat.send_nowait(line + b"\n")
            nursery.cancel_scope.cancel()

    @staticmethod
    async def write_all(stream: trio.SocketStream, lines: trio.MemoryReceiveChannel[bytes]) -> None:
        async for line in lines:
            await stream.send_all(line)


async def serve_trio(kind: str) -> None:
    handler = {"echo": echo_line, "bare": bare, "tables": Tables().serve}[kind]
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, handler, 0, host="127.0.0.1"))
        print(listeners[0].socket.getsockname()[1], flush=True)


async def serve_asyncio() -> None:
    server = await asyncio.get_running_loop().create_server(EchoProtocol, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


KINDS: Final = ("echo", "protocol", "tables", "bare")


def main() -> None:
    """Serve as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=KINDS)
    kind = parser.parse_args().kind
    if kind == "protocol":
        asyncio.run(serve_asyncio())
    else:
        trio.run(serve_trio, kind)


if __name__ == "__main__":
    main()
