"""Round trips of connections: what is subtracted from a player's reaction time in a race, and why.

A player with a long round trip is credited with more time, so whatever a peer can lengthen has to be confirmed. There
are two measurements: the server's, from the peer's answers to a ping or to TIMING-MARK, and a kernel's, from TCP
acknowledgements. A program can delay its answers; only a system's administrator can delay acknowledgements.

These are the rules. They use the answers of the half-minute (``RECENT``) that ends with the last answer. K is the
kernel's smallest figure.

1. An answer counts as the time that it took, or as the kernel's measurement of the same exchange if that is less. The
   median of these times is the typical round trip. (If a link varies by 10 ms each way, the median is 20 ms above the
   shortest round trip.)
2. K counts if the two measurements disagree: if answers usually take 20 ms (``SLACK``) longer than the kernel measured
   meanwhile, or if the kernel measured a round trip 20 ms shorter than any answer.
3. Otherwise, a typical round trip up to K + 20 ms counts in full. There are two cases in which a longer one counts for
   more than K. If any recent round trip was at most K + 20 ms, the link varies, and K + 20 ms counts. If the typical
   round trip is at least K + 60 ms, and the kernel has measured nothing more than 20 ms shorter for a minute and a
   half, the route has changed, and the typical round trip counts in full. (An answer that is delayed together with its
   acknowledgement comes at most 40 ms later.)
4. K counts for a peer without answers: plain text, or a program that ignores pings. K can be raised only by delaying
   all acknowledgements; a single prompt acknowledgement lowers it again.
5. Behind a trusted proxy, the proxy's figure counts, or the median of the answers if that is less.
6. If no kernel measures the path to the peer itself (a proxy without figures, a tunnel that ends on this machine, a
   system other than Linux), the median of the answers counts, but at most 30 ms (``UNCONFIRMED``); jitter is ignored.

At most 100 ms (``ALLOWED``) are subtracted. This limits a fraud that no measurement can detect: a player who delays
everything but slams, including acknowledgements, looks like one who is far away but reacts more quickly.

No times are taken from the peer, and a ping counts only once, with the key that was sent last. All times are in
seconds, except in a ``Link`` and its limits, where they are in microseconds.
"""

from collections.abc import Sequence
from math import fsum, inf
from typing import Final

from msgspec import Struct

from golfnet.server.budget import is_this_machine
from golfnet.server.net.kernel import KernelRoundTrip, ProxyRoundTrip, RoundTrip
from golfnet.server.net.transport import Transport

ALLOWED: Final = 100_000
"""The maximum subtracted from a reaction time, in microseconds; it limits what a player gains by faking a slow link."""

UNCONFIRMED: Final = 30_000
"""The same if no kernel confirms the answers, since answers are easy to delay."""


class Link(Struct, frozen=True):
    """What is known about a connection; times in microseconds.

    ``round_trip`` is the typical round trip (None if unmeasured), ``jitter`` the mean deviation from it, ``least`` the
    recent minimum (None if it is the same as the typical one), ``limit`` the maximum to subtract.
    """

    round_trip: int | None = None
    jitter: int = 0
    least: int | None = None
    limit: int = ALLOWED

    @property
    def allowance(self) -> int:
        """The time subtracted from this seat's reaction times."""
        return min(self.round_trip or 0, self.limit)

    @property
    def least_allowance(self) -> int:
        """The time to subtract if the link was as fast as its recent minimum."""
        return self.allowance if self.least is None else min(self.least, self.allowance)


UNMEASURED: Final = Link()


LATELY: Final = 180.0
"""How many seconds ``lowest_lately`` looks back at most; it looks back at least half of this time."""

_KEEPS: Final = 7 / 8
"""How much weight the kernel's moving average gives to its old value when a sample arrives."""

_SAMPLES_KEPT: Final = 32
"""How many samples are kept: enough for several turns with a few samples each."""


class KernelSamples(Struct, eq=False):
    """The kernel's samples for one connection, reconstructed from its moving average."""

    _last: KernelRoundTrip | None = None
    _samples: tuple[tuple[float, float], ...] = ()
    """The time of each look, and the mean of the samples since the previous look."""
    _began: float = -inf
    """When the current period of half ``LATELY`` began; the minima of this and the previous period are kept."""
    _lowest: float = inf
    _lowest_before: float = inf

    def look(self, figures: KernelRoundTrip, now: float) -> None:
        """Record the kernel's current figures."""
        last, self._last = self._last, figures
        if last is None or figures.smallest < last.smallest:
            mean = figures.smallest  # a sample with this value has arrived
        elif figures.delivered == last.delivered:
            return
        else:
            keeps = _KEEPS ** (figures.delivered - last.delivered)
            mean = max(figures.smallest, (figures.smoothed - keeps * last.smoothed) / (1 - keeps))
        self._samples = (*self._samples[1 - _SAMPLES_KEPT :], (now, mean))
        self._turn_over(now)
        self._lowest = min(self._lowest, mean)

    def lowest_since(self, since: float) -> float:
        """Return the lowest sample after the given time, or infinity if there is none."""
        return min([mean for at, mean in self._samples if at > since], default=inf)

    def lowest_lately(self, now: float) -> float:
        """Return the lowest sample of the last few minutes, or infinity if there is none."""
        self._turn_over(now)
        return min(self._lowest, self._lowest_before)

    def _turn_over(self, now: float) -> None:
        since = now - self._began
        if since >= LATELY / 2:
            self._lowest_before = self._lowest if since < LATELY else inf
            self._began, self._lowest = now, inf


RECENT: Final = 30.0
"""Answers count if they came at most this many seconds before the latest one: those of a few turns."""

STALE: Final = 120.0
"""After this many seconds, the latest answer no longer counts; where slams are allowed, every turn brings answers."""

SLACK: Final = 0.020
"""How much the round trips of an ordinary link vary within ``RECENT``, in seconds."""

DELAYED_ACK: Final = 0.040
"""How long systems delay an acknowledgement in order to send it with an answer; RFC 1122 allows half a second."""

_KEPT: Final = 16
"""How many answers are kept: about as many as arrive within ``RECENT`` when a table plays quickly."""


class _Answer(Struct, frozen=True):
    at: float
    took: float
    confirmed: float
    """The same as ``took``, or what the kernel measured meanwhile if that was less."""


class RoundTrips(Struct, eq=False):
    """Measures the round trips of one connection."""

    _transport: Transport
    _answers: tuple[_Answer, ...] = ()
    _kernel: KernelSamples | None = None
    _pings: int = 0
    _asked: tuple[str, float] | None = None
    """The key and time of the unanswered ping."""

    # --- measuring

    def ping(self, now: float) -> str | None:
        """Return the key of a ping to send now, or None while one is unanswered."""
        self.look(now)
        if self._asked is not None:
            return None
        self._pings += 1
        self._asked = (f"{self._pings:x}", now)
        return self._asked[0]

    def awaits(self, key: str) -> bool:
        """Return whether a pong with this key answers the last ping."""
        return self._asked is not None and key == self._asked[0]

    def pong(self, key: str, now: float) -> None:
        """Record the answer to a ping."""
        if self._asked is not None and self.awaits(key):
            self.note(now - self._asked[1], now)
            self._asked = None

    def note(self, seconds: float, now: float) -> None:
        """Record an answer to TIMING-MARK or a ping, which took ``seconds`` and arrived ``now``."""
        self.look(now)
        confirmed = seconds
        if self._kernel is not None:
            confirmed = min(seconds, self._kernel.lowest_since(now - seconds))
        self._answers = (*self._answers[1 - _KEPT :], _Answer(now, seconds, confirmed))

    def look(self, now: float) -> RoundTrip | None:
        """Record what the kernel has measured since the last look, and return its figures.

        A look before a line is sent, and one when its answer arrives, isolate what the kernel measured meanwhile.
        """
        figures = self._transport.round_trip()
        if isinstance(figures, KernelRoundTrip):
            if self._kernel is None:
                # For an address on this machine, the figures prove nothing: it may belong to a tunnel or proxy, which
                # acknowledges data before the player gets it. And for a program on this machine, nothing has to be
                # subtracted.
                if is_this_machine(self._transport.address):
                    return None
                self._kernel = KernelSamples()
            self._kernel.look(figures, now)
        return figures

    # --- evaluation

    def link(self, now: float) -> Link:
        """Return what is known about the connection."""
        figures = self.look(now)
        latest = self._answers[-1].at if self._answers else -inf
        answers = [each for each in self._answers if now - latest <= STALE and each.at >= latest - RECENT]
        if not answers:
            return UNMEASURED if figures is None else _link(figures.smallest, figures.smallest)
        usually = _median([answer.confirmed for answer in answers])
        least = min([answer.took for answer in answers])
        if isinstance(figures, ProxyRoundTrip):
            return _link(min(usually, figures.smallest), min(least, figures.smallest))
        if figures is None or self._kernel is None:
            return _link(usually, least, limit=UNCONFIRMED)
        counted, least = _agreed(figures.smallest, self._kernel, answers)
        return _link(counted, least, fsum([abs(each.confirmed - usually) for each in answers]) / len(answers))


def _link(usually: float, least: float, jitter: float = 0.0, limit: int = ALLOWED) -> Link:
    """Return a link with these times, given in seconds."""
    return Link(round(1e6 * usually), round(1e6 * jitter), round(1e6 * least), limit)


def _agreed(smallest: float, kernel: KernelSamples, answers: list[_Answer]) -> tuple[float, float]:
    """Return the round trip that counts if there are both kernel figures and answers, and the recent minimum."""
    took, confirmed = [answer.took for answer in answers], [answer.confirmed for answer in answers]
    usually, quickest = _median(confirmed), min(took)
    least = min(quickest, kernel.lowest_since(answers[0].at))
    if least < quickest - SLACK or usually < _median(took) - SLACK:
        counted = smallest
    elif usually <= smallest + SLACK:
        counted = usually
    elif least <= smallest + SLACK:  # the link varies
        counted = smallest + SLACK
    elif (
        usually >= smallest + SLACK + DELAYED_ACK and kernel.lowest_lately(answers[-1].at) >= usually - SLACK
    ):
        counted = usually
    else:
        counted = smallest
    return counted, min(least, counted)


def _median(seconds: Sequence[float]) -> float:
    """Return the lower median, without the standard library's ``statistics``, which takes a long time to load."""
    return sorted(seconds)[(len(seconds) - 1) // 2]
