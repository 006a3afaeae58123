"""The network of a world: connections that delay, split or lose bytes, and the server's sockets.

Invariants: the bytes sent in one direction arrive in order, or the connection is lost; the kernels buffer ``WINDOW``
unread bytes for a client and accept no more. Sockets and selector do what the server's hub needs from real ones.
"""

from __future__ import annotations

import socket
from selectors import EVENT_READ, EVENT_WRITE
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import trio

from tests.simulation.loop import Sleeper
from tests.simulation.processes import PROCESS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.judges import LineJudge
    from tests.simulation.people import Person
    from tests.simulation.world import World

MOST_PIECES: Final = 500
"""Maximum pieces per connection; later bytes arrive unsplit, since a flood would make 100,000 pieces."""

WINDOW: Final = 16 * 1024
"""How many unread bytes the kernels buffer for a peer: few, so that the server soon notices if a peer stops reading."""


class Conditions:
    """The current condition of the path between a client and the server."""

    def __init__(self) -> None:
        self.delay = 0.002
        self.piece = 0
        """Maximum number of bytes that arrive at once from a client, 0 for no limit."""


class Line:
    def __init__(self, world: World, person: Person, judge: LineJudge) -> None:
        self.ways = person.ways
        self.judge = judge
        """Receives every byte that the server's kernel has accepted."""
        self.socket = ServerSocket(self)
        self.server: object = None
        """The process at the other end."""
        self.opened_at = world.now
        self.reads = True
        """Whether the client reads; if not, received bytes stay in the kernel."""
        self.is_over = False
        """Whether the client's end is closed."""
        self.was_cut = False
        self._world = world
        self._person = person
        self._unread: list[bytes] = []
        self._last_up = self._last_down = 0.0
        self._pieces_left = MOST_PIECES

    def send(self, data: bytes) -> None:
        if self.is_over or self.was_cut:
            return
        while len(data) > self.ways.piece > 0 < self._pieces_left:
            piece, data = data[: self.ways.piece], data[self.ways.piece :]
            self._pieces_left -= 1
            self._up(lambda piece=piece: self.socket.arrive(piece))  # type: ignore[misc]
        self._up(lambda: self.socket.arrive(data))

    def end_input(self) -> None:
        """Half-close: send nothing more to the server, but still read."""
        if not self.was_cut:
            self._up(self.socket.arrive_end)

    def reset(self) -> None:
        if not self.is_over:
            self.is_over = True
            if not self.was_cut:
                self._up(self.socket.arrive_reset)

    def read_on(self) -> None:
        self.reads = True
        for data in self._unread:
            self._read(data)
        self._unread.clear()

    # --- for the server's end

    def down(self, data: bytes) -> None:
        self._world.hash.update(data)
        self.judge.hear(data)
        if not self.was_cut:
            self._down(lambda: self._arrive(data))

    def server_closed(self) -> None:
        if not self.was_cut:
            self._down(self._lost)

    def server_died(self) -> None:
        """Reset the connection, as a kernel does for a process that has died."""
        self.socket.is_closed = True
        self.server_closed()

    def _arrive(self, data: bytes) -> None:
        if self.reads:
            self._read(data)
        else:
            self._unread.append(data)

    def _read(self, data: bytes) -> None:
        self.socket.drained(len(data))
        if not self.is_over:
            self._person.received(self, data)

    def _lost(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._up(self.socket.arrive_end)
            self._person.lost(self)

    def _up(self, call: Callable[[], None]) -> None:
        self._last_up = max(self._last_up, self._world.now + self.ways.delay)
        self._world.after(self._last_up - self._world.now, call)

    def _down(self, call: Callable[[], None]) -> None:
        self._last_down = max(self._last_down, self._world.now + self.ways.delay)
        self._world.after(self._last_down - self._world.now, call)


_OPTIONS: Final = {(socket.IPPROTO_TCP, socket.TCP_NODELAY), (socket.SOL_SOCKET, socket.SO_OOBINLINE)}


class ServerSocket:
    """The server's end of a connection."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.selector: Selector | None = None
        self._number = _next_number()
        self._inbox = bytearray()
        self._is_input_over = False
        self._is_reset = False
        self._is_shut = False
        self.is_closed = False
        self._unread = 0
        """How many bytes are in flight to the client, or not yet read by it."""

    @property
    def events(self) -> int:
        readable = bool(self._inbox) or self._is_input_over or self._is_reset
        return readable * EVENT_READ | (self._unread < WINDOW or self._is_reset) * EVENT_WRITE

    @property
    def is_ending(self) -> bool:
        return self.is_closed or self._is_shut or self._is_input_over or self._is_reset

    def fileno(self) -> int:
        return self._number

    def setblocking(self, flag: bool) -> None:
        """Do nothing: this socket never blocks."""

    def setsockopt(self, level: int, option: int, value: int) -> None:
        """Accept the options that every connection has; raise ``OSError`` for arrival timestamps."""
        if (level, option) not in _OPTIONS:
            raise OSError("no such option")

    def getsockopt(self, *args: int) -> bytes:
        """Raise ``OSError``: this kernel measures nothing."""
        raise OSError("no such option")

    def recv(self, size: int) -> bytes:
        if self._inbox:
            data = bytes(self._inbox[:size])
            del self._inbox[:size]
            return data
        if self._is_reset:
            raise ConnectionResetError
        if self._is_input_over:
            return b""
        raise BlockingIOError

    def send(self, data: bytes) -> int:
        """Accept as many bytes as there is room for."""
        if self._is_reset or self.is_closed:
            raise ConnectionResetError
        taken = min(len(data), WINDOW - self._unread)
        if taken <= 0:
            raise BlockingIOError
        self._unread += taken
        self.line.down(data[:taken])
        return taken

    def shutdown(self, how: int) -> None:
        if self._is_reset:
            raise ConnectionResetError
        self._is_shut = True
        self.line.server_closed()

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.line.server_closed()

    # --- for the connection

    def poke(self) -> None:
        if self.selector is not None:
            self.selector.touch(self)

    def arrive(self, data: bytes) -> None:
        if not self.is_closed:
            self._inbox += data
            self.poke()

    def arrive_end(self) -> None:
        self._is_input_over = True
        self.poke()

    def arrive_reset(self) -> None:
        self._is_reset = True
        self.poke()

    def drained(self, size: int) -> None:
        """Free space after the client has read."""
        self._unread -= size
        self.poke()


class Door:
    def __init__(self) -> None:
        self.is_open = True
        self._waiting: list[tuple[Line, str]] = []
        self._sleeper = Sleeper()

    def __enter__(self) -> Door:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def detach(self) -> Door:
        """Return this object, which also stands for its descriptor."""
        return self

    def setblocking(self, flag: bool) -> None:
        """Do nothing: this socket never blocks."""

    def knock(self, line: Line, address: str) -> None:
        self._waiting.append((line, address))
        self._sleeper.wake()

    async def wait(self) -> None:
        if self._waiting:
            await trio.lowlevel.checkpoint()
        else:
            await self._sleeper.sleep()

    def accept(self) -> tuple[ServerSocket, tuple[str, int]]:
        if not self._waiting:
            raise BlockingIOError
        line, address = self._waiting.pop(0)
        return line.socket, (address, 40000)

    def close(self) -> None:
        """Stop listening, and close the queued connections."""
        self.is_open = False
        for line, _ in self._waiting:
            line.socket.close()
        self._waiting.clear()


class Listener(NamedTuple):
    """A listener, as ``open_all`` returns it to ``serve``."""

    socket: Door


class Selector:
    """Replaces the system's selector; tasks can wait for its descriptor."""

    def __init__(self) -> None:
        self._watched: dict[ServerSocket, tuple[int, SimpleNamespace]] = {}
        self._touched: dict[ServerSocket, None] = {}
        """Sockets that may be ready; no others are checked."""
        self._number = _next_number()
        self._sleeper = Sleeper()
        self.process = PROCESS.get()
        SELECTORS[self._number] = self

    def fileno(self) -> int:
        return self._number

    def register(self, sock: ServerSocket, events: int, data: Any) -> None:
        sock.selector = self
        self.modify(sock, events, data)

    def modify(self, sock: ServerSocket, events: int, data: Any) -> None:
        self._watched[sock] = events, SimpleNamespace(data=data)
        self.touch(sock)

    def unregister(self, sock: ServerSocket) -> None:
        del self._watched[sock]
        self._touched.pop(sock, None)
        sock.selector = None

    def select(self, timeout: float = 0) -> list[tuple[SimpleNamespace, int]]:
        ready = []
        for sock in list(self._touched):
            wanted, key = self._watched[sock]
            if events := sock.events & wanted:
                ready.append((key, events))
            else:
                del self._touched[sock]
        return ready

    def touch(self, sock: ServerSocket) -> None:
        """Check a socket that may have become ready."""
        self._touched[sock] = None
        if self._sleeper.is_waiting and self._is_ready(sock):
            self._sleeper.wake()

    async def wait(self) -> None:
        if any(map(self._is_ready, self._touched)):
            await trio.lowlevel.checkpoint()
        else:
            await self._sleeper.sleep()

    def close(self) -> None:
        SELECTORS.pop(self._number, None)

    def _is_ready(self, sock: ServerSocket) -> bool:
        return bool(sock.events & self._watched[sock][0])


SELECTORS: Final[dict[int, Selector]] = {}
"""All open selectors, by their descriptors."""


async def wait_readable(thing: int | Door) -> None:
    """Replace ``trio.lowlevel.wait_readable`` for a selector's descriptor and for a door."""
    await (thing if isinstance(thing, Door) else SELECTORS[thing]).wait()


_numbers = [100]


def _next_number() -> int:
    _numbers[0] += 1
    return _numbers[0]


def reset_numbers() -> None:
    """Number descriptors from the start again, for a new world."""
    _numbers[0] = 100
    SELECTORS.clear()
