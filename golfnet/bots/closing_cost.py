"""The expected cost of being the closer, under rules that put a price on closing (C9, G4)."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import erf, exp, sqrt
from operator import mul
from typing import Final

from golfnet.bots.seat_knowledge import EMPTY, SeatKnowledge, Symbols
from golfnet.engine.rules import Penalty
from golfnet.engine.scoring import price_of_closing

ROUGHLY: Final = 4.0
"""Standard deviation, in points, of another seat's final score if only one of its cards is unknown."""

Spread = dict[float, float]
"""The chance of each score."""


class ClosingCost:
    """The cost of closing now; ``others`` are the expected final points of the other seats, in order."""

    def __init__(self, knowledge: SeatKnowledge, others: Sequence[float], last_turns: int) -> None:
        self._knowledge = knowledge
        self._others = others
        self._last_turns = last_turns
        draws = zip(knowledge.pack.ranks, knowledge.draws, strict=True)
        self._switched = sum([chance for rank, chance in draws if rank in knowledge.rules.power])

    def of(self, symbols: Symbols, score: float) -> float:
        """Return the cost of closing with a layout, given its expected score."""
        penalty = self._knowledge.rules.penalty
        if penalty is Penalty.NONE:
            return 0.0
        spread = self._spread(symbols, score)
        prices = [(chance * price_of_closing(penalty, points), points) for points, chance in spread.items()]
        if penalty is Penalty.DOUBLE_OVER_FIVE:
            return sum([price for price, _ in prices])
        return sum([price * (1 - self._lowest(points)) for price, points in prices])

    def _spread(self, symbols: Symbols, score: float) -> Spread:
        """Return the chances of a layout's final scores, given its unknown cards and possible switches by others."""
        knowledge = self._knowledge
        cards: Spread = {0.0: 1.0}
        for symbol in symbols:
            unseen = knowledge.chances(symbol)
            if unseen:
                cards = _sum(cards, list(zip(knowledge.pack.values, unseen, strict=True)))
        shift = score - sum([points * chance for points, chance in cards.items()])
        # Round: a rounding error that puts a score just above the limit would double it.
        spread = {round(points + shift, 6): chance for points, chance in cards.items()}
        if self._switched:
            for _ in knowledge.others:
                spread = _sum(spread, [(0.0, 1 - self._switched), (knowledge.mean, self._switched)])
        return spread

    def _lowest(self, points: float) -> float:
        """Return the chance that no other seat scores less, assuming normally distributed scores."""
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


LAST_CARD: Final = 0.35
"""Chance that a seat with one face-down card turns it up in its next turn."""
ANOTHER_CARD: Final = 0.7
"""Chance that a seat with more face-down cards turns one up in its next turn."""
EAGER: Final = 0.35
"""Chance that a seat knocks in its next turn if its cards count 0."""
WARY: Final = 6.0
"""How fast this chance falls: it is divided by e to this power if the cards count as much as average unseen cards."""
DRAWN: Final = 0.85
"""Stock cards that a turn uses on average: less than one, because some turns take from the discard pile."""
HORIZON: Final = 8
"""Turns to look ahead; later ones make hardly any difference."""


def turns_left(knowledge: SeatKnowledge) -> int:
    """Return how many turns the seat can have after the current one if no seat ends the hole."""
    rules, view = knowledge.rules, knowledge.view
    if view.closer is not None:
        return 0
    had = view.turns[knowledge.seat]
    stock = view.stock + (view.discard_count if view.reshuffles_left else 0)
    limits = [limit - had for limit in (rules.turns, rules.turn_cap) if limit is not None]
    return max(0, min([int(stock / (DRAWN * knowledge.seats)), *limits]))


def survival(knowledge: SeatKnowledge, points: Sequence[Sequence[float]]) -> list[float]:
    """Return the chance that no other seat has begun to end the hole after 0, 1 … rounds of turns.

    ``points`` are the points that each other seat's layout is expected to have after 0, 1 … rounds.
    """
    rounds = len(points[0])
    chances = [1.0] * (rounds + 1)
    unseen = max(1.0, knowledge.mean * knowledge.rules.slots)
    for seat, course in zip(knowledge.others, points, strict=True):
        if knowledge.rules.closes_first:
            stays = _turning_up(sum(knowledge.down[seat]), rounds)
            chances = list(map(mul, chances, stays))
        if knowledge.rules.knock:
            turns = [1 - EAGER * exp(-WARY * max(0.0, each / unseen)) for each in course]
            chances = list(map(mul, chances, accumulate(turns, mul, initial=1.0)))
    return chances


def others_up(knowledge: SeatKnowledge, rounds: int) -> list[float]:
    """Return the chances that the others turn up all cards in 0, 1 … rounds; the last chance includes later rounds."""
    pace = LAST_CARD ** sum([sum(knowledge.down[seat]) for seat in knowledge.others])
    chances = [pace * (1 - pace) ** turns for turns in range(rounds)]
    return [*chances, (1 - pace) ** rounds]


def _turning_up(face_down: int, rounds: int) -> list[float]:
    """Return the chances that a seat still has a face-down card after 0, 1 … ``rounds`` turns."""
    left = [0.0] * max(1, face_down) + [1.0]
    chances = [1.0]
    for _ in range(rounds):
        for cards in range(1, len(left)):
            pace = LAST_CARD if cards == 1 else ANOTHER_CARD
            left[cards - 1] += left[cards] * pace
            left[cards] *= 1 - pace
        left[0] = 0.0
        chances.append(sum(left))
    return chances
