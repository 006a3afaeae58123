"""Accepts connections on listening sockets: plain ones for the hub, if there is one, and all others as streams."""

from __future__ import annotations

import errno
import logging
import socket
from functools import partial
from selectors import EVENT_READ
from typing import TYPE_CHECKING, Final

import trio

from golfnet.server.budget import plain_address
from golfnet.server.net.entrance import serve_plain
from golfnet.server.net.hub import Hub, HubTransport
from golfnet.server.net.transport import TOO_MANY

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.server.net.transport import Acceptor

log = logging.getLogger(__name__)

_ACCEPTED_AT_ONCE: Final = 16

_OUT_OF_FILES: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_ACCEPT_AGAIN_SECONDS: Final = 0.1
"""How long accepting is paused after the process or the system has run out of descriptors or memory."""


class HubListener:
    """A listening socket that a hub watches and closes; ``allow`` is the same as for ``Doors``."""

    def __init__(
        self, hub: Hub, sock: socket.socket, acceptor: Acceptor, allow: Callable[[int], bool] = lambda _: True
    ) -> None:
        sock.setblocking(False)
        self._allow = allow
        self._hub = hub
        self._sock = sock
        self._acceptor = acceptor
        self._awaited = 0
        self._await(EVENT_READ)
        hub.on_stop.append(self.close)

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
        if self._allow(sock.fileno()) and self._acceptor.admit(address):
            HubTransport(self._hub, sock, address, self._acceptor).open()
        else:
            sock.send(TOO_MANY)
            sock.close()

    def _await(self, events: int) -> None:
        if events != self._awaited and self._sock.fileno() >= 0:
            self._hub.watch(self, self._sock.fileno(), self._awaited, events)
            self._awaited = events


class Doors:
    """Opens ports; ``connections`` serves streams, and ``allow`` returns whether one may keep its descriptor."""

    def __init__(
        self, connections: trio.Nursery, allow: Callable[[int], bool], hub: Hub | None, outbox: int
    ) -> None:
        self.connections = connections
        self.hub = hub
        self.outbox = outbox
        self._allow = allow
        self._accepting: list[trio.CancelScope] = []

    def open_plain(self, listeners: list[trio.SocketListener], acceptor: Acceptor) -> None:
        """Accept plain connections from now on."""
        if self.hub is None:
            self.open(listeners, partial(serve_plain, acceptor, self.outbox))
        else:
            for listener in listeners:
                sock = socket.socket(fileno=listener.socket.detach())
                HubListener(self.hub, sock, acceptor, self._allow)

    def open(
        self, listeners: list[trio.SocketListener], serve: Callable[[trio.SocketStream], Awaitable[None]]
    ) -> None:
        """Accept streams from now on."""
        if not listeners:
            return

        async def serve_allowed(stream: trio.SocketStream) -> None:
            if self._allow(stream.socket.fileno()):
                await serve(stream)
            else:
                await trio.aclose_forcefully(stream)

        async def accept() -> None:
            with scope:
                await trio.serve_listeners(serve_allowed, listeners, handler_nursery=self.connections)

        scope = trio.CancelScope()
        self._accepting.append(scope)
        self.connections.start_soon(accept)

    def close(self) -> None:
        """Stop accepting; accepted connections stay open."""
        for scope in self._accepting:
            scope.cancel()
        if self.hub is not None:
            self.hub.stop()
