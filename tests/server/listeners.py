"""Sessions that record what they receive, served over either transport."""

import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from golfnet.server.clock import Timers
from golfnet.server.net.entrance import PortOpener
from golfnet.server.net.hub import Hub
from golfnet.server.net.transport import Transport

needs_hub = pytest.mark.skipif(not Hub.is_supported(), reason="no hub here")

OUTBOX = 8 * 1024 * 1024


class Listener:
    """A session that records what it receives, and handles bytes as a test wants."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.heard: list[object] = []
        self.times: list[float] = []
        self.do: Callable[[bytes], None] = lambda data: None

    def receive(self, data: bytes, arrived: float) -> None:
        self.heard.append(data)
        self.times.append(arrived)
        self.do(data)

    def proceed(self) -> None:
        self.heard.append("turn")

    def end_of_input(self) -> None:
        self.heard.append("end of input")

    def lost(self, cause: str) -> None:
        self.heard.append(cause)

    @property
    def text(self) -> bytes:
        return b"".join(each for each in self.heard if isinstance(each, bytes))

    @property
    def told(self) -> list[object]:
        return [each for each in self.heard if not isinstance(each, bytes)]


class House:
    """A server whose sessions are listeners; ``ended`` has the address of each closed connection.

    Sockets from ``connect`` that a test leaves open are closed at its end.
    """

    def __init__(self, port: int, stop: Callable[[], None]) -> None:
        self.port = port
        self.stop = stop
        self.sessions: list[Listener] = []
        self.ended: list[str] = []
        self.refuses = False
        self.peers = ExitStack()

    def admit(self, address: str) -> bool:
        return not self.refuses

    def welcome(self, transport: Transport) -> Listener:
        self.sessions.append(Listener(transport))
        return self.sessions[-1]

    def gone(self, address: str) -> None:
        self.ended.append(address)

    async def connect(self) -> tuple[trio.socket.SocketType, Listener]:
        """Return a connection's far end and its session."""
        sock = self.peers.enter_context(trio.socket.socket())
        before = len(self.sessions)
        await sock.connect(("127.0.0.1", self.port))
        while len(self.sessions) == before:
            await wait_all_tasks_blocked()
        return sock, self.sessions[-1]


@asynccontextmanager
async def serving(*, has_hub: bool, around: Any = None) -> AsyncIterator[House]:
    timers = Timers()
    hub = Hub(timers, outbox=OUTBOX, around=around) if has_hub else None
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(timers.run)
        if hub is not None:
            nursery.start_soon(hub.run)
        ports = PortOpener(nursery, lambda descriptor: True, hub, OUTBOX)
        house = House(listener.socket.getsockname()[1], ports.close)
        ports.open_plain([listener], house)
        with house.peers:
            yield house
        nursery.cancel_scope.cancel()
    assert hub is None or not hub.connections


by_hub = partial(serving, has_hub=True)
by_stream = partial(serving, has_hub=False)


async def read_all(sock: trio.socket.SocketType) -> bytes:
    received = bytearray()
    while data := await sock.recv(65536):
        received += data
    return bytes(received)


async def until(condition: Callable[[], object]) -> None:
    """Let the server run until a condition is true."""
    for _ in range(1000):
        if condition():
            return
        await wait_all_tasks_blocked()
    raise AssertionError("the condition did not become true")


async def receive(sock: trio.socket.SocketType, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        data = await sock.recv(count - len(received))
        assert data, f"the connection ended after {len(received)} of {count} bytes"
        received += data
    return bytes(received)


def reset(sock: trio.socket.SocketType) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
