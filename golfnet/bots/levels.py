"""Bots by the name of their level."""

from collections.abc import Callable
from random import Random
from typing import Final

from golfnet.bots.bot import Bot
from golfnet.bots.easy import EasyBot
from golfnet.bots.hard import HardBot
from golfnet.bots.medium import MediumBot
from golfnet.bots.random_bot import RandomBot
from golfnet.engine.rules import RuleSet


def make_bot(level: str, rules: RuleSet, chance: Random) -> Bot:
    """Return a bot of a level for rules as played, with its own chance; raises ``ValueError`` for no such level."""
    try:
        make = MAKERS[level]
    except KeyError:
        raise ValueError(f"a level, one of {', '.join(MAKERS)}; not {level}") from None
    return make(rules, chance)


MAKERS: Final[dict[str, Callable[[RuleSet, Random], Bot]]] = {
    "random": RandomBot,
    "easy": EasyBot,
    "medium": MediumBot,
    "hard": HardBot,
}
"""What makes a bot of each level, weakest first."""
