"""What was measured of a connection before a card was shown on it; all times are whole microseconds."""

from typing import Final

from msgspec import Struct

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
