"""What golfnet costs, in one table: ours, a server written the usual way in the same run, and the floor.

Each round is measured anew and the least is shown, since other work on the machine only adds to it. Give it two quiet
cores and three minutes. ``budget`` weighs what has no noise: calls, bytes, words, modules and lines.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Final

from tests.benchmarks import budget, floods, inside, served
from tests.benchmarks.processes import LOAD_CORE, pin
from tests.benchmarks.table import HEADING

if TYPE_CHECKING:
    from tests.benchmarks.table import Subject

SUBJECTS: Final[dict[str, Subject]] = {
    "ping": served.pings,
    "chat": served.chat,
    "names": served.names,
    "memory": served.memory,
    "start": served.starts,
    "commits": inside.commits,
    "deals": inside.deals,
    "slams": inside.slams,
    "floods": floods.floods,
}


def main() -> int:
    """Print the table and the budget, or what is asked for of them."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = (*SUBJECTS, "budget")
    parser.add_argument("subjects", nargs="*", choices=[[], *names], metavar="SUBJECT", help=", ".join(names))
    parser.add_argument("--seconds", type=float, default=1.0, help="for each measurement (1)")
    parser.add_argument("--rounds", type=int, default=2, help="measurements of a cost (2)")
    parser.add_argument("--connections", type=int, default=1000, help="of the larger crowd that pings (1000)")
    parser.add_argument("--cards", type=int, default=300, help="that are slammed in a race (300)")
    parser.add_argument("--directory", metavar="DIR", help="on the disk where commits are measured")
    parser.add_argument("--lower", action="store_true", help="write what has fallen into the budget")
    options = parser.parse_args()
    asked = options.subjects or names
    pin(os.getpid(), LOAD_CORE)
    if set(asked) - {"budget"}:
        print(HEADING, flush=True)
    for name in asked:
        if name != "budget":
            for row in SUBJECTS[name](options):
                print(row, flush=True)
    if "budget" in asked:
        budget.show(lower=options.lower)
    return 0


if __name__ == "__main__":
    sys.exit(main())
