"""The level ``medium``: weighs every choice by expected points, from the cards it has seen.

It looks no further than its next turn. It closes when that lowers its points by more than going on does, each point
of its lead over the lowest other layout counting like one of its own.
"""

from functools import cached_property
from random import Random
from typing import Final

from golfnet.bots.bot import LEVELS
from golfnet.bots.calculating import CalculatingBot
from golfnet.bots.outlook import Outlook
from golfnet.bots.race import ends_with_first, turns_left
from golfnet.bots.reading import UNKNOWN, Reading, Symbols
from golfnet.bots.units import Cut
from golfnet.engine.rules import FaceUp, Penalty, RuleSet

NEXT_TURN: Final = 0.5
"""How much of what the next turn may make of a unit counts, while there is a next turn."""

UNSURE: Final = 0.3
"""Points that it is worth to know a card of the own layout."""

RIVALRY: Final = 0.5
"""What a point of all other seats together is worth in own points."""


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

    def __init__(self, reading: Reading, outlook: Outlook, cut: Cut, rivalry: float) -> None:
        self.reading = reading
        self.outlook = outlook
        self.rivalry = rivalry
        self._units = cut.units
        self._turns = NEXT_TURN if turns_left(reading) else 0.0
        others_up = not any([any(reading.down[seat]) for seat in reading.others])
        self._ends = reading.view.closer is None and (
            ends_with_first(reading.rules) or (reading.rules.face_up is FaceUp.EVERY and others_up)
        )

    def layout(self, symbols: Symbols, face_down: int) -> float:
        """Return the expected points, and what it is worth to end the hole where nothing lies face down any more."""
        if face_down == 0 and self._ends:
            return self._ending(self._points(symbols))
        points = sum([self.outlook.between(unit, self._turns) for unit in self._units(symbols)])
        return points + UNSURE * symbols.count(UNKNOWN)

    def knocking(self) -> float:
        """Return the same for the layout as it is."""
        return self._ending(self._points(self.reading.own))

    def discards(self) -> list[float]:
        """Return no cost: what the next seat can use is its own affair."""
        return [0.0] * len(self.reading.pack.ranks)

    def _points(self, symbols: Symbols) -> float:
        return sum([self.outlook.value(unit, 0) for unit in self._units(symbols)])

    @cached_property
    def _lowest(self) -> float:
        """The expected points of the lowest other layout."""
        return min([self._points(self.reading.layouts[seat]) for seat in self.reading.others])

    def _ending(self, points: float) -> float:
        """Return what it is worth to close with so many points, any penalty included (C9, G4)."""
        lead = self._lowest - points
        penalty = self.reading.rules.penalty
        price = 0.0
        if penalty is Penalty.DOUBLE_OVER_FIVE:
            price = points if points > 5 else 0.0
        elif lead < 0:
            price = {Penalty.NONE: 0.0, Penalty.FIVE: 5.0, Penalty.TEN: 10.0}.get(penalty, max(0.0, points))
        return points + price - lead
