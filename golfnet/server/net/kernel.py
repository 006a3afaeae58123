"""What the kernel limits and measures: descriptors for connections, arrival times, and round trips."""

import logging
import socket
import struct
import sys
import time
from collections import Counter
from typing import Any, Final

import trio
from msgspec import Struct

resource: Any
try:
    import resource
except ImportError:  # on Windows, where descriptors are not limited
    resource = None

log = logging.getLogger(__name__)

RESERVE: Final = 32
"""Descriptors reserved for other uses: 8 for metrics, 3 for the database, 2 for a certificate; the rest are spare."""

_BESIDE: Final = 64 + RESERVE
"""The maximum number of descriptors that a server needs in addition to its connections."""


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


def may_keep(turned_away: Counter[str], descriptor: int) -> bool:
    """Return whether a connection may keep its descriptor: the reserve must stay free. If not, count and log it."""
    if resource is None:
        return True
    limit: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY or descriptor < limit - RESERVE:
        return True
    turned_away["files"] += 1
    log.error(
        "a connection was turned away: nearly all of the %d files that this process may open are in use. Raise the "
        "limit (ulimit -n, LimitNOFILE=), or lower the 'connections' setting.",
        limit,
    )
    return False


_SO_TIMESTAMPNS: Final = 35
"""From asm-generic/socket.h, since Python's socket module lacks it. A system that uses another number for this option
sends no timestamps."""

_TIMESPEC: Final = struct.Struct("@ll")
_SPACE: Final = 64
_OLDEST: Final = 0.25
"""Maximum age of input in seconds; input that seems older means that the clock was changed."""


def stamp_arrivals(sock: socket.socket) -> bool:
    """Ask the kernel to send timestamps with input from now on; return whether it can."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return True


def receive_stamped(sock: socket.socket, size: int) -> tuple[bytes, float]:
    """Return input and its age in seconds (0 without a timestamp). May raise ``OSError``, as ``recv`` does."""
    data, ancillary, *_ = sock.recvmsg(size, _SPACE)
    for level, kind, stamp in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS) and len(stamp) == _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack(stamp)
            age = (time.time_ns() - seconds * 1_000_000_000 - nanoseconds) / 1e9
            return data, age if 0 <= age <= _OLDEST else 0.0
    return data, 0.0


class KernelRoundTrip(Struct, frozen=True):
    """The round trip of a connection as measured by this machine's kernel, in seconds."""

    smallest: float
    """The minimum of the last few minutes; Linux ignores samples that look like delayed acknowledgements."""

    smoothed: float
    """A moving average: each sample has a weight of one eighth (RFC 6298)."""

    delivered: int
    """Acknowledged segments, each of which gives at most one sample."""


class ProxyRoundTrip(Struct, frozen=True):
    """The round trip between a trusted proxy and its client, as the proxy's kernel measured it when they connected."""

    smallest: float
    """The only figure, in seconds."""


RoundTrip = KernelRoundTrip | ProxyRoundTrip

_TCP_INFO: Final = struct.Struct("=68x I 76x I 40x I")
"""``tcpi_rtt``, ``tcpi_min_rtt`` (µs) and ``tcpi_delivered`` in ``struct tcp_info``, linux/tcp.h, since Linux 4.18.
Other systems have the same option with a different structure.
"""

_NEVER: Final = (0, 0xFFFFFFFF)


def kernel_round_trip(sock: socket.socket | trio.socket.SocketType) -> KernelRoundTrip | None:
    """Return the kernel's measurements of a TCP socket, or None on systems without Linux's ``tcp_info``."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    except OSError:
        return None
    if len(info) < _TCP_INFO.size:
        return None
    smoothed, smallest, delivered = _TCP_INFO.unpack_from(info)
    if smallest in _NEVER or smoothed in _NEVER:
        return None
    return KernelRoundTrip(smallest / 1e6, smoothed / 1e6, delivered)
