"""A transport over any trio stream: TLS, memory streams in tests, sockets where there is no hub.

Two tasks a connection: the reader tells the session, the writer sends what waits. What is written between two turns
of the writer goes out in one piece.
"""

import contextlib
from collections.abc import Callable

import trio

from golfnet.server.transport import LINGER_SECONDS, Peer, ProxyRoundTrip, RoundTrip, kernel_round_trip


class StreamTransport:
    """Carries one session over one stream; ``outbox`` is how many bytes may wait for the peer.

    ``by_proxy`` is what a proxy has told of the way to the peer.
    """

    def __init__(
        self, stream: trio.abc.Stream, address: str, outbox: int, by_proxy: ProxyRoundTrip | None = None
    ) -> None:
        self.address = address
        self._stream = stream
        self._limit = outbox
        self._by_proxy = by_proxy
        self._waiting = bytearray()
        self._wake = trio.Event()
        self._closing = False
        self._too_slow = False
        self._scope = trio.CancelScope()

    def write(self, data: bytes) -> None:
        """Queue bytes for the writer; a peer that leaves too many waiting is cut off."""
        if self._closing or self._too_slow:
            return
        self._waiting += data
        if len(self._waiting) > self._limit:
            self._too_slow = True
            self._scope.cancel()
        else:
            self._wake.set()

    def close(self) -> None:
        """Send what waits, then close."""
        self._closing = True
        self._scope.deadline = trio.current_time() + LINGER_SECONDS
        self._wake.set()

    def round_trip(self) -> RoundTrip | None:
        """Return what the proxy has told, else what this machine's kernel has measured, None where neither has."""
        if self._by_proxy is not None:
            return self._by_proxy
        below = self._stream.transport_stream if isinstance(self._stream, trio.SSLStream) else self._stream
        return kernel_round_trip(below.socket) if isinstance(below, trio.SocketStream) else None

    def stamp_arrivals(self) -> None:
        """Go on as before: what is read here is not what came, but what TLS or a proxy has made of it."""

    async def run(self, make_peer: Callable[["StreamTransport"], Peer]) -> None:
        """Serve the connection until either side ends it."""
        peer = make_peer(self)
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._write_all)
                    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                        await self._read_all(peer)
                        await trio.sleep_forever()
                    nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(self._stream)
        if not self._closing:
            peer.lost("slow" if self._too_slow else "lost")

    async def _read_all(self, peer: Peer) -> None:
        async for data in self._stream:
            if not self._closing:
                peer.receive(bytes(data), trio.current_time())
        if not self._closing:
            peer.end_of_input()

    async def _write_all(self) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while True:
                while self._waiting:
                    data = bytes(self._waiting)
                    self._waiting.clear()
                    await self._stream.send_all(data)
                if self._closing:
                    await self._stream.aclose()
                    break
                self._wake = trio.Event()
                await self._wake.wait()
        self._scope.cancel()
