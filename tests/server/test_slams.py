"""Thousands of slams: equally fast people win equally often over any connection, and no trick helps.

Honest players and cheats race over all kinds of connections, judged by the server's own arbiter, in virtual time. In
each turn somebody draws, somebody discards, and everyone slams that card. The round trips are those that the kernel and
the players' answers would report. The server's decisions are compared with those of a perfect clock.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import count
from random import Random
from statistics import median
from typing import Any, Final, NamedTuple

import pytest

from golfnet.engine.cards import Position, Seat
from golfnet.engine.fairdeal import lot_order
from golfnet.server.net.kernel import KernelRoundTrip, ProxyRoundTrip, RoundTrip
from golfnet.server.session.roundtrip import RoundTrips
from golfnet.server.table.arbiter import TIE, Claim, FalseStart, Race
from golfnet.server.table.distances import REACTING, SELDOM

DELAYED_ACK: Final = 0.040
QUICK_ACKS: Final = 16
TIMEOUT: Final = 0.2
"""Seconds after which a lost segment is sent again."""


class Clock:
    """A virtual clock in seconds, which makes scheduled calls in the order of their times."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._numbers = count()

    def at(self, when: float, call: Callable[..., None], *args: Any) -> None:
        heappush(self._due, (max(when, self.now), next(self._numbers), call, args))

    def run(self) -> None:
        while self._due:
            self.now, _, call, args = heappop(self._due)
            call(*args)


@dataclass(frozen=True)
class Way:
    """The properties of a connection, and how its player tampers with it; times in ms unless stated otherwise."""

    one_way: float
    _: KW_ONLY
    more_up: float = 0.0
    """How much longer the way to the server takes than the way to the player."""
    jitter: float = 0.0
    """The largest deviation of each direction's delay, which is uniformly distributed."""
    loss: float = 0.0
    slower_after: float = 0.0
    """Seconds after which the route changes, if ``slower_by`` is more than 0."""
    slower_by: float = 0.0
    slower_in_windows: float = 0.0
    answers: bool = True
    """Whether pings are answered."""
    hold: tuple[float, float] = (0.0, 0.0)
    """The shortest and longest time for which the player's program holds back an answer to a ping."""
    late_acks: float = 0.0
    """How long packets without data are held back."""
    late: float = 0.0
    """How long all packets except slams are held back."""
    is_frozen: bool = False
    """Whether slams carry old acknowledgements, so that they do not reveal the player's late packets."""
    proxy: str = ""
    """``silent`` for a proxy that reports nothing, ``reporting`` for one that reports its round-trip time."""


class Line:
    """One player's connection; a line sent on it is a function, which is called when the line arrives.

    It simulates the network and TCP at both ends, and measures the round trips that the server's kernel would measure:
    as in Linux (tcp_input.c, ``tcp_ack_update_rtt`` and ``tcp_update_rtt_min``), a moving average to which each sample
    contributes an eighth, and a minimum. The average measures the oldest segment that an acknowledgement covers; the
    minimum measures the newest segment and leaves out delayed acknowledgements. A player's system acknowledges the
    first segments at once, and later ones with the next line it sends, or after 40 ms.
    """

    address = "192.0.2.7"
    is_window = False

    def __init__(self, way: Way, clock: Clock, chance: Random) -> None:
        self.way = way
        self.clock = clock
        self.chance = chance
        self._unacked: list[tuple[int, float]] = []
        """Segments in flight to the player, each with the time it was sent, or 0 if sent twice, for no sample."""
        self._sent = self._delivered = 0
        self._received = self._acked = self._delaying = 0
        """The last segments that the player has received, has acknowledged, and will acknowledge after a delay."""
        self._quick = QUICK_ACKS
        self._down_until = self._up_until = self._data_until = 0.0
        shaking_hands = self._down() + self._up() + (way.late + way.late_acks) / 1000
        self._smoothed = self._smallest = self._figure = shaking_hands

    # --- the server's end

    def round_trip(self) -> RoundTrip | None:
        """Return what the server can measure."""
        if self.way.proxy:
            return ProxyRoundTrip(self._figure) if self.way.proxy == "reporting" else None
        return KernelRoundTrip(self._smallest, self._smoothed, self._delivered)

    def write(self, show: Callable[[], None] = lambda: None) -> None:
        """Send a line to the player in one segment."""
        now, self._sent = self.clock.now, self._sent + 1
        lost = self.chance.random() < self.way.loss
        self._unacked.append((self._sent, 0.0 if lost else now))
        self._down_until = max(self._down_until, now + self._down() + (TIMEOUT if lost else 0))
        self.clock.at(self._down_until, self._deliver, self._sent, show)

    def _acknowledge(self, number: int) -> None:
        newly = [sent for segment, sent in self._unacked if segment <= number]
        if not newly:
            return
        self._unacked = [each for each in self._unacked if each[0] > number]
        self._delivered += len(newly)
        if newly[0]:
            self._smoothed += (self.clock.now - newly[0] - self._smoothed) / 8
        if newly[-1]:
            self._smallest = min(self._smallest, self.clock.now - newly[-1])

    # --- the player's end

    def send(self, receive: Callable[[], None], is_slam: bool) -> None:
        acked = 0 if is_slam and self.way.is_frozen else self._received
        lost = self.chance.random() < self.way.loss
        arrives = self.clock.now + self._up() + (TIMEOUT if lost else 0)
        if not (is_slam and self.way.late):
            arrives = self._up_until = max(self._up_until, arrives + self.way.late / 1000)
            self._acked = max(self._acked, acked)
        self._data_until = max(self._data_until, arrives)  # bytes reach the server in order
        self.clock.at(arrives, self._acknowledge, acked)
        self.clock.at(self._data_until, receive)

    def _deliver(self, number: int, show: Callable[[], None]) -> None:
        self._received = number
        show()
        if self._acked >= number:
            return
        if self._quick > 0:
            self._quick -= 1
            self._send_ack()
        elif not self._delaying:
            self._delay()

    def _delay(self) -> None:
        self._delaying = self._received
        self.clock.at(self.clock.now + DELAYED_ACK, self._delay_is_over)

    def _delay_is_over(self) -> None:
        waited_for, self._delaying = self._delaying, 0
        if self._acked < waited_for:
            self._send_ack()
        elif self._acked < self._received:
            self._delay()

    def _send_ack(self) -> None:
        self._acked = self._received
        late = (self.way.late + self.way.late_acks) / 1000
        self._up_until = max(self._up_until, self.clock.now + self._up() + late)
        self.clock.at(self._up_until, self._acknowledge, self._acked)

    # --- the network between them

    def _up(self) -> float:
        return self._down(self.way.more_up)

    def _down(self, more: float = 0.0) -> float:
        way, milliseconds = self.way, self.way.one_way + more
        if way.slower_by and self.clock.now >= way.slower_after:
            milliseconds += way.slower_by / 2
        if self.is_window:
            milliseconds += way.slower_in_windows / 2
        return (milliseconds + self.chance.uniform(-way.jitter, way.jitter)) / 1000


_AT: Final = Position(Seat(0), 1)

_AFTER: Final = 0.6
"""Seconds after the last slam of a card until the next turn."""


class Player(NamedTuple):
    """A player's connection and reactions: their median in ms, and the spread of their logarithm (0: a program).

    The player may appear ``gains`` ms quicker or ``loses`` ms slower than is true.
    """

    name: str
    way: Way
    median: float = 350.0
    spread: float = 0.2
    gains: float = 3.0
    loses: float = 3.0

    def reaction(self, chance: Random) -> float:
        return self.median * math.exp(chance.gauss(0, self.spread)) / 1000


class Racer:
    """A player in a seat: the connection, what the server has measured, and what happened so far."""

    def __init__(self, races: "Races", seat: Seat, player: Player) -> None:
        self.seat, self.player, self.races = seat, player, races
        self.line = Line(player.way, races.clock, races.chance)
        self.trips = RoundTrips(self.line)  # type: ignore[arg-type]  # as much of a transport as is needed
        self.reacted = math.nan
        self.judged = 0
        """How often the player was judged first."""
        self.perfect = 0
        """How often a perfect clock would judge the player first, if those close enough to tie drew lots."""
        self.false_starts = 0
        self.errors: list[float] = []
        """The reaction that the server assumed minus the real one, in ms: below 0, the player appeared quicker."""

    def ping(self) -> None:
        key = self.trips.ping(self.races.clock.now)
        if key is not None:
            self.line.write(partial(self._answer, key))

    def _answer(self, key: str) -> None:
        if self.player.way.answers:
            held = self.races.chance.uniform(*self.player.way.hold) / 1000
            self._send(held, lambda: self.trips.pong(key, self.races.clock.now))

    def show_card(self) -> None:
        self.line.write(self._react)

    def _react(self) -> None:
        self.reacted = self.player.reaction(self.races.chance)
        self._send(self.reacted, self._slam, is_slam=True)

    def _slam(self) -> None:
        self.trips.look(self.races.clock.now)
        self.races.claim(self)

    def _send(self, after: float, receive: Callable[[], None], *, is_slam: bool = False) -> None:
        clock = self.races.clock
        clock.at(clock.now + after, partial(self.line.send, receive, is_slam=is_slam))


class Races:
    """A table at which a card is discarded in each turn, and everybody slams it."""

    def __init__(self, players: Sequence[Player], cards: int) -> None:
        self.clock = Clock()
        self.chance = Random(1)
        self.racers = [Racer(self, Seat(number), player) for number, player in enumerate(players)]
        self.cards = 0
        self.right = 0
        """How often the player who was really quickest was judged first."""
        self._cards_left = cards
        self._judge = Race(lot=())
        self._lot: tuple[Seat, ...] = ()
        self._first: Seat | None = None
        """The seat judged first."""
        self._waiting = 0
        self._after(_AFTER, self._turn)
        self.clock.run()

    def claim(self, racer: Racer) -> None:
        try:
            claim = self._judge.claim(racer.seat, _AT, self._micros())
        except FalseStart:
            racer.false_starts += 1
        else:
            racer.errors.append(claim.reaction / 1000 - racer.reacted * 1000)
        self._waiting -= 1
        self._decide()

    def _turn(self) -> None:
        for racer in self.racers:
            racer.line.is_window = False
        self._tell_all()
        self._ping_all()
        drawn = self.chance.uniform(0.8, 3)
        self._after(drawn, self._draw, drawn)
        self._after(drawn + self.chance.uniform(0.8, 3), self._discard)

    def _draw(self, after: float) -> None:
        self._tell_all()
        if after >= SELDOM:
            self._ping_all()

    def _discard(self) -> None:
        key = self.chance.randbytes(32)
        self._lot = lot_order(key, self.cards + 1, tuple(racer.seat for racer in self.racers))
        self._judge = Race(lot=self._lot)
        self._first, self._waiting = None, len(self.racers)
        for racer in self.racers:
            racer.line.is_window = True
            self._judge.show(racer.seat, self._micros(), racer.trips.link(self.clock.now))
            racer.show_card()
        self._after(self.chance.uniform(*REACTING), self._ping_all)
        if self.chance.random() < 0.5:  # events for everybody, such as a pass or a chat line
            self._after(self.chance.uniform(0.05, 0.6), self._tell_all)

    def _decide(self) -> None:
        while (said := self._judge.next(self._micros())) is not None:
            if isinstance(said, Claim):
                self._first = said.seat if self._first is None else self._first
                self._judge.is_won = True
        due = self._judge.due()
        if due is not None:
            self.clock.at(due / 1e6 + 1e-6, self._decide)
        elif self._waiting == 0:
            self._waiting = -1
            self._count()

    def _count(self) -> None:
        self.cards += 1
        quickest = min(self.racers, key=lambda racer: racer.reacted)
        equal = [racer for racer in self.racers if racer.reacted - quickest.reacted <= TIE / 1e6]
        min(equal, key=lambda racer: self._lot.index(racer.seat)).perfect += 1
        if self._first is not None:
            self.racers[self._first].judged += 1
            self.right += self._first == quickest.seat
        self._tell_all()
        self._cards_left -= 1
        if self._cards_left:
            self._after(_AFTER, self._turn)

    def _tell_all(self) -> None:
        for racer in self.racers:
            racer.line.write()

    def _ping_all(self) -> None:
        for racer in self.racers:
            racer.ping()

    def _after(self, seconds: float, call: Callable[..., None], *args: float) -> None:
        self.clock.at(self.clock.now + seconds, call, *args)

    def _micros(self) -> int:
        return round(self.clock.now * 1e6)


TOLERANCE: Final = 0.06
"""How far a player's wins may be from those with a perfect clock, as a share of all cards."""

JITTERY: Final = 20
"""Ms that a player may gain by delaying answers at random, which looks like an honest connection with jitter."""

cheat = partial(Player, loses=20)
"""A player who tries to appear further away."""

program = partial(Player, spread=0.0)
"""A program with a constant reaction time."""

OTHERS: Final = tuple(Player(f"{one_way} ms", Way(one_way)) for one_way in (2, 15, 40))

PLAYERS: Final = (
    Player("48 ms", Way(48)),
    Player("10 ms down, 70 up", Way(10, more_up=60)),
    Player("40 ms, 1 % lost", Way(40, loss=0.01)),
    Player("40 ms, varies by 10 each way", Way(40, jitter=10), loses=8),
    Player("40 ms, varies by 30 each way", Way(40, jitter=30), loses=50),
    Player("40 ms, plain text", Way(40, answers=False)),
    Player("15 ms, 55 after half a minute", Way(15, slower_after=30, slower_by=80), loses=13),
    Player("15 ms, 55 while windows are open", Way(15, slower_in_windows=80), loses=84),
    Player("90 ms, beyond the cap", Way(90), loses=84),
    Player("40 ms, reporting proxy", Way(40, proxy="reporting")),
    Player("15 ms, silent proxy", Way(15, proxy="silent")),
    Player("40 ms, silent proxy", Way(40, proxy="silent"), loses=54),
    cheat("answers 100 ms late", Way(15, hold=(100, 100))),
    cheat("answers 35 ms late", Way(15, hold=(35, 35))),
    cheat("answers 0 to 150 ms late", Way(15, hold=(0, 150)), gains=JITTERY),
    cheat("answers 0 to 40 ms late", Way(15, hold=(0, 40)), gains=JITTERY),
    cheat("acknowledgements 100 ms late", Way(15, late_acks=100)),
    cheat("the same, frozen on slams", Way(15, late_acks=100, is_frozen=True)),
    cheat("the same, and never answers", Way(15, late_acks=100, answers=False), gains=JITTERY),
    cheat("everything but slams 100 ms late", Way(15, late=100), gains=JITTERY),
    cheat("silent proxy, answers 100 ms late", Way(15, proxy="silent", hold=(100, 100))),
    cheat("2 ms, the same", Way(2, proxy="silent", hold=(100, 100)), gains=30),
    cheat("reporting proxy, answers 100 ms late", Way(15, proxy="reporting", hold=(100, 100))),
    cheat("2 ms, everything but slams late, matching acks", Way(2, late=100, is_frozen=True), gains=100),
    program("program, 5 ms, at 60 ms", Way(60), 5),
    program("program, 100 ms, at 2 ms", Way(2), 100),
    program("program, 130 ms, at 2 ms", Way(2), 130),
)


def raced(player: Player, *, cards: int) -> Races:
    """Let a player race against three honest ones."""
    return Races([*OTHERS, player], cards)


BY_NAME = {player.name: player for player in PLAYERS}


@pytest.mark.parametrize("name", BY_NAME)
def test_nobody_appears_faster_or_slower_than_the_round_trip_rule_allows(name: str) -> None:
    player = BY_NAME[name]
    races = raced(player, cards=80)
    if errors := races.racers[-1].errors:  # false starts are never judged
        assert -player.gains <= median(errors) <= player.loses
    assert sum(racer.judged for racer in races.racers) == races.cards == 80, "somebody is judged first"


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
    races = raced(BY_NAME[name], cards=300)
    for racer in races.racers:
        assert abs(racer.judged - racer.perfect) <= TOLERANCE * races.cards
    assert races.right >= 0.8 * races.cards, "up to the lot for ties, which a perfect clock also needs"


@pytest.mark.parametrize("name", ["program, 5 ms, at 60 ms", "program, 100 ms, at 2 ms"])
def test_a_program_faster_than_humanly_possible_wins_nothing(name: str) -> None:
    last = raced(BY_NAME[name], cards=100).racers[-1]
    assert (last.judged, last.false_starts) == (0, 100)


@pytest.mark.parametrize(("one_way", "jitter"), [(2, 0.0), (40, 30.0), (48, 10.0), (120, 30.0)])
def test_an_honest_fast_person_makes_no_false_start_on_any_connection(one_way: float, jitter: float) -> None:
    quick = Player("quick", Way(one_way, jitter=jitter), 160, 0.05)
    assert raced(quick, cards=150).racers[-1].false_starts == 0
