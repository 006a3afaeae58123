"""How many commands a peer may send, and when those that are too many end its connection.

Every line counts, whatever is in it, but for the pong that answers a ping. One over the rate is refused and does
nothing, and its sender is told how long to wait: that is the warning. Who goes on all the same is sent off, so that a
peer never gets more than so many refusals in ten seconds, however much it sends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.server.throttle import RateLimit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet.server.config import Config


class Allowance(RateLimit):
    """The commands of one connection."""

    __slots__ = ("_excess", "_most_excess")

    def __init__(self, config: Config) -> None:
        super().__init__(config.commands_per_second, 1)
        self._most_excess = config.excess_per_10_seconds
        self._excess: RateLimit | None = None
        """None before the first command over the rate, which most never send."""

    def excess(self, now: float) -> tuple[float, ...]:
        """Return how many seconds ago each command over the rate came that still counts."""
        return () if self._excess is None else self._excess.ages(now)

    def restore_excess(self, ages: Sequence[float], now: float) -> None:
        """Count commands over the rate of which ``excess`` of another allowance tells."""
        if ages:
            self._excess = RateLimit(self._most_excess, 10)
            self._excess.restore(ages, now)

    def is_flood(self, now: float) -> bool:
        """Count a command over the rate; tell whether that was one too many."""
        if self._excess is None:
            self._excess = RateLimit(self._most_excess, 10)
        return self._excess.take(now) > 0
