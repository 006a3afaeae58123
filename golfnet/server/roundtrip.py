"""How long a connection's bytes are under way, as far as the server itself has measured it.

Nothing that a peer claims comes in here. Seconds everywhere.
"""

import ipaddress
from typing import Final

_KEPT: Final = 16
"""Samples of which the jitter is made: the last minutes of a match."""


class RoundTrips:
    """The round trips of one connection; ``smallest`` is None before any was measured."""

    __slots__ = ("_samples", "smallest")

    def __init__(self) -> None:
        self.smallest: float | None = None
        self._samples: tuple[float, ...] = ()

    def note(self, seconds: float) -> None:
        """Take an answer to TIMING-MARK or ping."""
        self._samples = (*self._samples[1 - _KEPT :], seconds)
        self.note_smallest(seconds)

    def note_smallest(self, seconds: float) -> None:
        """Take what the kernel has measured: its smallest only, because acknowledgements are delayed on purpose."""
        if self.smallest is None or seconds < self.smallest:
            self.smallest = seconds

    @property
    def jitter(self) -> float:
        """By how much round trips exceed the smallest, on average: what taking that off leaves."""
        samples = self._samples
        return sum(samples) / len(samples) - min(samples) if samples else 0.0


def is_measured_by_kernel(address: str) -> bool:
    """Tell whether the kernel's round trip reaches the peer itself.

    From this machine it says nothing: a program here needs no allowance, and a tunnel or proxy that ends here
    acknowledges at once what it has yet to carry across the world.
    """
    try:
        return not ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
