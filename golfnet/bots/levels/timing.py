"""How long a bot thinks and how fast it slams: log-normal times by level."""

from math import exp
from random import Random

from golfnet.bots.levels.bot import Level
from golfnet.engine.actions import Slam
from golfnet.engine.hole import Phase
from golfnet.engine.views import View

THINKING_SPREAD = 0.4
"""Standard deviation of the logarithm of a thinking time: most choices between half and twice the median."""

QUICKER = {Phase.FLIP: 0.5, Phase.HOLDING: 0.6}
"""Second choices of a turn are mostly decided already: their share of the time for other choices."""


class TimedChoices:
    """Base class of bots: draws thinking and reaction times for the level; subclasses choose."""

    def __init__(self, level: Level, chance: Random) -> None:
        self.traits = level
        self.chance = chance

    @property
    def level(self) -> str:
        """The name of the level."""
        return self.traits.name

    def claim(self, view: View) -> Slam | None:
        """Return the slam that the bot wants now."""
        raise NotImplementedError

    def reaction(self, view: View) -> float | None:
        """Return the seconds to a slam (log-normal), None if there is none to claim or the bot overlooks it."""
        overlooked = self.chance.random() < self.traits.misses
        seconds = self._about(self.traits.reaction, self.traits.spread)
        return None if overlooked or self.claim(view) is None else seconds

    def think(self, view: View) -> float:
        """Return the seconds for a choice (log-normal)."""
        return self._about(self.traits.thinking * QUICKER.get(view.phase, 1.0), THINKING_SPREAD)

    def _about(self, median: float, spread: float) -> float:
        return median * exp(self.chance.gauss(0.0, spread))
