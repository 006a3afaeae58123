"""A transport over any trio stream: TLS, memory streams in tests, sockets where there is no hub.

Two tasks a connection: the reader tells the session, the writer sends what waits. What is written between two turns
of the writer goes out in one piece.
"""

import contextlib
import socket
import struct
from collections.abc import Callable
from typing import Final

import trio

from golfnet.server.transport import Peer

_CHUNK: Final = 16 * 1024
_TCP_INFO_MIN_RTT_AT: Final = 148
"""Where ``tcpi_min_rtt`` (µs) stands in Linux's ``struct tcp_info``."""


class StreamTransport:
    """Carries one session over one stream."""

    def __init__(self, stream: trio.abc.Stream, address: str, outbox: int) -> None:
        self.address = address
        self._stream = stream
        self._limit = outbox
        self._waiting = bytearray()
        self._wake = trio.Event()
        self._closing = False
        self._too_slow = False
        self._scope = trio.CancelScope()

    def write(self, data: bytes) -> None:
        """Queue bytes for the writer; a peer that leaves too many waiting is cut off."""
        if self._closing:
            return
        self._waiting += data
        if len(self._waiting) > self._limit:
            self._too_slow = True
            self.abort()
        else:
            self._wake.set()

    def close(self) -> None:
        """Send what waits, then close."""
        self._closing = True
        self._wake.set()

    def abort(self) -> None:
        """Close at once."""
        self._closing = True
        self._waiting.clear()
        self._scope.cancel()

    def round_trip(self) -> float | None:
        """Return the kernel's smallest measured round trip in seconds, None where it keeps none."""
        sock = getattr(self._stream, "socket", None)
        return kernel_round_trip(sock) if sock is not None else None

    async def run(self, make_peer: Callable[["StreamTransport"], Peer]) -> None:
        """Serve the connection until either side ends it."""
        peer = make_peer(self)
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write_all)
                with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                    async for data in self._stream:
                        peer.receive(bytes(data), trio.current_time())
                    peer.end_of_input()
                    await trio.sleep_forever()
                nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(self._stream)
        peer.lost("slow" if self._too_slow else "lost")

    async def _write_all(self) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while True:
                while self._waiting:
                    data = bytes(self._waiting)
                    self._waiting.clear()
                    await self._stream.send_all(data)
                if self._closing:
                    with trio.move_on_after(2):
                        await self._stream.aclose()
                    break
                self._wake = trio.Event()
                await self._wake.wait()
        self._scope.cancel()


def kernel_round_trip(sock: socket.socket | trio.socket.SocketType) -> float | None:
    """Return ``tcpi_min_rtt`` of a TCP socket in seconds, None where the platform has none."""
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, option, 256)
    except OSError:
        return None
    if len(info) < _TCP_INFO_MIN_RTT_AT + 4:
        return None
    (micros,) = struct.unpack_from("=I", info, _TCP_INFO_MIN_RTT_AT)
    return None if micros in (0, 0xFFFFFFFF) else float(micros) / 1e6
