"""The seam between bytes and sessions: what a session may ask of its connection, and what it is told.

A session never awaits. It writes, and what the peer does not read at once waits in an outbox whose bound is the
transport's; over the bound the peer is cut off, so that nobody waits for a slow one. A session that has enough to do
pauses reading, and is given further turns until it has caught up, so that nobody waits for a greedy one. A transport
tells a session things only between two of its calls: nothing that a session writes comes back to it, or to another,
before it is done.
"""

import socket
import struct
import sys
from enum import Enum
from typing import Final, NamedTuple, Protocol

import trio

LINGER_SECONDS: Final = 2.0
"""How long a peer may take to read its last lines after ``close``."""

LINGER_BYTES: Final = 1024 * 1024
"""How much of what a peer goes on sending after ``close`` is read and thrown away meanwhile."""


class KernelRoundTrip(NamedTuple):
    """What this machine's kernel has measured of a connection until now, in seconds."""

    smallest: float
    """The smallest of the last minutes; Linux leaves out of it whatever looks like a delayed acknowledgement."""

    smoothed: float
    """A moving average: each sample counts for an eighth, those before it for the rest (RFC 6298)."""

    delivered: int
    """Segments that were acknowledged: each gives one sample at the most."""


class ProxyRoundTrip(NamedTuple):
    """What a trusted proxy's kernel had measured of its own client, once, when the connection came in."""

    seconds: float


RoundTrip = KernelRoundTrip | ProxyRoundTrip


TOO_MANY: Final = b"! TOO_MANY There are too many connections, or yours are not welcome; try again later.\r\n"
"""What a connection is told that an acceptor refuses."""


class Carrier(Enum):
    """What carries a connection, as far as this server knows."""

    PLAIN = "plain"
    TLS = "tls"
    PROXY = "proxy"
    """A proxy that has told the peer's address; whether anything is encrypted on the way is not known."""
    PROXY_ALONE = "proxy alone"
    """A proxy that has told no address of a peer: the address is its own."""


class Acceptor(Protocol):
    """Decides which connections are accepted; each accepted one ends with one call of ``gone``."""

    def admit(self, address: str) -> bool:
        """Return whether a connection is accepted; one that is not should be told ``TOO_MANY``."""

    def welcome(self, transport: "Transport") -> "Peer":
        """Return what talks with an accepted connection."""

    def gone(self, address: str) -> None:
        """Note that an accepted connection has ended."""


class Transport(Protocol):
    """One connection, seen from its session."""

    @property
    def address(self) -> str:
        """The peer's address, for limits and logs."""

    @property
    def carrier(self) -> Carrier:
        """What carries the connection."""

    @property
    def waiting(self) -> int:
        """Bytes that were written and not sent yet."""

    def write(self, data: bytes) -> None:
        """Send bytes in order; never blocks, never fails."""

    def close(self) -> None:
        """Send what waits, then close; the peer hears nothing more."""

    def cut_off(self, cause: str) -> None:
        """Close soon, with what can be sent sent; the session hears of it later, with ``cause``: lost or slow."""

    def pause(self) -> None:
        """Read nothing more from the peer until ``resume``; what it sends meanwhile stays in the kernels."""

    def resume(self) -> None:
        """Read again."""

    def wake(self) -> None:
        """Give the session a turn (``proceed``) later, once what waits for the peer is nearly sent."""

    def round_trip(self) -> RoundTrip | None:
        """Return what a kernel has measured of the way to the peer, None where none has."""

    def stamp_arrivals(self) -> None:
        """Tell from now on when bytes came to this machine, as exactly as its kernel knows."""


class Peer(Protocol):
    """The receiving side of a transport: a session."""

    def receive(self, data: bytes, arrived: float) -> None:
        """Take bytes; ``arrived`` is when they came, in seconds of trio's clock."""

    def proceed(self) -> None:
        """Do some more of what is left to do, in a turn that ``Transport.wake`` has asked for."""

    def end_of_input(self) -> None:
        """Hear that the peer will send nothing more; it may still read."""

    def lost(self, cause: str) -> None:
        """Hear that the connection is gone; ``cause`` is lost or slow."""


_RTT_AT: Final = 68
_MIN_RTT_AT: Final = 148
_DELIVERED_AT: Final = 192
"""Where ``tcpi_rtt``, ``tcpi_min_rtt`` (µs) and ``tcpi_delivered`` stand in Linux's ``struct tcp_info`` since 4.18,
linux/tcp.h. Other systems have the option as well, with another structure behind it.
"""

_NEVER: Final = (0, 0xFFFFFFFF)


def kernel_round_trip(sock: socket.socket | trio.socket.SocketType) -> KernelRoundTrip | None:
    """Return what the kernel has measured of a TCP socket, None where it does not tell, or not in Linux's layout."""
    option = getattr(socket, "TCP_INFO", None)
    if option is None or not sys.platform.startswith("linux"):
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, option, 256)
    except OSError:
        return None
    if len(info) < _DELIVERED_AT + 4:
        return None
    ((smoothed,), (smallest,), (delivered,)) = [
        struct.unpack_from("=I", info, at) for at in (_RTT_AT, _MIN_RTT_AT, _DELIVERED_AT)
    ]
    if smallest in _NEVER or smoothed in _NEVER:
        return None
    return KernelRoundTrip(smallest / 1e6, smoothed / 1e6, delivered)
