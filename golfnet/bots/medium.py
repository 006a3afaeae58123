"""The level ``medium``: compares choices by expected points, from the cards it has seen.

It looks no further ahead than its next turn. It closes when its lead is bigger now than it is expected to be after one
more turn for every seat.
"""

from abc import abstractmethod
from functools import cached_property
from typing import Final, Generic, TypeVar

from golfnet.bots.action_values import Evaluator, best_target, others_up, survival, turns_left
from golfnet.bots.bot import LEVELS, Bot
from golfnet.bots.seat_knowledge import UNKNOWN, SeatKnowledge, Symbols
from golfnet.bots.unit_values import UnitValues
from golfnet.engine.actions import Action
from golfnet.engine.cards import Position
from golfnet.engine.rules import Penalty
from golfnet.engine.scoring import price_of_closing
from golfnet.engine.views import View

E = TypeVar("E", bound=Evaluator)


class CalculatingBot(Bot, Generic[E]):
    """A bot that makes the choice its evaluator finds best."""

    evaluators: type[E]
    _cached_values: tuple[object, E] | None = None

    @abstractmethod
    def unit_values(self, knowledge: SeatKnowledge) -> UnitValues:
        """Return the values of units for what the seat knows now."""

    @abstractmethod
    def rivalry(self, knowledge: SeatKnowledge) -> float:
        """Return the weight of another seat's points; the seat's own points weigh 1."""

    def evaluator(self, knowledge: SeatKnowledge) -> E:
        """Return the level's evaluator for what the seat knows now."""
        return self.evaluators(knowledge, self.unit_values(knowledge), self.rivalry(knowledge))

    def choose(self, view: View) -> Action | None:
        """Return the best allowed action."""
        return self.action_values(view).best(view) or self.claim(view)

    def target(self, view: View, rank: str) -> Position | None:
        """Return the best card to slam of those that the bot knows."""
        if rank not in self.memory.known.values():
            return None
        knowledge = SeatKnowledge(view, self.memory)
        return best_target(knowledge, rank, self.unit_values(knowledge), self.rivalry(knowledge))

    def action_values(self, view: View) -> E:
        """Return the values of the actions now; those from the start of a turn are cached for the rest of it."""
        knowledge = SeatKnowledge(view, self.memory)
        moment = (view.hole, view.turns, view.closer, view.reshuffles_left, knowledge.layouts, knowledge.top)
        if self._cached_values is None or self._cached_values[0] != moment:
            self._cached_values = moment, self.evaluator(knowledge)
        return self._cached_values[1]


SOON: Final = 1
"""Turns to look ahead, if any are left: each unit is assumed to get a whole turn."""

UNSURE: Final = 0.2
"""Value, in points, of knowing a card in the seat's own layout."""

RIVALRY: Final = 0.7
"""Weight of the others' lowest points (of their mean points for slams, gifts and switches); own points weigh 1."""

LAST_TURN: Final = 0.5
"""The share of a last turn that each unit of another seat is assumed to get."""

SAFE: Final = 3.0
"""Above this many expected points, knocking is assumed to double them: less than 5, as cards may be unknown (C9)."""


class MediumEvaluator(Evaluator):
    """Gives each layout its expected points as its value."""

    def continuing(self, symbols: Symbols, *, waits: bool) -> float:
        """Return the expected points after the next turn."""
        turns, theirs = self._soon_all_up if waits else self._soon
        return self.unit_values.points(symbols, turns) + UNSURE * symbols.count(UNKNOWN) - theirs

    def ending(self, symbols: Symbols) -> float:
        """Return the expected points now, including the price of closing (C9, G4)."""
        points = self.unit_values.points(symbols)
        penalty = self.knowledge.rules.penalty
        price = 0.0
        if penalty is Penalty.DOUBLE_OVER_FIVE:
            price = points if points > SAFE else 0.0
        elif points > self._lowest_closed:
            price = price_of_closing(penalty, points)
        return points + price - RIVALRY * self._lowest_closed

    def _lowest_after(self, turns: float) -> float:
        return min(
            [self.unit_values.points(self.knowledge.layouts[seat], turns) for seat in self.knowledge.others]
        )

    @cached_property
    def _soon(self) -> tuple[float, float]:
        """The mean number of turns to look ahead, and the weighted points of the lowest other layout after them."""
        knowledge, rules = self.knowledge, self.knowledge.rules
        turns: float = min(SOON, turns_left(knowledge))
        if not rules.final_turn and not rules.knock:  # otherwise everybody has one more turn
            turns *= survival(knowledge, [[0.0]] * len(knowledge.others))[1]
        return turns, RIVALRY * self._lowest_after(turns)

    @cached_property
    def _soon_all_up(self) -> tuple[float, float]:
        """Like ``_soon``, if the seat has no face-down card and the hole ends once nobody has one (M3)."""
        turns = self._soon[0] * (1 - others_up(self.knowledge, 1)[0])
        return turns, RIVALRY * self._lowest_after(turns)

    @cached_property
    def _lowest_closed(self) -> float:
        rules = self.knowledge.rules
        return self._lowest_after(LAST_TURN if rules.final_turn or rules.knock else 0.0)


class MediumBot(CalculatingBot[MediumEvaluator]):
    """Values layouts by their points if the hole ends after this turn."""

    traits = LEVELS["medium"]
    evaluators = MediumEvaluator

    def unit_values(self, knowledge: SeatKnowledge) -> UnitValues:
        """Return the points of units, given the cards unseen now."""
        return UnitValues(
            knowledge.rules,
            knowledge.pack,
            draws=knowledge.draws,
            hidden=knowledge.hidden,
            kept=knowledge.kept,
        )

    def rivalry(self, knowledge: SeatKnowledge) -> float:
        """Return the weight of another seat's score, which is the same for every other seat."""
        return RIVALRY / len(knowledge.others)
