"""Bots playing in tests: holes are kept short, choices are checked against the view, and everything is recorded."""

from dataclasses import replace
from typing import NamedTuple

from golfnet.bots.bot import Bot
from golfnet.engine.actions import Action, Slam, Switch
from golfnet.engine.events import Event
from golfnet.engine.layout import Seat
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View


class Chosen(NamedTuple):
    """One action of a bot."""

    seat: Seat | None
    action: Action | None


class Watched:
    """A bot whose choices are checked and recorded in a list that all seats share."""

    def __init__(self, bot: Bot, choices: list[Chosen]) -> None:
        self.bot = bot
        self.choices = choices
        self.observed: list[Event] = []

    @property
    def level(self) -> str:
        return self.bot.level

    def observe(self, event: Event) -> None:
        self.observed.append(event)
        self.bot.observe(event)

    def choose(self, view: View) -> Action | None:
        action = self.bot.choose(view)
        assert action is None or is_allowed(view, action), action
        self.choices.append(Chosen(view.seat, action))
        return action

    def claim(self, view: View) -> Slam | None:
        slam = self.bot.claim(view)
        assert slam is None or is_allowed(view, slam), slam
        self.choices.append(Chosen(view.seat, slam))
        return slam

    def reaction(self, view: View) -> float | None:
        seconds = self.bot.reaction(view)
        assert seconds is None or seconds > 0
        return seconds

    def think(self, view: View) -> float:
        return self.bot.think(view)


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
    return replace(rules, turn_cap=min(turns, rules.turn_cap or turns))
