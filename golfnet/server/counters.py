"""The server's statistics, as plain numbers: cheap to count, and read only on request.

Nothing here is a limit or affects play; everything is counted in the trio thread. Times are in seconds.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from functools import partial
from typing import Final

from msgspec import Struct, field

LATENCIES: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Upper bounds of the buckets for commands: from an idle server to an overloaded one."""

WAITS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Upper bounds of the buckets for the journal and the directory: from fast disks to failing ones."""

ROUND_TRIPS: Final = (10, 25, 50, 100, 200)
"""Upper bounds of the buckets for round trips, in ms; one more bucket is for those above the last."""

MARGINS: Final = (5, 15, 30, 60, 115, 250, 500, 1000)
"""Upper bounds of the buckets for margins, in ms: how much faster the winner was than the runner-up."""


class Buckets:
    """A histogram: ``counts[n]`` is for values up to ``bounds[n]``, the last one for those above."""

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
    """The statistics of one server."""

    def __init__(self) -> None:
        self.connections = 0
        """Admitted connections."""
        self.turned_away: Counter[str] = Counter()
        """Refused connections, by reason."""
        self.ended: Counter[str] = Counter()
        """Ended sessions, by cause; ``slow`` means that the outbox was full."""
        self.refusals: Counter[str] = Counter()
        """Errors, by code."""
        self.latency: defaultdict[str, Buckets] = defaultdict(partial(Buckets, LATENCIES))
        """For each verb, the time from the arrival of a command until it is handled."""
        self.matches_finished = 0
        self.tables_taken = 0
        """Tables taken over from nodes that were gone."""
        self.tables_given = 0
        """Tables handed over to other nodes."""
        self.nodes_declared_gone = 0
        self.pauses = 0
        """How many times all tables were paused because nothing could be stored."""
        self.handovers: Counter[str] = Counter()
        """Players ``given`` to other nodes, ``taken`` from them, and ``refused`` by them."""


class SlamTotals(Struct):
    """Statistics on all of a server's slams.

    ``results`` counts claims by result. ``claims`` and ``wins`` are by measured round trip in ms; those over unmeasured
    links are separate. ``margins`` are in ms, for races with a late claim (0 if the winner was drawn by lot). ``drawn``
    counts wins by lot, ``overtaken`` wins by a claim that arrived after a slower one.
    """

    windows: int = 0
    results: dict[str, int] = field(default_factory=dict)
    claims: Buckets = field(default_factory=lambda: Buckets(ROUND_TRIPS))
    wins: Buckets = field(default_factory=lambda: Buckets(ROUND_TRIPS))
    claims_unmeasured: int = 0
    wins_unmeasured: int = 0
    margins: Buckets = field(default_factory=lambda: Buckets(MARGINS))
    drawn: int = 0
    overtaken: int = 0
