"""What it is expected to cost a seat to be the closer, where the rules set a price on that (C9, G4)."""

from collections.abc import Iterable, Sequence
from math import erf, sqrt
from typing import Final

from golfnet.bots.reading import EMPTY, Reading, Symbols
from golfnet.engine.rules import Penalty

ROUGHLY: Final = 4.0
"""Standard deviation of what another seat's layout comes to, in points for each of its cards not yet settled."""

LIMIT: Final = 5
"""The most points that are not doubled (C9)."""

Spread = dict[float, float]
"""The chances of scores."""


class ClosingPrice:
    """The price of closing at one moment: ``others`` are the points to which the other seats will come, in order."""

    def __init__(self, reading: Reading, others: Sequence[float], last_turns: int) -> None:
        self._reading = reading
        self._others = others
        self._last_turns = last_turns
        power = [rank in reading.rules.power for rank in reading.pack.ranks]
        self._switched = sum(
            [chance for chance, has_power in zip(reading.draws, power, strict=True) if has_power]
        )

    def of(self, symbols: Symbols, score: float) -> float:
        """Return the price of closing with a layout that is expected to count so much."""
        penalty = self._reading.rules.penalty
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
        """Return the chances of what a layout counts in the end: by its unknown cards, and by what others switch."""
        reading = self._reading
        cards: Spread = {0.0: 1.0}
        for symbol in symbols:
            unseen = reading.chances(symbol)
            if unseen:
                cards = _sum(cards, list(zip(reading.pack.values, unseen, strict=True)))
        shift = score - sum([points * chance for points, chance in cards.items()])
        # Rounded, since a hair above the limit is doubled.
        spread = {round(points + shift, 6): chance for points, chance in cards.items()}
        if self._switched:
            for _ in reading.others:
                spread = _sum(spread, [(0.0, 1 - self._switched), (reading.mean, self._switched)])
        return spread

    def _lowest(self, points: float) -> float:
        """Return the chance that no other seat comes to less, each being roughly normal around its mean."""
        chance = 1.0
        for seat, mean in zip(self._reading.others, self._others, strict=True):
            layout = self._reading.layouts[seat]
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
