"""The value of every allowed action, and what closing a hole costs.

The value of an action is what its outcome is worth according to an evaluator. It is a mean over what is still random:
the next stock card, or a face-down card that is turned up or looked at. An action that is followed by another choice
(draw, then swap; discard, then turn up) has the value of the best continuation. Closing has an expected cost under
rules that put a price on it (C9, G4).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from math import erf, exp, sqrt
from operator import itemgetter, mul, sub
from typing import Final

from golfnet.bots.seat_knowledge import EMPTY, SeatKnowledge, Symbols, replaced
from golfnet.bots.unit_values import UnitValues
from golfnet.engine import actions as do
from golfnet.engine.cards import Position
from golfnet.engine.hole import Phase
from golfnet.engine.rules import FaceUp, Penalty, Placed, SlamMode
from golfnet.engine.scoring import price_of_closing
from golfnet.engine.views import View

SLAM_SURE: Final = 0.8
"""Chance of being the first to slam the seat's own card after discarding a card of the same rank."""

CURIOSITY: Final = 0.05
"""Value, in points, of knowing a card of another seat: more than nothing, less than anything else."""

Rated = tuple[float, do.Action]
"""An action's value, where lower is better, and the action."""


class Evaluator(ABC):
    """Gives values to one seat's actions, valid until the seat's knowledge changes.

    A level defines the value of ending the turn with a layout. Values of different levels cannot be compared.
    ``rivalry`` is the weight of another seat's points; the seat's own points weigh 1.
    """

    def __init__(self, knowledge: SeatKnowledge, unit_values: UnitValues, rivalry: float) -> None:
        self.knowledge = knowledge
        self.unit_values = unit_values
        self.rivalry = rivalry
        self._own = knowledge.own
        self._down = sum(knowledge.own_down)
        rules = knowledge.rules
        self._last_ends = rules.face_up is FaceUp.EVERY and not rules.closes_first
        """Whether the hole ends when no seat has a face-down card any more (M3)."""
        others_up = not any([any(knowledge.down[seat]) for seat in knowledge.others])
        self._own_ends = rules.closes_first or (self._last_ends and others_up)
        """Whether the hole ends when this seat has no face-down card any more."""

    @abstractmethod
    def ending(self, symbols: Symbols) -> float:
        """Return the value of beginning to end the hole with this layout."""

    @abstractmethod
    def continuing(self, symbols: Symbols, *, waits: bool) -> float:
        """Return the value of this layout if play continues; ``waits`` is as in ``waits_for_others``."""

    def layout(self, symbols: Symbols, face_down: int) -> float:
        """Return the value of ending the turn with this layout; ``face_down`` is its number of face-down cards."""
        if self.ends(face_down):
            return self.ending(symbols)
        return self.continuing(symbols, waits=self.waits_for_others(face_down))

    def placed(self, index: int, face_down: int) -> list[float]:
        """Return the value of ending the turn with a new card in one of the seat's slots, by the card's rank."""
        return [self.layout(each, face_down) for each in self.knowledge.with_each_rank(self._own, index)]

    @cached_property
    def leaving(self) -> list[float]:
        """The cost, by rank, of leaving a card on the discard pile for the next seat: here, none."""
        return [0.0] * len(self.knowledge.pack.ranks)

    def ends(self, face_down: int) -> bool:
        """Return whether the hole begins to end with a turn that leaves this many of the seat's cards face down."""
        return not face_down and self._own_ends and self.knowledge.view.closer is None

    def waits_for_others(self, face_down: int) -> bool:
        """Return whether the hole goes on after such a turn only because others have face-down cards."""
        return not face_down and self._last_ends and self.knowledge.view.closer is None

    def rated(self, view: View) -> tuple[Rated, ...]:
        """Return the allowed actions with their values, but only one of several equivalent actions."""
        values = [(self._value(action, view), action) for action in view.choices.actions]
        rated = [(value, action) for value, action in values if value is not None]
        switchable = view.choices.switchable
        return (*rated, *self._switches(switchable)) if switchable else tuple(rated)

    def best(self, view: View) -> do.Action | None:
        """Return the best allowed action, or the first of several that are equally good."""
        rated = self.rated(view)
        return min(rated, key=itemgetter(0))[1] if rated else None

    def _value(self, action: do.Action, view: View) -> float | None:
        """Return the value of an action, None if another one is at least as good or if it is only for slam windows.

        At the start, only the choice of a single card has a value: the next choice can use what this card shows (G1).
        """
        knowledge, drawn = self.knowledge, view.drawn
        match action:
            case do.Take(slot=int(slot)) if knowledge.top is not None:
                return self._places[slot - 1][knowledge.top]
            case do.Swap(slot=slot) if drawn is not None:
                return self._places[slot - 1][knowledge.pack.numbers[drawn.rank]]
            case do.Draw():
                return self._drawing
            case do.Discard() if drawn is not None:
                return self._refused[knowledge.pack.numbers[drawn.rank]]
            case do.Knock():
                return self.ending(self._own)
            case do.Flip(slots=(slot,)) if view.phase is Phase.START:
                return self._shown(slot - 1, knowledge.shown_mark, self._down)
            case do.Flip(slots=(slot,)):
                return self._turned_up(slot - 1)
            case do.Peek(at=(at,)) if at.seat == knowledge.seat:
                return self._shown(at.slot - 1, 0, self._down)
            case do.Peek(at=(at,)) if knowledge.layouts[at.seat][at.slot - 1] < 0:
                return self._unchanged - CURIOSITY
            case do.Decline():
                return self._unchanged
            case do.Pass() if view.phase is Phase.FLIP:
                return self._unchanged
            case do.Give(slot=slot):
                left = self.layout(replaced(self._own, slot - 1, EMPTY), self._down - 1)
                return left - self.rivalry * self._points(self._own[slot - 1])
            case _:
                return None

    def _switches(self, switchable: tuple[Position, ...]) -> Iterable[Rated]:
        """Rate switching each own card for each kind of card of others, from the lowest layout that has such a card."""
        knowledge, points = self.knowledge, self._points
        leaders = sorted(knowledge.others, key=lambda seat: sum(map(points, knowledge.layouts[seat])))
        theirs: dict[int, Position] = {}
        for seat in leaders:
            for at in switchable:
                if at.seat == seat:
                    theirs.setdefault(knowledge.layouts[seat][at.slot - 1], at)
        for at in switchable:
            if at.seat == knowledge.seat:
                given = self._own[at.slot - 1]
                for symbol, other in theirs.items():
                    worth = self.layout(replaced(self._own, at.slot - 1, symbol), self._down)
                    spite = self.rivalry * (points(given) - points(symbol))
                    yield worth - spite, do.Switch(*sorted((at, other)))

    @cached_property
    def _unchanged(self) -> float:
        """The value of ending the turn with the layout as it is."""
        return self.layout(self._own, self._down)

    @cached_property
    def _refused(self) -> list[float]:
        """The value, by rank, of discarding a drawn card."""
        worth = self._unchanged
        if self.knowledge.rules.flip and self._down:
            worth = min(
                [worth, *(self._turned_up(i) for i, down in enumerate(self.knowledge.own_down) if down)]
            )
        return [worth + cost - self.slam(self._own, rank) for rank, cost in enumerate(self.leaving)]

    @cached_property
    def _places(self) -> dict[int, list[float]]:
        """The value, by slot and rank, of placing a card."""
        return {index: self._place(index) for index in self.knowledge.replaceable()}

    @cached_property
    def _drawing(self) -> float:
        best = list(map(min, self._refused, *self._places.values())) if self._places else self._refused
        return float(sum(map(mul, self.knowledge.draws, best)))

    def _place(self, index: int) -> list[float]:
        knowledge, leaving = self.knowledge, self.leaving
        down = self._down - knowledge.own_down[index] + (knowledge.rules.placed is Placed.DOWN)
        out = self._own[index]
        unseen = knowledge.chances(out)
        cost = sum(map(mul, unseen, leaving)) if unseen else leaving[out]
        row = [worth + cost for worth in self.placed(index, down)]
        if not unseen and knowledge.rules.slam is not SlamMode.OFF:
            slams = [self.slam(symbols, out) for symbols in knowledge.with_each_rank(self._own, index)]
            row = list(map(sub, row, slams))
        return row

    def _turned_up(self, index: int) -> float:
        """Return the value of ending the turn by turning up one of the seat's own cards."""
        return self._shown(index, self.knowledge.shown_mark, self._down - 1)

    def _shown(self, index: int, mark: int, down: int) -> float:
        """Return the value of seeing one of the seat's own cards, as a mean over the cards that it may be."""
        layout, symbol = self.layout, self._own[index]
        unseen = self.knowledge.chances(symbol)
        if not unseen:
            return layout(replaced(self._own, index, symbol + mark), down)
        return sum(
            [
                chance * layout(replaced(self._own, index, rank + mark), down)
                for rank, chance in enumerate(unseen)
                if chance
            ]
        )

    def slam(self, symbols: Symbols, rank: int) -> float:
        """Return the gain from discarding a card of this rank and slamming one of the seat's own cards on it."""
        if self.knowledge.rules.slam is SlamMode.OFF or rank not in symbols:
            return 0.0
        less = replaced(symbols, symbols.index(rank), EMPTY)
        return SLAM_SURE * max(0.0, self.layout(symbols, self._down) - self.layout(less, self._down - 1))

    def _points(self, symbol: int) -> float:
        return self.unit_values.value((symbol,), 0)


def best_target(
    knowledge: SeatKnowledge, rank: str, unit_values: UnitValues, rivalry: float
) -> Position | None:
    """Return the card of this rank whose slam lowers this seat's points most, or None if none would gain anything.

    For a slammed card of another seat, that seat gets this seat's worst card. ``rivalry`` is the weight of another
    seat's points; the seat's own points weigh 1.
    """
    symbol, points = knowledge.pack.numbers[rank], unit_values.points
    targets = [
        at for at in knowledge.view.choices.slammable if knowledge.layouts[at.seat][at.slot - 1] == symbol
    ]
    if not targets:
        return None
    own = points(knowledge.own)

    def gain(at: Position) -> float:
        index, theirs = at.slot - 1, knowledge.layouts[at.seat]
        if at.seat == knowledge.seat:
            return own - points(replaced(knowledge.own, index, EMPTY))
        now = points(theirs)
        return max(
            (own - points(replaced(knowledge.own, mine, EMPTY)))
            + rivalry * (points(replaced(theirs, index, given)) - now)
            for mine, given in enumerate(knowledge.own)
            if given != EMPTY
        )

    best, choice = max(((gain(at), at) for at in targets), key=itemgetter(0))
    return choice if best > -1e-9 else None


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
            loose = self._last_turns + sum(
                [symbol < 0 and symbol != EMPTY for symbol in self._knowledge.layouts[seat]]
            )
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
            chances = list(map(mul, chances, _turning_up(sum(knowledge.down[seat]), rounds)))
        if knowledge.rules.knock:
            turns = [1 - EAGER * exp(-WARY * max(0.0, each / unseen)) for each in course]
            chances = list(map(mul, chances, accumulate(turns, mul, initial=1.0)))
    return chances


def others_up(knowledge: SeatKnowledge, rounds: int) -> list[float]:
    """Return the chances that the others turn up all cards in 0, 1 … rounds; the last chance includes later rounds."""
    pace = LAST_CARD ** sum([sum(knowledge.down[seat]) for seat in knowledge.others])
    return [*[pace * (1 - pace) ** turns for turns in range(rounds)], (1 - pace) ** rounds]


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
