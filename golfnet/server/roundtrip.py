"""How long a connection's bytes are under way, as far as the server and its kernel have measured it.

Nothing that a peer claims comes in here: a ping counts once, and only with the key that was sent last. Seconds
everywhere.
"""

import ipaddress
from typing import Final

from golfnet.server.transport import Transport

_KEPT: Final = 16
"""Samples of which the jitter is made: the last minutes of a match."""


class RoundTrips:
    """The round trips of one connection."""

    __slots__ = ("_asked", "_pings", "_samples", "_smallest", "_transport")

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._smallest: float | None = None
        self._samples: tuple[float, ...] = ()
        self._pings = 0
        self._asked: tuple[str, float] | None = None
        """The key of a ping that is not answered yet, and when it was sent."""

    def note(self, seconds: float) -> None:
        """Take an answer to TIMING-MARK or ping."""
        self._samples = (*self._samples[1 - _KEPT :], seconds)
        self._note_smallest(seconds)

    def ping(self, now: float) -> str | None:
        """Return the key of a ping to send now; None while one is under way: who does not answer is not asked again."""
        if self._asked is not None:
            return None
        self._pings += 1
        self._asked = (f"{self._pings:x}", now)
        return self._asked[0]

    def pong(self, key: str, now: float) -> None:
        """Take the answer to a ping."""
        if self._asked is not None and key == self._asked[0]:
            self.note(now - self._asked[1])
            self._asked = None

    @property
    def smallest(self) -> float | None:
        """The smallest, None before any was measured."""
        if is_measured_by_kernel(self._transport.address):
            by_kernel = self._transport.round_trip()
            if by_kernel is not None:  # no sample for the jitter: acknowledgements are delayed on purpose
                self._note_smallest(by_kernel)
        return self._smallest

    @property
    def jitter(self) -> float:
        """By how much round trips exceed the smallest, on average: what taking that off leaves."""
        samples = self._samples
        return sum(samples) / len(samples) - min(samples) if samples else 0.0

    def _note_smallest(self, seconds: float) -> None:
        if self._smallest is None or seconds < self._smallest:
            self._smallest = seconds


def is_measured_by_kernel(address: str) -> bool:
    """Tell whether the kernel's round trip reaches the peer itself.

    From this machine it says nothing: a program here needs no allowance, and a tunnel or proxy that ends here
    acknowledges at once what it has yet to carry across the world.
    """
    try:
        return not ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
