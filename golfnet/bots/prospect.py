"""How the level ``hard`` judges: by what the hole will have come to when it ends.

For every number of turns the seat may still have there is a chance that the others leave it so many, and for every
unit of its layout a value after so many turns; the worth of a layout is the mean. The others' layouts have values in
the same way: their points count against the own ones, so it pays to end the hole when they have more to gain from
another turn. When that will be is planned here too.
"""

from operator import mul
from typing import Final

from golfnet.bots import race
from golfnet.bots.closing import ClosingPrice
from golfnet.bots.outlook import Outlook
from golfnet.bots.reading import EMPTY, LOCKED, Reading, Symbols, replaced
from golfnet.bots.units import LayoutPartition, Unit
from golfnet.engine.rules import FaceUp, Penalty

AMBITION: Final = 1.0
"""Weight of the others' mean against the own points, times the number of seats: 1 is half against half with two."""

SHARED: Final = 0.6
"""The part of its seat's turns that one of two to four units can count on; more units share as much as four."""

DOUBLED: Final = 1.0
"""Points that knocking in a later turn is expected to cost where a high score is doubled (C9)."""


class Prospect:
    """Judges the layouts that the seat of one reading may come to."""

    def __init__(self, reading: Reading, outlook: Outlook, cut: LayoutPartition) -> None:
        self.reading = reading
        self.outlook = outlook
        self._units = cut.units
        self._rules = rules = reading.rules
        self.rivalry = AMBITION / reading.seats / len(reading.others)
        self._last_turns = int(rules.final_turn or rules.knock)
        own = self._units(reading.own)
        self._share = 1.0 if len(own) < 2 else SHARED * min(1.0, 4 / len(own))
        self._unsettled = rules.face_up is FaceUp.EVERY and not rules.final_turn
        self._ends = race.ends_with_first(rules) or self._unsettled
        self._plan(own)
        self._worths: tuple[dict[Unit, float], dict[Unit, float]] = ({}, {})

    def layout(self, symbols: Symbols, face_down: int) -> float:
        """Return the points to expect at the end, less the others' by their weight."""
        if face_down or not self._ends or self.reading.view.closer is not None:
            return self._going_on(symbols, self._chances, self._worths[0])
        if self._unsettled and any([any(self.reading.down[seat]) for seat in self.reading.others]):
            return self._going_on(
                symbols, self._levels(race.others_up(self.reading, self._rounds)), self._worths[1]
            )
        return self._ending(symbols)

    def knocking(self) -> float:
        """Return the same for ending the hole with the layout as it is."""
        return self._ending(self.reading.own)

    def discards(self) -> list[float]:
        """Return what the next seat gains by taking each rank rather than drawing, by the weight of its points."""
        reading = self.reading
        seat = (reading.seat + 1) % reading.seats
        if seat == reading.view.closer:
            return [0.0] * len(reading.pack.ranks)
        best = [self._worth_of(reading.layouts[seat])] * len(reading.pack.ranks)
        draw = list(best)
        taken: list[float] | None = None
        for index, symbol in enumerate(reading.layouts[seat]):
            if symbol != EMPTY and symbol < LOCKED:
                row = self._placed(reading.layouts[seat], index)
                taken = row if taken is None else list(map(min, taken, row))
        if taken is None:
            return [0.0] * len(draw)
        drawn = sum(map(mul, reading.draws, map(min, draw, taken)))
        return [self.rivalry * max(0.0, drawn - each) for each in taken]

    def _placed(self, symbols: Symbols, index: int) -> list[float]:
        mark = self.reading.placed_mark
        return [
            self._worth_of(replaced(symbols, index, rank + mark))
            for rank in range(len(self.reading.pack.ranks))
        ]

    def _worth_of(self, symbols: Symbols) -> float:
        return self._worth(symbols, self._chances, self._worths[0])

    def _plan(self, own: list[Unit]) -> None:
        """Set the chances of each number of turns, counting with the best moment to end the hole oneself."""
        reading, last = self.reading, self._last_turns
        rounds = self._rounds = min(race.HORIZON, race.turns_left(reading))
        between, share = self.outlook.between, self._share
        courses = [
            [sum([between(unit, turns * share) for unit in layout]) for turns in range(rounds + last + 1)]
            for layout in [self._units(reading.layouts[seat]) for seat in reading.others]
        ]
        self._others = [self.rivalry * sum(after) for after in zip(*courses, strict=True)]
        self._price = ClosingPrice(reading, [course[last] for course in courses], last)
        goes_on = race.survival(reading, [course[: rounds + 1] for course in courses])
        chances = [0.0] * (rounds + 1)
        for turns in range(rounds + 1):
            chances[min(turns + last, rounds)] += goes_on[turns] - goes_on[turns + 1]
        chances[rounds] += goes_on[rounds + 1]
        end, others = self._moment(own, chances)
        self._later = others
        self._chances = self._levels([*chances[:end], sum(chances[end:])])

    def _moment(self, own: list[Unit], chances: list[float]) -> tuple[int, float]:
        """Return after how many turns to end the hole, and what the others' points then weigh."""
        rounds, rules = self._rounds, self._rules
        between, share, theirs = self.outlook.between, self._share, self._others
        mine = [sum([between(unit, turns * share) for unit in own]) for turns in range(rounds + 1)]
        soonest = rounds
        if race.ends_with_first(rules):
            soonest = max(1, sum(self.reading.own_down) - 1)
        if rules.knock:
            soonest = 1
        best, plan = 0.0, None
        before = before_others = 0.0
        for turns in range(rounds + 1):
            if turns >= min(soonest, rounds):
                rest = sum(chances[turns:])
                last = theirs[turns + self._last_turns] if turns < rounds else theirs[turns]
                worth = before + rest * mine[turns] - before_others - rest * last
                if turns < rounds and self._rules.penalty is Penalty.DOUBLE_OVER_FIVE:
                    worth += rest * DOUBLED
                if plan is None or worth < best - 1e-9:
                    best, plan = worth, (turns, before_others + rest * last)
            before += chances[turns] * mine[turns]
            before_others += chances[turns] * theirs[turns]
        if plan is None:
            raise AssertionError("there is always the plan to go on to the end")
        return plan

    def _levels(self, chances: list[float]) -> list[float]:
        """Return chances by a seat's turns as chances by a unit's, which are fewer."""
        levels = [0.0] * (int((len(chances) - 1) * self._share) + 2)
        for turns, chance in enumerate(chances):
            whole = int(turns * self._share)
            part = turns * self._share - whole
            levels[whole] += chance * (1 - part)
            levels[whole + 1] += chance * part
        return levels

    def _worth(self, symbols: Symbols, chances: list[float], worths: dict[Unit, float]) -> float:
        total, value = 0.0, self.outlook.value
        for unit in self._units(symbols):
            worth = worths.get(unit)
            if worth is None:
                worth = worths[unit] = sum(
                    [chance * value(unit, turns) for turns, chance in enumerate(chances) if chance]
                )
            total += worth
        return total

    def _going_on(self, symbols: Symbols, chances: list[float], worths: dict[Unit, float]) -> float:
        return self._worth(symbols, chances, worths) - self._later

    def _ending(self, symbols: Symbols) -> float:
        score = sum([self.outlook.value(unit, 0) for unit in self._units(symbols)])
        return float(score + self._price.of(symbols, score) - self._others[self._last_turns])
