"""Create bots by the name of their level."""

from collections.abc import Callable
from random import Random
from typing import Final

from golfnet.bots.levels.bot import Bot
from golfnet.bots.levels.easy import EasyBot
from golfnet.bots.levels.hard import HardBot
from golfnet.bots.levels.medium import MediumBot
from golfnet.bots.levels.random_bot import RandomBot
from golfnet.engine.rules import RuleSet


def make_bot(level: str, rules: RuleSet, chance: Random) -> Bot:
    """Return a new bot of a level for rules as played. Raise ``ValueError`` for an unknown level."""
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
"""The class of each level, weakest first."""
