"""The interface of an evaluator: the one thing in which the calculating levels differ.

An evaluator returns in points, lower is better, the value of an own layout at the end of the turn. Comparing choices is
then the same for every level.
"""

from typing import Protocol

from golfnet.bots.knowledge.seat_knowledge import SeatKnowledge, Symbols
from golfnet.bots.values.unit_values import UnitValues


class Evaluator(Protocol):
    """Values the layouts that a seat may have; values of one evaluator are comparable only with each other."""

    knowledge: SeatKnowledge
    unit_values: UnitValues

    @property
    def rivalry(self) -> float:
        """Own points that one point of one other seat is worth."""

    def layout(self, symbols: Symbols, face_down: int) -> float:
        """Return the value of ending the turn with this layout; ``face_down`` is its number of face-down cards."""

    def knocking(self) -> float:
        """Return the value of knocking now."""

    def discards(self) -> list[float]:
        """Return the cost, by rank, of leaving a card to the next seat."""
