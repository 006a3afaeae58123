"""What lasts for a while: a clock, a slam window, a pause, a card that was looked at.

Times are seconds of any clock that only goes forward.
"""

from __future__ import annotations

from math import ceil
from typing import Final

from msgspec import Struct

GLIMPSE_SECONDS: Final = 8.0
"""How long a card stays shown that was looked at: long enough to read two, short enough to be a glimpse (X10)."""


class Timed(Struct):
    """Something that ends at a time."""

    what: str
    ends: float
    lasts: float = 0.0

    def seconds_left(self, now: float) -> int:
        """Return how many seconds are left, rounded up."""
        return max(0, ceil(self.ends - now))

    def changes_in(self, now: float) -> float | None:
        """Return when the next whole second is over, None where all are."""
        left = self.ends - now
        return None if left <= 0 else left - (ceil(left) - 1)


def timed(what: str, ms: int, now: float, before: Timed | None = None) -> Timed:
    """Return a time that runs out; a clock that goes on keeps the length it began with."""
    lasts = ms / 1000
    if before is not None and before.what == what and before.ends > now:
        lasts = max(lasts, before.lasts)
    return Timed(what, now + ms / 1000, lasts)


def glimpse(card: str, now: float) -> Timed:
    """Return a card that is shown for a moment."""
    return Timed(card, now + GLIMPSE_SECONDS, GLIMPSE_SECONDS)
