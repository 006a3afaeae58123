"""The level ``hard``: looks ahead to the end of the hole from everything that was public, and races to it.

Values of small units are made anew in each turn from the cards still unseen. Those of larger ones (a whole layout of
four, columns of three) are made once from the whole deck, except near the end of a hole with a fixed number of turns.
"""

from functools import lru_cache
from random import Random
from typing import Final

from golfnet.bots.bot import LEVELS
from golfnet.bots.calculating import CalculatingBot
from golfnet.bots.outlook import Outlook
from golfnet.bots.pack import Pack, pack_of
from golfnet.bots.prospect import AMBITION, Prospect
from golfnet.bots.reading import Reading
from golfnet.engine.rules import Placed, RuleSet, SlamMode

SMALL: Final = 2
"""Slots of a unit whose values are quick enough to be made anew in each turn."""
FEW_TURNS: Final = 3
"""Turns left at which even a large unit's values are: exact dynamic programming to the end of the hole."""
TILT: Final = 0.8
"""How much the discards of others are the high cards: 0 not at all, 1 the lowest never."""
SLAMMED: Final = 0.9
"""Chance that the seat is the one to slam a card that it knows when its like is discarded."""

KEPT_OUTLOOKS: Final = 16
"""Rule sets whose values from the whole deck are kept: each takes a few megabytes once its bots have played."""


class HardBot(CalculatingBot):
    """Judges by prospects."""

    def __init__(self, rules: RuleSet, chance: Random) -> None:
        super().__init__(rules, LEVELS["hard"], chance)
        self._outlook: tuple[object, Outlook] | None = None

    def judge(self, reading: Reading) -> Prospect:
        """Judge by what the hole will come to."""
        return Prospect(reading, self.outlook(reading), self.cut)

    def rivalry(self, reading: Reading) -> float:
        """Weigh each other seat alike."""
        return AMBITION / reading.seats / len(reading.others)

    def outlook(self, reading: Reading) -> Outlook:
        """Return values from the cards still unseen, or from the whole deck."""
        rules, view = reading.rules, reading.view
        had = view.turns[reading.seat]
        last = rules.lock and rules.turns is not None and rules.turns - had <= FEW_TURNS
        if self.cut.largest > SMALL and not last:
            return _from_whole_deck(rules, reading.seats)
        moment = (view.hole, had, view.reshuffles_left)
        if self._outlook is None or self._outlook[0] != moment:
            self._outlook = (
                moment,
                _outlook(rules, reading.seats, reading.draws, reading.hidden, reading.kept),
            )
        return self._outlook[1]


@lru_cache(KEPT_OUTLOOKS)
def _from_whole_deck(rules: RuleSet, seats: int) -> Outlook:
    counts = pack_of(rules, seats).counts
    deck = [count / sum(counts) for count in counts]
    return _outlook(rules, seats, deck, deck, deck)


def _outlook(
    rules: RuleSet, seats: int, draws: list[float], hidden: list[float], kept: list[float]
) -> Outlook:
    pack = pack_of(rules, seats)
    offers = _offers(pack, draws)
    slams = None
    if rules.slam is not SlamMode.OFF and rules.placed is Placed.DOWN:
        slams = [SLAMMED * (1 - (1 - offer) ** seats) for offer in offers]
    return Outlook(rules, pack, draws=draws, offers=offers, hidden=hidden, kept=kept, slams=slams)


def _offers(pack: Pack, draws: list[float]) -> list[float]:
    """Return the chances of the top discard at the start of a turn: ranks are in ascending order of points."""
    offers, below = [], 0.0
    for chance in draws:
        offers.append(chance * (1 - TILT + 2 * TILT * (below + chance / 2)))
        below += chance
    return offers
