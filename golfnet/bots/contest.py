"""Holes played by bots without a clock: whole holes, and playouts from the middle of a hole."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random

from golfnet.bots.bot import BotPlayer
from golfnet.engine import match as matches
from golfnet.engine.actions import Action
from golfnet.engine.cards import Seat
from golfnet.engine.events import Event
from golfnet.engine.hole import Hole, changed
from golfnet.engine.legality import awaited
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import mask, view


class Contest:
    """A match between bots, one for each seat."""

    def __init__(self, rules: RuleSet, players: Sequence[BotPlayer], chance: Random) -> None:
        self._players = players
        self._chance = chance
        # A shuffle depends on the players' names, but here it must not depend on which bots play.
        names = tuple(f"seat-{seat + 1}" for seat in range(len(players)))
        self.match = matches.Match("m1")
        self._apply(matches.start(self.match, rules, names))

    def play_hole(self) -> tuple[int, ...]:
        """Play the next hole to its end and return its scores by seat."""
        self._apply(matches.commit(self.match, self._chance.randbytes(32)))
        self._apply(matches.deal(self.match, ("",) * len(self._players)))
        return self._finish()

    def _finish(self) -> tuple[int, ...]:
        while self.match.is_playing:
            self._step(self.hole)
        return self.match.scores[-1]

    @property
    def hole(self) -> Hole:
        """The hole in play."""
        assert self.match.hole is not None
        return self.match.hole

    def _step(self, hole: Hole) -> None:
        if hole.window is not None and hole.gift is None:
            self._slams()
            hole = self.hole
            if hole.ended is None and hole.power and hole.turn is not None:
                self._choose(hole.turn)
            if self.hole.window is not None:
                self._apply(matches.close_window(self.match))
        else:
            self._choose(awaited(hole)[0])

    def _slams(self) -> None:
        seats = map(Seat, self.hole.seats)
        times = [(self._players[seat].reaction(view(self.hole, seat)), seat) for seat in seats]
        for _, seat in sorted((time, seat) for time, seat in times if time is not None):
            hole = self.hole
            if hole.window is None or hole.window.won:
                return
            claim = self._players[seat].claim(view(hole, seat))
            if claim is not None:
                self._act(seat, claim)
            if self.hole.gift is not None:
                self._choose(self.hole.gift.seat)

    def _choose(self, seat: Seat) -> None:
        self._act(seat, self._players[seat].choose(view(self.hole, seat)))

    def _act(self, seat: Seat, action: Action) -> None:
        self._apply(matches.act(self.match, seat, action))

    def _apply(self, step: tuple[tuple[Event, ...], matches.Match]) -> None:
        events, self.match = step
        for event in events:
            for seat, player in enumerate(self._players):
                player.observe(mask(event, Seat(seat)))


def playout(hole: Hole, players: Sequence[BotPlayer], seat: Seat, action: Action) -> tuple[int, ...]:
    """Return the scores that result when a seat chooses this action, and these players finish the hole."""
    contest = Contest(hole.rules, players, Random(0))
    contest.match = changed(contest.match, hole=hole)
    contest._act(seat, action)
    hole = contest.hole
    if hole.window is not None and hole.gift is None and not hole.power:
        contest._apply(matches.close_window(contest.match))  # All claims were made before this choice.
    return contest._finish()


@dataclass(slots=True)
class Mean:
    """A running mean and its standard error (Welford's algorithm)."""

    count: int = 0
    mean: float = 0.0
    squares: float = field(default=0.0, repr=False)

    def add(self, value: float) -> None:
        """Add one number."""
        self.count += 1
        off = value - self.mean
        self.mean += off / self.count
        self.squares += off * (value - self.mean)

    @property
    def error(self) -> float:
        """The standard error of the mean; infinite with fewer than two numbers."""
        return sqrt(self.squares / (self.count - 1) / self.count) if self.count > 1 else float("inf")
