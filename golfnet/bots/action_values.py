"""The value of every allowed action: what its outcome is worth according to an evaluator.

A value is a mean over what is still random: the next stock card, or a face-down card that is turned up or looked at. An
action that is followed by another choice (draw, then swap; discard, then turn up) has the value of the best
continuation.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from operator import mul, sub
from typing import Final, Protocol

from golfnet.bots.seat_knowledge import EMPTY, SeatKnowledge, Symbols, replaced
from golfnet.bots.unit_values import LayoutPartition, UnitValues
from golfnet.engine import actions as do
from golfnet.engine.actions import Slam
from golfnet.engine.hole import Phase
from golfnet.engine.layout import Position
from golfnet.engine.rules import Placed, SlamMode
from golfnet.engine.views import View


class Evaluator(Protocol):
    """Gives values to layouts that a seat may have. Values of different evaluators cannot be compared."""

    knowledge: SeatKnowledge
    unit_values: UnitValues

    @property
    def rivalry(self) -> float:
        """The weight of another seat's points; the seat's own points weigh 1."""

    def layout(self, symbols: Symbols, face_down: int) -> float:
        """Return the value of ending the turn with this layout; ``face_down`` is its number of face-down cards."""

    def placed(self, index: int, face_down: int) -> list[float]:
        """Return the value of ending the turn with a new card in one of the seat's slots, by the card's rank."""

    def knocking(self) -> float:
        """Return the value of knocking now."""

    def discards(self) -> list[float]:
        """Return the cost, by rank, of leaving a card to the next seat."""


SLAM_SURE: Final = 0.8
"""Chance of being the first to slam the seat's own card after discarding a card of the same rank."""

CURIOSITY: Final = 0.05
"""Value, in points, of knowing a card of another seat: more than nothing, less than anything else."""

Rated = tuple[float, do.Action]
"""An action's value, where lower is better, and the action."""


class ActionValues:
    """The values of one seat's actions, valid until the seat's knowledge changes."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._knowledge = evaluator.knowledge
        self._own = evaluator.knowledge.own
        self._down = sum(evaluator.knowledge.own_down)

    def rated(self, view: View) -> tuple[Rated, ...]:
        """Return the allowed actions with their values, but only one of several equivalent actions."""
        rate = _RATE.get(view.phase)
        return () if rate is None else tuple(rate(self, view))

    def best(self, view: View) -> do.Action | None:
        """Return the best allowed action, or the first of several that are equally good."""
        rated = self.rated(view)
        return min(rated, key=lambda one: one[0])[1] if rated else None

    def _start(self, view: View) -> Iterable[Rated]:
        """Rate only choices of a single card, so that the next choice can use what this card shows (G1)."""
        for action in view.choices.actions:
            match action:
                case do.Flip(slots=(slot,)):
                    yield self._shown(slot - 1, self._knowledge.shown_mark, self._down), action
                case do.Peek(at=(at,)):
                    yield self._shown(at.slot - 1, 0, self._down), action

    def _turn(self, view: View) -> Iterable[Rated]:
        top = self._knowledge.top
        for action in view.choices.actions:
            match action:
                case do.Draw():
                    yield self._drawing, action
                case do.Take(slot=slot) if slot is not None and top is not None:
                    yield self._places[slot - 1][top], action
                case do.Flip(slots=(slot,)):
                    yield self._turned_up(slot - 1), action
                case do.Knock():
                    yield self.evaluator.knocking(), action

    def _holding(self, view: View) -> Iterable[Rated]:
        if view.drawn is None:
            return
        drawn = self._knowledge.pack.numbers[view.drawn.rank]
        for action in view.choices.actions:
            match action:
                case do.Swap(slot=slot):
                    yield self._places[slot - 1][drawn], action
                case do.Discard():
                    yield self._refused[drawn], action

    def _flip(self, view: View) -> Iterable[Rated]:
        for action in view.choices.actions:
            match action:
                case do.Flip(slots=(slot,)):
                    yield self._turned_up(slot - 1), action
                case do.Pass():
                    yield self.evaluator.layout(self._own, self._down), action

    def _power(self, view: View) -> Iterable[Rated]:
        unchanged = self.evaluator.layout(self._own, self._down)
        for action in view.choices.actions:
            match action:
                case do.Decline():
                    yield unchanged, action
                case do.Peek(at=(at,)) if at.seat == self._knowledge.seat:
                    yield self._shown(at.slot - 1, 0, self._down), action
                case do.Peek(at=(at,)) if self._knowledge.layouts[at.seat][at.slot - 1] < 0:
                    yield unchanged - CURIOSITY, action
        yield from self._switches(view.choices.switchable)

    def _switches(self, switchable: tuple[Position, ...]) -> Iterable[Rated]:
        """Rate switching each own card for each kind of card of others, from the lowest layout that has such a card."""
        knowledge, points = self._knowledge, self._points
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
                    worth = self.evaluator.layout(replaced(self._own, at.slot - 1, symbol), self._down)
                    spite = self.evaluator.rivalry * (points(given) - points(symbol))
                    yield worth - spite, do.Switch(*sorted((at, other)))

    def _give(self, view: View) -> Iterable[Rated]:
        for action in view.choices.actions:
            if isinstance(action, do.Give):
                index = action.slot - 1
                spite = self.evaluator.rivalry * self._points(self._own[index])
                yield (
                    self.evaluator.layout(replaced(self._own, index, EMPTY), self._down - 1) - spite,
                    action,
                )

    @cached_property
    def _leaving(self) -> list[float]:
        """The cost, by rank, of leaving a card on the discard pile for the next seat."""
        return self.evaluator.discards()

    @cached_property
    def _refused(self) -> list[float]:
        """The value, by rank, of discarding a drawn card."""
        worth = self.evaluator.layout(self._own, self._down)
        if self._knowledge.rules.flip and self._down:
            worth = min(
                [worth, *(self._turned_up(i) for i, down in enumerate(self._knowledge.own_down) if down)]
            )
        return [worth + cost - self.slam(self._own, rank) for rank, cost in enumerate(self._leaving)]

    @cached_property
    def _places(self) -> dict[int, list[float]]:
        """The value, by slot and rank, of placing a card."""
        return {index: self._place(index) for index in self._knowledge.replaceable()}

    @cached_property
    def _drawing(self) -> float:
        best = list(map(min, self._refused, *self._places.values())) if self._places else self._refused
        mean: float = sum(map(mul, self._knowledge.draws, best))
        return mean

    def _place(self, index: int) -> list[float]:
        knowledge, leaving = self._knowledge, self._leaving
        down = self._down - knowledge.own_down[index] + (knowledge.rules.placed is Placed.DOWN)
        out = self._own[index]
        unseen = knowledge.chances(out)
        cost = sum(map(mul, unseen, leaving)) if unseen else leaving[out]
        row = [worth + cost for worth in self.evaluator.placed(index, down)]
        if not unseen and knowledge.rules.slam is not SlamMode.OFF:
            slams = [self.slam(symbols, out) for symbols in knowledge.with_each_rank(self._own, index)]
            row = list(map(sub, row, slams))
        return row

    def _turned_up(self, index: int) -> float:
        """Return the value of ending the turn by turning up one of the seat's own cards."""
        return self._shown(index, self._knowledge.shown_mark, self._down - 1)

    def _shown(self, index: int, mark: int, down: int) -> float:
        """Return the value of seeing one of the seat's own cards, as a mean over the cards that it may be."""
        layout, symbol = self.evaluator.layout, self._own[index]
        unseen = self._knowledge.chances(symbol)
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
        if self._knowledge.rules.slam is SlamMode.OFF or rank not in symbols:
            return 0.0
        less = replaced(symbols, symbols.index(rank), EMPTY)
        return SLAM_SURE * max(
            0.0, self.evaluator.layout(symbols, self._down) - self.evaluator.layout(less, self._down - 1)
        )

    def _points(self, symbol: int) -> float:
        return self.evaluator.unit_values.value((symbol,), 0)


_RATE: Final[dict[Phase, Callable[[ActionValues, View], Iterable[Rated]]]] = {
    Phase.START: ActionValues._start,
    Phase.TURN: ActionValues._turn,
    Phase.HOLDING: ActionValues._holding,
    Phase.FLIP: ActionValues._flip,
    Phase.POWER: ActionValues._power,
    Phase.GIVE: ActionValues._give,
}


def best_slam(
    knowledge: SeatKnowledge, unit_values: UnitValues, partition: LayoutPartition, rivalry: float
) -> Slam | None:
    """Return the slam that lowers this seat's points most, or None if no slam would gain anything.

    ``rivalry`` is the weight of another seat's points; the seat's own points weigh 1.
    """
    window = knowledge.view.window
    if window is None or window.won:
        return None
    rank = knowledge.pack.numbers[window.card.rank]
    targets = [
        at for at in knowledge.view.choices.slammable if knowledge.layouts[at.seat][at.slot - 1] == rank
    ]
    if not targets:
        return None

    def points(symbols: Symbols) -> float:
        return sum([unit_values.value(unit, 0) for unit in partition.units(symbols)])

    own = points(knowledge.own)
    best, choice = -1e-9, None
    for at in targets:
        if at.seat == knowledge.seat:
            gain = own - points(replaced(knowledge.own, at.slot - 1, EMPTY))
        else:
            gain = _gift(knowledge, points, own, at.seat, at.slot - 1, rivalry)
        if gain > best:
            best, choice = gain, at
    return None if choice is None else Slam(choice, window.discard_no)


def _gift(
    knowledge: SeatKnowledge,
    points: Callable[[Symbols], float],
    own: float,
    seat: int,
    index: int,
    rivalry: float,
) -> float:
    """Return the gain from slamming another seat's card and giving that seat this seat's worst card."""
    theirs = points(knowledge.layouts[seat])
    return max(
        (own - points(replaced(knowledge.own, mine, EMPTY)))
        + rivalry * (points(replaced(knowledge.layouts[seat], index, symbol)) - theirs)
        for mine, symbol in enumerate(knowledge.own)
        if symbol != EMPTY
    )
