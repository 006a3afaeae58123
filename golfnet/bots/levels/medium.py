"""The level ``medium``: compares choices by expected points, from the cards it has seen.

It looks no further than its next turn. It closes when it leads by more now than it expects to lead after one more turn
of every seat.
"""

from functools import cached_property
from random import Random
from typing import Final

from golfnet.bots.knowledge.seat_knowledge import UNKNOWN, SeatKnowledge, Symbols
from golfnet.bots.levels.bot import LEVELS
from golfnet.bots.levels.calculating import CalculatingBot
from golfnet.bots.values.hole_length import ends_with_first, turns_left
from golfnet.bots.values.unit_values import UnitValues
from golfnet.bots.values.units import LayoutPartition
from golfnet.engine.rules import FaceUp, Penalty, RuleSet

SOON: Final = 1
"""Turns to look ahead, if there are any: each unit is assumed to get its next turn alone."""

UNSURE: Final = 0.2
"""What it is worth, in points, to know a card of the own layout."""

RIVALRY: Final = 0.7
"""What a point of all other seats together is worth in own points, or one of the lowest of them to a closer."""

LAST_TURN: Final = 0.5
"""The part of a last turn that each unit of another seat is assumed to get."""

SAFE: Final = 3.0
"""Expected points that are assumed not to be doubled after knocking: some of the cards may be unknown (C9)."""


class MediumBot(CalculatingBot):
    """Values layouts by their points if the hole ends after this turn."""

    def __init__(self, rules: RuleSet, chance: Random) -> None:
        super().__init__(rules, LEVELS["medium"], chance)

    def evaluator(self, knowledge: SeatKnowledge) -> "MediumEvaluator":
        """Return the evaluator by expected points."""
        return MediumEvaluator(
            knowledge, self.unit_values(knowledge), self.partition, self.rivalry(knowledge)
        )

    def unit_values(self, knowledge: SeatKnowledge) -> UnitValues:
        """Return the points of units as the unseen cards are now."""
        return UnitValues(
            knowledge.rules,
            knowledge.pack,
            draws=knowledge.draws,
            offers=knowledge.draws,
            hidden=knowledge.hidden,
            kept=knowledge.kept,
            slams=None,
        )

    def rivalry(self, knowledge: SeatKnowledge) -> float:
        """Return the same weight for each other seat."""
        return RIVALRY / len(knowledge.others)


class MediumEvaluator:
    """Values layouts by their expected points now."""

    def __init__(
        self, knowledge: SeatKnowledge, unit_values: UnitValues, partition: LayoutPartition, rivalry: float
    ) -> None:
        self.knowledge = knowledge
        self.unit_values = unit_values
        self.rivalry = rivalry
        self._units = partition.units
        self._soon = min(SOON, turns_left(knowledge))
        others_up = not any([any(knowledge.down[seat]) for seat in knowledge.others])
        self._ends = knowledge.view.closer is None and (
            ends_with_first(knowledge.rules) or (knowledge.rules.face_up is FaceUp.EVERY and others_up)
        )

    def layout(self, symbols: Symbols, face_down: int) -> float:
        """Return the expected points after the next turn, or those of now if this layout ends the hole."""
        if face_down == 0 and self._ends:
            return self._ending(symbols)
        points = self._points(symbols, self._soon) + UNSURE * symbols.count(UNKNOWN)
        return points - RIVALRY * self._lowest_soon

    def knocking(self) -> float:
        """Return the value of closing with the layout as it is."""
        return self._ending(self.knowledge.own)

    def discards(self) -> list[float]:
        """Return no cost: this level ignores what the next seat can use."""
        return [0.0] * len(self.knowledge.pack.ranks)

    def _points(self, symbols: Symbols, turns: float = 0.0) -> float:
        return sum([self.unit_values.between(unit, turns) for unit in self._units(symbols)])

    def _lowest_after(self, turns: float) -> float:
        """Return the expected points of the lowest other layout."""
        return min([self._points(self.knowledge.layouts[seat], turns) for seat in self.knowledge.others])

    @cached_property
    def _lowest_soon(self) -> float:
        return self._lowest_after(self._soon)

    @cached_property
    def _lowest_closed(self) -> float:
        rules = self.knowledge.rules
        return self._lowest_after(LAST_TURN if rules.final_turn or rules.knock else 0.0)

    def _ending(self, symbols: Symbols) -> float:
        """Return the value of closing with a layout, with the price of closing included (C9, G4)."""
        points = self._points(symbols)
        penalty = self.knowledge.rules.penalty
        price = 0.0
        if penalty is Penalty.DOUBLE_OVER_FIVE:
            price = points if points > SAFE else 0.0
        elif points > self._lowest_closed:
            price = {Penalty.NONE: 0.0, Penalty.FIVE: 5.0, Penalty.TEN: 10.0}.get(penalty, max(0.0, points))
        return points + price - RIVALRY * self._lowest_closed
