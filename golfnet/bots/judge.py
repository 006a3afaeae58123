"""What a level thinks of a state of affairs: the one thing in which the calculating levels differ.

A judge says in points, lower is better, what an own layout is worth at the end of the turn; weighing choices against
each other is then the same for every level.
"""

from typing import Protocol

from golfnet.bots.outlook import Outlook
from golfnet.bots.reading import Reading, Symbols


class Judge(Protocol):
    """Judges what the seat of one reading may come to; the numbers are comparable with each other only."""

    reading: Reading
    outlook: Outlook

    @property
    def rivalry(self) -> float:
        """Own points that one point of one other seat is worth."""

    def layout(self, symbols: Symbols, face_down: int) -> float:
        """Return what it is worth to end the turn with this layout, so many of its cards face down."""

    def knocking(self) -> float:
        """Return what it is worth to knock now."""

    def discards(self) -> list[float]:
        """Return what it costs, by rank, to leave a card to the next seat."""
