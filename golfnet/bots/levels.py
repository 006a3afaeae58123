"""Make a bot of any level without importing the modules of the other levels."""

from random import Random

from golfnet.bots.bot import LEVELS, Bot, RandomBot
from golfnet.engine.rules import RuleSet


def make_bot(level: str, rules: RuleSet, chance: Random, *, shared: bool = False) -> Bot:
    """Return a new bot for rules as played, after importing its module, or raise ``ValueError`` for an unknown level.

    Bots that are ``shared`` play at tables with people, where all experts share a limited amount of processor time.
    """
    match level:
        case "random":
            return RandomBot(rules, chance)
        case "easy":
            from golfnet.bots.easy import EasyBot

            return EasyBot(rules, chance)
        case "medium":
            from golfnet.bots.medium import MediumBot

            return MediumBot(rules, chance)
        case "hard":
            from golfnet.bots.hard import HardBot

            return HardBot(rules, chance)
        case "expert":
            from golfnet.bots.expert import SHARED, ExpertBot

            return ExpertBot(rules, chance, SHARED if shared else None)
        case _:
            raise ValueError(f"a level, one of {', '.join(LEVELS)}; not {level}")
