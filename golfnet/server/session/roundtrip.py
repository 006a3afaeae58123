"""How long a connection's bytes are under way: what is taken off a player's reaction in a race, and why.

A longer round trip makes a player look quicker, so what a peer can make longer has to be confirmed by somebody else.
Two measure: the server, by the peer's own answers to a ping or to TIMING-MARK, and a kernel, by TCP's acknowledgements.
A program can hold back its answers; it takes the system's administrator to hold back acknowledgements.

The rule, for the answers of the half-minute before the last one (``RECENT``):

1. An answer counts as the time that it took, or as what the kernel saw meanwhile where that was less. What counts of
   all is typical, their median: a line that varies by 10 ms each way usually takes 20 ms more than its smallest.
2. Where the answers are usually 20 ms longer (``SLACK``) than what the kernel saw meanwhile, or the kernel saw a round
   trip 20 ms shorter than any of them, the two do not agree, and the smallest counts that the kernel remembers.
3. A typical round trip up to 20 ms above that smallest counts as it is. One further above counts as 20 ms above it if
   some were as short as that (the line varies); and in full if it is 60 ms above or more and none was more than 20 ms
   shorter for a minute and a half (the route has changed: an answer held back together with its delayed
   acknowledgement comes 40 ms later at the most). Otherwise the smallest counts.
4. A peer without answers (plain text; a program that ignores pings) has the kernel's smallest. It alone can be raised
   by acknowledging late, but a single prompt acknowledgement lowers it again.
5. A trusted proxy's own figure stands in for the kernel's: that, or the median of the answers where it is less.
6. Where no kernel reaches the peer (a proxy that tells nothing, a tunnel that ends on this machine, a system without
   Linux's figures) the median of the answers counts up to 30 ms (``UNCONFIRMED``), and unsteadiness not at all.

At most 100 ms are taken off in any case (``link.ALLOWED``). That bounds what no measurement can find out: to a
server, whoever delays all packets but slams, and makes their acknowledgements fit, is the same as somebody far away
who reacts quicker.

Nothing that a peer claims comes in here: a ping counts once, and only with the key that was sent last. Seconds
everywhere.
"""

import ipaddress
import math
from collections.abc import Sequence
from math import fsum
from typing import Final, NamedTuple

from msgspec import Struct

from golfnet.server.net.transport import KernelRoundTrip, ProxyRoundTrip, RoundTrip, Transport

ALLOWED: Final = 100_000
"""The most that is taken off a reaction for its round trip: it bounds what looking slower can gain."""


class Link(Struct, frozen=True):
    """What was measured of a seat's connection before a card was shown to it; ``round_trip`` None: nothing yet.

    ``round_trip`` is what the line takes as a rule, ``least`` what it took at least lately (None: the same), and
    ``limit`` the most that is taken off for it.
    """

    round_trip: int | None = None
    jitter: int = 0
    least: int | None = None
    limit: int = ALLOWED

    @property
    def allowance(self) -> int:
        """What is taken off this seat's reactions."""
        return min(self.round_trip or 0, self.limit)

    @property
    def least_allowance(self) -> int:
        """What would be taken off had the line been as quick as it was at its best: so much is certain."""
        return self.allowance if self.least is None else min(self.least, self.allowance)


UNMEASURED: Final = Link()


LATELY: Final = 180.0
"""Seconds that ``lowest_lately`` looks back, half of it at least."""

_KEEPS: Final = 7 / 8
"""How much of the average is left after one sample."""

_SAMPLES_KEPT: Final = 32
"""Looks that are kept: a few for every turn."""


class KernelSamples:
    """The samples of one connection's kernel, as far as looks at its average tell them."""

    __slots__ = ("_began", "_last", "_lowest", "_lowest_before", "_samples")

    def __init__(self) -> None:
        self._last: KernelRoundTrip | None = None
        self._samples: tuple[tuple[float, float], ...] = ()
        """When it was looked, and the mean of what had come since the look before."""
        self._began = -math.inf
        """When the present half of ``LATELY`` began; the lowest of it, and of the half before, are kept."""
        self._lowest = math.inf
        self._lowest_before = math.inf

    def look(self, figures: KernelRoundTrip, now: float) -> None:
        """Take in the kernel's figures of this moment."""
        last, self._last = self._last, figures
        if last is None or figures.smallest < last.smallest:
            mean = figures.smallest  # one of them was exactly this
        elif figures.delivered == last.delivered:
            return
        else:
            keeps = _KEEPS ** (figures.delivered - last.delivered)
            mean = max(figures.smallest, (figures.smoothed - keeps * last.smoothed) / (1 - keeps))
        self._samples = (*self._samples[1 - _SAMPLES_KEPT :], (now, mean))
        self._turn_over(now)
        self._lowest = min(self._lowest, mean)

    def lowest_since(self, since: float) -> float:
        """Return the lowest after a time, infinite where nothing came."""
        return min([mean for at, mean in self._samples if at > since], default=math.inf)

    def lowest_lately(self, now: float) -> float:
        """Return the lowest of the last minutes, infinite where nothing came."""
        self._turn_over(now)
        return min(self._lowest, self._lowest_before)

    def _turn_over(self, now: float) -> None:
        """Begin a new half of the time that is looked back."""
        since = now - self._began
        if since >= LATELY / 2:
            self._lowest_before = self._lowest if since < LATELY else math.inf
            self._began, self._lowest = now, math.inf


RECENT: Final = 30.0
"""Seconds before the last answer for which others count: a few turns."""

STALE: Final = 120.0
"""Seconds after which a last answer counts no more: whoever plays a race is asked at every turn."""

SLACK: Final = 0.020
"""By how much round trips of an ordinary line differ within ``RECENT``."""

DELAYED_ACK: Final = 0.040
"""How long systems hold back an acknowledgement, to send it with an answer; RFC 1122 allows up to half a second."""

UNCONFIRMED: Final = 0.030
"""The most that a peer's own answers count for by themselves: to hold them back is easy."""

CONFIRMED: Final = ALLOWED / 1e6
"""The most that anything counts for."""

_KEPT: Final = 16
"""Answers that are kept: about as many as come within ``RECENT`` when a table plays quickly."""


class Estimate(NamedTuple):
    """What is known of a line: what it ``usually`` takes, and at ``least`` took lately.

    ``jitter`` is how far from usual it is on average, ``limit`` the most of it that may be taken off.
    """

    usually: float
    least: float
    jitter: float = 0.0
    limit: float = CONFIRMED


class _Answer(Struct, frozen=True):
    at: float
    took: float
    confirmed: float
    """The same, or what the kernel saw meanwhile where that was less."""


class RoundTrips:
    """The round trips of one connection."""

    __slots__ = ("_answers", "_asked", "_kernel", "_pings", "_transport")

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._answers: tuple[_Answer, ...] = ()
        self._kernel: KernelSamples | None = None
        self._pings = 0
        self._asked: tuple[str, float] | None = None
        """The key of a ping that is not answered yet, and when it was sent."""

    # --- what is measured

    def ping(self, now: float) -> str | None:
        """Return the key of a ping to send now; None while one is under way: who does not answer is not asked again."""
        self.look(now)
        if self._asked is not None:
            return None
        self._pings += 1
        self._asked = (f"{self._pings:x}", now)
        return self._asked[0]

    def awaits(self, key: str) -> bool:
        """Tell whether a pong with this key is the answer to the ping that is under way."""
        return self._asked is not None and key == self._asked[0]

    def pong(self, key: str, now: float) -> None:
        """Note the answer to a ping."""
        if self._asked is not None and self.awaits(key):
            self.note(now - self._asked[1], now)
            self._asked = None

    def note(self, seconds: float, now: float) -> None:
        """Note an answer to TIMING-MARK or ping that came ``now``."""
        self.look(now)
        confirmed = seconds
        if self._kernel is not None:
            confirmed = min(seconds, self._kernel.lowest_since(now - seconds))
        self._answers = (*self._answers[1 - _KEPT :], _Answer(now, seconds, confirmed))

    def look(self, now: float) -> RoundTrip | None:
        """Note what the kernel has measured since the last look, and return its figures.

        A look before a line goes out and one when something came in show what the kernel saw of just that.
        """
        figures = self._transport.round_trip()
        if isinstance(figures, KernelRoundTrip):
            if self._kernel is None:
                if not is_measured_by_kernel(self._transport.address):
                    return None
                self._kernel = KernelSamples()
            self._kernel.look(figures, now)
        return figures

    # --- what follows from it

    def estimate(self, now: float) -> Estimate | None:
        """Return what is known of the line, None before anything was measured."""
        figures = self.look(now)
        answers = self._recent(now)
        if not answers:
            seconds = _alone(figures)
            return None if seconds is None else Estimate(seconds, seconds)
        usually = _median([answer.confirmed for answer in answers])
        least = min([answer.took for answer in answers])
        if isinstance(figures, ProxyRoundTrip):
            return Estimate(min(usually, figures.seconds), min(least, figures.seconds))
        if figures is None or self._kernel is None:
            return Estimate(usually, least, limit=UNCONFIRMED)
        counted, least = _agreed(figures.smallest, self._kernel, answers)
        return Estimate(
            counted, least, fsum([abs(each.confirmed - usually) for each in answers]) / len(answers)
        )

    def link(self, now: float) -> Link:
        """Return what is known of the line as the arbiter takes it, in whole microseconds."""
        known = self.estimate(now)
        if known is None:
            return UNMEASURED
        usually, least, jitter, limit = (round(1e6 * seconds) for seconds in known)
        return Link(usually, jitter, least, limit)

    def _recent(self, now: float) -> tuple[_Answer, ...]:
        """Return the answers that count."""
        if not self._answers or now - self._answers[-1].at > STALE:
            return ()
        since = self._answers[-1].at - RECENT
        return tuple([answer for answer in self._answers if answer.at >= since])


def is_measured_by_kernel(address: str) -> bool:
    """Tell whether the kernel's round trip reaches the peer itself.

    From this machine it says nothing: a program here needs no allowance, and a tunnel or proxy that ends here
    acknowledges at once what it has yet to carry across the world.
    """
    try:
        return not ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _alone(figures: RoundTrip | None) -> float | None:
    """Return what counts without answers."""
    match figures:
        case KernelRoundTrip(smallest=seconds) | ProxyRoundTrip(seconds=seconds):
            return seconds
    return None


def _agreed(smallest: float, kernel: KernelSamples, answers: tuple[_Answer, ...]) -> tuple[float, float]:
    """Return what counts where both kernel and answers have measured, and the least of both lately."""
    took, confirmed = [answer.took for answer in answers], [answer.confirmed for answer in answers]
    usually, quickest = _median(confirmed), min(took)
    least = min(quickest, kernel.lowest_since(answers[0].at))
    varies = least <= smallest + SLACK
    if least < quickest - SLACK or usually < _median(took) - SLACK:
        counted = smallest
    elif usually <= smallest + SLACK:
        counted = usually
    elif varies:
        counted = smallest + SLACK
    elif (
        usually >= smallest + SLACK + DELAYED_ACK and kernel.lowest_lately(answers[-1].at) >= usually - SLACK
    ):
        counted = usually
    else:
        counted = smallest
    return counted, min(least, counted)


def _median(seconds: Sequence[float]) -> float:
    """Return the lower median; the module of the library that has it takes longer to load than all of ours here."""
    return sorted(seconds)[(len(seconds) - 1) // 2]
