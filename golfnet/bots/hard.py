"""The level ``hard``: plays for the result at the end of the hole, estimated from everything it has seen.

A unit is a part of a layout that scores independently. The values of small units are recalculated in each turn from the
cards still unseen. Those of larger units (a whole layout of four, columns of three) are calculated once from the whole
deck, except near the end of a hole with a fixed number of turns.

The evaluator estimates the chance of each number of turns that the seat may still have, and what each unit of its
layout will count after that many turns. The value of a layout is the mean over these numbers of turns. Other
seats' layouts are valued in the same way, and their points are subtracted with a weight, so that ending the hole is
good when the others would gain more from another turn. The evaluator also plans the best time to end the hole.
"""

from functools import cached_property, lru_cache
from math import inf
from operator import mul
from typing import Final

from golfnet.bots.action_values import HORIZON, ClosingCost, Evaluator, others_up, survival, turns_left
from golfnet.bots.bot import LEVELS
from golfnet.bots.medium import CalculatingBot
from golfnet.bots.seat_knowledge import EMPTY, LOCKED, SeatKnowledge, Symbols, pack_of
from golfnet.bots.unit_values import LayoutPartition, Unit, UnitValues
from golfnet.engine.rules import Penalty, RuleSet, SlamMode

AMBITION: Final = 1.0
"""The weight of the others' mean points is this divided by the number of seats; a seat's own points weigh 1."""

SHARED: Final = 0.6
"""The share of a seat's turns that each of two to four units gets; more than four units divide four such shares."""

DOUBLED: Final = 1.0
"""Points that knocking in a later turn is expected to cost under rules that double a high score (C9)."""


class HardEvaluator(Evaluator):
    """Values the layouts that a seat may have."""

    def __init__(self, knowledge: SeatKnowledge, unit_values: UnitValues, rivalry: float) -> None:
        super().__init__(knowledge, unit_values, rivalry)
        self._units = unit_values.partition.units
        self._last_turns = int(knowledge.rules.final_turn or knowledge.rules.knock)
        own = self._units(knowledge.own)
        self._share = 1.0 if len(own) < 2 else SHARED * min(1.0, 4 / len(own))
        self._plan(own)

    def ending(self, symbols: Symbols) -> float:
        """Return the points now and the cost of closing, less the weighted points of the others."""
        score = self.unit_values.points(symbols)
        return float(score + self._price.of(symbols, score) - self._others[self._last_turns])

    def continuing(self, symbols: Symbols, *, waits: bool) -> float:
        """Return the expected points at the end, less the weighted points of the others."""
        return self._outlook_now(waits=waits).points(symbols) - self._later

    def placed(self, index: int, face_down: int) -> list[float]:
        """Return the values of the layouts with each rank in one slot, if possible all at once."""
        if self.ends(face_down):
            return super().placed(index, face_down)
        outlook = self._outlook_now(waits=self.waits_for_others(face_down))
        return [points - self._later for points in outlook.placed(self.knowledge.own, index)]

    @cached_property
    def leaving(self) -> list[float]:
        """The weighted points that the next seat gains by taking a card instead of drawing, for each rank."""
        knowledge, outlook = self.knowledge, self._to_the_end
        seat = (knowledge.seat + 1) % knowledge.seats
        layout = knowledge.layouts[seat]
        slots = [i for i, symbol in enumerate(layout) if symbol != EMPTY and symbol < LOCKED]
        if seat == knowledge.view.closer or not slots:
            return [0.0] * len(knowledge.pack.ranks)
        draw = outlook.points(layout)
        taken = [min(each) for each in zip(*[outlook.placed(layout, index) for index in slots], strict=True)]
        drawn = sum([chance * min(draw, each) for chance, each in zip(knowledge.draws, taken, strict=True)])
        return [self.rivalry * max(0.0, drawn - each) for each in taken]

    def _plan(self, own: list[Unit]) -> None:
        """Plan when this seat ends the hole, and set the chance of each number of turns until then."""
        knowledge, last = self.knowledge, self._last_turns
        rounds = self._rounds = min(HORIZON, turns_left(knowledge))
        courses = [
            self._course(self._units(knowledge.layouts[seat]), rounds + last) for seat in knowledge.others
        ]
        self._others = [self.rivalry * sum(after) for after in zip(*courses, strict=True)]
        self.closed = [course[last] for course in courses]
        """What each other seat is expected to score if this one ends the hole now."""
        self._price = ClosingCost(knowledge, self.closed, last)
        lasts = survival(knowledge, [course[: rounds + 1] for course in courses])
        self.soon = 1 - lasts[1]
        """The chance that another seat begins to end the hole before this seat's next turn."""
        chances = [0.0] * (rounds + 1)
        for turns in range(rounds + 1):
            chances[min(turns + last, rounds)] += lasts[turns] - lasts[turns + 1]
        chances[rounds] += lasts[rounds + 1]
        end, others = self._best_end(own, chances)
        self._later = others
        self._to_the_end = self._outlook([*chances[:end], sum(chances[end:])])

    def _best_end(self, own: list[Unit], chances: list[float]) -> tuple[int, float]:
        """Return after how many turns to end the hole, and the others' weighted points at that time."""
        rounds, rules = self._rounds, self.knowledge.rules
        mine, theirs = self._course(own, rounds), self._others
        closes_in = max(1, sum(self.knowledge.own_down) - 1) if rules.closes_first else rounds
        soonest = 1 if rules.knock else closes_in
        best, plan = inf, (rounds, 0.0)
        for turns in range(min(soonest, rounds), rounds + 1):
            before, before_others = [sum(map(mul, chances[:turns], points)) for points in (mine, theirs)]
            rest = sum(chances[turns:])
            last = theirs[turns + self._last_turns] if turns < rounds else theirs[turns]
            worth = before + rest * mine[turns] - before_others - rest * last
            if turns < rounds and rules.penalty is Penalty.DOUBLE_OVER_FIVE:
                worth += rest * DOUBLED
            if worth < best - 1e-9:
                best, plan = worth, (turns, before_others + rest * last)
        return plan

    def _course(self, layout: list[Unit], turns: int) -> list[float]:
        course, share = self.unit_values.course, self._share
        nothing = [0.0] * (turns + 1)
        return list(map(sum, zip(nothing, *[course(unit, turns, share) for unit in layout], strict=True)))

    @cached_property
    def _to_all_up(self) -> "_Outlook":
        """The outlook if this seat has to wait until the others have turned up all their cards."""
        return self._outlook(others_up(self.knowledge, self._rounds))

    def _outlook(self, chances: list[float]) -> "_Outlook":
        """Return the outlook, given the chance of each number of turns for the seat; each unit gets a share of them."""
        levels = [0.0] * (int((len(chances) - 1) * self._share) + 2)
        for turns, chance in enumerate(chances):
            whole = int(turns * self._share)
            part = turns * self._share - whole
            levels[whole] += chance * (1 - part)
            levels[whole + 1] += chance * part
        return _Outlook(self.knowledge, self.unit_values, levels)

    def _outlook_now(self, *, waits: bool) -> "_Outlook":
        return self._to_all_up if waits else self._to_the_end


class _Outlook:
    """The expected points of layouts; ``chances`` are the chances that a unit gets 0, 1 … turns."""

    def __init__(self, knowledge: SeatKnowledge, unit_values: UnitValues, chances: list[float]) -> None:
        self._knowledge = knowledge
        self._unit_values = unit_values
        self._partition = unit_values.partition
        self._chances = [(turns, chance) for turns, chance in enumerate(chances) if chance]
        self._units: dict[Unit, float] = {}
        self._rows: dict[Unit, list[float]] = {}

    def points(self, symbols: Symbols) -> float:
        """Return the expected points of a layout."""
        return self._sum(self._partition.units(symbols))

    def placed(self, symbols: Symbols, index: int) -> list[float]:
        """Return the expected points of a layout for each rank that may be placed in one slot."""
        apart = self._partition.apart(symbols, index)
        if apart is None:
            return list(map(self.points, self._knowledge.with_each_rank(symbols, index)))
        rest, others = apart
        row = self._rows.get(rest)
        if row is None:
            rows = [
                [chance * value for value in self._unit_values.row(rest, turns)]
                for turns, chance in self._chances
            ]
            row = self._rows[rest] = list(map(sum, zip(*rows, strict=True)))
        points = self._sum(others)
        return [points + value for value in row]

    def _sum(self, units: list[Unit]) -> float:
        total, value = 0.0, self._unit_values.value
        for unit in units:
            points = self._units.get(unit)
            if points is None:
                points = self._units[unit] = sum(
                    [chance * value(unit, turns) for turns, chance in self._chances]
                )
            total += points
        return total


SMALL: Final = 2
"""Maximum number of slots in a unit whose values can be recalculated fast enough in each turn."""
FEW_TURNS: Final = 3
"""With at most this many turns left, the values of large units are recalculated exactly, too."""
TILT: Final = 0.8
"""How strongly discards are assumed to be high cards: with 0 not at all; with 1 low cards are hardly discarded."""
SLAMMED: Final = 0.9
"""Chance that this seat is the one to slam a card it knows when a card of the same rank is discarded."""

CACHED_VALUES: Final = 16
"""Maximum number of rule sets whose values from the whole deck are cached: each takes a few megabytes when used."""


class HardBot(CalculatingBot[HardEvaluator]):
    """Values layouts by the expected result of the hole."""

    traits = LEVELS["hard"]
    evaluators = HardEvaluator
    _unit_values: tuple[object, UnitValues] | None = None

    def rivalry(self, knowledge: SeatKnowledge) -> float:
        """Return the weight of another seat's score, which is the same for every other seat."""
        return AMBITION / knowledge.seats / len(knowledge.others)

    def unit_values(self, knowledge: SeatKnowledge) -> UnitValues:
        """Return values from the cards still unseen, or from the whole deck."""
        rules, view = knowledge.rules, knowledge.view
        had = view.turns[knowledge.seat]
        last = rules.lock and rules.turns is not None and rules.turns - had <= FEW_TURNS
        if LayoutPartition(rules).largest > SMALL and not last:
            return _from_whole_deck(rules, knowledge.seats)
        moment = (view.hole, had, view.reshuffles_left)
        if self._unit_values is None or self._unit_values[0] != moment:
            self._unit_values = (
                moment,
                _unit_values(
                    rules, knowledge.seats, knowledge.draws, hidden=knowledge.hidden, kept=knowledge.kept
                ),
            )
        return self._unit_values[1]


@lru_cache(CACHED_VALUES)
def _from_whole_deck(rules: RuleSet, seats: int) -> UnitValues:
    return _unit_values(rules, seats, pack_of(rules, seats).chances)


def _unit_values(rules: RuleSet, seats: int, draws: list[float], **unseen: list[float]) -> UnitValues:
    pack = pack_of(rules, seats)
    offers = _offers(draws)
    slams = None if rules.slam is SlamMode.OFF else [SLAMMED * (1 - (1 - offer) ** seats) for offer in offers]
    return UnitValues(rules, pack, draws=draws, offers=offers, slams=slams, **unseen)


def _offers(draws: list[float]) -> list[float]:
    """Return, for each rank in order of points, the chance that it is the top discard when a turn starts."""
    offers, below = [], 0.0
    for chance in draws:
        offers.append(chance * (1 - TILT + 2 * TILT * (below + chance / 2)))
        below += chance
    return offers
