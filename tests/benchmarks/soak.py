"""Two hundred programs at fifty tables play whole matches, one after the other: no error, and nobody is cut off.

Each thinks for a moment before it acts, as a pace-maker says. Prints what happened, and ends with status 1 where a
command was refused, a connection was lost or a table stood still.
"""

from __future__ import annotations

import argparse
import os
from collections import deque
from itertools import cycle
from typing import Final

from tests.benchmarks._load import Crowd, Metronome, Player, Times, players, seat
from tests.benchmarks._processes import LOAD_CORE, golfnet, pin

TABLES: Final = 50
VARIANTS: Final = ("six-card", "four-turn")


def main() -> int:
    """Play for a while and judge it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default 60)")
    parser.add_argument("--rate", type=float, default=500.0, help="commands a second in all (default 500)")
    options = parser.parse_args()
    pin(os.getpid(), LOAD_CORE)
    with golfnet() as server, Crowd(server.port) as crowd:
        seated = players(crowd, TABLES * 4)
        for variant, first in zip(cycle(VARIANTS), range(0, len(seated), 4), strict=False):
            seat(crowd, seated[first : first + 4], 4, f"create {variant} holes=2")
        queue: deque[Player] = deque()
        times = Times()
        for each in seated:
            each.queue, each.times = queue, times
            each.play()
        crowd.run(options.seconds, Metronome(queue, options.rate))
        refused = [line for each in seated for line in each.refusals]
        still = [each.table for each in seated[::4] if not each.done]
        matches = sum(each.matches for each in seated[::4])
        print(f"{len(times.taken):,} commands in {options.seconds:.0f} s, {matches} matches finished")
        print(f"p50 {times.at(0.5):.2f} ms, p99 {times.at(0.99):.2f} ms, longest {times.at(1):.1f} ms")
        print(
            f"{len(refused)} commands refused, {crowd.ended} connections lost, {len(still)} tables stood still"
        )
        for line in refused[:3]:
            print(f"  {line.decode()}")
        return 1 if refused or crowd.ended or still else 0


if __name__ == "__main__":
    main()
