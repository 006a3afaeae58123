"""Bare servers that golfnet is compared with: ``trio``, a conventional one, and ``floor``, the minimum cost.

The first is ``trio.serve_tcp`` with a task for each connection; if lines go to several people, each has a channel and a
writer task. The second is one selector, a ``recv`` and a ``send`` for each line, and Python itself. Run with one of
these words and a table size, it prints its port and serves until it is stopped.
"""

import selectors
import socket
import sys
from functools import partial
from itertools import count
from typing import Any

import trio


async def echo(stream: trio.SocketStream) -> None:
    rest = b""
    async for data in stream:
        *lines, rest = (rest + bytes(data)).split(b"\n")
        for line in lines:
            await stream.send_all(line + b"\n")


class Tables:
    """Tables that fill up in order of connection; a line goes to everyone at its table."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._numbers = count()
        self._tables: dict[int, list[trio.MemorySendChannel[bytes]]] = {}

    async def serve(self, stream: trio.SocketStream) -> None:
        table = self._tables.setdefault(next(self._numbers) // self._size, [])
        send, receive = trio.open_memory_channel[bytes](100)
        table.append(send)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write, stream, receive)
            rest = b""
            async for data in stream:
                *lines, rest = (rest + bytes(data)).split(b"\n")
                for line in lines:
                    for seat in table:
                        seat.send_nowait(line + b"\n")
            nursery.cancel_scope.cancel()

    @staticmethod
    async def _write(stream: trio.SocketStream, lines: trio.MemoryReceiveChannel[bytes]) -> None:
        async for line in lines:
            await stream.send_all(line)


async def serve_trio(size: int) -> None:
    handler = echo if size == 1 else Tables(size).serve
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, handler, 0, host="127.0.0.1"))
        print(listeners[0].socket.getsockname()[1], flush=True)


def serve_floor(size: int) -> None:
    """Send each line to everyone at its table; tables fill up in order of connection."""
    selector = selectors.DefaultSelector()
    listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
    selector.register(listener, selectors.EVENT_READ, None)
    print(listener.getsockname()[1], flush=True)
    table: list[socket.socket] = []
    while True:
        for key, _ in selector.select():
            sock: Any = key.fileobj
            if key.data is None:
                peer, _ = listener.accept()
                if len(table) == size:
                    table = []
                table.append(peer)
                selector.register(peer, selectors.EVENT_READ, table)
            elif data := sock.recv(65536):
                for seat in key.data:
                    seat.send(data)
            else:
                selector.unregister(sock)
                sock.close()


if __name__ == "__main__":
    kind, size = sys.argv[1], int(sys.argv[2])
    if kind == "trio":
        trio.run(serve_trio, size)
    else:
        serve_floor(size)
