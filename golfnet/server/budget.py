"""What one peer may cost the server: in one turn of the event loop, and in memory.

Nobody waits for a greedy peer. A turn gives each peer one read of ``CHUNK`` bytes, or ``LINES_AT_ONCE`` of the lines
it has sent, or one part of a list it has asked for, and no peer is read while something of its own is still to be done:
what it sends stays in its own kernel. The figures are small beside the milliseconds that a person notices, and large
beside what anybody who plays sends.
"""

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Final

CHUNK: Final = 4096
"""Bytes read from one peer in one turn: four of the longest lines, hundreds of usual ones."""

LINES_AT_ONCE: Final = 32
"""Lines of one peer that are carried out or refused in one turn; the others wait for its next turn."""

DECODED_AT_ONCE: Final = 512
"""Bytes of one peer that are decoded at once: half a millisecond of the dearest, telnet's window sizes."""

PEER_SECONDS: Final = 0.001
"""After so long a peer's turn ends behind the line or the piece of bytes under way, however few there were."""

BESIDE_LINES: Final = 2 * 1024 * 1024
"""Bytes that may belong to no line in ten seconds: somebody pastes a file without line ends, and is told that it was
too long for a line. What takes longer to decode than text counts as more, so that all of it takes some 20 ms."""

BESIDE_LINES_SECONDS: Final = 10.0

READ_COSTS: Final = 1024
"""What a read costs at least: a key that is held down in a terminal without lines comes to a fifth of the limit."""

EDIT_COSTS: Final = 32
"""What a backspace, a line end or a NUL costs beside its byte."""

TELNET_COSTS: Final = 1024
"""What a telnet command costs beside its bytes: resizing a window sixty times a second comes to nine tenths."""

FRAME_NULS: Final = 256
"""How many NULs a frame of a WebSocket is taken for that brings no line: a ping, an empty one, a fragment."""

LINE_PAYS: Final = 32 * 1024
"""How much a line, which has a rate of its own, pays for: 32 reads, since some programs write characters singly."""

LOOP_SECONDS: Final = 0.002
"""After so long the peers of a hub let other tasks run: timers, other transports, the journal."""

SENT_AT_ONCE: Final = 256
"""Peers to which is sent before other tasks run: a system call of some microseconds each."""

ROWS_AT_ONCE: Final = 64
"""Rows of a list in one part: half a millisecond of work, and less than 16 KiB for most lists."""

REPLAY_LINES: Final = 2000
"""Lines of a match that is told again: nine holes of six-card for eight have half as many."""

WATCHED_AT_ONCE: Final = 10
"""Tables that one player may watch: more than fit on a screen, and few enough to leave in one turn."""

HELD_ENTRY: Final = 128
"""Bytes that a reply takes in memory beside its own while it waits for the disk."""

PIECE: Final = 64 * 1024
"""Bytes that a stream is given to send at once."""

_BESIDE_OUTBOX: Final = 256 * 1024


def room(outbox: int) -> int:
    """Return how many bytes may wait for a peer before nothing more is read or done for it.

    The rest of the outbox is for what others cause: events, chat.
    """
    return outbox // 4


def most_memory(outbox: int) -> int:
    """Return the bytes that one connection can make the server hold at most.

    Beside the outbox, which counts what waits for the disk and what waits to be read: a piece that is being sent, one
    chunk cut into lines (up to 2048, as Python keeps them), the line under way, the reply that goes over the bound, and
    the fixed parts of the session.
    """
    return outbox + _BESIDE_OUTBOX


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


class Newcomers:
    """Peers that have proven nothing yet: a few places, which no origin can keep from another.

    A newcomer always gets a place. With all taken, the oldest of the origin that has the most of them makes room, so
    that ``places`` connections of one stranger, or of each of several, cost nobody else an answer.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._origins: dict[Callable[[], None], str] = {}
        """The origin of each by what ends it, the oldest first."""

    def __len__(self) -> int:
        return len(self._origins)

    def enter(self, address: str, end: Callable[[], None]) -> None:
        """Take a place; ``end`` is called if it is needed for another."""
        self._origins[end] = origin_of(address)
        if len(self._origins) > self._places:
            counts = Counter(self._origins.values())
            most = max(counts.values())
            oldest = next(each for each, origin in self._origins.items() if counts[origin] == most)
            del self._origins[oldest]
            oldest()

    def leave(self, end: Callable[[], None]) -> None:
        """Free a place, if it is still taken."""
        self._origins.pop(end, None)


_KEPT: Final = 256
"""Addresses of which it is remembered what they are: taking one apart is a tenth of what a name costs."""


@lru_cache(_KEPT)
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


@lru_cache(_KEPT)
def is_shared(address: str) -> bool:
    """Return whether many people may be behind one address by design: loopback, private networks, no address at all."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return True
    return parsed.is_loopback or parsed.is_private


@lru_cache(_KEPT)
def is_private(address: str) -> bool:
    """Tell whether an address is of this machine or of a network that is not the internet."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_private
    except ValueError:
        return False


@lru_cache(_KEPT)
def is_this_machine(address: str) -> bool:
    """Return whether an address is this machine's own, so that nothing goes over a network."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def plain_address(address: str) -> str:
    """Return an address as it is; an IPv4 one that came in by an IPv6 socket without the ``::ffff:`` before it."""
    return address.removeprefix("::ffff:") if "." in address else address
