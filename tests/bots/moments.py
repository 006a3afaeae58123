"""Moments of random play, each with what the engine knows and what a seat makes of it: for tests to compare the two."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from golfnet.bots.memory import Memory
from golfnet.bots.reading import Reading
from golfnet.engine.hole import Hole, Phase
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited
from golfnet.engine.views import View, mask, view
from tests.engine.random_play import play_match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.engine.match import Match
    from golfnet.engine.rules import RuleSet


class Moment(NamedTuple):
    """A hole in play as one seat sees it; the memory is of that moment, so use it before the next one."""

    match: Match
    hole: Hole
    seat: Seat
    view: View
    memory: Memory

    @property
    def reading(self) -> Reading:
        """What the seat reads, forgetting nothing."""
        return Reading(self.view, self.memory)

    @property
    def is_asked(self) -> bool:
        """Whether the seat is asked for a choice, other than to slam or to pass."""
        return self.view.phase is not Phase.SLAM and self.seat in awaited(self.hole)


def moments(rules: RuleSet, seats: int, seed: str, *, holes: int = 1) -> Iterator[Moment]:
    """Yield what every seat sees after every step of random play, forgetting nothing."""
    rules = rules.for_seats(seats)
    memories = [Memory(rules, Random(seed), recall=1.0) for _ in range(seats)]
    for step in play_match(rules, seats, Random(seed), holes=holes):
        for event in step.events:
            for seat, memory in enumerate(memories):
                memory.observe(mask(event, Seat(seat)))
        hole = step.after.hole
        if hole is None or not step.after.is_playing:
            continue
        for seat, memory in enumerate(memories):
            yield Moment(step.after, hole, Seat(seat), view(hole, Seat(seat)), memory)
