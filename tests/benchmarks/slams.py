"""Who wins slams at the end of what line, honest or not: the whole table, in virtual time, from a seed.

Four people who are equally quick sit at the ends of four lines; the last of them is what a row is about. For each of
many cards stands who was judged first by the server's own arbiter, with its own round trips made from what its kernel
and the players' answers would have told; who a perfect clock would have had first; and who came in first. Then the ways
that do not know of speed: sealed claims in order and by lot.
"""

from __future__ import annotations

import argparse
import sys
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import SlamMode
from golfnet.server.table.arbiter import arbiter
from tests.benchmarks._lines import Way
from tests.benchmarks._races import Outcome, Player, race

if TYPE_CHECKING:
    from collections.abc import Sequence

TOLERANCE: Final = 6.0
"""By how many percentage points a share may differ from what a perfect clock gives."""

JITTERY: Final = 20
"""ms that whoever answers at random gains: no more than an honest line that varies is given."""


def way(down: float, up: float | None = None, **more: object) -> Way:
    """Return a line of so many ms each way."""
    return Way(down=down, up=down if up is None else up, **more)  # type: ignore[arg-type]


class Row(NamedTuple):
    """One row of the table: the others are honest, 2, 15 and 40 ms away.

    ``gains`` is by how many ms the last player may look quicker than he is, ``loses`` by how many slower.
    """

    name: str
    player: Player
    gains: float = 3.0
    loses: float = 3.0
    is_honest: bool = True


def honest(name: str, line: Way, *, loses: float = 3.0) -> Row:
    """Return a row about somebody who only plays."""
    return Row(name, Player(line), loses=loses)


def cheat(name: str, line: Way, *, gains: float = 3.0, loses: float = 20.0) -> Row:
    """Return a row about somebody who wants to look further away."""
    return Row(name, Player(line), gains=gains, loses=loses, is_honest=False)


def program(name: str, line: Way, reacts: float) -> Row:
    """Return a row about a program that always takes the same time."""
    return Row(name, Player(line, reacts, 0.0), is_honest=False)


OTHERS: Final = (Player(way(2)), Player(way(15)), Player(way(40)))

ROWS: Final = (
    honest("48 ms", way(48)),
    honest("10 ms down, 70 up", way(10, 70)),
    honest("40 ms, 1 % lost", way(40, loss=0.01)),
    honest("40 ms, varies by 10 each way", way(40, jitter=10), loses=8),
    honest("40 ms, varies by 30 each way", way(40, jitter=30), loses=50),
    honest("40 ms, plain text", way(40, answers=False)),
    honest("15 ms, 55 after half a minute", way(15, slower_after=30, slower_by=80), loses=13),
    honest("15 ms, 55 while windows are open", way(15, slower_in_windows=80), loses=84),
    honest("90 ms, beyond the cap", way(90), loses=84),
    honest("40 ms, proxy that tells", way(40, proxy="telling")),
    honest("15 ms, proxy that does not", way(15, proxy="silent")),
    honest("40 ms, proxy that does not", way(40, proxy="silent"), loses=54),
    cheat("answers 100 ms late", way(15, hold=(100, 100))),
    cheat("answers 35 ms late", way(15, hold=(35, 35))),
    cheat("answers 0 to 150 ms late", way(15, hold=(0, 150)), gains=JITTERY),
    cheat("answers 0 to 40 ms late", way(15, hold=(0, 40)), gains=JITTERY),
    cheat("acknowledgements 100 ms late", way(15, late_acks=100)),
    cheat("the same, frozen on slams", way(15, late_acks=100, is_frozen=True)),
    cheat("the same, and never answers", way(15, late_acks=100, answers=False), gains=JITTERY),
    cheat("all 100 ms late but slams", way(15, late=100), gains=JITTERY),
    cheat("silent proxy, answers 100 ms late", way(15, proxy="silent", hold=(100, 100))),
    cheat("2 ms, the same", way(2, proxy="silent", hold=(100, 100)), gains=30),
    cheat("telling proxy, answers 100 ms late", way(15, proxy="telling", hold=(100, 100))),
    cheat("2 ms, all late but slams, acks to fit", way(2, late=100, is_frozen=True), gains=100),
    program("program, 5 ms, at 60 ms", way(60), 5),
    program("program, 100 ms, at 2 ms", way(2), 100),
    program("program, 130 ms, at 2 ms", way(2), 130),
)


def play(row: Row, *, cards: int, seed: int = 1) -> Outcome:
    """Let the row's player race against the others."""
    return race([*OTHERS, row.player], cards=cards, seed=seed)


def is_bounded(row: Row, outcome: Outcome) -> bool:
    """Tell whether the row's player looked no quicker and no slower than the rule promises, on average.

    A program that was never judged has nothing to be compared.
    """
    if not outcome.errors[-1]:
        return True
    return -row.gains <= outcome.error(-1) <= row.loses


def sealed(mode: SlamMode, *, cards: int, seed: int = 1) -> list[float]:
    """Return each of four seats' shares in percent where claims are sealed, whenever they came in."""
    chance, wins = Random(seed), [0] * 4
    for number in range(1, cards + 1):
        discarder = Seat(number % 4)
        judge = arbiter(mode, discard_no=number, discarder=discarder, seats=4, key=chance.randbytes(32))
        for seat in chance.sample(range(4), 4):
            judge.claim(Seat(seat), Position(Seat(0), 1), number)
        said = judge.next(0)
        assert said is not None
        wins[said.seat] += 1
    return [100 * won / cards for won in wins]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; return 1 where somebody looked quicker or slower than the rule promises."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks slams", description=__doc__)
    parser.add_argument("--cards", type=int, default=1000, help="slammed cards for each row (default 1000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    print(
        f"{args.cards} cards a row; the last of four players, the others honest at 2, 15 and 40 ms. Shares in %."
    )
    print(
        f"{'':38}{'judged':>8}{'perfect':>8}{'arrival':>8}  {'looked':>9}   all four judged; cards that went"
    )
    print(f"{'':38}{'first':>8}{'clock':>8}{'order':>8}  {'slower':>9}   to the quickest; false starts")
    is_good, kind = True, True
    for row in ROWS:
        if row.is_honest != kind:
            kind = row.is_honest
            print()
        outcome = play(row, cards=args.cards, seed=args.seed)
        good = is_bounded(row, outcome)
        is_good &= good
        error = f"{outcome.error(-1) + 0.0:+7.1f} ms" if outcome.errors[-1] else " " * 10
        all_four = " ".join([f"{outcome.share(seat):4.1f}" for seat in range(4)])
        print(
            f"{row.name:38}{outcome.share(-1):8.1f}{outcome.fair_share(-1):8.1f}{outcome.arrival_share(-1):8.1f}"
            f"{error}   {all_four};{100 * outcome.right / outcome.cards:5.1f}; {outcome.false_starts[-1]}"
            f"{'' if good else '   NOT AS PROMISED'}"
        )
    print()
    for mode in (SlamMode.ORDER, SlamMode.LOT):
        shares = " ".join([f"{share:4.1f}" for share in sealed(mode, cards=args.cards, seed=args.seed)])
        print(f"slam={mode.value:33}{'':34}   {shares}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
