"""What a seat says in a slam window, with what the server measured of it; all times are whole microseconds.

What stays true: a reaction follows from the server's own clock and what it measured of the link before the card was
shown, never from anything a peer says about its times.
"""

from typing import Final, NamedTuple

from golfnet.engine.layout import Position, Seat

ALLOWED: Final = 100_000
"""The most that is taken off a reaction for its round trip: it bounds what looking slower can gain."""


class Link(NamedTuple):
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


class Claim(NamedTuple):
    """A slam of the card at ``at``; ``shown``: when the discard was written to the seat, ``arrived``: when the claim
    came in.
    """

    seat: Seat
    at: Position
    shown: int
    link: Link
    arrived: int

    @property
    def waited(self) -> int:
        """The time from the card's way out to the claim's way in."""
        return self.arrived - self.shown

    @property
    def reaction(self) -> int:
        """How long the seat took, its link's allowance taken off."""
        return self.waited - self.link.allowance


class Say(NamedTuple):
    """What a seat says in a window, in the order of judging: a claim, or None for a pass.

    ``tied``: the lot put it before or behind another claim that was just as fast.
    """

    seat: Seat
    claim: Claim | None = None
    tied: bool = False


class FalseStart(Exception):
    """A claim faster than anybody is; the seat is out for this card.

    ``claim`` is None where the discard had not been shown to the seat at all.
    """

    def __init__(self, claim: Claim | None) -> None:
        super().__init__("faster than anybody is")
        self.claim = claim
