"""Races between players at the ends of lines, judged by the server's own arbiter and round trips, in virtual time.

A table plays turn after turn: a turn begins, somebody draws, somebody discards, and all whose turn it is not to wait
slam that card. Beside what the server decides stands what a perfect clock would have decided, and arrival order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet.engine.fairdeal import lot_order
from golfnet.engine.layout import Position, Seat
from golfnet.server.session.roundtrip import RoundTrips
from golfnet.server.table.arbiter import TIE, FalseStart, Race
from golfnet.server.table.distances import REACTING, SELDOM
from tests.benchmarks._lines import SLAM, Line, Queue, Way

if TYPE_CHECKING:
    from collections.abc import Sequence

_AT: Final = Position(Seat(0), 1)

_AFTER: Final = 0.6
"""Seconds after the last slam of a card until the next turn."""


class Player(NamedTuple):
    """Who sits at the end of a line: a person's median reaction and the spread of its logarithm, a program's time."""

    way: Way
    median: float = 350.0
    spread: float = 0.2

    def reaction(self, chance: Random) -> float:
        """Return a reaction in seconds."""
        return self.median * math.exp(chance.gauss(0, self.spread)) / 1000


@dataclass
class Outcome:
    """What came of some cards, by seat."""

    cards: int = 0
    judged: list[int] = field(default_factory=list)
    """How often a seat was judged first."""
    perfect: list[int] = field(default_factory=list)
    """The same by a perfect clock, with the lot for what is no further apart than a tie."""
    arrived: list[int] = field(default_factory=list)
    right: int = 0
    """Cards that went to who was quickest in truth."""
    clear: int = 0
    clearly_wrong: int = 0
    """Cards on which somebody led by more than a tie, and of them those that went to somebody else."""
    false_starts: list[int] = field(default_factory=list)
    errors: list[list[float]] = field(default_factory=list)
    """What the server took for a reaction less what it was, in ms."""

    def share(self, seat: int) -> float:
        """Return the share of the cards in percent for which a seat was judged first."""
        return 100 * self.judged[seat] / self.cards

    def fair_share(self, seat: int) -> float:
        """Return the share that a perfect clock gives it."""
        return 100 * self.perfect[seat] / self.cards

    def arrival_share(self, seat: int) -> float:
        """Return the share that it has where the first line to arrive wins."""
        return 100 * self.arrived[seat] / self.cards

    def error(self, seat: int) -> float:
        """Return the median error of the seat's reactions in ms: below 0 it looked quicker than it was."""
        return median(self.errors[seat]) if self.errors[seat] else math.nan


class _Seat:
    """One seat: its line, its player, and what the server has measured of it."""

    def __init__(self, table: _Table, seat: Seat, player: Player) -> None:
        self.table, self.seat, self.player = table, seat, player
        self.line = Line(player.way, table.queue, table.chance, receive=self._receive, show=self._show)
        self.line.open()
        self.trips = RoundTrips(self.line)  # type: ignore[arg-type]  # as much of a transport as it needs
        self.reacted = math.nan

    def measure(self) -> None:
        """Write a ping, unless one is not answered yet."""
        key = self.trips.ping(self.table.queue.now)
        if key is not None:
            self.line.write(f"ping {key}")

    def _receive(self, line: str) -> None:
        now = self.table.queue.now
        verb, _, key = line.partition(" ")
        if verb == "pong":
            self.trips.pong(key, now)
        elif verb == SLAM:
            self.trips.look(now)
            self.table.claim(self)

    def _show(self, line: str) -> None:
        way, queue, chance = self.player.way, self.table.queue, self.table.chance
        verb, _, key = line.partition(" ")
        if verb == "ping" and way.answers:
            held = chance.uniform(*way.hold) / 1000
            queue.at(queue.now + held, partial(self.line.send, f"pong {key}"))
        elif verb == "card":
            self.reacted = self.player.reaction(chance)
            queue.at(queue.now + self.reacted, partial(self.line.send, SLAM))


class _Table:
    """A table, turn after turn."""

    def __init__(self, players: Sequence[Player], seed: int) -> None:
        self.queue = Queue()
        self.chance = Random(seed)
        self.seats = [_Seat(self, Seat(number), player) for number, player in enumerate(players)]
        count = len(players)
        self.outcome = Outcome(
            judged=[0] * count,
            perfect=[0] * count,
            arrived=[0] * count,
            false_starts=[0] * count,
            errors=[[] for _ in players],
        )
        self.is_over = False
        self._judge: Race | None = None
        self._lot: tuple[Seat, ...] = ()
        self._order: list[Seat] = []
        """Who was judged, in order."""
        self._arrivals: list[Seat] = []
        self._waiting = 0

    def turn(self) -> None:
        """Begin a turn; a card is discarded in it."""
        for seat in self.seats:
            seat.line.is_window = False
        began = self.queue.now
        self._tell("turn")
        self._measure()
        drawn = began + self.chance.uniform(0.8, 3)
        self.queue.at(drawn, lambda: self._draw(began))
        self.queue.at(drawn + self.chance.uniform(0.8, 3), self._discard)

    def _draw(self, began: float) -> None:
        self._tell("drew")
        if self.queue.now - began >= SELDOM:
            self._measure()

    def _measure(self) -> None:
        for seat in self.seats:
            seat.measure()

    def claim(self, seat: _Seat) -> None:
        """Take a slam."""
        now, judge = _micros(self.queue.now), self._judge
        assert judge is not None
        self._arrivals.append(seat.seat)
        try:
            claim = judge.claim(seat.seat, _AT, now)
        except FalseStart:
            self.outcome.false_starts[seat.seat] += 1
        else:
            self.outcome.errors[seat.seat].append(claim.reaction / 1000 - seat.reacted * 1000)
        self._waiting -= 1
        self._decide()

    def _discard(self) -> None:
        key = self.chance.randbytes(32)
        self._lot = lot_order(key, self.outcome.cards + 1, tuple(seat.seat for seat in self.seats))
        self._judge = Race(lot=self._lot)
        self._order, self._arrivals, self._waiting = [], [], len(self.seats)
        now = self.queue.now
        for seat in self.seats:
            seat.line.is_window = True
            self._judge.show(seat.seat, _micros(now), seat.trips.link(now))
            seat.line.write("card")
        self.queue.at(now + self.chance.uniform(*REACTING), self._measure)
        if self.chance.random() < 0.5:  # somebody passes, or speaks
            self.queue.at(now + self.chance.uniform(0.05, 0.6), lambda: self._tell("passed"))

    def _decide(self) -> None:
        judge, now = self._judge, _micros(self.queue.now)
        assert judge is not None
        while (said := judge.next(now)) is not None:
            if said.claim is not None:
                self._order.append(said.seat)
                judge.is_won = True
        due = judge.due()
        if due is not None:
            self.queue.at(due / 1e6 + 1e-6, self._decide)
        elif self._waiting == 0:
            self._waiting = -1
            self._count()

    def _count(self) -> None:
        outcome, seats = self.outcome, self.seats
        outcome.cards += 1
        quickest = min(seats, key=lambda seat: seat.reacted)
        equal = [seat.seat for seat in seats if seat.reacted - quickest.reacted <= TIE / 1e6]
        ideal = min(equal, key=self._lot.index)
        outcome.perfect[ideal] += 1
        outcome.arrived[self._arrivals[0]] += 1
        if self._order:
            outcome.judged[self._order[0]] += 1
            outcome.right += self._order[0] == quickest.seat
            if len(equal) == 1:
                outcome.clear += 1
                outcome.clearly_wrong += self._order[0] != quickest.seat
        self.is_over = True
        self._tell("slammed")

    def _tell(self, line: str) -> None:
        for seat in self.seats:
            seat.line.write(line)


def race(players: Sequence[Player], *, cards: int, seed: int = 1) -> Outcome:
    """Let players race for so many cards; the first turns are played without counting."""
    table = _Table(players, seed)
    for _ in range(cards):
        table.is_over = False
        table.queue.at(table.queue.now + _AFTER, table.turn)
        table.queue.run(lambda: table.is_over)
    return table.outcome


def _micros(seconds: float) -> int:
    return round(seconds * 1e6)
