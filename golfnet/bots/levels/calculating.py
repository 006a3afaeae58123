"""Bots that calculate: they remember, turn the table into numbers, and compare choices with their level's evaluator."""

from abc import ABC, abstractmethod
from random import Random

from golfnet.bots.knowledge.memory import Memory
from golfnet.bots.knowledge.seat_knowledge import SeatKnowledge
from golfnet.bots.levels.bot import Level
from golfnet.bots.levels.timing import TimedChoices
from golfnet.bots.values.action_values import ActionValues
from golfnet.bots.values.evaluator import Evaluator
from golfnet.bots.values.slam_choice import best_slam
from golfnet.bots.values.unit_values import UnitValues
from golfnet.bots.values.units import LayoutPartition
from golfnet.engine.actions import Action, Slam
from golfnet.engine.events import Event
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View


class CalculatingBot(TimedChoices, ABC):
    """A bot that makes the choice its evaluator finds best."""

    def __init__(self, rules: RuleSet, level: Level, chance: Random) -> None:
        super().__init__(level, chance)
        self.partition = LayoutPartition(rules)
        self._memory = Memory(rules, chance, level.recall)
        self._cached_values: tuple[object, ActionValues] | None = None

    @abstractmethod
    def evaluator(self, knowledge: SeatKnowledge) -> Evaluator:
        """Return the level's evaluator of what the seat knows now."""

    @abstractmethod
    def unit_values(self, knowledge: SeatKnowledge) -> UnitValues:
        """Return the values of units for what the seat knows now."""

    @abstractmethod
    def rivalry(self, knowledge: SeatKnowledge) -> float:
        """Return what a point of one other seat is worth in own points."""

    def observe(self, event: Event) -> None:
        """Remember what the event shows."""
        self._memory.observe(event)

    def choose(self, view: View) -> Action | None:
        """Return the best allowed action."""
        allowed = view.choices
        if not allowed.actions:
            return None
        return self._action_values(view).best(view) or self.claim(view)

    def claim(self, view: View) -> Slam | None:
        """Return the best slam of a card that the bot knows."""
        if view.window is None or view.window.won or not view.choices.slammable:
            return None
        if view.window.card.rank not in self._memory.known.values():
            return None
        knowledge = SeatKnowledge(view, self._memory)
        return best_slam(knowledge, self.unit_values(knowledge), self.partition, self.rivalry(knowledge))

    def _action_values(self, view: View) -> ActionValues:
        """Return the values of the actions now; those from the start of a turn are cached for the rest of it."""
        knowledge = SeatKnowledge(view, self._memory)
        moment = (view.hole, view.turns, view.closer, view.reshuffles_left, knowledge.layouts, knowledge.top)
        if self._cached_values is None or self._cached_values[0] != moment:
            self._cached_values = moment, ActionValues(self.evaluator(knowledge))
        return self._cached_values[1]
