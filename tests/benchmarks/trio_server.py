"""A conventional server: ``trio.serve_tcp``, and a task for each connection.

If lines go to several people, each has a channel and a writer task. Run with a table size, it prints its port and
serves until it is stopped.
"""

import sys
from functools import partial
from itertools import count

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


async def serve(size: int) -> None:
    handler = echo if size == 1 else Tables(size).serve
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, handler, 0, host="127.0.0.1"))
        print(listeners[0].socket.getsockname()[1], flush=True)


if __name__ == "__main__":
    trio.run(serve, int(sys.argv[1]))
