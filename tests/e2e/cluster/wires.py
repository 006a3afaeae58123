"""Connections of loopback that can be cut or held and healed, in both directions: one thread forwards them all."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from enum import Enum, auto
from typing import Final

WAITING: Final = 1 << 20
"""Bytes that wait for a slow end before no more are read for it."""


class State(Enum):
    """What becomes of a connection through a wire."""

    WHOLE = auto()
    HELD = auto()
    """Nothing passes, as in a network that drops every packet; it arrives once the wire is whole again."""
    CUT = auto()
    """Connections end, and new ones end at once."""


class Wires:
    """All wires of a test, forwarded by one thread."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.selector = selectors.DefaultSelector()
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="wires", daemon=True)
        self._thread.start()

    def to(self, port: int) -> Wire:
        """Return a new wire to a port."""
        return Wire(self, port)

    def close(self) -> None:
        """Stop forwarding."""
        self._is_over = True
        self._thread.join()
        self.selector.close()

    def _run(self) -> None:
        while not self._is_over:
            ready = self.selector.select(0.05)
            with self.lock:
                for key, events in ready:
                    with contextlib.suppress(OSError):
                        key.data(events)


class Wire:
    """A port of loopback that leads to another one."""

    def __init__(self, wires: Wires, target: int) -> None:
        self.state = State.WHOLE
        self._wires = wires
        self._target = target
        self._ends: set[_End] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.port = int(self._listener.getsockname()[1])
        with wires.lock:
            wires.selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def cut(self) -> None:
        """End all connections and let no new one come about."""
        self._be(State.CUT)

    def hold(self) -> None:
        """Let nothing pass, and nobody know."""
        self._be(State.HELD)

    def heal(self) -> None:
        """Let everything pass."""
        self._be(State.WHOLE)

    def snap(self) -> None:
        """End all connections; new ones come about."""
        self.cut()
        self.heal()

    def close(self) -> None:
        """Cut it for good."""
        with self._wires.lock:
            self._wires.selector.unregister(self._listener)
            self._listener.close()
            self._end_all()

    def _be(self, state: State) -> None:
        with self._wires.lock:
            self.state = state
            if state is State.CUT:
                self._end_all()
            for end in self._ends:
                end.watch()

    def _end_all(self) -> None:
        while self._ends:
            self._end(next(iter(self._ends)))

    def _accept(self, _: int) -> None:
        client, _address = self._listener.accept()
        if self.state is State.CUT:
            client.close()
            return
        try:
            server = socket.create_connection(("127.0.0.1", self._target), 1)
        except OSError:
            client.close()
            return
        one, other = _End(self, client), _End(self, server)
        one.other, other.other = other, one
        for end in (one, other):
            end.sock.setblocking(False)
            end.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._ends.add(end)
            end.watch()

    def _end(self, end: _End) -> None:
        for each in (end, end.other):
            if each in self._ends:
                self._ends.remove(each)
                each.unwatch()
                each.sock.close()

    def serve(self, end: _End, events: int) -> None:
        """Read from one end, and write to it, what there is."""
        if end not in self._ends or self.state is not State.WHOLE:
            return
        try:
            if events & selectors.EVENT_WRITE:
                end.flush()
            if events & selectors.EVENT_READ:
                data = end.sock.recv(65536)
                if not data:
                    self._end(end)
                    return
                end.other.out += data
                end.other.flush()
        except OSError:
            self._end(end)
            return
        end.watch()
        end.other.watch()

    @property
    def selector(self) -> selectors.BaseSelector:
        """What the thread waits with."""
        return self._wires.selector


class _End:
    """One of the two sockets of a connection; ``out`` waits to be written to it."""

    other: _End

    def __init__(self, wire: Wire, sock: socket.socket) -> None:
        self.sock = sock
        self.out = bytearray()
        self._wire = wire
        self._watched = 0

    def flush(self) -> None:
        """Write what can be written."""
        with contextlib.suppress(BlockingIOError):
            while self.out:
                del self.out[: self.sock.send(self.out)]

    def watch(self) -> None:
        """Wait for what can be done now."""
        wanted = 0
        if self._wire.state is State.WHOLE:
            wanted |= selectors.EVENT_READ if len(self.other.out) < WAITING else 0
            wanted |= selectors.EVENT_WRITE if self.out else 0
        if wanted == self._watched:
            return
        if not wanted:
            self.unwatch()
        elif self._watched:
            self._wire.selector.modify(self.sock, wanted, self._ready)
        else:
            self._wire.selector.register(self.sock, wanted, self._ready)
        self._watched = wanted

    def unwatch(self) -> None:
        """Wait for nothing."""
        if self._watched:
            self._wire.selector.unregister(self.sock)
            self._watched = 0

    def _ready(self, events: int) -> None:
        self._wire.serve(self, events)
