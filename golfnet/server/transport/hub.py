"""A transport over plain sockets: one task serves them all through one selector.

The selector's own descriptor becomes readable when any socket is ready, and that is all that trio waits for. A round
gives every ready peer one read of at most ``CHUNK`` bytes, so that nobody who floods keeps others waiting; peers that
have more to do than one turn is for get further turns beside it, one after the other. Both let trio's other tasks run
after ``LOOP_SECONDS``. What one peer's bytes cause goes out before the next peer is read, everything for one receiver
in one send. A socket is asked whether it can be written only after it could not be.
"""

import errno
import selectors
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from selectors import EVENT_READ
from time import perf_counter
from typing import Any, Final

import trio

from golfnet.server.budget import LOOP_SECONDS, SENT_AT_ONCE, room
from golfnet.server.clock import Timers
from golfnet.server.throttle import plain_address
from golfnet.server.transport.descriptors import out_of_files
from golfnet.server.transport.hub_transport import HubTransport
from golfnet.server.transport.transport import TOO_MANY, Acceptor

_ACCEPTED_AT_ONCE: Final = 16

_OUT_OF_FILES: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_ACCEPT_AGAIN_SECONDS: Final = 0.1
"""How long nobody is let in after the process or the system ran out of file descriptors or memory."""


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
        self.room = room(outbox)
        self.connections: dict[HubTransport, None] = {}
        self._selector: Any = selectors.DefaultSelector()
        self._listeners: list[_ListeningSocket] = []
        self._is_stopping = False
        self._unsettled: deque[HubTransport] = deque()
        self._turns: dict[HubTransport, None] = {}
        """Those whose session wants another turn, in order."""
        self._is_settling = False
        self._around = around if around is not None else nullcontext()
        self._woken = trio.Event()
        self._scope = trio.CancelScope()

    @staticmethod
    def is_supported() -> bool:
        """Tell whether this platform's selector can itself be waited for."""
        return hasattr(selectors.DefaultSelector, "fileno")

    def listen(self, sock: socket.socket, acceptor: Acceptor) -> None:
        """Let connections in by a listening socket, which is the hub's from now on."""
        self._listeners.append(_ListeningSocket(self, sock, acceptor))

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
                    nursery.start_soon(self._work_when_woken)
                    while True:
                        await trio.lowlevel.wait_readable(self._selector.fileno())
                        await self._round()
        finally:
            self.stop()
            for transport in list(self.connections):
                transport.end()
            self._selector.close()

    async def _round(self) -> None:
        """Serve every socket that is ready now, once."""
        ready = iter(self._selector.select(0))
        while True:
            if not self._serve(ready):
                return
            await trio.lowlevel.checkpoint()

    def _serve(self, ready: Iterator[Any]) -> bool:
        """Serve sockets until the time of a turn is over; tell whether that came before their end.

        What is to be stored of a turn is stored together.
        """
        now, until = trio.current_time(), perf_counter() + LOOP_SECONDS
        with self._around, self:
            for key, events in ready:
                key.data.ready(events, now)
                if self._unsettled:
                    self._settle()
                if perf_counter() >= until:
                    return True
        return False

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

    async def _work_when_woken(self) -> None:
        """Send what was written outside of a round, by timers and the journal; give peers the turns they want."""
        while True:
            await self._woken.wait()
            self._woken = trio.Event()
            while self._unsettled or self._turns:
                with self._around, self:
                    self._give_turns()
                await trio.lowlevel.checkpoint()

    def _give_turns(self) -> None:
        """Give one turn to each peer that wants one, as long as there is time."""
        until = perf_counter() + LOOP_SECONDS
        for _ in range(len(self._turns)):
            transport = next(iter(self._turns))
            del self._turns[transport]
            transport.turn()
            if self._unsettled:
                self._settle()
            if perf_counter() >= until:
                break

    def _settle(self) -> None:
        """Send what was written, to the first that were written to first; what is much is left for the next turn."""
        unsettled = self._unsettled
        for _ in range(SENT_AT_ONCE):
            if not unsettled:
                return
            unsettled.popleft().settle()
        self._woken.set()

    # --- for transports and listeners

    def watch(self, thing: "HubTransport | _ListeningSocket", fd: int, before: int, wanted: int) -> None:
        """Wait for other events of a descriptor than before; ``ready`` of the thing hears of them."""
        if not before:
            self._selector.register(fd, wanted, thing)
        elif wanted:
            self._selector.modify(fd, wanted, thing)
        else:
            self._selector.unregister(fd)

    def give_turn(self, transport: HubTransport) -> None:
        """Let a transport have a turn, behind those who wait for theirs."""
        self._turns[transport] = None
        self._woken.set()

    def forget(self, transport: HubTransport) -> None:
        """Forget a connection that is closed."""
        self.connections.pop(transport, None)
        self._turns.pop(transport, None)
        self._end_if_done()

    def _end_if_done(self) -> None:
        if self._is_stopping and not self.connections:
            self._scope.cancel()


class _ListeningSocket:
    """A listening socket of a hub."""

    def __init__(self, hub: Hub, sock: socket.socket, acceptor: Acceptor) -> None:
        sock.setblocking(False)
        self._hub = hub
        self._sock = sock
        self._acceptor = acceptor
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
        if self._hub.allow(sock.fileno()) and self._acceptor.admit(address):
            HubTransport(self._hub, sock, address, self._acceptor).open()
        else:
            sock.send(TOO_MANY)
            sock.close()

    def _await(self, events: int) -> None:
        if events != self._awaited and self._sock.fileno() >= 0:
            self._hub.watch(self, self._sock.fileno(), self._awaited, events)
            self._awaited = events
