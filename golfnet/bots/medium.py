"""The level ``medium``: weighs every choice by expected points, from the cards it has seen.

It looks no further than its next turn. It closes when it then leads by more than it would lead after one more turn of
everybody's, as far as it can tell.
"""

from functools import cached_property
from random import Random
from typing import Final

from golfnet.bots.bot import LEVELS
from golfnet.bots.calculating import CalculatingBot
from golfnet.bots.outlook import Outlook
from golfnet.bots.race import ends_with_first, turns_left
from golfnet.bots.reading import UNKNOWN, Reading, Symbols
from golfnet.bots.units import LayoutPartition
from golfnet.engine.rules import FaceUp, Penalty, RuleSet

SOON: Final = 1
"""Turns to look ahead, while there are any: each unit is taken to have its next turn to itself."""

UNSURE: Final = 0.2
"""Points that it is worth to know a card of the own layout."""

RIVALRY: Final = 0.7
"""What a point of all other seats together is worth in own points, or one of the lowest of them to a closer."""

LAST_TURN: Final = 0.5
"""How much of a last turn each unit of another seat is taken to have."""

SAFE: Final = 3.0
"""Expected points with which knocking is taken not to be doubled: some of the cards may be unknown (C9)."""


class MediumBot(CalculatingBot):
    """Judges by the points that count if the hole ends after this turn."""

    def __init__(self, rules: RuleSet, chance: Random) -> None:
        super().__init__(rules, LEVELS["medium"], chance)

    def judge(self, reading: Reading) -> "Present":
        """Judge by expected points."""
        return Present(reading, self.outlook(reading), self.cut, self.rivalry(reading))

    def outlook(self, reading: Reading) -> Outlook:
        """Return the points of units as the unseen cards are now."""
        return Outlook(
            reading.rules,
            reading.pack,
            draws=reading.draws,
            offers=reading.draws,
            hidden=reading.hidden,
            kept=reading.kept,
            slams=None,
        )

    def rivalry(self, reading: Reading) -> float:
        """Weigh each other seat alike."""
        return RIVALRY / len(reading.others)


class Present:
    """Judges layouts by what they are expected to count now."""

    def __init__(self, reading: Reading, outlook: Outlook, cut: LayoutPartition, rivalry: float) -> None:
        self.reading = reading
        self.outlook = outlook
        self.rivalry = rivalry
        self._units = cut.units
        self._soon = min(SOON, turns_left(reading))
        others_up = not any([any(reading.down[seat]) for seat in reading.others])
        self._ends = reading.view.closer is None and (
            ends_with_first(reading.rules) or (reading.rules.face_up is FaceUp.EVERY and others_up)
        )

    def layout(self, symbols: Symbols, face_down: int) -> float:
        """Return the expected points after the next turn; now, where nothing lies face down and that ends the hole."""
        if face_down == 0 and self._ends:
            return self._ending(symbols)
        points = self._points(symbols, self._soon) + UNSURE * symbols.count(UNKNOWN)
        return points - RIVALRY * self._lowest_soon

    def knocking(self) -> float:
        """Return what closing with the layout as it is would come to."""
        return self._ending(self.reading.own)

    def discards(self) -> list[float]:
        """Return no cost: what the next seat can use is its own affair."""
        return [0.0] * len(self.reading.pack.ranks)

    def _points(self, symbols: Symbols, turns: float = 0.0) -> float:
        return sum([self.outlook.between(unit, turns) for unit in self._units(symbols)])

    def _lowest_after(self, turns: float) -> float:
        """Return the expected points of the lowest other layout."""
        return min([self._points(self.reading.layouts[seat], turns) for seat in self.reading.others])

    @cached_property
    def _lowest_soon(self) -> float:
        return self._lowest_after(self._soon)

    @cached_property
    def _lowest_closed(self) -> float:
        rules = self.reading.rules
        return self._lowest_after(LAST_TURN if rules.final_turn or rules.knock else 0.0)

    def _ending(self, symbols: Symbols) -> float:
        """Return what it is worth to close with a layout, any price of that included (C9, G4)."""
        points = self._points(symbols)
        penalty = self.reading.rules.penalty
        price = 0.0
        if penalty is Penalty.DOUBLE_OVER_FIVE:
            price = points if points > SAFE else 0.0
        elif points > self._lowest_closed:
            price = {Penalty.NONE: 0.0, Penalty.FIVE: 5.0, Penalty.TEN: 10.0}.get(penalty, max(0.0, points))
        return points + price - RIVALRY * self._lowest_closed
