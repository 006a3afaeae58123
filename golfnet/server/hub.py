"""A transport over plain sockets: one task serves them all through one selector.

The selector's own descriptor becomes readable when any socket is ready, and that is all that trio waits for. A turn
gives every ready peer one read of at most ``CHUNK`` bytes, so that nobody who floods keeps others waiting, and lets
trio's other tasks run between every few peers. What one peer's bytes cause goes out before the next peer is read,
everything for one receiver in one send. A socket is asked whether it can be written only after it could not be.
"""

import errno
import selectors
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from selectors import EVENT_READ
from typing import Any, Final, Protocol

import trio

from golfnet.server.clock import Timers
from golfnet.server.descriptors import out_of_files
from golfnet.server.hub_transport import HubTransport
from golfnet.server.throttle import plain_address
from golfnet.server.transport import Peer, Transport

_PEERS_AT_ONCE: Final = 32
"""Peers served before other tasks run: a millisecond or two of work."""

_ACCEPTED_AT_ONCE: Final = 16

_OUT_OF_FILES: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_ACCEPT_AGAIN_SECONDS: Final = 0.1
"""How long nobody is let in after the process or the system ran out of file descriptors or memory."""


class Door(Protocol):
    """Who lets connections in; of each that was admitted, ``gone`` is told in the end."""

    def admit(self, address: str) -> bool:
        """Tell whether a connection may come in."""

    def welcome(self, transport: Transport) -> Peer:
        """Return who speaks with it."""

    def gone(self, address: str) -> None:
        """Hear that it is gone."""


class Hub:
    """All plain connections of a server.

    ``outbox`` is how many bytes may wait for one peer; ``around`` is entered while some peers are served; ``allow``
    says whether a connection may keep a descriptor.
    """

    def __init__(
        self,
        timers: Timers,
        *,
        outbox: int,
        around: AbstractContextManager[object] | None = None,
        allow: Callable[[int], bool] = lambda _: True,
    ) -> None:
        self.timers = timers
        self.allow = allow
        self.outbox = outbox
        self.connections: dict[HubTransport, None] = {}
        self._selector: Any = selectors.DefaultSelector()
        self._listeners: list[_Listener] = []
        self._is_stopping = False
        self._unsettled: list[HubTransport] = []
        self._is_settling = False
        self._around = around if around is not None else nullcontext()
        self._woken = trio.Event()
        self._scope = trio.CancelScope()

    @staticmethod
    def is_supported() -> bool:
        """Tell whether this platform's selector can itself be waited for."""
        return hasattr(selectors.DefaultSelector, "fileno")

    def listen(self, sock: socket.socket, door: Door, *, turned_away: bytes = b"") -> None:
        """Let connections in by a listening socket, which is the hub's from now on."""
        self._listeners.append(_Listener(self, sock, door, turned_away))

    def stop(self) -> None:
        """Let nobody in any more; ``run`` ends when the last connection does."""
        self._is_stopping = True
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        self._end_if_done()

    async def run(self) -> None:
        """Serve until stopped, or until cancelled: then every connection is closed at once."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._settle_when_woken)
                    while True:
                        await trio.lowlevel.wait_readable(self._selector.fileno())
                        await self._turn()
        finally:
            self.stop()
            for transport in list(self.connections):
                transport.end()
            self._selector.close()

    async def _turn(self) -> None:
        """Serve every socket that is ready now, once."""
        ready = self._selector.select(0)
        for first in range(0, len(ready), _PEERS_AT_ONCE):
            if first:
                await trio.lowlevel.checkpoint()
            now = trio.current_time()
            with self._around, self:
                for key, events in ready[first : first + _PEERS_AT_ONCE]:
                    key.data.ready(events, now)
                    if self._unsettled:
                        self._settle()

    def __enter__(self) -> None:
        """Begin to do something for several peers: what is written to them goes out when that is done."""
        self._is_settling = True

    def __exit__(self, *problem: object) -> None:
        self._settle()
        self._is_settling = False

    def unsettled(self, transport: HubTransport) -> None:
        """Note a transport that has something to send or has come to its end."""
        self._unsettled.append(transport)
        if not self._is_settling:
            self._woken.set()

    async def _settle_when_woken(self) -> None:
        """Send what was written outside of a turn: by timers, by the journal."""
        while True:
            await self._woken.wait()
            self._woken = trio.Event()
            self._settle()

    def _settle(self) -> None:
        while self._unsettled:
            unsettled, self._unsettled = self._unsettled, []
            for transport in unsettled:
                transport.settle()

    # --- for transports and listeners

    def watch(self, thing: "HubTransport | _Listener", fd: int, before: int, wanted: int) -> None:
        """Wait for other events of a descriptor than before; ``ready`` of the thing hears of them."""
        if not before:
            self._selector.register(fd, wanted, thing)
        elif wanted:
            self._selector.modify(fd, wanted, thing)
        else:
            self._selector.unregister(fd)

    def forget(self, transport: HubTransport) -> None:
        """Forget a connection that is closed."""
        self.connections.pop(transport, None)
        self._end_if_done()

    def _end_if_done(self) -> None:
        if self._is_stopping and not self.connections:
            self._scope.cancel()


class _Listener:
    """A listening socket of a hub."""

    def __init__(self, hub: Hub, sock: socket.socket, door: Door, turned_away: bytes) -> None:
        sock.setblocking(False)
        self._hub = hub
        self._sock = sock
        self._door = door
        self._turned_away = turned_away
        self._awaited = 0
        self._await(EVENT_READ)

    def ready(self, events: int, now: float) -> None:
        """Hear that somebody wants to come in."""
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                sock, name = self._sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _OUT_OF_FILES:
                    out_of_files(error)
                    self._await(0)
                    self._hub.timers.after(_ACCEPT_AGAIN_SECONDS, lambda: self._await(EVENT_READ))
                    return
                continue  # that one is gone already
            try:
                self._let_in(sock, plain_address(str(name[0])))
            except OSError:
                sock.close()

    def close(self) -> None:
        """Let nobody in any more."""
        self._await(0)
        self._sock.close()

    def _let_in(self, sock: socket.socket, address: str) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Telnet marks its urgent bytes in the stream itself (RFC 854); taken out of it, they would be missing there.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
        if self._hub.allow(sock.fileno()) and self._door.admit(address):
            HubTransport(self._hub, sock, address, self._door).open()
        else:
            sock.send(self._turned_away)
            sock.close()

    def _await(self, events: int) -> None:
        if events != self._awaited and self._sock.fileno() >= 0:
            self._hub.watch(self, self._sock.fileno(), self._awaited, events)
            self._awaited = events
