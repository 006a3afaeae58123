"""Connections of browsers: one request each, which gets a file of the page or becomes a session.

What stays true: a connection is counted from its first byte like any other; a request has ``REQUEST_SECONDS`` and
``REQUEST_BYTES``, and ``UNANSWERED`` of them may be under way; a fault ends one connection. Without TLS only private
networks are served: what is sent can be read on the way.
"""

from __future__ import annotations

import ipaddress
import logging
from typing import TYPE_CHECKING, Final

import trio
from websockets.exceptions import InvalidHandshake
from websockets.http11 import Request
from websockets.server import ServerProtocol

from golfnet.server.faults import fault_boundary
from golfnet.server.transport.entrance import peer_address
from golfnet.server.transport.stream import StreamTransport
from golfnet.server.web.messages import MESSAGE_BYTES, MessageStream
from golfnet.server.web.requests import answer, own_names, read_page

if TYPE_CHECKING:
    import ssl
    from collections.abc import Sequence

    from golfnet.server.transport.transport import Acceptor

REQUEST_SECONDS: Final = 5.0
REQUEST_BYTES: Final = 8192
UNANSWERED: Final = 64

log = logging.getLogger(__name__)

_library_log = logging.getLogger(f"{__name__}.websockets")
_library_log.setLevel(logging.WARNING)  # more would write what players send, passwords too


class WebEntrance:
    """Browsers; ``names`` are further names of this machine, ``context`` is for TLS."""

    def __init__(
        self, acceptor: Acceptor, outbox: int, names: Sequence[str], context: ssl.SSLContext | None
    ) -> None:
        self._acceptor = acceptor
        self._outbox = outbox
        self._names = own_names(names)
        self._context = context
        self._page = read_page()
        self._unanswered = 0

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve one connection until it ends."""
        address = peer_address(stream)
        if address is None or self._unanswered >= UNANSWERED or not self._acceptor.admit(address):
            await trio.aclose_forcefully(stream)
            return
        try:
            await self.carry(stream, address)
        finally:
            self._acceptor.gone(address)
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)

    async def carry(self, stream: trio.abc.Stream, address: str) -> None:
        """Answer the request of an accepted connection, and carry the session that it becomes."""
        with fault_boundary(log, "a web connection from %s ended with a fault in the server", address):
            await self._carry(stream, address)

    async def _carry(self, stream: trio.abc.Stream, address: str) -> None:
        protocol = ServerProtocol(max_size=MESSAGE_BYTES, logger=_library_log)
        if self._context is not None:
            stream = trio.SSLStream(stream, self._context, server_side=True, https_compatible=True)
        elif not is_private(address):
            log.info("a browser at %s was turned away: without TLS only private networks are served", address)
            return
        self._unanswered += 1
        try:
            with trio.fail_after(REQUEST_SECONDS):
                is_open = await self._answer(stream, protocol)
        except (trio.BrokenResourceError, trio.TooSlowError):
            is_open = False
        finally:
            self._unanswered -= 1
        if is_open:
            messages = MessageStream(stream, protocol)
            await StreamTransport(messages, address, self._outbox).run(self._acceptor.welcome)
        else:
            await stream.aclose()

    async def _answer(self, stream: trio.abc.Stream, protocol: ServerProtocol) -> bool:
        """Read the request and answer it; return whether it has become a WebSocket."""
        request = await _request(stream, protocol)
        if request is None:
            return False
        response = answer(request, self._page, self._names, secure=self._context is not None)
        if response is None:
            response = protocol.accept(request)
        protocol.send_response(response)
        for data in protocol.data_to_send():
            if data:
                await stream.send_all(data)
        return response.status_code == 101


async def _request(stream: trio.abc.Stream, protocol: ServerProtocol) -> Request | None:
    """Return the request of a connection, None where it is none of HTTP, or too long."""
    received = 0
    while received <= REQUEST_BYTES:
        data = await stream.receive_some(REQUEST_BYTES)
        received += len(data)
        if not data:
            return None
        try:
            protocol.receive_data(bytes(data))
        except InvalidHandshake:
            return None
        for event in protocol.events_received():
            return event if isinstance(event, Request) else None
        if protocol.handshake_exc is not None:
            return None
    return None


def is_private(address: str) -> bool:
    """Tell whether an address is of this machine or of a private network."""
    found = ipaddress.ip_address(address.partition("%")[0])
    return found.is_private or found.is_loopback or found.is_link_local
