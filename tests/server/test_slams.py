"""Thousands of slams: equally fast people win equally often over any connection, and no trick helps.

Honest players and cheats race over all kinds of connections, judged by the server's own arbiter, in virtual time. In
each turn somebody draws, somebody discards, and everyone slams that card. The round trips are those that the kernel and
the players' answers would report. The server's decisions are compared with those of a perfect clock.
"""

from __future__ import annotations

import math
from functools import partial
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from golfnet.engine.fairdeal import lot_order
from golfnet.engine.layout import Position, Seat
from golfnet.server.session.roundtrip import RoundTrips
from golfnet.server.table.arbiter import TIE, Claim, FalseStart, Race
from golfnet.server.table.windows import REACTING, SELDOM
from tests.server.slam_lines import SLAM, Line, Queue, Way

if TYPE_CHECKING:
    from collections.abc import Sequence


_AT: Final = Position(Seat(0), 1)

_AFTER: Final = 0.6
"""Seconds after the last slam of a card until the next turn."""


class Player(NamedTuple):
    """A player's connection and reactions: their median in ms, and the spread of their logarithm (0: a program)."""

    way: Way
    median: float = 350.0
    spread: float = 0.2

    def reaction(self, chance: Random) -> float:
        return self.median * math.exp(chance.gauss(0, self.spread)) / 1000


class Outcome:
    """What happened to a number of discarded cards; a list has an entry for each seat."""

    def __init__(self, seats: int) -> None:
        self.cards = 0
        self.judged = [0] * seats
        """How often a seat was judged first."""
        self.perfect = [0] * seats
        """How often a perfect clock would judge a seat first, if those close enough to tie drew lots."""
        self.right = 0
        """How often the player who was really quickest was judged first."""
        self.false_starts = [0] * seats
        self.errors: list[list[float]] = [[] for _ in range(seats)]
        """The reaction that the server assumed minus the real one, in ms: below 0, a player appeared quicker."""


class _Seat:
    """One seat: its connection, its player, and what the server has measured."""

    def __init__(self, table: _Table, seat: Seat, player: Player) -> None:
        self.table, self.seat, self.player = table, seat, player
        self.line = Line(player.way, table.queue, table.chance, receive=self._receive, show=self._show)
        self.line.open()
        self.trips = RoundTrips(self.line)  # type: ignore[arg-type]  # as much of a transport as is needed
        self.reacted = math.nan

    def measure(self) -> None:
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
    """A table that plays turn after turn."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.queue = Queue()
        self.chance = Random(1)
        self.seats = [_Seat(self, Seat(number), player) for number, player in enumerate(players)]
        self.outcome = Outcome(len(players))
        self.is_over = False
        self._judge: Race | None = None
        self._lot: tuple[Seat, ...] = ()
        self._order: list[Seat] = []
        """The seats judged so far, in order."""
        self._waiting = 0

    def turn(self) -> None:
        """Begin a turn, in which a card is discarded."""
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
        now, judge = _micros(self.queue.now), self._judge
        assert judge is not None
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
        self._order, self._waiting = [], len(self.seats)
        now = self.queue.now
        for seat in self.seats:
            seat.line.is_window = True
            self._judge.show(seat.seat, _micros(now), seat.trips.link(now))
            seat.line.write("card")
        self.queue.at(now + self.chance.uniform(*REACTING), self._measure)
        if self.chance.random() < 0.5:  # events for everybody, such as a pass or a chat line
            self.queue.at(now + self.chance.uniform(0.05, 0.6), lambda: self._tell("passed"))

    def _decide(self) -> None:
        judge, now = self._judge, _micros(self.queue.now)
        assert judge is not None
        while (said := judge.next(now)) is not None:
            if isinstance(said, Claim):
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
        if self._order:
            outcome.judged[self._order[0]] += 1
            outcome.right += self._order[0] == quickest.seat
        self.is_over = True
        self._tell("slammed")

    def _tell(self, line: str) -> None:
        for seat in self.seats:
            seat.line.write(line)


def race(players: Sequence[Player], *, cards: int) -> Outcome:
    table = _Table(players)
    for _ in range(cards):
        table.is_over = False
        table.queue.at(table.queue.now + _AFTER, table.turn)
        table.queue.run(lambda: table.is_over)
    return table.outcome


def _micros(seconds: float) -> int:
    return round(seconds * 1e6)


TOLERANCE: Final = 0.06
"""How far a player's wins may be from those with a perfect clock, as a share of all cards."""

JITTERY: Final = 20
"""Ms that a player may gain by delaying answers at random, which looks like an honest connection with jitter."""


def way(down: float, up: float | None = None, **more: object) -> Way:
    """Return a connection with this many ms each way."""
    return Way(down=down, up=down if up is None else up, **more)  # type: ignore[arg-type]


class Row(NamedTuple):
    """A player who races against three honest ones, and may appear ``gains`` ms quicker or ``loses`` ms slower."""

    name: str
    way: Way
    reacts: float = 350.0
    spread: float = 0.2
    gains: float = 3.0
    loses: float = 3.0


cheat = partial(Row, loses=20)
"""A player who tries to appear further away."""

program = partial(Row, spread=0.0)
"""A program with a constant reaction time."""

OTHERS: Final = (Player(way(2)), Player(way(15)), Player(way(40)))

ROWS: Final = (
    Row("48 ms", way(48)),
    Row("10 ms down, 70 up", way(10, 70)),
    Row("40 ms, 1 % lost", way(40, loss=0.01)),
    Row("40 ms, varies by 10 each way", way(40, jitter=10), loses=8),
    Row("40 ms, varies by 30 each way", way(40, jitter=30), loses=50),
    Row("40 ms, plain text", way(40, answers=False)),
    Row("15 ms, 55 after half a minute", way(15, slower_after=30, slower_by=80), loses=13),
    Row("15 ms, 55 while windows are open", way(15, slower_in_windows=80), loses=84),
    Row("90 ms, beyond the cap", way(90), loses=84),
    Row("40 ms, reporting proxy", way(40, proxy="reporting")),
    Row("15 ms, silent proxy", way(15, proxy="silent")),
    Row("40 ms, silent proxy", way(40, proxy="silent"), loses=54),
    cheat("answers 100 ms late", way(15, hold=(100, 100))),
    cheat("answers 35 ms late", way(15, hold=(35, 35))),
    cheat("answers 0 to 150 ms late", way(15, hold=(0, 150)), gains=JITTERY),
    cheat("answers 0 to 40 ms late", way(15, hold=(0, 40)), gains=JITTERY),
    cheat("acknowledgements 100 ms late", way(15, late_acks=100)),
    cheat("the same, frozen on slams", way(15, late_acks=100, is_frozen=True)),
    cheat("the same, and never answers", way(15, late_acks=100, answers=False), gains=JITTERY),
    cheat("everything but slams 100 ms late", way(15, late=100), gains=JITTERY),
    cheat("silent proxy, answers 100 ms late", way(15, proxy="silent", hold=(100, 100))),
    cheat("2 ms, the same", way(2, proxy="silent", hold=(100, 100)), gains=30),
    cheat("reporting proxy, answers 100 ms late", way(15, proxy="reporting", hold=(100, 100))),
    cheat("2 ms, everything but slams late, matching acks", way(2, late=100, is_frozen=True), gains=100),
    program("program, 5 ms, at 60 ms", way(60), 5),
    program("program, 100 ms, at 2 ms", way(2), 100),
    program("program, 130 ms, at 2 ms", way(2), 130),
)


def play(row: Row, *, cards: int) -> Outcome:
    """Have the row's player race against the others, who are 2, 15 and 40 ms away."""
    return race([*OTHERS, Player(row.way, row.reacts, row.spread)], cards=cards)


BY_NAME = {row.name: row for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_nobody_appears_faster_or_slower_than_the_round_trip_rule_allows(row: Row) -> None:
    outcome = play(row, cards=80)
    if outcome.errors[-1]:  # false starts are never judged
        assert -row.gains <= median(outcome.errors[-1]) <= row.loses
    assert sum(outcome.judged) == outcome.cards == 80, "somebody is judged first for every card"


@pytest.mark.parametrize(
    "name",
    [
        "48 ms",
        "40 ms, varies by 10 each way",
        "40 ms, reporting proxy",
        "answers 0 to 150 ms late",
        "the same, frozen on slams",
        "everything but slams 100 ms late",
    ],
)
def test_honest_players_and_cheats_win_as_often_as_with_a_perfect_clock(name: str) -> None:
    outcome = play(BY_NAME[name], cards=300)
    for judged, perfect in zip(outcome.judged, outcome.perfect, strict=True):
        assert abs(judged - perfect) <= TOLERANCE * outcome.cards
    assert outcome.right >= 0.8 * outcome.cards, "up to the lot for ties, which a perfect clock also needs"


@pytest.mark.parametrize("name", ["program, 5 ms, at 60 ms", "program, 100 ms, at 2 ms"])
def test_a_program_faster_than_humanly_possible_wins_nothing(name: str) -> None:
    outcome = play(BY_NAME[name], cards=100)
    assert (outcome.judged[-1], outcome.false_starts[-1]) == (0, 100)


@pytest.mark.parametrize(("one_way", "jitter"), [(2, 0.0), (40, 30.0), (48, 10.0), (120, 30.0)])
def test_an_honest_fast_person_makes_no_false_start_on_any_connection(one_way: float, jitter: float) -> None:
    quick = Player(Way(down=one_way, up=one_way, jitter=min(jitter, one_way)), 160, 0.05)
    outcome = race([*OTHERS, quick], cards=150)
    assert outcome.false_starts[-1] == 0
