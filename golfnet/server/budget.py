"""Limits on what each peer may cost the server, and statistics about all peers.

Nobody waits for a greedy peer. A pass of the event loop gives each peer one turn: a read of ``CHUNK`` bytes,
``LINES_AT_ONCE`` lines, or one part of a list. Nothing is read from a peer with unfinished work: its input stays in the
kernel. A turn is much shorter than any delay that a person notices, and each limit is far above what players send.

The statistics limit nothing. They are plain numbers, counted in the trio thread and read only on request; their times
are in seconds.
"""

import ipaddress
import math
from bisect import bisect_left
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from typing import Final

from msgspec import Struct, field

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.text.words import seconds as in_words

CHUNK: Final = 4096
"""Bytes read from one peer in one turn: four of the longest lines, hundreds of typical ones."""

LINES_AT_ONCE: Final = 32
"""Lines from one peer handled in one turn; its other lines wait for its next turn."""

DECODED_AT_ONCE: Final = 512
"""Bytes from one peer decoded at a time: half a millisecond of work for the slowest input, telnet window sizes."""

PEER_SECONDS: Final = 0.001
"""The length of a peer's turn, which ends after the current line or piece of input."""

BESIDE_LINES: Final = 2 * 1024 * 1024
"""How much input outside complete lines a peer may send in ten seconds, in bytes: enough to paste a file without line
ends. Input that takes longer to decode than text counts as more bytes, so that decoding as much as the limit allows
takes about 20 ms."""

BESIDE_LINES_SECONDS: Final = 10.0

READ_COSTS: Final = 1024
"""The minimum cost of a read: a key held down in a terminal without line mode uses a fifth of the limit."""

EDIT_COSTS: Final = 32
"""The extra cost of a backspace, a line end or a NUL."""

TELNET_COSTS: Final = 1024
"""The extra cost of a telnet command: resizing a window sixty times a second uses nine tenths of the limit."""

FRAME_NULS: Final = 256
"""A WebSocket frame without a line (a ping, an empty frame, a fragment) costs as much as this many NULs."""

LINE_PAYS: Final = 32 * 1024
"""How much of the cost each complete line cancels, since lines have a limit of their own. It is the cost of 32 reads,
because some programs send a line one character at a time."""

LOOP_SECONDS: Final = 0.002
"""How long the peers of a hub are served before other tasks run: timers, other transports, the journal."""

SENT_TOGETHER: Final = 16
"""How many peers have output before any of it is sent: the first one waits for up to a fifth of a millisecond."""

SENT_AT_ONCE: Final = 256
"""How many peers are sent output before other tasks run: each costs a system call of a few microseconds."""

ROWS_AT_ONCE: Final = 64
"""Rows in one part of a list: half a millisecond of work, and less than 16 KiB for most lists."""

REPLAY_LINES: Final = 2000
"""The maximum number of lines in a replay: twice as many as for nine holes of six-card with eight players."""

WATCHED_AT_ONCE: Final = 10
"""How many tables one player may watch: more than fit on a screen, but few enough to leave all in one pass."""

HELD_ENTRY: Final = 128
"""Memory overhead of a held reply, in bytes."""

PIECE: Final = 64 * 1024
"""Bytes that a stream sends at a time."""


def room(outbox: int) -> int:
    """Return how many unsent bytes a peer may have before its requests wait; the rest is for events and chat."""
    return outbox // 4


_ROUNDING: Final = 1e-6
"""The tolerance for rounding errors, in seconds."""


class RateLimit(Struct, eq=False):
    """Allows at most ``_count`` events in any period of ``_seconds``."""

    _count: int
    _seconds: float = 1.0
    _times: list[float] | None = None
    """The times of the events within the last ``_seconds``, usually a single one; None until the first event."""

    def take(self, now: float) -> int:
        """Count one event and return 0; if it is not allowed yet, return the milliseconds until it is."""
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


class Allowance(RateLimit, kw_only=True):
    """One connection's limits: commands per second, commands above that rate, and bytes outside lines."""

    excess_per_10_seconds: int
    _excess: RateLimit | None = None
    """The limit on commands above the rate; None until first needed, since most peers never exceed the rate."""
    spent: float = 0.0
    """Cost of the bytes outside lines, as of ``_spent_at``; it decreases with time and is nearly always 0."""
    _spent_at: float = 0.0

    def spend(self, cost: float, now: float) -> bool:
        """Add to the cost of bytes outside lines, or reduce it if negative; return whether the limit is exceeded."""
        paid_off = (now - self._spent_at) * (BESIDE_LINES / BESIDE_LINES_SECONDS)
        self.spent = max(0.0, max(0.0, self.spent - paid_off) + cost)
        self._spent_at = now
        return self.spent > BESIDE_LINES

    def is_flood(self, now: float) -> bool:
        """Count a command above the rate; return whether there have been too many such commands."""
        if self._excess is None:
            self._excess = RateLimit(self.excess_per_10_seconds, 10)
        return self._excess.take(now) > 0


class Budgets:
    """Rate limits by key: bursts of ``count``, and on average ``count`` per ``seconds``.

    Each key needs one number (generic cell rate algorithm, ITU-T I.371): the time when its budget is full again. If
    there are already ``kept`` keys (10,000 take a megabyte), a new key replaces the least recently used one, which
    resets that key's budget. A peer that wants its own budget reset would have to spend from ``kept`` other keys first.
    """

    def __init__(self, count: int, seconds: float, *, kept: int = 10_000) -> None:
        self._seconds = seconds
        self._each = seconds / count
        self._kept = kept
        self._full_at: OrderedDict[Hashable, float] = OrderedDict()
        """The time when each key's budget is full again, in the order in which the keys last spent."""

    def wait(self, key: Hashable, now: float) -> float:
        """Return the seconds until the key may spend, 0 if it may spend now."""
        wait = self._full_at.get(key, now) - now - self._seconds + self._each
        return wait if wait > _ROUNDING else 0.0

    def spend(self, key: Hashable, now: float) -> None:
        """Spend one unit of the key's budget."""
        self._full_at[key] = max(self._full_at.get(key, now), now) + self._each
        self._full_at.move_to_end(key)
        oldest = next(iter(self._full_at))
        if self._full_at[oldest] <= now or len(self._full_at) > self._kept:
            del self._full_at[oldest]

    def take(self, key: Hashable, now: float) -> float:
        """Spend one unit and return 0; if the key may not spend yet, return the seconds until it may."""
        wait = self.wait(key, now)
        if not wait:
            self.spend(key, now)
        return wait

    def give_back(self, key: Hashable) -> None:
        """Undo one ``spend``."""
        if key in self._full_at:
            self._full_at[key] -= self._each


def too_soon(wait: float, sentence: str) -> Refused:
    """Return the refusal of something that came ``wait`` seconds too early; ``{}`` in the sentence is that time."""
    return Refused(
        Code.RATE_LIMITED, sentence.format(in_words(math.ceil(wait) * 1000)), wait_ms=math.ceil(wait * 1000)
    )


class Addresses(Struct, eq=False):
    """Counts connections by origin; loopback and private addresses are exempt, since a whole school may share one."""

    _limit: int
    _open: Counter[str] = field(default_factory=Counter)

    def admit(self, address: str) -> bool:
        """Admit a connection unless its address already has too many; return whether it is admitted."""
        origin = origin_of(address)
        if self._open[origin] >= self._limit and not is_shared(address):
            return False
        self._open[origin] += 1
        return True

    def release(self, address: str) -> None:
        """Stop counting a connection that has ended."""
        origin = origin_of(address)
        self._open[origin] -= 1
        if self._open[origin] <= 0:
            del self._open[origin]


class Newcomers(Struct, eq=False):
    """A few places for unauthenticated peers, shared fairly among origins.

    A newcomer always gets a place. If all are taken, the oldest peer of the origin with the most places is removed, so
    that an attacker with many connections, or several attackers, cannot keep others out.
    """

    _places: int
    _origins: dict[Callable[[], None], str] = {}
    """The origin of each peer by its ``end`` callback, oldest first."""

    def __len__(self) -> int:
        return len(self._origins)

    def enter(self, address: str, end: Callable[[], None]) -> None:
        """Take a place; ``end`` is called if another peer needs it."""
        self._origins[end] = origin_of(address)
        if len(self._origins) > self._places:
            counts = Counter(self._origins.values())
            most = max(counts.values())
            oldest = next(each for each, origin in self._origins.items() if counts[origin] == most)
            del self._origins[oldest]
            oldest()

    def leave(self, end: Callable[[], None]) -> None:
        """Free a place."""
        self._origins.pop(end, None)


_KEPT: Final = 256
"""How many addresses are cached; parsing an address takes a tenth of the time that a ``name`` command takes."""


@lru_cache(_KEPT)
def origin_of(address: str) -> str:
    """Return the key for limits by address: an IPv4 address, or the /64 of an IPv6 one.

    Every network has at least a whole /64 (RFC 4291, 6177), so one machine can use any address in it.
    """
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address, 64), strict=False))
    except ValueError:
        return address


@lru_cache(_KEPT)
def parsed_address(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address as an object that can be compared with networks, or None if the text is not an address."""
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None


def is_private(address: str) -> bool:
    """Return whether an address belongs to this machine or a private network."""
    parsed = parsed_address(address)
    return parsed is not None and parsed.is_private


def is_shared(address: str) -> bool:
    """Return whether many people may share an address by design: this machine, private networks, no address at all."""
    return parsed_address(address) is None or is_private(address)


def is_this_machine(address: str) -> bool:
    """Return whether an address belongs to this machine, so that its traffic crosses no network."""
    parsed = parsed_address(address)
    return parsed is not None and parsed.is_loopback


def plain_address(address: str) -> str:
    """Return an address without the ``::ffff:`` prefix of IPv4 addresses on an IPv6 socket."""
    return address.removeprefix("::ffff:") if "." in address else address


LATENCIES: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Upper bounds of the buckets for commands: from an idle server to an overloaded one."""

WAITS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Upper bounds of the buckets for the journal and the directory: from fast disks to failing ones."""

ROUND_TRIPS: Final = (10, 25, 50, 100, 200)
"""Upper bounds of the buckets for round trips, in ms; one more bucket counts those above the last bound."""

MARGINS: Final = (5, 15, 30, 60, 115, 250, 500, 1000)
"""Upper bounds of the buckets for margins, in ms: how much faster the winner was than the runner-up."""


class Buckets:
    """A histogram: ``counts[n]`` counts values up to ``bounds[n]``; the last count is for all higher values."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class Counters:
    """The statistics of one server; what is counted by kind begins with 0 for the kinds that matter most."""

    def __init__(self) -> None:
        self.connections = 0
        """Admitted connections."""
        self.turned_away: Counter[str] = Counter()
        """Refused connections, by reason."""
        self.ended: Counter[str] = Counter(slow=0)
        """Ended sessions, by cause; ``slow`` means that the outbox was full."""
        self.refusals: Counter[str] = Counter(RATE_LIMITED=0)
        """Errors, by code."""
        self.latency: defaultdict[str, Buckets] = defaultdict(partial(Buckets, LATENCIES))
        """For each verb, the time from the arrival of a command until it is handled."""
        self.matches_finished = 0
        self.tables_taken = 0
        """Tables taken over from nodes that had stopped or been declared gone."""
        self.tables_given = 0
        """Tables handed over to other nodes."""
        self.nodes_declared_gone = 0
        self.pauses = 0
        """How many times all tables were paused because nothing could be stored."""
        self.handovers: Counter[str] = Counter(given=0, taken=0, refused=0)
        """Players ``given`` to other nodes, ``taken`` from them, and ``refused`` by them."""


class SlamTotals(Struct):
    """Statistics on all of a server's slams.

    ``results`` counts all claims by result. ``claims`` counts those over measured links, and ``wins`` the winning ones
    among these, by round trip in ms. ``margins`` counts races in which others were late, by the winner's lead in ms (0
    if drawn by lot). ``drawn`` counts wins by lot, ``overtaken`` wins by a claim that arrived after a slower one.
    """

    windows: int = 0
    results: Counter[str] = field(default_factory=Counter)
    claims: Buckets = field(default_factory=lambda: Buckets(ROUND_TRIPS))
    wins: Buckets = field(default_factory=lambda: Buckets(ROUND_TRIPS))
    margins: Buckets = field(default_factory=lambda: Buckets(MARGINS))
    drawn: int = 0
    overtaken: int = 0
