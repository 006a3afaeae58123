"""Connections between the nodes of a cluster: slow, held up while a node is cut off, broken, or silent.

Invariants: the bytes sent in one direction arrive in order, or the connection is over; a node that has
vanished with its machine closes none of its connections.
"""

from __future__ import annotations

import contextlib
from collections import deque
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import trio

from golfnet.server.links.link_transport import LinkTransport
from golfnet.server.links.relay import Relay
from tests.simulation.network import ServerSocket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.simulation.cluster import ClusterWorld
    from tests.simulation.network import Door

_PATIENCE: Final = 60.0
"""How long a kernel tries to reach a machine that does not answer."""

_MOST_PIECES: Final = 64
"""Maximum number of pieces that one send is split into: lists are long, and each piece is a step of the world."""

_ROOM: Final = 2048
"""How many bytes must be read before a kernel tells the other end that there is room."""


class Network:
    """All links between nodes, by their numbers."""

    def __init__(self, world: ClusterWorld) -> None:
        self.world = world
        self.delay = 0.001
        self.piece = 0
        """Maximum number of bytes that arrive at once, 0 for no limit."""
        self.cut_off: set[int] = set()
        """Nodes that nothing reaches, and that reach nobody."""
        self.ports: dict[int, Door] = {}
        """The listening sockets of living nodes."""
        self.vanished: set[int] = set()
        self.wires: list[Wire] = []

    async def dial(self, here: int, there: int) -> SimpleNamespace:
        """Return a new connection, like ``trio.open_tcp_stream``; raise ``OSError`` if nobody listens."""
        await trio.sleep(2 * self.delay)
        if {here, there} & self.cut_off or there in self.vanished:
            await trio.sleep(_PATIENCE)
        port = self.ports.get(there)
        if port is None or not port.is_open:
            raise OSError("connection refused")
        wire = Wire(self, here, there)
        self.wires.append(wire)
        port.knock(wire.ends[1], f"10.0.0.{here}")  # type: ignore[arg-type]
        return SimpleNamespace(socket=wire.ends[0].socket)

    def heal(self) -> None:
        """Deliver everything that was held up."""
        self.cut_off.clear()
        self.delay, self.piece = 0.001, 0
        for wire in self.wires:
            for end in wire.ends:
                end.flush()

    def break_all(self) -> None:
        for wire in self.wires:
            for end in wire.ends:
                end.socket.arrive_reset()

    def died(self, node: int, *, is_silent: bool) -> None:
        """Close the connections of a node; the other ends are not notified if its machine died too."""
        self.ports.pop(node, None)
        if is_silent:
            self.vanished.add(node)
        for wire in self.wires:
            for end in wire.ends:
                if end.node == node:
                    end.socket.is_closed = True
                    if not is_silent:
                        end.server_closed()

    def ends_at(self, node: int) -> int:
        self.wires = [wire for wire in self.wires if not all(end.socket.is_closed for end in wire.ends)]
        return sum(end.node == node and not end.socket.is_closed for wire in self.wires for end in wire.ends)


class Wire:
    def __init__(self, network: Network, here: int, there: int) -> None:
        self.network = network
        self.ends = (_End(self, here), _End(self, there))
        self.written = bytearray()
        """What the session at the far end has written but the near end has not yet passed on."""
        self.ends[0].other, self.ends[1].other = self.ends[1], self.ends[0]

    @property
    def is_cut(self) -> bool:
        return any(end.node in self.network.cut_off for end in self.ends)


class _End:
    """One end, as its socket sees the connection."""

    other: _End

    def __init__(self, wire: Wire, node: int) -> None:
        self.node = node
        self.socket = LinkSocket(self)  # type: ignore[arg-type]
        self.wire = wire
        self._calls: deque[Callable[[], None]] = deque()
        """What is on its way, in order: what was held up still arrives before what was sent after it."""
        self._held = 0
        """How many of these should have arrived while the wire was cut."""
        self._last = 0.0
        self._is_ended = False
        self._read = 0

    def down(self, data: bytes) -> None:
        network = self.wire.network
        step = max(network.piece, len(data) // _MOST_PIECES) if network.piece else len(data)
        for start in range(0, len(data), step):
            self._carry(lambda piece=data[start : start + step]: self.other.arrive(piece))  # type: ignore[misc]

    def server_closed(self) -> None:
        """Tell the other end that the connection is closed."""
        if not self._is_ended:
            self._is_ended = True
            self._carry(self.other.socket.arrive_end)

    def arrive(self, data: bytes) -> None:
        """Receive bytes, or reset the connection if nobody is here any more."""
        if not self.socket.is_closed:
            self.socket.arrive(data)
        elif self.node not in self.wire.network.vanished:
            self._carry(self.other.socket.arrive_reset)

    def was_read(self, size: int) -> None:
        self._read += size
        if self._read >= _ROOM:
            read, self._read = self._read, 0
            self._carry(lambda: self.other.socket.drained(read))

    def flush(self) -> None:
        held, self._held = self._held, 0
        for _ in range(held):
            self._deliver_later()

    def _carry(self, call: Callable[[], None]) -> None:
        self._calls.append(call)
        if self.wire.is_cut:
            self._held += 1
        else:
            self._deliver_later()

    def _deliver_later(self) -> None:
        world = self.wire.network.world
        self._last = max(self._last, world.now + self.wire.network.delay)
        world.after(self._last - world.now, self._deliver)

    def _deliver(self) -> None:
        if self.wire.is_cut:
            self._held += 1
        else:
            self._calls.popleft()()


class LinkSocket(ServerSocket):
    """A node's end of a connection to another node."""

    line: Any

    def detach(self) -> LinkSocket:
        """Return this object, which also stands for its descriptor."""
        return self

    def recv(self, size: int) -> bytes:
        data = super().recv(size)
        self.line.was_read(len(data))
        return data


@contextlib.contextmanager
def watched_links(fail: Callable[[str], None]) -> Iterator[None]:
    """Check that a link gives a player exactly what the session wrote, once and in full."""
    write, deliver = LinkTransport.write, Relay.deliver

    def watched_write(transport: LinkTransport, data: bytes) -> None:
        if not transport._link.over.is_set():
            _wire(transport._link).written += data
        write(transport, data)

    def watched_deliver(relay: Relay, data: bytes, done: int) -> None:
        assert relay.link is not None
        written = _wire(relay.link).written
        if not written.startswith(data):
            fail(f"a link carries {data!r}, but the session wrote {bytes(written[:200])!r}")
        del written[: len(data)]
        deliver(relay, data, done)

    with (
        patch.object(LinkTransport, "write", watched_write),
        patch.object(Relay, "deliver", watched_deliver),
    ):
        yield


def _wire(link: Any) -> Wire:
    wire: Wire = link.below._sock.line.wire
    return wire
