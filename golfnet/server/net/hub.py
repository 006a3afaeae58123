"""Plain connections: one task serves all sockets through one selector.

The selector's descriptor becomes readable when any socket is ready, and trio waits only for that. A round gives every
ready peer one read of at most ``CHUNK`` bytes, so that no flood delays others; peers with more work than fits in one
turn get further turns, one after another. Rounds and turns let other tasks run after ``LOOP_SECONDS``, and turns are
given only once per round, so that new input does not wait for all old work. The output caused by one peer is sent
before the next peer is read, with one send per receiver. Sockets are watched for writing only after an incomplete send.
"""

import errno
import logging
import selectors
import socket
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from selectors import EVENT_READ
from time import perf_counter
from typing import Any, Final

import trio

from golfnet.server.budget import LOOP_SECONDS, SENT_AT_ONCE, plain_address, room
from golfnet.server.clock import Timers
from golfnet.server.net.hub_transport import HubTransport
from golfnet.server.net.transport import TOO_MANY, Acceptor

resource: Any
try:
    import resource
except ImportError:  # on Windows, where descriptors are not limited
    resource = None

RESERVE: Final = 32
"""Descriptors that connections may not use: 8 for metrics, 3 for the database, 2 for a certificate, some spare."""

_BESIDE: Final = 64 + RESERVE
"""The maximum number of descriptors that a server needs in addition to its connections."""

log = logging.getLogger(__name__)


def raise_limit(connections: int) -> int:
    """Raise the limit on descriptors for ``connections``; return how many connections are possible."""
    if resource is None:
        return connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + _BESIDE
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return connections
    wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # a service manager may forbid it
        wanted = soft
    return max(0, wanted - _BESIDE)


class Descriptors:
    """Keeps connections from using the reserve of descriptors."""

    def __init__(self, turned_away: Counter[str], *, limit: int | None = None) -> None:
        self._limit = _limit() if limit is None else limit
        self._turned_away = turned_away

    def allow(self, descriptor: int) -> bool:
        """Return whether a connection may keep its descriptor; if not, count and log it."""
        if descriptor < self._limit - RESERVE:
            return True
        self._turned_away["files"] += 1
        log.error(
            "a connection was turned away: nearly all of the %d files that this process may open are in use. Raise the "
            "limit (ulimit -n, LimitNOFILE=), or lower the 'connections' setting.",
            self._limit,
        )
        return False


def _limit() -> int:
    if resource is None:
        return sys.maxsize
    soft: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


_ACCEPTED_AT_ONCE: Final = 16

_OUT_OF_FILES: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_ACCEPT_AGAIN_SECONDS: Final = 0.1
"""How long accepting is paused after the process or the system has run out of descriptors or memory."""


class Hub:
    """All plain connections of a server.

    ``outbox`` is how many bytes may wait for one peer; ``around`` is a context entered while peers are served;
    ``allow`` returns whether a connection may keep its descriptor.
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
        """The transports whose sessions want another turn, in order."""
        self._is_in_round = False
        """Whether a round was interrupted after ``LOOP_SECONDS``."""
        self._may_give_turns = True
        """Whether no turns have been given in this round yet."""
        self._is_settling = False
        self._around = around if around is not None else nullcontext()
        self._woken = trio.Event()
        self._scope = trio.CancelScope()

    @staticmethod
    def is_supported() -> bool:
        """Return whether this platform's selector has a descriptor to wait for."""
        return hasattr(selectors.DefaultSelector, "fileno")

    def listen(self, sock: socket.socket, acceptor: Acceptor) -> None:
        """Accept connections on a listening socket, which the hub owns from now on."""
        self._listeners.append(_ListeningSocket(self, sock, acceptor))

    def stop(self) -> None:
        """Stop accepting; ``run`` returns once the last connection has been closed."""
        self._is_stopping = True
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        self._end_if_done()

    async def run(self) -> None:
        """Serve until stopped, or until cancelled, which closes all connections at once."""
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
        """Serve every ready socket once."""
        ready = iter(self._selector.select(0))
        while self._serve(ready):
            self._is_in_round = True
            await trio.lowlevel.checkpoint()
        self._is_in_round = False
        self._may_give_turns = True
        if self._turns:
            self._woken.set()

    def _serve(self, ready: Iterator[Any]) -> bool:
        """Serve sockets for up to ``LOOP_SECONDS``, with one batch for the journal; return whether some are left."""
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
        """Start serving several peers; output to them is sent at the end."""
        self._is_settling = True

    def __exit__(self, *problem: object) -> None:
        self._settle()
        self._is_settling = False

    def unsettled(self, transport: HubTransport) -> None:
        """Queue a transport that has output or is ending."""
        self._unsettled.append(transport)
        if not self._is_settling:
            self._woken.set()

    async def _work_when_woken(self) -> None:
        """Send output written outside a round, by timers and the journal, and give turns."""
        while True:
            await self._woken.wait()
            self._woken = trio.Event()
            while self._unsettled or (self._turns and self._may_give_turns):
                with self._around, self:
                    if self._may_give_turns:
                        self._give_turns()
                        self._may_give_turns = not self._is_in_round
                await trio.lowlevel.checkpoint()

    def _give_turns(self) -> None:
        """Give one turn to each peer that wants one, while there is time."""
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
        """Send output in the order it was written; after ``SENT_AT_ONCE`` peers the rest wait for the next pass."""
        unsettled = self._unsettled
        for _ in range(SENT_AT_ONCE):
            if not unsettled:
                return
            unsettled.popleft().settle()
        self._woken.set()

    # --- for transports and listeners

    def watch(self, thing: "HubTransport | _ListeningSocket", fd: int, before: int, wanted: int) -> None:
        """Change the watched events of a descriptor; ``thing.ready`` is called when they occur."""
        if not before:
            self._selector.register(fd, wanted, thing)
        elif wanted:
            self._selector.modify(fd, wanted, thing)
        else:
            self._selector.unregister(fd)

    def give_turn(self, transport: HubTransport) -> None:
        """Queue a transport for a turn."""
        self._turns[transport] = None
        self._woken.set()

    def forget(self, transport: HubTransport) -> None:
        """Remove a closed connection."""
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
        """Accept waiting connections."""
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                sock, name = self._sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _OUT_OF_FILES:
                    log.error("cannot accept connections for a moment: %s", error.strerror or error)
                    self._await(0)
                    self._hub.timers.after(_ACCEPT_AGAIN_SECONDS, lambda: self._await(EVENT_READ))
                    return
                continue  # the peer is already gone
            try:
                self._let_in(sock, plain_address(str(name[0])))
            except OSError:
                sock.close()

    def close(self) -> None:
        """Stop accepting."""
        self._await(0)
        self._sock.close()

    def _let_in(self, sock: socket.socket, address: str) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Telnet marks urgent bytes within the stream (RFC 854), so they must stay in it.
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
