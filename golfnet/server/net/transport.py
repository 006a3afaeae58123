"""The interface between connections and sessions.

A session never awaits. It writes, and output that the peer does not read at once waits in the transport's outbox; if
that is full, the peer is cut off, so that nobody waits for a slow peer. A session that has enough to do pauses reading,
and gets further turns until it has caught up, so that nobody waits for a greedy peer. A transport calls its session
only while no session is working: while a session is writing, no session is called, not even the same one.
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
"""How many bytes of input are still read and discarded after ``close``."""


class KernelRoundTrip(NamedTuple):
    """The round trip of a connection as measured by this machine's kernel, in seconds."""

    smallest: float
    """The minimum of the last few minutes; Linux ignores samples that look like delayed acknowledgements."""

    smoothed: float
    """A moving average: each sample has a weight of one eighth (RFC 6298)."""

    delivered: int
    """Acknowledged segments, each of which gives at most one sample."""


class ProxyRoundTrip(NamedTuple):
    """The round trip between a trusted proxy and its client, as measured by the proxy's kernel at the start."""

    seconds: float


RoundTrip = KernelRoundTrip | ProxyRoundTrip

TOO_MANY: Final = b"! TOO_MANY There are too many connections, or yours are not welcome; try again later.\r\n"
"""The answer to a connection that is not admitted."""


class Carrier(Enum):
    """What carries a connection, as far as this server knows."""

    PLAIN = "plain"
    TLS = "tls"
    PROXY = "proxy"
    """A proxy that has sent the peer's address; whether its connection to the peer is encrypted is unknown."""
    PROXY_ALONE = "proxy alone"
    """A proxy that has not sent the peer's address, so the address is the proxy's own."""


class Acceptor(Protocol):
    """Decides which connections to accept; ``gone`` is called once for each accepted one."""

    def admit(self, address: str) -> bool:
        """Return whether a connection is accepted; if not, it should be sent ``TOO_MANY``."""

    def welcome(self, transport: "Transport") -> "Peer":
        """Return the session for an accepted connection."""

    def gone(self, address: str) -> None:
        """Handle the end of an accepted connection."""


class Transport(Protocol):
    """One connection, as seen by its session."""

    @property
    def address(self) -> str:
        """The peer's address, for limits and logs."""

    @property
    def carrier(self) -> Carrier:
        """What carries the connection."""

    @property
    def waiting(self) -> int:
        """Unsent bytes."""

    def write(self, data: bytes) -> None:
        """Send bytes in order; never blocks, never fails."""

    def close(self) -> None:
        """Send the waiting output, then close; the session is not notified."""

    def cut_off(self, cause: str) -> None:
        """Send what can be sent and close soon; ``lost`` is called later, with the cause "lost" or "slow"."""

    def pause(self) -> None:
        """Stop reading until ``resume``; further input stays in the kernel."""

    def resume(self) -> None:
        """Resume reading."""

    def wake(self) -> None:
        """Give the session a turn (``proceed``) later, once most of the output is sent."""

    def round_trip(self) -> RoundTrip | None:
        """Return the round trip to the peer as measured by a kernel, if any."""

    def stamp_arrivals(self) -> None:
        """Use the kernel's timestamps for input from now on, if it has them."""


class Peer(Protocol):
    """The receiving side of a transport: a session."""

    def receive(self, data: bytes, arrived: float) -> None:
        """Handle input; ``arrived`` is when it arrived, on trio's clock."""

    def proceed(self) -> None:
        """Continue with unfinished work, in a turn that ``Transport.wake`` asked for."""

    def end_of_input(self) -> None:
        """Handle the end of input; the peer may still read."""

    def lost(self, cause: str) -> None:
        """Handle the loss of the connection; ``cause`` is "lost" or "slow"."""


_RTT_AT: Final = 68
_MIN_RTT_AT: Final = 148
_DELIVERED_AT: Final = 192
"""The offsets of ``tcpi_rtt``, ``tcpi_min_rtt`` (µs) and ``tcpi_delivered`` in Linux's ``struct tcp_info`` since 4.18,
linux/tcp.h. Other systems have the same option with a different structure.
"""

_NEVER: Final = (0, 0xFFFFFFFF)


def kernel_round_trip(sock: socket.socket | trio.socket.SocketType) -> KernelRoundTrip | None:
    """Return the kernel's measurements of a TCP socket, or None on systems without Linux's ``tcp_info``."""
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
