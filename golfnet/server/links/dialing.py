"""Connecting to the link port of another node: by the hub where there is one, else with a task of its own."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING

import trio

from golfnet.server.faults import fault_boundary
from golfnet.server.transport.hub_transport import HubTransport
from golfnet.server.transport.stream import StreamTransport

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet.server.transport.hub import Hub
    from golfnet.server.transport.transport import Peer, Transport

    PeerOf = Callable[[Transport], Peer]
    """Returns who speaks on a connection."""


log = logging.getLogger(__name__)


class HubDialer:
    """Connects by a hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def dial(self, host: str, port: int, peer_of: PeerOf) -> None:
        """Connect, and let the peer speak; raises ``OSError``."""
        stream = await trio.open_tcp_stream(host, port)
        sock = socket.socket(fileno=stream.socket.detach())
        sock.setblocking(False)
        HubTransport(self._hub, sock, host, _OwnLink(peer_of)).open()


class StreamDialer:
    """Connects by streams; ``spawn`` starts a task."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None], outbox: int) -> None:
        self._spawn = spawn
        self._outbox = outbox

    async def dial(self, host: str, port: int, peer_of: PeerOf) -> None:
        """Connect, and let the peer speak; raises ``OSError``."""
        stream = await trio.open_tcp_stream(host, port)

        async def run() -> None:
            with fault_boundary(log, "a link to %s ended with a fault in the server", host):
                await StreamTransport(stream, host, self._outbox).run(peer_of)

        self._spawn(run)


class _OwnLink:
    """The acceptor of one connection that this node has opened."""

    def __init__(self, peer_of: PeerOf) -> None:
        self.welcome = peer_of

    def admit(self, address: str) -> bool:
        """Accept it: it was wanted."""
        return True

    def gone(self, address: str) -> None:
        """Do nothing: nobody counts it."""
