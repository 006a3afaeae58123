"""Who wins slams at what distance: four equally fast seats on links of 5, 30, 80 and 180 ms, under every way to judge.

Each card is slammed by all four; reactions come from one distribution, so a fair judge gives each seat a quarter.
Links have jitter, the server knows of them what it has measured, and ``race`` is the server's own arbiter. Beside it
stands what a seat gains that delays its own acknowledgements to look 150 ms slower than it is.
"""

from __future__ import annotations

import argparse
import math
import sys
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import SlamMode
from golfnet.server.arbiter import arbiter
from golfnet.server.claims import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROUND_TRIPS: Final = (5, 30, 80, 180)
"""In ms: a neighbour, the same country, the same continent, across the world."""

DELAYED: Final = 150
"""By how many ms the cheating seat looks slower."""

FAIR: Final = 100 / len(ROUND_TRIPS)
TOLERANCE: Final = 8.0
"""How far an honest seat's share may be from its fair one with typed slams, in percentage points."""

_SAMPLES: Final = 8
"""Round trips measured before a card: about as many as turns have been played."""

_AT: Final = Position(Seat(0), 1)


class Hand(NamedTuple):
    """How people slam: the median time to know the card and the spread of its logarithm, keys and time for each."""

    name: str
    median: float
    spread: float
    keys: int
    a_key: float

    def reaction(self, chance: Random) -> float:
        """Return a reaction in ms."""
        seen = self.median * math.exp(chance.gauss(0, self.spread))
        return seen + sum([self.a_key * math.exp(chance.gauss(0, 0.4)) for _ in range(self.keys)])


TYPED: Final = Hand("typed", median=700, spread=0.35, keys=8, a_key=200)
"""``slam b3`` and Enter: times to know a card are widely spread, and a key takes 200 ms at 60 words a minute."""

ONE_KEY: Final = Hand("one key", median=450, spread=0.2, keys=0, a_key=0)
"""A key of the client that slams the card under the cursor: hardly more than a choice reaction."""


class Wire(NamedTuple):
    """One seat's link: its round trip in ms without jitter, and by how many ms it delays acknowledgements."""

    round_trip: float
    delays: float = 0.0

    def one_way(self, chance: Random) -> float:
        """Return how long a line takes: never less than half of the round trip, now and then much more."""
        return self.round_trip / 2 + chance.expovariate(1 / (0.3 + 0.03 * self.round_trip))

    def measured(self, chance: Random) -> Link:
        """Return what a server knows of the link after some samples."""
        samples = [self.one_way(chance) + self.one_way(chance) + self.delays for _ in range(_SAMPLES)]
        smallest = min(samples)
        return Link(_micros(smallest), _micros(sum(samples) / len(samples) - smallest))


class Slam(NamedTuple):
    """One seat's slam of one card, in ms from the moment the card was written to all."""

    seat: Seat
    arrived: float
    link: Link


def slams_of_a_card(wires: Sequence[Wire], hand: Hand, chance: Random) -> list[Slam]:
    """Return the slams of one card, in the order in which they come in."""
    slams = [
        Slam(
            Seat(seat),
            wire.one_way(chance) + hand.reaction(chance) + wire.one_way(chance),
            wire.measured(chance),
        )
        for seat, wire in enumerate(wires)
    ]
    return sorted(slams, key=lambda slam: slam.arrived)


def first_to_arrive(slams: Sequence[Slam], number: int, key: bytes) -> Seat:
    """Return who wins where the first line that is processed does."""
    return slams[0].seat


def judged(mode: SlamMode) -> Callable[[Sequence[Slam], int, bytes], Seat]:
    """Return how the server's own arbiter judges in a mode."""

    def winner(slams: Sequence[Slam], number: int, key: bytes) -> Seat:
        judge = arbiter(
            mode, discard_no=number, discarder=Seat(number % len(slams)), seats=len(slams), key=key
        )
        for slam in slams:
            judge.show(slam.seat, 0, slam.link)
        for slam in slams:
            if mode is SlamMode.RACE and (said := judge.next(_micros(slam.arrived) - 1)) is not None:
                return said.seat
            judge.claim(slam.seat, _AT, _micros(slam.arrived))
        judge.end()
        said = judge.next(_micros(slams[-1].arrived) + 10**6)
        if said is None:
            raise LookupError("a card that everybody slammed, and nobody was judged")
        return said.seat

    return winner


WAYS: Final = {
    "arrival": first_to_arrive,
    "race": judged(SlamMode.RACE),
    "order": judged(SlamMode.ORDER),
    "lot": judged(SlamMode.LOT),
}


def shares(way: str, wires: Sequence[Wire], hand: Hand, *, cards: int, seed: int = 1) -> list[float]:
    """Return each seat's share of the slams it wins, in percent."""
    chance = Random(seed)
    wins = [0] * len(wires)
    for number in range(cards):
        key = chance.randbytes(32)
        wins[WAYS[way](slams_of_a_card(wires, hand, chance), number, key)] += 1
    return [100 * won / cards for won in wins]


def gains(hand: Hand, *, cards: int, seed: int = 1) -> list[float]:
    """Return by how many points each seat's share of a race grows when it alone delays its acknowledgements."""
    honest = [Wire(round_trip) for round_trip in ROUND_TRIPS]
    before = shares("race", honest, hand, cards=cards, seed=seed)
    return [
        shares("race", _with(honest, seat), hand, cards=cards, seed=seed)[seat] - before[seat]
        for seat in range(len(honest))
    ]


def is_fair(share: float) -> bool:
    """Tell whether a share is near enough to the fair one."""
    return abs(share - FAIR) <= TOLERANCE


def main(argv: Sequence[str] | None = None) -> int:
    """Print the shares; return 1 where a race with typed slams was not fair to an honest seat."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks slams", description=__doc__)
    parser.add_argument(
        "--cards", type=int, default=10_000, help="slammed cards for each line (default 10000)"
    )
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    honest = [Wire(round_trip) for round_trip in ROUND_TRIPS]
    is_good = True
    for hand in (TYPED, ONE_KEY):
        print(f"\nShare of slams won, {hand.name}, {args.cards} cards, in %")
        print("".join(["judged by  ", *[f"{round_trip:>7} ms" for round_trip in ROUND_TRIPS]]))
        for way in WAYS:
            won = shares(way, honest, hand, cards=args.cards, seed=args.seed)
            note = ""
            if way == "race" and hand is TYPED:
                is_good = all(map(is_fair, won))
                note = f"   within {FAIR:.0f} ± {TOLERANCE:.0f}: {'yes' if is_good else 'NO'}"
            print("".join([f"{way:<11}", *[f"{share:>10.1f}" for share in won], note]))
        gained = gains(hand, cards=args.cards, seed=args.seed)
        print("".join(["cheat gains", *[f"{gain:>+10.1f}" for gain in gained]]), end="")
        print(f"   points, a seat alone looking {DELAYED} ms slower in a race")
    return 0 if is_good else 1


def _with(honest: Sequence[Wire], seat: int) -> list[Wire]:
    return [wire._replace(delays=DELAYED) if n == seat else wire for n, wire in enumerate(honest)]


def _micros(milliseconds: float) -> int:
    return round(milliseconds * 1000)


if __name__ == "__main__":
    sys.exit(main())
