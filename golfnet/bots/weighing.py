"""Weighing every allowed choice against the others by what a judge says of its outcome.

Only chance that is still open is averaged over: the next stock card, a face-down card turned up or looked at. A choice
with several steps (draw, then swap; discard, then turn up) is worth what its best continuation is worth.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from operator import mul
from typing import Final

from golfnet.bots.judge import Judge
from golfnet.bots.reading import EMPTY, Symbols, replaced
from golfnet.engine import actions as do
from golfnet.engine.hole import Phase
from golfnet.engine.layout import Position
from golfnet.engine.rules import Placed, SlamMode
from golfnet.engine.views import View

SLAM_SURE: Final = 0.8
"""Chance to be the first to slam an own card after having discarded its like."""

CURIOSITY: Final = 0.05
"""Points that it is worth to know a card of another seat: more than nothing, less than anything else."""

Weighed = tuple[float, do.Action]
"""What an action is worth, lower is better, and the action."""


class Weighing:
    """The choices of one seat at one moment of its turn; it holds until the seat's knowledge changes."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._reading = judge.reading
        self._own = judge.reading.own
        self._down = sum(judge.reading.own_down)

    def best(self, view: View) -> do.Action | None:
        """Return the best of the allowed actions, of equal ones the first."""
        weigh = _WEIGH.get(view.phase)
        weighed = () if weigh is None else tuple(weigh(self, view))
        return min(weighed, key=lambda one: one[0])[1] if weighed else None

    def _start(self, view: View) -> Iterable[Weighed]:
        """Weigh single cards, so that the next choice can profit from what this one shows (G1)."""
        for action in view.choices.actions:
            match action:
                case do.Flip(slots=(slot,)):
                    yield self._shown(slot - 1, self._reading.shown_mark, self._down), action
                case do.Peek(at=(at,)):
                    yield self._shown(at.slot - 1, 0, self._down), action

    def _turn(self, view: View) -> Iterable[Weighed]:
        top = self._reading.top
        for action in view.choices.actions:
            match action:
                case do.Draw():
                    yield self._drawing, action
                case do.Take(slot=slot) if slot is not None and top is not None:
                    yield self._places[slot - 1][top], action
                case do.Flip(slots=(slot,)):
                    yield self._turned_up(slot - 1), action
                case do.Knock():
                    yield self._judge.knocking(), action

    def _holding(self, view: View) -> Iterable[Weighed]:
        if view.drawn is None:
            return
        drawn = self._reading.pack.numbers[view.drawn.rank]
        for action in view.choices.actions:
            match action:
                case do.Swap(slot=slot):
                    yield self._places[slot - 1][drawn], action
                case do.Discard():
                    yield self._refused[drawn], action

    def _flip(self, view: View) -> Iterable[Weighed]:
        for action in view.choices.actions:
            match action:
                case do.Flip(slots=(slot,)):
                    yield self._turned_up(slot - 1), action
                case do.Pass():
                    yield self._judge.layout(self._own, self._down), action

    def _power(self, view: View) -> Iterable[Weighed]:
        unchanged = self._judge.layout(self._own, self._down)
        for action in view.choices.actions:
            match action:
                case do.Decline():
                    yield unchanged, action
                case do.Peek(at=(at,)) if at.seat == self._reading.seat:
                    yield self._shown(at.slot - 1, 0, self._down), action
                case do.Peek(at=(at,)) if self._reading.layouts[at.seat][at.slot - 1] < 0:
                    yield unchanged - CURIOSITY, action
        yield from self._switches(view.choices.switchable)

    def _switches(self, switchable: tuple[Position, ...]) -> Iterable[Weighed]:
        """Weigh switching each own card for each kind of card that others have, of those who seem to lead."""
        reading, points = self._reading, self._points
        leaders = sorted(reading.others, key=lambda seat: sum(map(points, reading.layouts[seat])))
        theirs: dict[int, Position] = {}
        for seat in leaders:
            for at in switchable:
                if at.seat == seat:
                    theirs.setdefault(reading.layouts[seat][at.slot - 1], at)
        for at in switchable:
            if at.seat == reading.seat:
                given = self._own[at.slot - 1]
                for symbol, other in theirs.items():
                    worth = self._judge.layout(replaced(self._own, at.slot - 1, symbol), self._down)
                    spite = self._judge.rivalry * (points(given) - points(symbol))
                    yield worth - spite, do.Switch(*sorted((at, other)))

    def _give(self, view: View) -> Iterable[Weighed]:
        for action in view.choices.actions:
            if isinstance(action, do.Give):
                index = action.slot - 1
                spite = self._judge.rivalry * self._points(self._own[index])
                yield self._judge.layout(replaced(self._own, index, EMPTY), self._down - 1) - spite, action

    @cached_property
    def _leaving(self) -> list[float]:
        """What it costs, by rank, to leave a card on the discard pile."""
        return self._judge.discards()

    @cached_property
    def _refused(self) -> list[float]:
        """What it is worth, by rank, to discard a drawn card."""
        worth = self._judge.layout(self._own, self._down)
        if self._reading.rules.flip and self._down:
            worth = min(
                [worth, *(self._turned_up(i) for i, down in enumerate(self._reading.own_down) if down)]
            )
        return [worth + cost - self._slam(self._own, rank) for rank, cost in enumerate(self._leaving)]

    @cached_property
    def _places(self) -> dict[int, list[float]]:
        """What it is worth, by slot and rank, to place a card."""
        return {index: self._place(index) for index in self._reading.replaceable()}

    @cached_property
    def _drawing(self) -> float:
        """What it is worth to draw."""
        best = list(map(min, self._refused, *self._places.values())) if self._places else self._refused
        mean: float = sum(map(mul, self._reading.draws, best))
        return mean

    def _place(self, index: int) -> list[float]:
        reading, layout = self._reading, self._judge.layout
        down = self._down - reading.own_down[index] + (reading.rules.placed is Placed.DOWN)
        mark, leaving = reading.placed_mark, self._leaving
        out = self._own[index]
        unseen = reading.chances(out)
        cost = sum(map(mul, unseen, leaving)) if unseen else leaving[out]
        row = []
        for rank in range(len(leaving)):
            symbols = replaced(self._own, index, rank + mark)
            row.append(layout(symbols, down) + cost - (0.0 if unseen else self._slam(symbols, out)))
        return row

    def _turned_up(self, index: int) -> float:
        """Return what it is worth to turn up an own card as the end of the turn."""
        return self._shown(index, self._reading.shown_mark, self._down - 1)

    def _shown(self, index: int, mark: int, down: int) -> float:
        """Return what it is worth to be shown an own card, averaged over what it may be."""
        layout, symbol = self._judge.layout, self._own[index]
        unseen = self._reading.chances(symbol)
        if not unseen:
            return layout(replaced(self._own, index, symbol + mark), down)
        return sum(
            [
                chance * layout(replaced(self._own, index, rank + mark), down)
                for rank, chance in enumerate(unseen)
                if chance
            ]
        )

    def _slam(self, symbols: Symbols, rank: int) -> float:
        """Return what is won by slamming an own card after discarding one of its rank."""
        if self._reading.rules.slam is SlamMode.OFF or rank not in symbols:
            return 0.0
        less = replaced(symbols, symbols.index(rank), EMPTY)
        return SLAM_SURE * max(
            0.0, self._judge.layout(symbols, self._down) - self._judge.layout(less, self._down - 1)
        )

    def _points(self, symbol: int) -> float:
        return self._judge.outlook.value((symbol,), 0)


_WEIGH: Final[dict[Phase, Callable[[Weighing, View], Iterable[Weighed]]]] = {
    Phase.START: Weighing._start,
    Phase.TURN: Weighing._turn,
    Phase.HOLDING: Weighing._holding,
    Phase.FLIP: Weighing._flip,
    Phase.POWER: Weighing._power,
    Phase.GIVE: Weighing._give,
}
