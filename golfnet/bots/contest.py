"""One hole between bots, as a table would play it, without a clock.

Bots get the events masked for their seats and nothing else. In a slam window each bot returns its reaction time once;
claims are made in that order, and the window closes when no bot claims any more. The discarder uses a power after that.
"""

from collections.abc import Sequence
from random import Random

from golfnet.bots.player import BotPlayer
from golfnet.engine import match as matches
from golfnet.engine.actions import Action
from golfnet.engine.events import Event
from golfnet.engine.hole import Hole
from golfnet.engine.layout import Seat
from golfnet.engine.legality import awaited
from golfnet.engine.match import Match
from golfnet.engine.rules import RuleSet
from golfnet.engine.views import View, mask, view


class Contest:
    """A match between bots, seat by seat."""

    def __init__(self, rules: RuleSet, players: Sequence[BotPlayer], chance: Random) -> None:
        self._players = players
        self._chance = chance
        # Names are part of what a deal is made from, and a deal must not depend on who plays it.
        self._names = tuple(f"seat-{seat + 1}" for seat in range(len(players)))
        self.match = Match("m1")
        self._commit()
        self._apply(matches.start(self.match, rules, self._names))

    def play_hole(self) -> tuple[int, ...]:
        """Play the next hole to its end and return its scores by seat."""
        played = len(self.match.scores)
        self._apply(matches.deal(self.match, ("",) * len(self._players)))
        while self.match.is_playing:
            self._step(self._hole)
        if self.match.places is None:
            self._commit()
        return self.match.scores[played]

    @property
    def _hole(self) -> Hole:
        if self.match.hole is None:
            raise LookupError("no hole was dealt")
        return self.match.hole

    def _commit(self) -> None:
        self._apply(matches.commit(self.match, self._chance.randbytes(32)))

    def _step(self, hole: Hole) -> None:
        if hole.window is not None and hole.gift is None:
            self._slams()
            hole = self._hole
            if hole.ended is None and hole.power and hole.turn is not None:
                self._choose(hole.turn)
            if self._hole.window is not None:
                self._apply(matches.close_window(self.match))
            return
        self._choose(awaited(hole)[0])

    def _slams(self) -> None:
        seats = [Seat(seat) for seat in self._hole.seats]
        times = [(self._players[seat].reaction(self._view(seat)), seat) for seat in seats]
        for _, seat in sorted((time, seat) for time, seat in times if time is not None):
            hole = self._hole
            if hole.window is None or hole.window.won:
                return
            claim = self._players[seat].claim(self._view(seat))
            if claim is not None:
                self._act(seat, claim)
            if self._hole.gift is not None:
                self._choose(self._hole.gift.seat)

    def _choose(self, seat: Seat) -> None:
        self._act(seat, self._players[seat].choose(self._view(seat)))

    def _act(self, seat: Seat, action: Action) -> None:
        self._apply(matches.act(self.match, seat, action))

    def _view(self, seat: Seat) -> View:
        return view(self._hole, seat)

    def _apply(self, step: tuple[tuple[Event, ...], Match]) -> None:
        events, self.match = step
        for event in events:
            for seat, player in enumerate(self._players):
                player.observe(mask(event, Seat(seat)))
