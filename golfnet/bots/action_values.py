"""The value of every allowed action: what its outcome is worth according to an evaluator.

A value is a mean over what is still random: the next stock card, or a face-down card that is turned up or looked at. An
action that is followed by another choice (draw, then swap; discard, then turn up) has the value of the best
continuation.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from operator import itemgetter, mul, sub
from typing import Final

from golfnet.bots.seat_knowledge import EMPTY, SeatKnowledge, Symbols, replaced
from golfnet.bots.unit_values import UnitValues
from golfnet.engine import actions as do
from golfnet.engine.hole import Phase
from golfnet.engine.layout import Position
from golfnet.engine.rules import FaceUp, Placed, SlamMode
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
        mean: float = sum(map(mul, self.knowledge.draws, best))
        return mean

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
    slammable = knowledge.view.choices.slammable
    targets = [at for at in slammable if knowledge.layouts[at.seat][at.slot - 1] == symbol]
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
