"""The level ``random``: any legal action, each with the same chance. It is the zero of the scale."""

from random import Random

from golfnet.bots.levels.bot import LEVELS
from golfnet.bots.levels.timing import TimedChoices
from golfnet.engine.actions import Action, Pass, Slam, Switch
from golfnet.engine.events import Event
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View


class RandomBot(TimedChoices):
    """Chooses among the kinds of actions in the view; all switches together are one of them."""

    def __init__(self, rules: RuleSet, chance: Random) -> None:
        super().__init__(LEVELS["random"], chance)

    def observe(self, event: Event) -> None:
        """Remember nothing."""

    def choose(self, view: View) -> Action | None:
        """Return any allowed action but a slam, which only ``claim`` makes."""
        allowed = view.choices
        actions = [
            action for action in allowed.actions if view.window is None or not isinstance(action, Pass)
        ]
        if len(allowed.switchable) >= 2 and self.chance.random() * (len(actions) + 1) < 1:
            return Switch(*sorted(self.chance.sample(allowed.switchable, 2)))
        return self.chance.choice(actions) if actions else self.claim(view)

    def claim(self, view: View) -> Slam | None:
        """Slam any card."""
        if view.window is None or view.window.won or not view.choices.slammable:
            return None
        return Slam(self.chance.choice(view.choices.slammable), view.window.discard_no)
