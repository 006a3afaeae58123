"""The seam between bytes and sessions: what a session may ask of its connection, and what it is told.

A session never awaits. It writes, and what the peer does not read at once waits in an outbox whose bound is the
transport's; over the bound the peer is cut off, so that nobody waits for a slow one. A transport tells a session
things only between two of its calls: nothing that a session writes comes back to it, or to another, before it is done.
"""

import socket
import struct
from typing import Final, Protocol

import trio

LINGER_SECONDS: Final = 2.0
"""How long a peer may take to read its last lines after ``close``."""


class Transport(Protocol):
    """One connection, seen from its session."""

    @property
    def address(self) -> str:
        """The peer's address, for limits and logs."""

    def write(self, data: bytes) -> None:
        """Send bytes in order; never blocks, never fails."""

    def close(self) -> None:
        """Send what waits, then close; the peer hears nothing more."""

    def round_trip(self) -> float | None:
        """Return the smallest round trip measured by the kernel in seconds, None where it is unknown."""

    def stamp_arrivals(self) -> None:
        """Tell from now on when bytes came to this machine, as exactly as its kernel knows."""


class Peer(Protocol):
    """The receiving side of a transport: a session."""

    def receive(self, data: bytes, arrived: float) -> None:
        """Take bytes; ``arrived`` is when they came, in seconds of trio's clock."""

    def end_of_input(self) -> None:
        """Hear that the peer will send nothing more; it may still read."""

    def lost(self, cause: str) -> None:
        """Hear that the connection is gone; ``cause`` is lost or slow."""


_MIN_RTT_AT: Final = 148
"""Where ``tcpi_min_rtt`` (µs) stands in Linux's ``struct tcp_info``."""


def kernel_round_trip(sock: socket.socket | trio.socket.SocketType) -> float | None:
    """Return ``tcpi_min_rtt`` of a TCP socket in seconds, None where the platform has none."""
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, option, 256)
    except OSError:
        return None
    if len(info) < _MIN_RTT_AT + 4:
        return None
    (micros,) = struct.unpack_from("=I", info, _MIN_RTT_AT)
    return None if micros in (0, 0xFFFFFFFF) else float(micros) / 1e6
