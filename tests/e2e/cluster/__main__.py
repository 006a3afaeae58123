"""A long run: ``python -m tests.e2e.cluster --blows 200``; ``--help`` says more."""

from __future__ import annotations

import argparse
import sys
import time

from tests.e2e.cluster.blows import KINDS
from tests.e2e.cluster.long_run import long_run


def main() -> int:
    """Read the arguments, run, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.cluster", description=__doc__)
    parser.add_argument("--blows", type=int, default=50, help="how many (%(default)s)")
    parser.add_argument("--minutes", type=float, default=20, help="for how long at the most (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=time.time_ns() % 10**6, help="what draws them; else a new one"
    )
    parser.add_argument(
        "--only", action="append", default=[], choices=[kind.__name__ for kind in KINDS], help="repeatable"
    )
    parser.add_argument("--failures", type=int, default=5, help="after how many it ends early (%(default)s)")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    return long_run(arguments.blows, arguments.minutes, arguments.seed, arguments.only, arguments.failures)


if __name__ == "__main__":
    sys.exit(main())
