"""The expected cost of being the closer, under rules with a price for that (C9, G4)."""

from collections.abc import Iterable, Sequence
from math import erf, sqrt
from typing import Final

from golfnet.bots.knowledge.seat_knowledge import EMPTY, SeatKnowledge, Symbols
from golfnet.engine.rules import Penalty

ROUGHLY: Final = 4.0
"""Standard deviation of another seat's final score, in points for each of its cards not yet settled."""

LIMIT: Final = 5
"""The most points that are not doubled (C9)."""

Spread = dict[float, float]
"""The chances of scores."""


class ClosingCost:
    """The cost of closing now; ``others`` are the expected final points of the other seats, in order."""

    def __init__(self, knowledge: SeatKnowledge, others: Sequence[float], last_turns: int) -> None:
        self._knowledge = knowledge
        self._others = others
        self._last_turns = last_turns
        power = [rank in knowledge.rules.power for rank in knowledge.pack.ranks]
        self._switched = sum(
            [chance for chance, has_power in zip(knowledge.draws, power, strict=True) if has_power]
        )

    def of(self, symbols: Symbols, score: float) -> float:
        """Return the cost of closing with a layout, given its expected score."""
        penalty = self._knowledge.rules.penalty
        if penalty is Penalty.NONE:
            return 0.0
        spread = self._spread(symbols, score)
        if penalty is Penalty.DOUBLE_OVER_FIVE:
            return sum([chance * points for points, chance in spread.items() if points > LIMIT])
        price = {Penalty.FIVE: 5.0, Penalty.TEN: 10.0}
        return sum(
            [
                chance * price.get(penalty, max(0.0, points)) * (1 - self._lowest(points))
                for points, chance in spread.items()
            ]
        )

    def _spread(self, symbols: Symbols, score: float) -> Spread:
        """Return the chances of a layout's final scores: over its unknown cards, and over switches by other seats."""
        knowledge = self._knowledge
        cards: Spread = {0.0: 1.0}
        for symbol in symbols:
            unseen = knowledge.chances(symbol)
            if unseen:
                cards = _sum(cards, list(zip(knowledge.pack.values, unseen, strict=True)))
        shift = score - sum([points * chance for points, chance in cards.items()])
        # Rounded, since a hair above the limit is doubled.
        spread = {round(points + shift, 6): chance for points, chance in cards.items()}
        if self._switched:
            for _ in knowledge.others:
                spread = _sum(spread, [(0.0, 1 - self._switched), (knowledge.mean, self._switched)])
        return spread

    def _lowest(self, points: float) -> float:
        """Return the chance that no other seat scores less, each score being roughly normal around its mean."""
        chance = 1.0
        for seat, mean in zip(self._knowledge.others, self._others, strict=True):
            layout = self._knowledge.layouts[seat]
            loose = sum([symbol < 0 and symbol != EMPTY for symbol in layout]) + self._last_turns
            deviation = ROUGHLY * sqrt(loose) if loose else 0.001
            chance *= 0.5 * (1 - erf((points - 0.5 - mean) / deviation / sqrt(2)))
        return chance


def _sum(spread: Spread, more: Iterable[tuple[float, float]]) -> Spread:
    """Return the chances of the sum of two independent numbers."""
    wider: Spread = {}
    for added, part in more:
        for points, chance in spread.items():
            wider[points + added] = wider.get(points + added, 0.0) + chance * part
    return wider
