"""What the server has done so far, as plain numbers: cheap to count, read only when somebody asks.

Nothing here is a limit or changes what happens; everything is counted in the trio thread. Times are seconds.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from functools import partial
from typing import Final

from msgspec import Struct, field

LATENCIES: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Upper bounds of the buckets for commands, in seconds: from one action alone to a crowd that waits."""

JOURNAL_WAITS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Upper bounds of the buckets for the journal, in seconds: from fast disks to failing ones."""

DIRECTORY_WAITS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Upper bounds of the buckets for questions to the directory, in seconds: from one look-up to an engine that hangs."""

ROUND_TRIPS: Final = (10, 25, 50, 100, 200)
"""Upper bounds of the buckets of round trips, in ms; one more bucket is above the last."""

MARGINS: Final = (5, 15, 30, 60, 115, 250, 500, 1000)
"""Upper bounds of the buckets of margins, in ms: by how much the fastest was faster than the next."""


class Buckets:
    """Counts by size: ``counts[n]`` is for values up to ``bounds[n]``, the last for those above all."""

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
    """All counts of one server."""

    def __init__(self) -> None:
        self.connections = 0
        """Connections that were let in."""
        self.turned_away: Counter[str] = Counter()
        """Connections that were not, by reason."""
        self.ended: Counter[str] = Counter()
        """Sessions that are over, by cause; ``slow`` are those whose outbox was full."""
        self.refusals: Counter[str] = Counter()
        """Errors by code; ``RATE_LIMITED`` are those who were too fast."""
        self.latency: defaultdict[str, Buckets] = defaultdict(partial(Buckets, LATENCIES))
        """For each verb, the time from the arrival of a command until it is carried out."""
        self.matches_finished = 0
        self.tables_taken = 0
        """Tables that this node has taken over from nodes that were gone."""
        self.tables_given = 0
        """Tables that this node has given to others."""
        self.nodes_declared_gone = 0
        """Nodes that this one has declared gone."""
        self.pauses = 0
        """How often the tables stood still because nothing could be recorded."""
        self.handovers: Counter[str] = Counter()
        """Players ``given`` to other nodes and ``taken`` from them, and those that another node ``refused``."""


class SlamTotals(Struct):
    """All slams of a server in sum, as plain numbers for a page of metrics.

    ``results`` counts claims by how they ended; ``claims`` and ``wins`` are by measured round trip in ms, those of
    unmeasured links apart; ``margins`` are in ms, of races with a late claim (0 where a lot put the winner first);
    ``drawn`` were won by lot, ``overtaken`` by a claim that came in after one which was slower.
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
