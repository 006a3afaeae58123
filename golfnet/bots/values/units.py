"""Partition a layout into units that score independently: columns, single slots, or the whole of a small layout.

Where equal ranks cancel anywhere and the layout is too large for one unit, equal cards are put together first, so that
the partition loses as little as possible. A unit is a sorted tuple of symbols: the order of its cards does not matter.
"""

from typing import Final

from golfnet.bots.knowledge.seat_knowledge import EMPTY, RANK, Symbols
from golfnet.engine.layout import column_slots
from golfnet.engine.rules import Cancel, RuleSet, SlamMode

Unit = tuple[int, ...]
Groups = tuple[tuple[int, ...], ...]

MOST: Final = 4
"""The most slots in a unit: fourteen symbols in four slots make 2,380 units, in five 8,568."""


class LayoutPartition:
    """Partitions the layouts of one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._groups: dict[int, Groups | None] = {}
        fixed = _groups(rules, rules.slots)
        grows = rules.slam is not SlamMode.OFF and rules.cancel in (Cancel.ANYWHERE, Cancel.ALL)
        self.largest = MOST if fixed is None or grows else len(fixed[0])
        """Slots in the largest unit there can be."""

    def units(self, symbols: Symbols) -> list[Unit]:
        """Return a layout as units."""
        if self.largest == 1:
            return [(symbol,) for symbol in symbols]
        slots = len(symbols)
        if slots not in self._groups:
            self._groups[slots] = _groups(self._rules, slots)
        fixed = self._groups[slots]
        if fixed is None:
            return _alike(symbols)
        return [tuple(sorted([symbols[index] for index in group])) for group in fixed]


def _groups(rules: RuleSet, slots: int) -> Groups | None:
    """Return the indexes of each unit in a layout with ``slots`` slots, None where they depend on the cards."""
    if rules.cancel in (Cancel.ANYWHERE, Cancel.ALL):
        return (tuple(range(slots)),) if slots <= MOST else None
    if rules.cancel is Cancel.NONE or rules.rows == 1:
        return tuple((index,) for index in range(slots))
    columns = tuple(tuple(slot - 1 for slot in column) for column in column_slots(rules.rows, rules.columns))
    return (*columns, *((index,) for index in range(rules.slots, slots)))


def _alike(symbols: Symbols) -> list[Unit]:
    """Partition a layout where equal ranks cancel anywhere: equal ranks together, then the singles, lowest first."""
    equal: dict[int, list[int]] = {}
    singles: list[int] = []
    for symbol in symbols:
        if symbol >= 0:
            equal.setdefault(symbol & RANK, []).append(symbol)
        elif symbol != EMPTY:
            singles.append(symbol)
    alike = [same for same in equal.values() if len(same) > 1]
    singles = (
        sorted([same[0] for same in equal.values() if len(same) == 1], key=lambda symbol: symbol & RANK)
        + singles
    )
    return [
        tuple(sorted(cards[at : at + MOST]))
        for cards in (*alike, singles)
        for at in range(0, len(cards), MOST)
    ]
