"""What a seat remembers from the events it saw: face-down cards by position, the discard pile, a reshuffled stock.

Everything here comes from masked events, so it can hold nothing that the seat was not shown. Face-up cards are not
remembered: the view shows them. How much is forgotten depends on the level: each turn at the table, every remembered
face-down card is forgotten with the same chance.
"""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Final

from golfnet.engine import events as ev
from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import Placed, RuleSet


class Memory:
    """The remembered part of a hole, by ranks.

    ``known`` has the ranks of face-down cards that the seat has seen, ``kept`` the seats that chose to keep cards that
    this seat has not seen, ``looked`` the seats that have looked at their own cards. ``pile`` is the discard pile, top
    last. ``stock`` is None until a reshuffle; then it is the stock without the cards that were seen leaving it.
    """

    def __init__(self, rules: RuleSet, chance: Random, recall: float) -> None:
        self.known: dict[Position, str] = {}
        self.kept: dict[Position, Seat] = {}
        self.looked: dict[Position, Seat] = {}
        self.pile: list[str] = []
        self.stock: Counter[str] | None = None
        self._hides = rules.placed is Placed.DOWN
        self._counted = False  # whether ``stock`` is already without the drawn card, or never held it
        self._chance = chance
        self._recall = recall

    def observe(self, event: ev.Event) -> None:
        """Remember one event, masked for the seat."""
        see = _SEE.get(type(event))
        if see is not None:
            see(self, event)

    def _started(self, event: ev.HoleStarted | ev.HoleEnded) -> None:
        self.known.clear()
        self.kept.clear()
        self.looked.clear()
        self.pile.clear()
        self.stock = None
        self._counted = False

    def _dealt(self, event: ev.Dealt) -> None:
        self.pile = [] if event.discard is None else [event.discard.rank]

    def _peeked(self, event: ev.Peeked) -> None:
        for position in event.at:
            if position.seat == event.seat:
                self.looked[position] = event.seat
        if event.cards is not None:
            self.known.update(zip(event.at, (card.rank for card in event.cards), strict=True))

    def _flipped(self, event: ev.Flipped) -> None:
        self._lost(Position(event.seat, event.slot))

    def _turn(self, event: ev.TurnBegan) -> None:
        self._counted = False
        if self._recall < 1.0:
            for position in [at for at in self.known if self._chance.random() > self._recall]:
                del self.known[position]

    def _drew(self, event: ev.Drew) -> None:
        self._counted = event.card is not None
        if event.card is not None:
            self._out_of_stock(event.card.rank)

    def _took_top(self, event: ev.Took) -> None:
        self._counted = True
        if self.pile:
            self.pile.pop()

    def _swapped(self, event: ev.Swapped) -> None:
        position = Position(event.seat, event.slot)
        self._lost(position)
        self.pile.append(event.discard.rank)
        if event.card is None:
            self.kept[position] = event.seat
            return
        if self._hides:
            self.known[position] = event.card.rank
        if not self._counted:
            self._out_of_stock(event.card.rank)

    def _discarded(self, event: ev.Discarded) -> None:
        self.pile.append(event.card.rank)
        if not self._counted:
            self._out_of_stock(event.card.rank)

    def _switched(self, event: ev.Switched) -> None:
        first, second = event.at
        for facts in (self.known, self.kept, self.looked):
            _exchange(facts, first, second)

    def _slammed(self, event: ev.Slammed) -> None:
        if event.result is ev.SlamResult.HIT:
            self._lost(event.at)
            self.pile.append(event.card.rank)
        else:
            self.known[event.at] = event.card.rank

    def _penalized(self, event: ev.Penalized) -> None:
        if event.source is not None:
            self._move(event.source, Position(event.seat, event.slot))

    def _gave(self, event: ev.Gave) -> None:
        self._move(Position(event.seat, event.slot), event.to)

    def _reshuffled(self, event: ev.Reshuffled) -> None:
        self.stock = Counter(self.pile[:-1])
        self.pile = self.pile[-1:]

    def _out_of_stock(self, rank: str) -> None:
        if self.stock is not None and self.stock[rank] > 0:
            self.stock[rank] -= 1

    def _lost(self, position: Position) -> None:
        self.known.pop(position, None)
        self.kept.pop(position, None)
        self.looked.pop(position, None)

    def _move(self, source: Position, target: Position) -> None:
        self._lost(target)
        for facts in (self.known, self.kept, self.looked):
            _exchange(facts, source, target)


def _exchange(facts: dict[Position, Any], first: Position, second: Position) -> None:
    one, other = facts.pop(first, None), facts.pop(second, None)
    if one is not None:
        facts[second] = one
    if other is not None:
        facts[first] = other


_SEE: Final[dict[type[ev.Event], Callable[[Memory, Any], None]]] = {
    ev.HoleStarted: Memory._started,
    ev.HoleEnded: Memory._started,
    ev.Dealt: Memory._dealt,
    ev.Peeked: Memory._peeked,
    ev.Flipped: Memory._flipped,
    ev.TurnBegan: Memory._turn,
    ev.Drew: Memory._drew,
    ev.Took: Memory._took_top,
    ev.Swapped: Memory._swapped,
    ev.Discarded: Memory._discarded,
    ev.Switched: Memory._switched,
    ev.Slammed: Memory._slammed,
    ev.Penalized: Memory._penalized,
    ev.Gave: Memory._gave,
    ev.Reshuffled: Memory._reshuffled,
}
