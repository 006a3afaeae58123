"""Bots playing in tests: holes are kept short, and choices are checked against the view."""

from golfnet.bots.bot import Bot, BotPlayer
from golfnet.engine.actions import Action, Slam, Switch
from golfnet.engine.events import Event
from golfnet.engine.frozen import replaced
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View


class Watched(BotPlayer):
    """A bot whose choices are checked against the view, and which keeps what it has observed."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot)
        self.observed: list[Event] = []

    def observe(self, event: Event) -> None:
        self.observed.append(event)
        super().observe(event)

    def choose(self, view: View) -> Action:
        action = super().choose(view)
        assert is_allowed(view, action), action
        return action

    def claim(self, view: View) -> Slam | None:
        slam = super().claim(view)
        assert slam is None or is_allowed(view, slam), slam
        return slam


def is_allowed(view: View, action: Action) -> bool:
    """Return whether a view allows an action."""
    allowed = view.choices
    match action:
        case Switch(first, second):
            return first < second and first in allowed.switchable and second in allowed.switchable
        case Slam(at, number):
            return view.window is not None and number == view.window.discard_no and at in allowed.slammable
        case _:
            return action in allowed.actions


def short(rules: RuleSet, *, turns: int = 6) -> RuleSet:
    """Return the rules with holes of a few turns, so that tests do not wait for holes to end by chance."""
    return replaced(rules, turn_cap=min(turns, rules.turn_cap or turns))
