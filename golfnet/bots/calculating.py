"""The bots that calculate: they remember, read the table as numbers, and weigh every choice by their level's judge."""

from abc import ABC, abstractmethod
from random import Random

from golfnet.bots.bot import Level
from golfnet.bots.judge import Judge
from golfnet.bots.memory import Memory
from golfnet.bots.outlook import Outlook
from golfnet.bots.reading import Reading
from golfnet.bots.slams import best_slam
from golfnet.bots.tempo import Tempo
from golfnet.bots.units import LayoutPartition
from golfnet.bots.weighing import Weighing
from golfnet.engine.actions import Action, Slam
from golfnet.engine.events import Event
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View


class CalculatingBot(Tempo, ABC):
    """A bot whose choices are what its judge finds best."""

    def __init__(self, rules: RuleSet, level: Level, chance: Random) -> None:
        super().__init__(level, chance)
        self.cut = LayoutPartition(rules)
        self._memory = Memory(rules, chance, level.recall)
        self._weighed: tuple[object, Weighing] | None = None

    @abstractmethod
    def judge(self, reading: Reading) -> Judge:
        """Return the level's judge of this moment."""

    @abstractmethod
    def outlook(self, reading: Reading) -> Outlook:
        """Return the values of units at this moment."""

    @abstractmethod
    def rivalry(self, reading: Reading) -> float:
        """Return what a point of one other seat is worth in own points."""

    def observe(self, event: Event) -> None:
        """Remember what the event shows."""
        self._memory.observe(event)

    def choose(self, view: View) -> Action | None:
        """Return the best allowed action."""
        allowed = view.choices
        if not allowed.actions:
            return None
        return self._weighing(view).best(view) or self.claim(view)

    def claim(self, view: View) -> Slam | None:
        """Return the best slam of a card that the bot knows."""
        if view.window is None or view.window.won or not view.choices.slammable:
            return None
        if view.window.card.rank not in self._memory.known.values():
            return None
        reading = Reading(view, self._memory)
        return best_slam(reading, self.outlook(reading), self.cut, self.rivalry(reading))

    def _weighing(self, view: View) -> Weighing:
        """Return the weighing of this moment; that of the turn's beginning serves the rest of it."""
        reading = Reading(view, self._memory)
        moment = (view.hole, view.turns, view.closer, view.reshuffles_left, reading.layouts, reading.top)
        if self._weighed is None or self._weighed[0] != moment:
            self._weighed = moment, Weighing(self.judge(reading))
        return self._weighed[1]
