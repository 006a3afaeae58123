"""What a seat knows: what it remembers from the events it saw, and the chances of the unseen cards, as numbers.

The memory holds face-down cards by position, the discard pile, and a reshuffled stock. All of it comes from masked
events, so it can hold nothing that the seat was not shown. Face-up cards are not remembered: the view shows them. How
much is forgotten depends on the level: each turn at the table, every remembered face-down card is forgotten with the
same chance.

All of a bot's calculations start here, so a bot can use no other knowledge. A slot is a symbol: the number of a rank
that the seat knows (plus LOCKED if the card cannot be replaced), or one of UNKNOWN, KEPT and EMPTY. Unseen ranks are
counted for the stock and for the face-down cards; the two counts are equal until a reshuffle makes the stock's ranks
known.
"""

from collections import Counter
from collections.abc import Mapping
from copy import copy
from functools import cached_property, lru_cache
from math import exp
from operator import mul
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from golfnet.engine import events as ev
from golfnet.engine.cards import CARDS, EMPTY as EMPTY_TEXT, Position, Seat
from golfnet.engine.rules import Placed, RuleSet
from golfnet.engine.views import View


class Memory:
    """The remembered part of a hole, by ranks.

    Three dictionaries have positions as keys: ``known`` has the ranks of face-down cards that the seat has seen,
    ``kept`` the seats that chose to keep cards which this seat has not seen, and ``looked`` the seats that have looked
    at their own cards there. ``pile`` is the discard pile, top card last. ``stock`` is None until a reshuffle; then it
    is the stock without the cards that the seat has seen leaving it.
    """

    def __init__(self, rules: RuleSet, chance: Random, recall: float) -> None:
        self.known: dict[Position, str] = {}
        self.kept: dict[Position, Seat] = {}
        self.looked: dict[Position, Seat] = {}
        self.pile: list[str] = []
        self.stock: Counter[str] | None = None
        self._hides = rules.placed is Placed.DOWN
        self._counted = False  # whether the drawn card is no longer in ``stock``, or never was
        self._chance = chance
        self._recall = recall

    def copy(self, known: dict[Position, str]) -> "Memory":
        """Return a copy of the memory that knows these face-down cards instead."""
        other = copy(self)
        other.known, other.kept, other.looked = known, dict(self.kept), dict(self.looked)
        other.pile, other.stock = list(self.pile), copy(self.stock)
        return other

    def observe(self, event: ev.Event) -> None:
        """Remember one event, masked for the seat."""
        match event:
            case ev.TurnBegan():
                self._counted = False
                if self._recall < 1.0:
                    for position in [at for at in self.known if self._chance.random() > self._recall]:
                        del self.known[position]
            case ev.Drew():
                self._counted = event.card is not None
                if event.card is not None:
                    self._out_of_stock(event.card.rank)
            case ev.Took():
                self._counted = True
                del self.pile[-1:]
            case ev.Swapped():
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
            case ev.Discarded():
                self.pile.append(event.card.rank)
                if not self._counted:
                    self._out_of_stock(event.card.rank)
            case ev.Flipped():
                self._lost(Position(event.seat, event.slot))
            case ev.Peeked():
                for position in event.at:
                    if position.seat == event.seat:
                        self.looked[position] = event.seat
                if event.cards is not None:
                    self.known.update(zip(event.at, (card.rank for card in event.cards), strict=True))
            case ev.Switched():
                self._exchange(*event.at)
            case ev.Slammed(result=ev.SlamResult.HIT):
                self._lost(event.at)
                self.pile.append(event.card.rank)
            case ev.Slammed():
                self.known[event.at] = event.card.rank
            case ev.Penalized():
                if event.source is not None:
                    self._move(event.source, Position(event.seat, event.slot))
            case ev.Gave():
                self._move(Position(event.seat, event.slot), event.to)
            case ev.Reshuffled():
                self.stock = Counter(self.pile[:-1])
                self.pile = self.pile[-1:]
            case ev.Dealt():
                self.pile = [] if event.discard is None else [event.discard.rank]
            case ev.HoleStarted() | ev.HoleEnded():
                for facts in self._facts:
                    facts.clear()
                self.pile.clear()
                self.stock = None
                self._counted = False

    @property
    def _facts(self) -> tuple[dict[Position, Any], ...]:
        return self.known, self.kept, self.looked

    def _out_of_stock(self, rank: str) -> None:
        if self.stock is not None and self.stock[rank] > 0:
            self.stock[rank] -= 1

    def _lost(self, position: Position) -> None:
        for facts in self._facts:
            facts.pop(position, None)

    def _move(self, source: Position, target: Position) -> None:
        self._lost(target)
        self._exchange(source, target)

    def _exchange(self, first: Position, second: Position) -> None:
        for facts in self._facts:
            one, other = facts.pop(first, None), facts.pop(second, None)
            if one is not None:
                facts[second] = one
            if other is not None:
                facts[first] = other


class Pack(NamedTuple):
    """A deck by ranks, which are numbered in the order of ``ranks``; ``numbers`` has the number of each rank.

    ``values`` are the points of a card, and ``counts`` how many cards there are, both by a rank's number.
    """

    ranks: tuple[str, ...]
    values: tuple[int, ...]
    counts: tuple[int, ...]
    numbers: Mapping[str, int]

    @property
    def chances(self) -> list[float]:
        """The chance of each rank for a random card of the whole deck."""
        return [count / sum(self.counts) for count in self.counts]


@lru_cache(maxsize=64)
def pack_of(rules: RuleSet, seats: int) -> Pack:
    """Return the deck of a rule set for a number of seats."""
    counts = Counter(card.rank for card in rules.deck_for(seats))
    ranks = tuple(sorted(counts, key=lambda rank: (rules.values[rank], rank)))
    return Pack(
        ranks=ranks,
        values=tuple(rules.values[rank] for rank in ranks),
        counts=tuple(counts[rank] for rank in ranks),
        numbers=MappingProxyType({rank: number for number, rank in enumerate(ranks)}),
    )


def rank_text(text: str) -> str | None:
    """Return the rank in the text of a slot in a view, None if no card is shown."""
    card = CARDS.get(text.removeprefix("?"))
    return None if card is None else card.rank


UNKNOWN: Final = -1
"""A face-down card that the seat does not know."""
EMPTY: Final = -2
"""An empty slot."""
KEPT: Final = -3
"""A face-down card that its owner knows and has kept, and this seat does not know: it is likely to be low."""
LOCKED: Final = 32
"""Added to the rank of a card that can no longer be replaced; there are fewer ranks than this."""
RANK: Final = LOCKED - 1
"""The mask for the rank in the symbol of a known card."""

PICKY: Final = 0.4
"""How fast high cards become unlikely among kept cards: in each turn the weight of a card is divided by e to this power
for every ``mean`` points that it counts above the lowest card. Measured: in cactus, kept cards count 3.3 on average
after two turns, 2.2 after four, 0.8 after nine."""

Symbols = tuple[int, ...]
"""A layout: one symbol for each slot, in slot order."""


class SeatKnowledge:
    """What a seat knows at one time; ``down`` says for each seat which of its slots have a face-down card.

    ``own`` and ``own_down`` are for the seat's own layout. ``top`` and ``drawn`` are the ranks on top of the
    discard pile and of the card held, None if the seat knows of no such card. ``placed_mark`` and ``shown_mark`` are
    added to the rank of a card that is placed in a slot or turned up there.
    """

    def __init__(self, view: View, memory: Memory) -> None:
        assert view.seat is not None  # a watcher has no choices
        rules, seats = view.rules, len(view.layouts)
        self.view = view
        self.rules: RuleSet = rules
        self.seat: Seat = view.seat
        self.seats = seats
        self.others = [seat for seat in range(seats) if seat != view.seat]
        self.pack: Pack = pack_of(rules, seats)
        self.shown_mark = LOCKED if rules.lock else 0
        self.placed_mark = self.shown_mark if rules.placed is Placed.UP else 0
        self.top = None if view.discard is None else self.pack.numbers[view.discard.rank]
        self.drawn = None if view.drawn is None else self.pack.numbers[view.drawn.rank]
        self._memory = memory
        self.layouts: tuple[Symbols, ...] = tuple(
            [self._symbols(Seat(seat), slots) for seat, slots in enumerate(view.layouts)]
        )
        self.down: tuple[tuple[bool, ...], ...] = tuple(
            [tuple([text[0] == "?" for text in slots]) for slots in view.layouts]
        )
        self.own, self.own_down = self.layouts[view.seat], self.down[view.seat]

    def replaceable(self) -> list[int]:
        """Return the indexes of the seat's own slots in which a card may be placed."""
        return [i for i, symbol in enumerate(self.own) if symbol != EMPTY and symbol < LOCKED]

    def with_each_rank(self, symbols: Symbols, index: int) -> list[Symbols]:
        """Return the layouts that result from placing each rank in one slot of a layout."""
        mark = self.placed_mark
        return [replaced(symbols, index, rank + mark) for rank in range(len(self.pack.ranks))]

    def chances(self, symbol: int) -> list[float]:
        """Return the chance of each rank for an unknown symbol; an empty list for any other symbol."""
        return self.hidden if symbol == UNKNOWN else self.kept if symbol == KEPT else []

    @cached_property
    def unseen(self) -> list[int]:
        """For each rank, how many cards may still be in the stock or face down, as far as the seat knows."""
        left = list(self.pack.counts)
        for symbols in self.layouts:
            for symbol in symbols:
                if symbol >= 0:
                    left[symbol & RANK] -= 1
        numbers, pile = self.pack.numbers, self._memory.pile
        for rank in pile:
            left[numbers[rank]] -= 1
        if not pile and self.top is not None:
            left[self.top] -= 1
        if self.drawn is not None:
            left[self.drawn] -= 1
        return [max(0, count) for count in left]

    @cached_property
    def draws(self) -> list[float]:
        """For each rank, the chance that the next stock card has that rank."""
        return _chances(self._stock or self.unseen, self.pack)

    @cached_property
    def hidden(self) -> list[float]:
        """For each rank, the chance that an unknown face-down card has that rank."""
        stock, view = self._stock, self.view
        if stock is None:
            return self.draws
        # Others may have drawn cards from a known stock and placed them face down: any of its cards may be there.
        held = view.holding is not None and view.drawn is None
        placed = max(0, sum(stock) - view.stock - held) / max(1, sum(stock))
        return _chances(
            [max(0, here - there) + there * placed for here, there in zip(self.unseen, stock, strict=True)],
            self.pack,
        )

    @cached_property
    def kept(self) -> list[float]:
        """For each rank, the chance that a card kept by another seat has that rank; high ranks get less likely."""
        if self.mean <= 0:
            return self.hidden
        picky = PICKY * min(20, self.view.turns[self.seat]) / self.mean
        low = min(self.pack.values)
        liked = [exp(-picky * (value - low)) for value in self.pack.values]
        return _chances(list(map(mul, self.hidden, liked)), self.pack)

    @cached_property
    def mean(self) -> float:
        """The points that an unknown face-down card counts on average."""
        return float(sum(map(mul, self.hidden, self.pack.values)))

    @cached_property
    def _stock(self) -> list[int] | None:
        stock = self._memory.stock
        return None if stock is None else [stock[rank] for rank in self.pack.ranks]

    def _symbols(self, seat: Seat, slots: tuple[str, ...]) -> Symbols:
        numbers, known = self.pack.numbers, self._memory.known
        lock = self.shown_mark
        symbols: list[int] = []
        for number, text in enumerate(slots, 1):
            if text[0] == "?":
                at = Position(seat, number)
                rank = rank_text(text) or known.get(at)
                symbols.append(self._unknown(at) if rank is None else numbers[rank])
            elif text == EMPTY_TEXT:
                symbols.append(EMPTY)
            else:
                symbols.append(numbers[rank_text(text) or text] + lock)
        return tuple(symbols)

    def _unknown(self, at: Position) -> int:
        is_kept = at in self._memory.kept or self._memory.looked.get(at) == at.seat != self.seat
        return KEPT if is_kept else UNKNOWN


def replaced(symbols: Symbols, index: int, symbol: int) -> Symbols:
    """Return a layout with one slot changed."""
    return (*symbols[:index], symbol, *symbols[index + 1 :])


def _chances(counts: list[int] | list[float], pack: Pack) -> list[float]:
    """Return counts as chances, or the chances of the whole deck if all counts are zero."""
    whole = sum(counts)
    return [count / whole for count in counts] if whole > 0 else pack.chances
