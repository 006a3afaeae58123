"""What the kernel has measured between two looks: TCP_INFO tells a moving average, and this takes it apart.

A sample moves the average by an eighth of the difference (RFC 6298), so two averages and the number of segments that
were acknowledged between them give the mean of the samples, exactly where there was one. An acknowledgement of
several segments is one sample, and the mean is then nearer to the old average than the sample was. Seconds everywhere.
"""

import math
from typing import Final

from golfnet.server.transport.transport import KernelRoundTrip

LATELY: Final = 180.0
"""Seconds that ``lowest_lately`` looks back, half of it at least."""

_KEEPS: Final = 7 / 8
"""How much of the average is left after one sample."""

_KEPT: Final = 32
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
        self._samples = (*self._samples[1 - _KEPT :], (now, mean))
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
