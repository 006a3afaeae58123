"""The points that a unit is expected to count after some more turns: dynamic programming over draws.

A unit is a part of a layout that scores independently. In a turn, the top discard may be placed in it; otherwise a
stock card is drawn, and may be placed or discarded. After a discard another card may be turned up, if the rules allow
it. Under rules with slams, a known card may disappear between two turns. Draws are independent, with the given chances.
A value assumes the best play for one unit alone; if several units share the turns, callers pass fewer turns.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter, mul
from typing import Final, NamedTuple, Self

from golfnet.bots.seat_knowledge import EMPTY, KEPT, LOCKED, RANK, UNKNOWN, Pack, Symbols
from golfnet.engine.cards import column_slots
from golfnet.engine.rules import Cancel, Placed, RuleSet, SlamMode

Unit = tuple[int, ...]
Groups = tuple[tuple[int, ...], ...]

MOST: Final = 4
"""Maximum slots in a unit: with fourteen symbols, there are 2,380 units of four slots and 8,568 of five."""

CACHED_UNITS: Final = 20_000
"""Maximum units in each cache of units; a full cache takes less than ten megabytes."""


class LayoutPartition:
    """Partitions the layouts of one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._fixed: dict[int, _FixedUnits | None] = {}
        fixed = _groups(rules, rules.slots)
        grows = rules.slam is not SlamMode.OFF and rules.cancel in (Cancel.ANYWHERE, Cancel.ALL)
        self.largest = MOST if fixed is None or grows else len(fixed[0])
        """Slots in the largest possible unit."""

    def units(self, symbols: Symbols) -> list[Unit]:
        """Return the units of a layout."""
        if self.largest == 1:
            return [(symbol,) for symbol in symbols]
        slots = len(symbols)
        if slots not in self._fixed:
            groups = _groups(self._rules, slots)
            self._fixed[slots] = None if groups is None else _FixedUnits.of(groups)
        fixed = self._fixed[slots]
        return _alike(symbols) if fixed is None else [_sorted(pick(symbols)) for pick in fixed.pickers]

    def apart(self, symbols: Symbols, index: int) -> tuple[Unit, list[Unit]] | None:
        """Return the unit that a slot belongs to, without the card in the slot, and the other units.

        Return None if the slots of a unit depend on that card.
        """
        units = self.units(symbols)
        at: int | None = index
        if self.largest > 1:
            fixed = self._fixed[len(symbols)]
            at = fixed and fixed.unit_at[index]
        return None if at is None else (_without(units.pop(at), symbols[index]), units)


class _FixedUnits(NamedTuple):
    """Units that consist of the same slots whatever cards lie there."""

    pickers: list[Callable[[Symbols], Unit]]
    """For each unit, a function that picks its symbols."""
    unit_at: dict[int, int]
    """The number of the unit that each slot belongs to; both count from 0."""

    @classmethod
    def of(cls, groups: Groups) -> Self:
        unit_at = {index: number for number, group in enumerate(groups) for index in group}
        return cls(list(map(_picker, groups)), unit_at)


def _picker(group: tuple[int, ...]) -> Callable[[Symbols], Unit]:
    """Return a function that picks the symbols at these indexes, always as a tuple."""
    return itemgetter(*group) if len(group) > 1 else itemgetter(slice(group[0], group[0] + 1))


@lru_cache(CACHED_UNITS)
def _sorted(symbols: Symbols) -> Unit:
    return tuple(sorted(symbols))


def _groups(rules: RuleSet, slots: int) -> Groups | None:
    """Return the indexes of each unit in a layout with ``slots`` slots, None if they depend on the cards."""
    if rules.cancel in (Cancel.ANYWHERE, Cancel.ALL):
        return (tuple(range(slots)),) if slots <= MOST else None
    if rules.cancel is Cancel.NONE or rules.rows == 1:
        return tuple((index,) for index in range(slots))
    columns = tuple(tuple(slot - 1 for slot in column) for column in column_slots(rules.rows, rules.columns))
    return (*columns, *((index,) for index in range(rules.slots, slots)))


def _alike(symbols: Symbols) -> list[Unit]:
    """Partition a layout if equal ranks cancel anywhere: equal ranks together, then the singles, lowest first."""
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


Chances = Sequence[float]
"""One number per rank."""

CACHED_KINDS: Final = 8
"""Maximum kinds of rules for which the points of known units are cached; each takes a few megabytes at most."""


class UnitValues:
    """Expected points of units by the number of turns left.

    The chances are by rank: ``draws`` for a stock card, ``offers`` for the top discard, ``hidden`` and ``kept`` for
    face-down cards (``UNKNOWN`` and ``KEPT``), by default all the same. ``slams`` are the chances, by rank, that a
    known card can be slammed between two turns; None if no card can.
    """

    def __init__(
        self,
        rules: RuleSet,
        pack: Pack,
        *,
        draws: Chances,
        offers: Chances | None = None,
        hidden: Chances | None = None,
        kept: Chances | None = None,
        slams: Chances | None = None,
    ) -> None:
        self.partition = LayoutPartition(rules)
        self._values = pack.values
        self._ranks = range(len(pack.values))
        self._draws = draws
        self._offers = offers or draws
        self._unseen = {UNKNOWN: hidden or draws, KEPT: kept or draws}
        self._slams = slams
        self._mark = LOCKED if rules.lock and rules.placed is Placed.UP else 0
        self._shown = LOCKED if rules.lock else 0
        self._known_points = _known_points(rules.cancel, pack.values)
        self._flip = rules.flip
        self._cancel = rules.cancel
        # Bots in two threads may share these values: no step depends on what an earlier one has filled in.
        self._later: defaultdict[int, dict[Unit, float]] = defaultdict(dict)
        self._rows: defaultdict[int, dict[Unit, list[float]]] = defaultdict(dict)
        self._courses: dict[tuple[Unit, int, float], list[float]] = {}

    def points(self, symbols: Symbols, turns: float = 0) -> float:
        """Return the expected points of a layout if each of its units gets ``turns`` more turns."""
        return sum([self.between(unit, turns) for unit in self.partition.units(symbols)])

    def value(self, unit: Unit, turns: int) -> float:
        """Return the expected points of a unit after ``turns`` more turns."""
        value = self._later[turns].get(unit)
        if value is None:
            value = self._later[turns][unit] = self._best(unit, turns - 1) if turns else self._now(unit)
        return value

    def between(self, unit: Unit, turns: float) -> float:
        """Return the value for a number of turns that may be a fraction."""
        whole = int(turns)
        part = turns - whole
        value = self.value(unit, whole)
        return value if part < 0.001 else value + part * (self.value(unit, whole + 1) - value)

    def course(self, unit: Unit, turns: int, share: float) -> list[float]:
        """Return the values after 0, 1 … ``turns`` turns of the seat; the unit gets this share of those turns."""
        key = unit, turns, share
        course = self._courses.get(key)
        if course is None:
            course = self._courses[key] = [self.between(unit, had * share) for had in range(turns + 1)]
        return course

    def row(self, rest: Unit, turns: int) -> list[float]:
        """Return the values of a unit with one card missing, for each rank that may be placed there."""
        row = self._rows[turns].get(rest)
        if row is None:
            if turns == 0:
                row = self._row_now(rest)
            else:
                known = self._later[turns].get
                row = [
                    self.value(unit, turns) if (value := known(unit)) is None else value
                    for unit in _placed(rest, self._mark, len(self._ranks))
                ]
            self._rows[turns][rest] = row
        return row

    def _now(self, unit: Unit) -> float:
        for symbol, chances in self._unseen.items():
            if symbol in unit:
                return float(sum(map(mul, chances, self._row_now(_without(unit, symbol)))))
        last = unit[-1]
        return 0.0 if last < 0 else self.row(unit[:-1], 0)[last & RANK]

    def _row_now(self, rest: Unit) -> list[float]:
        for symbol, chances in self._unseen.items():
            if symbol in rest:
                less = _without(rest, symbol)
                rows = zip(*[self.row(_with(less, rank), 0) for rank in self._ranks], strict=True)
                return [sum(map(mul, chances, row)) for row in rows]
        row = self._known_points.get(rest)
        if row is None:
            ranks = [symbol & RANK for symbol in rest if symbol >= 0]
            row = self._known_points[rest] = [
                _points(self._cancel, self._values, [*ranks, rank], len(rest) + 1) for rank in self._ranks
            ]
        return row

    def _best(self, unit: Unit, turns: int) -> float:
        """Return the value of a unit before a turn; ``turns`` are left after it."""
        refused = self.value(unit, turns)
        if self._flip and UNKNOWN in unit:
            rest, mark = _without(unit, UNKNOWN), self._shown
            shown = [self.value(_with(rest, rank + mark), turns) for rank in self._ranks]
            refused = min(refused, sum(map(mul, self._unseen[UNKNOWN], shown)))
        rests = _rests(unit)
        if not rests:
            return refused
        rows = [self.row(rest, turns) for rest in rests]
        placed = list(map(min, *rows)) if len(rows) > 1 else rows[0]
        # min() would cost a call per number, in the innermost loop.
        drawn = sum(map(mul, self._draws, [each if each < refused else refused for each in placed]))  # noqa: FURB136
        value = sum(map(mul, self._offers, [each if each < drawn else drawn for each in placed]))  # noqa: FURB136
        return value if self._slams is None else self._slammed(unit, turns, value, self._slams)

    def _slammed(self, unit: Unit, turns: int, value: float, slams: Chances) -> float:
        slammed = 0.0
        for symbol in unit:
            if 0 <= symbol < LOCKED:
                empty = self.value(_with(_without(unit, symbol), EMPTY), turns)
                slammed += slams[symbol] * max(0.0, value - empty)
        return value - slammed


@lru_cache(CACHED_KINDS)
def _known_points(cancel: Cancel, values: Sequence[int]) -> dict[Unit, list[float]]:
    """Return the cache, shared by all ``UnitValues`` of one kind, for what units of known cards count."""
    return {}


@lru_cache(CACHED_UNITS)
def _placed(rest: Unit, mark: int, ranks: int) -> list[Unit]:
    """Return the units that result from placing each rank, with a mark, in a unit with one card missing."""
    return [_with(rest, rank + mark) for rank in range(ranks)]


@lru_cache(CACHED_UNITS)
def _rests(unit: Unit) -> list[Unit]:
    """Return the units that result from removing one of the cards that may be replaced."""
    return list({_without(unit, symbol) for symbol in unit if symbol < LOCKED and symbol != EMPTY})


def _with(rest: Unit, symbol: int) -> Unit:
    return tuple(sorted((*rest, symbol)))


def _without(unit: Unit, symbol: int) -> Unit:
    at = unit.index(symbol)
    return unit[:at] + unit[at + 1 :]


def _points(cancel: Cancel, values: Sequence[int], ranks: list[int], size: int) -> float:
    """Return the points of a unit's known ranks; ``size`` includes its empty slots."""
    counts = {rank: ranks.count(rank) for rank in ranks}
    match cancel:
        case Cancel.COLUMN if 1 < len(ranks) == size and len(counts) == 1:
            return 0.0
        case Cancel.ANYWHERE:
            counts = {rank: count if count < 2 else count - 2 for rank, count in counts.items()}
        case Cancel.ALL:
            counts = {rank: count for rank, count in counts.items() if count == 1}
    return float(sum([values[rank] * count for rank, count in counts.items()]))
