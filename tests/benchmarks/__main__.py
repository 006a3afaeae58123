"""What golfnet costs, in one table: its own costs, those of a conventional server in the same run, and the floor.

Each cost is measured several times and the lowest is shown, since other work on the machine only adds to it. That takes
three minutes and two quiet cores. ``budget`` counts what does not depend on the machine: calls, bytes, words, modules
and lines.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from typing import Final

from tests.benchmarks import budget, costs
from tests.benchmarks.processes import LOAD_CORE, pin

SUBJECTS: Final[dict[str, Callable[[argparse.Namespace], Iterator[costs.Row]]]] = {
    "ping": costs.pings,
    "chat": costs.chat,
    "names": costs.names,
    "memory": costs.memory,
    "start": costs.starts,
    "commits": costs.commits,
}


def main() -> int:
    """Print the table and the budget, or the requested parts of them."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = (*SUBJECTS, "budget")
    parser.add_argument("subjects", nargs="*", choices=[[], *names], metavar="SUBJECT", help=", ".join(names))
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each measurement (1)")
    parser.add_argument("--rounds", type=int, default=2, help="measurements per cost (2)")
    parser.add_argument(
        "--connections", type=int, default=1000, help="size of the larger crowd for ping (1000)"
    )
    parser.add_argument(
        "--directory", metavar="DIR", help="a directory on the disk where commits are measured"
    )
    parser.add_argument("--lower", action="store_true", help="write lower numbers to the budget")
    options = parser.parse_args()
    asked = options.subjects or names
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed golfnet has already been compiled
    pin(os.getpid(), LOAD_CORE)
    if set(asked) - {"budget"}:
        print(costs.HEADING, flush=True)
    for name in asked:
        if name != "budget":
            for row in SUBJECTS[name](options):
                print(row, flush=True)
    if "budget" in asked:
        budget.show(lower=options.lower)
    return 0


if __name__ == "__main__":
    sys.exit(main())
