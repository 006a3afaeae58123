"""The level ``hard``: looks ahead to the end of the hole from everything public, and plays for it.

Values of small units are recalculated in each turn from the cards still unseen. Those of larger units (a whole
layout of four, columns of three) are calculated once from the whole deck, except near the end of a hole with a fixed
number of turns.
"""

from functools import lru_cache
from random import Random
from typing import Final

from golfnet.bots.bot import LEVELS
from golfnet.bots.hard_evaluator import AMBITION, HardEvaluator
from golfnet.bots.medium import CalculatingBot
from golfnet.bots.seat_knowledge import Pack, SeatKnowledge, pack_of
from golfnet.bots.unit_values import UnitValues
from golfnet.engine.rules import Placed, RuleSet, SlamMode

SMALL: Final = 2
"""Maximum number of slots in a unit whose values can be recalculated fast enough in each turn."""
FEW_TURNS: Final = 3
"""With at most this many turns left, large units' values are recalculated as well: exactly, to the end of the hole."""
TILT: Final = 0.8
"""How strongly others' discards are assumed to be high cards: 0 means not at all, 1 never the lowest."""
SLAMMED: Final = 0.9
"""Chance that this seat is the one to slam a card it knows when a card of the same rank is discarded."""

CACHED_VALUES: Final = 16
"""Maximum number of rule sets whose values from the whole deck are cached: each takes a few megabytes when used."""


class HardBot(CalculatingBot):
    """Values layouts by the expected result of the hole."""

    def __init__(self, rules: RuleSet, chance: Random) -> None:
        super().__init__(rules, LEVELS["hard"], chance)
        self._unit_values: tuple[object, UnitValues] | None = None

    def evaluator(self, knowledge: SeatKnowledge) -> HardEvaluator:
        """Return the evaluator by expected results."""
        return HardEvaluator(knowledge, self.unit_values(knowledge), self.partition)

    def rivalry(self, knowledge: SeatKnowledge) -> float:
        """Return the weight of another seat's score, which is the same for every other seat."""
        return AMBITION / knowledge.seats / len(knowledge.others)

    def unit_values(self, knowledge: SeatKnowledge) -> UnitValues:
        """Return values from the cards still unseen, or from the whole deck."""
        rules, view = knowledge.rules, knowledge.view
        had = view.turns[knowledge.seat]
        last = rules.lock and rules.turns is not None and rules.turns - had <= FEW_TURNS
        if self.partition.largest > SMALL and not last:
            return _from_whole_deck(rules, knowledge.seats)
        moment = (view.hole, had, view.reshuffles_left)
        if self._unit_values is None or self._unit_values[0] != moment:
            self._unit_values = (
                moment,
                _unit_values(rules, knowledge.seats, knowledge.draws, knowledge.hidden, knowledge.kept),
            )
        return self._unit_values[1]


@lru_cache(CACHED_VALUES)
def _from_whole_deck(rules: RuleSet, seats: int) -> UnitValues:
    counts = pack_of(rules, seats).counts
    deck = [count / sum(counts) for count in counts]
    return _unit_values(rules, seats, deck, deck, deck)


def _unit_values(
    rules: RuleSet, seats: int, draws: list[float], hidden: list[float], kept: list[float]
) -> UnitValues:
    pack = pack_of(rules, seats)
    offers = _offers(pack, draws)
    slams = None
    if rules.slam is not SlamMode.OFF and rules.placed is Placed.DOWN:
        slams = [SLAMMED * (1 - (1 - offer) ** seats) for offer in offers]
    return UnitValues(rules, pack, draws=draws, offers=offers, hidden=hidden, kept=kept, slams=slams)


def _offers(pack: Pack, draws: list[float]) -> list[float]:
    """Return the chances of the top discard at the start of a turn: ranks are in ascending order of points."""
    offers, below = [], 0.0
    for chance in draws:
        offers.append(chance * (1 - TILT + 2 * TILT * (below + chance / 2)))
        below += chance
    return offers
