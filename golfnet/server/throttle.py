"""How often is too often: counting windows for commands, chat and connections.

Times come in as seconds; nothing here looks at a clock.
"""

import ipaddress
from collections import Counter


class RateLimit:
    """At most ``count`` events in any ``seconds``."""

    __slots__ = ("_count", "_seconds", "_times")

    def __init__(self, count: int, seconds: float) -> None:
        self._count = count
        self._seconds = seconds
        self._times: list[float] | None = None
        """The events within the last ``seconds``, nearly always one; None before the first, which may never come."""

    def take(self, now: float) -> int:
        """Count one event and return 0, or count nothing and return the milliseconds until one is free."""
        times = self._times
        if times is None:
            self._times = [now]
            return 0
        while times and now - times[0] >= self._seconds:
            del times[0]
        if len(times) >= self._count:
            return max(1, round((self._seconds - (now - times[0])) * 1000))
        times.append(now)
        return 0


class Addresses:
    """Connections by origin; loopback and private networks are exempt, since a whole school may share one."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: Counter[str] = Counter()

    def admit(self, address: str) -> bool:
        """Count a connection in, unless its address has too many."""
        origin = _origin(address)
        if self._open[origin] >= self._limit and not _is_exempt(address):
            return False
        self._open[origin] += 1
        return True

    def release(self, address: str) -> None:
        """Count a connection out."""
        origin = _origin(address)
        self._open[origin] -= 1
        if self._open[origin] <= 0:
            del self._open[origin]


def plain_address(address: str) -> str:
    """Return an address as it is; an IPv4 one that came in by an IPv6 socket without the ``::ffff:`` before it."""
    return address.removeprefix("::ffff:") if "." in address else address


def _origin(address: str) -> str:
    """Return what connections are counted by: an IPv4 address, or the /64 of an IPv6 one, which one machine owns."""
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address, 64), strict=False))
    except ValueError:
        return address


def _is_exempt(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return True
    return parsed.is_loopback or parsed.is_private
