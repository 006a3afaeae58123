"""What a seat says in a slam window, with what the server measured of it; all times are whole microseconds.

What stays true: a reaction follows from the server's own clock and what it measured of the link before the card was
shown, never from anything a peer says about its times.
"""

from msgspec import Struct

from golfnet.engine.layout import Position, Seat
from golfnet.server.session.link import Link


class Claim(Struct, frozen=True):
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


class WindowAnswer(Struct, frozen=True):
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
