"""How often is too often: counting windows for commands, chat and connections, budgets for guesses and names.

Times come in as seconds; nothing here looks at a clock.
"""

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Hashable, Sequence
from typing import Final

_KEYS_KEPT: Final = 10_000
"""Keys with something spent, for each kind of budget: about a megabyte."""

_ROUNDING: Final = 1e-6
"""Seconds that adding up may lose."""


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

    def ages(self, now: float) -> tuple[float, ...]:
        """Return how many seconds ago each event came that still counts."""
        return tuple([now - at for at in self._times or () if now - at < self._seconds])

    def restore(self, ages: Sequence[float], now: float) -> None:
        """Count events of which ``ages`` of another limit tells."""
        if ages:
            self._times = [now - age for age in ages[-self._count :]]


class Budgets:
    """What each of many keys may still spend: ``count`` at once, and in the long run ``count`` in ``seconds``.

    One number a key (the generic cell rate algorithm, ITU-T I.371): when its budget will be full again. With ``kept``
    of them, a new key takes the place of the one that spent longest ago. So all never begin anew together, and to get
    one fresh budget out of it, somebody has to spend from ``kept`` others.
    """

    def __init__(self, count: int, seconds: float, *, kept: int = _KEYS_KEPT) -> None:
        self._seconds = seconds
        self._each = seconds / count
        self._kept = kept
        self._full_at: OrderedDict[Hashable, float] = OrderedDict()
        """When each budget is full again; who spent last is last."""

    def __len__(self) -> int:
        return len(self._full_at)

    def wait(self, key: Hashable, now: float) -> float:
        """Return the seconds until the key may spend one, 0 where it may now."""
        full_at = self._full_at.get(key)
        if full_at is None:
            return 0.0
        wait = full_at - now - self._seconds + self._each
        return wait if wait > _ROUNDING else 0.0

    def spend(self, key: Hashable, now: float) -> None:
        """Count one."""
        self._full_at[key] = max(self._full_at.get(key, now), now) + self._each
        self._full_at.move_to_end(key)
        oldest = next(iter(self._full_at))
        if self._full_at[oldest] <= now or len(self._full_at) > self._kept:
            del self._full_at[oldest]

    def give_back(self, key: Hashable) -> None:
        """Count one less: what it was spent for is none of it."""
        if key in self._full_at:
            self._full_at[key] -= self._each


class Addresses:
    """Connections by origin; loopback and private networks are exempt, since a whole school may share one."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: Counter[str] = Counter()

    def admit(self, address: str) -> bool:
        """Count a connection in, unless its address has too many."""
        origin = origin_of(address)
        if self._open[origin] >= self._limit and not is_shared(address):
            return False
        self._open[origin] += 1
        return True

    def release(self, address: str) -> None:
        """Count a connection out."""
        origin = origin_of(address)
        self._open[origin] -= 1
        if self._open[origin] <= 0:
            del self._open[origin]


def origin_of(address: str) -> str:
    """Return what connections, names and guesses are counted by: an IPv4 address, or the /64 of an IPv6 one.

    A network hands out whole /64s (RFC 4291, 6177): one machine has all the addresses of its own.
    """
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address, 64), strict=False))
    except ValueError:
        return address


def is_shared(address: str) -> bool:
    """Tell whether many people may be behind one address by design: loopback, private networks, no address at all."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return True
    return parsed.is_loopback or parsed.is_private


def is_this_machine(address: str) -> bool:
    """Tell whether an address is this machine's own, so that nothing goes over a network."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def plain_address(address: str) -> str:
    """Return an address as it is; an IPv4 one that came in by an IPv6 socket without the ``::ffff:`` before it."""
    return address.removeprefix("::ffff:") if "." in address else address
