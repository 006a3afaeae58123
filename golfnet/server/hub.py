"""A transport over plain sockets: one task serves them all through one selector.

The selector's own descriptor becomes readable when any socket is ready, and that is all that trio waits for. A turn
gives every ready peer one read of at most ``CHUNK`` bytes, so that nobody who floods keeps others waiting, and lets
trio's other tasks run between every few peers. What one peer's bytes cause goes out before the next peer is read,
everything for one receiver in one send. A socket is asked whether it can be written only after it could not be.
"""

import errno
import logging
import selectors
import socket
from contextlib import AbstractContextManager, nullcontext
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any, Final, Protocol

import trio

from golfnet.server.arrival import receive_stamped, stamp_arrivals
from golfnet.server.clock import Timer, Timers
from golfnet.server.throttle import plain_address
from golfnet.server.transport import LINGER_SECONDS, Peer, Transport, kernel_round_trip

CHUNK: Final = 4096
"""Bytes read from one peer in one turn: four of the longest lines, hundreds of usual ones."""

_PEERS_AT_ONCE: Final = 32
"""Peers served before other tasks run: a millisecond or two of work."""

_ACCEPTED_AT_ONCE: Final = 16

_OUT_OF_FILES: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_ACCEPT_AGAIN_SECONDS: Final = 0.1
"""How long nobody is let in after the process or the system ran out of file descriptors or memory."""

log = logging.getLogger(__name__)


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

    ``outbox`` is how many bytes may wait for one peer; ``around`` is entered while some peers are served.
    """

    def __init__(
        self, timers: Timers, *, outbox: int, around: AbstractContextManager[object] | None = None
    ) -> None:
        self.timers = timers
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

    def unsettled(self, transport: "HubTransport") -> None:
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

    def forget(self, transport: "HubTransport") -> None:
        """Forget a connection that is closed."""
        self.connections.pop(transport, None)
        self._end_if_done()

    def _end_if_done(self) -> None:
        if self._is_stopping and not self.connections:
            self._scope.cancel()


class HubTransport:
    """One connection of a hub."""

    __slots__ = (
        "_awaited",
        "_cause",
        "_door",
        "_hub",
        "_is_closing",
        "_is_input_over",
        "_is_over",
        "_is_stamped",
        "_is_unsettled",
        "_peer",
        "_size",
        "_sock",
        "_timer",
        "_waiting",
        "address",
    )

    def __init__(self, hub: Hub, sock: socket.socket, address: str, door: Door) -> None:
        self.address = address
        self._hub = hub
        self._sock = sock
        self._door = door
        self._waiting: list[bytes] = []
        self._size = 0
        """Bytes that wait."""
        self._awaited = 0
        self._is_unsettled = False
        self._is_input_over = False
        self._is_closing = False
        self._is_over = False
        self._is_stamped = False
        self._cause: str | None = None
        """Why the connection was lost, once it was."""
        self._timer: Timer | None = None
        self._peer: Peer

    def open(self) -> None:
        """Begin to speak with a peer that was admitted."""
        self._hub.connections[self] = None
        self._await(EVENT_READ)
        try:
            self._peer = self._door.welcome(self)
        except Exception:
            log.exception("a connection from %s met a fault in the server", self.address)
            self.end()

    # --- what a session asks for

    def write(self, data: bytes) -> None:
        """Send bytes when the session is done; a peer that leaves too many waiting is cut off."""
        if self._is_closing or self._cause is not None:
            return
        self._waiting.append(data)
        self._size += len(data)
        if not self._is_unsettled:
            self._mark_unsettled()
        if self._size > self._hub.outbox:
            self._send()
            if self._size > self._hub.outbox:
                self._lose("slow")

    def close(self) -> None:
        """Send what waits, then close."""
        if not self._is_closing:
            self._is_closing = True
            self._timer = self._hub.timers.after(LINGER_SECONDS, self.end)
            self._mark_unsettled()

    def round_trip(self) -> float | None:
        """Return the kernel's smallest measured round trip in seconds, None where it keeps none."""
        return kernel_round_trip(self._sock)

    def stamp_arrivals(self) -> None:
        """Tell from now on when bytes came to this machine, as exactly as its kernel knows."""
        self._is_stamped = self._is_stamped or stamp_arrivals(self._sock)

    # --- what the hub tells

    def ready(self, events: int, now: float) -> None:
        """Hear that the socket can be read or written."""
        if self._is_over:  # by what another peer did in the same turn
            return
        if events & EVENT_WRITE:
            self._mark_unsettled()
        if events & EVENT_READ and self._cause is None:
            try:
                self._read(now)
            except Exception:
                log.exception("a connection from %s ended with a fault in the server", self.address)
                self._lose("lost")

    def settle(self) -> None:
        """Send what waits, and take the next step of an end that has begun."""
        self._is_unsettled = False
        if self._is_over:
            return
        if self._waiting and self._cause is None:
            self._send()
        if self._cause is not None:
            self.end()
            if not self._is_closing:
                self._tell_lost(self._cause)
        elif self._is_closing and not self._waiting:
            self._linger()

    def end(self) -> None:
        """Close at once and throw away what waits; the session is not told."""
        if self._is_over:
            return
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        self._await(0)
        self._sock.close()
        self._door.gone(self.address)
        self._hub.forget(self)

    # --- inside

    def _read(self, now: float) -> None:
        try:
            if self._is_stamped:
                data, age = receive_stamped(self._sock, CHUNK)
                now = trio.current_time() - age
            else:
                data = self._sock.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            self._lose("lost")
            return
        if not data:
            self._is_input_over = True
            self._await(self._awaited & ~EVENT_READ)
        if self._is_closing:
            self._mark_unsettled()
        elif data:
            self._peer.receive(data, now)
        else:
            self._peer.end_of_input()

    def _send(self) -> None:
        waiting = self._waiting
        data = waiting[0] if len(waiting) == 1 else b"".join(waiting)
        waiting.clear()
        try:
            sent = self._sock.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._lose("lost")
            return
        self._size -= sent
        if not self._size:
            if self._awaited & EVENT_WRITE:
                self._await(self._awaited & ~EVENT_WRITE)
        else:
            waiting.append(data[sent:])
            if not self._awaited & EVENT_WRITE:
                self._await(self._awaited | EVENT_WRITE)

    def _lose(self, cause: str) -> None:
        if self._cause is None:
            self._cause = cause
            self._mark_unsettled()

    def _linger(self) -> None:
        """Say that nothing more comes, and close when the peer has said so too, or does not for a while.

        A socket closed with unread input resets the connection, and the peer may lose its last lines.
        """
        if self._is_input_over:
            self.end()
            return
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.end()

    def _tell_lost(self, cause: str) -> None:
        try:
            self._peer.lost(cause)
        except Exception:
            log.exception("the end of a connection from %s met a fault in the server", self.address)

    def _mark_unsettled(self) -> None:
        if not self._is_unsettled:
            self._is_unsettled = True
            self._hub.unsettled(self)

    def _await(self, events: int) -> None:
        if events != self._awaited:
            self._hub.watch(self, self._sock.fileno(), self._awaited, events)
            self._awaited = events


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
                    log.error("nobody is let in for a moment: %s", error)
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
        if self._door.admit(address):
            HubTransport(self._hub, sock, address, self._door).open()
        else:
            sock.send(self._turned_away)
            sock.close()

    def _await(self, events: int) -> None:
        if events != self._awaited and self._sock.fileno() >= 0:
            self._hub.watch(self, self._sock.fileno(), self._awaited, events)
            self._awaited = events
