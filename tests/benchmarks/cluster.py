"""What a database server costs in place of a file: the time from a command to its ``ok``, with each store in turns.

Programs at tables of two act as soon as they are asked, so that with one table a command waits for nothing but its own
way to the disk and back, and with many for the others too. PostgreSQL is one of the benchmark's own on this machine, as
it is set up by default: with fsync, without a second copy. Differences are worth more than times; the processor time of
a command is that of golfnet alone, with all its threads.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.benchmarks._load import Crowd, Times, players, seat
from tests.benchmarks._processes import LOAD_CORE, golfnet, pin
from tests.postgres import Engine, binaries

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks._processes import Server

TABLES: Final = (1, 32)


def main() -> int:
    """Print a table of times for each number of tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement (3)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds, each with every store (3)")
    options = parser.parse_args()
    programs = binaries()
    if programs is None:
        print("PostgreSQL is not installed")
        return 1
    pin(os.getpid(), LOAD_CORE)
    with contextlib.closing(Engine(programs)) as engine:
        stores: dict[str, Callable[[], contextlib.AbstractContextManager[Server]]] = {
            "memory": lambda: golfnet(durable=False, pinned=False),
            "SQLite": lambda: golfnet(pinned=False),
            "PostgreSQL": lambda: golfnet(database=engine.new_url(), pinned=False),
        }
        print(
            f"{'tables':>7} {'store':<11} {'p50 ms':>7} {'range':>13} {'p99 ms':>7} {'commands/s':>11} {'µs each':>8}"
        )
        for tables in TABLES:
            taken: dict[str, list[Round]] = defaultdict(list)
            for _ in range(options.repeat):
                for name, start in stores.items():
                    with start() as server:
                        taken[name].append(measure(server, tables, options.seconds))
            for name, rounds in taken.items():
                p50 = [each.p50 for each in rounds]
                print(
                    f"{tables:>7} {name:<11} {median(p50):7.2f} {min(p50):6.2f}–{max(p50):<6.2f}"
                    f" {median([each.p99 for each in rounds]):7.1f} {median([each.rate for each in rounds]):11,.0f}"
                    f" {median([each.cost for each in rounds]):8.0f}",
                    flush=True,
                )
    return 0


class Round(NamedTuple):
    """What one store did: milliseconds of a command, commands in a second, microseconds of processor time for each."""

    p50: float
    p99: float
    rate: float
    cost: float


def measure(server: Server, tables: int, seconds: float) -> Round:
    """Let tables of two play, and return how long their commands took."""
    times = Times()
    with Crowd(server.port) as crowd:
        seated = players(crowd, tables * 2)
        seat(crowd, seated, 2)
        for each in seated:
            each.play()
        crowd.run(seconds / 3)
        for each in seated:
            each.times = times
        before = server.cpu
        crowd.run(seconds)
        used = server.cpu - before
        if refused := [line for each in seated for line in each.refusals]:
            print(f"    {len(refused)} commands were refused: {refused[0].decode()}", file=sys.stderr)
    count = len(times.taken)
    return Round(times.at(0.5), times.at(0.99), count / seconds, used / count * 1e6)


if __name__ == "__main__":
    sys.exit(main())
