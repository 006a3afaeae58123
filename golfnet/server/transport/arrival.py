"""When bytes came in: the kernel's own time of their arrival, where it keeps one.

A server that is busy reads late, and all that has come meanwhile at once; the kernel knew better. Linux gives the
time of the last segment that a read has taken from (``SO_TIMESTAMPNS``, socket(7)).
"""

import socket
import struct
import sys
import time
from typing import Final

_SO_TIMESTAMPNS: Final = 35
"""asm-generic/socket.h; Python's socket module does not name it. Where it is another number, no stamp comes."""

_TIMESPEC: Final = struct.Struct("@ll")
_SPACE: Final = 64
_OLDEST: Final = 0.25
"""Seconds that a line may have waited; longer, and somebody has set the clock."""


def stamp_arrivals(sock: socket.socket) -> bool:
    """Ask the kernel to keep the time of each arrival from now on; return whether it does."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return True


def receive_stamped(sock: socket.socket, size: int) -> tuple[bytes, float]:
    """Return what has come and how many seconds ago, 0 where the kernel does not say; raises as ``recv`` does."""
    data, ancillary, *_ = sock.recvmsg(size, _SPACE)
    for level, kind, stamp in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS) and len(stamp) == _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack(stamp)
            age = (time.time_ns() - seconds * 1_000_000_000 - nanoseconds) / 1e9
            return data, age if 0 <= age <= _OLDEST else 0.0
    return data, 0.0
