"""A long run: inject one randomly chosen failure from ``failures.py`` after another, until something goes wrong.

A seed repeats the same failures in the same order, but not at the same moments of play.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from tests.e2e.cluster.failures import FAILURES, inject
from tests.e2e.cluster.judges import Judge
from tests.e2e.cluster.nodes import Nodes
from tests.e2e.cluster.scene import Scene
from tests.postgres import PostgresServer, binaries


def main() -> None:
    """Run with the command line's arguments; raise ``AssertionError`` if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.cluster", description=__doc__)
    parser.add_argument("--failures", type=int, default=50, help="how many (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=time.time_ns() % 10**6, help="repeats a run; a new one by default"
    )
    names = [failure.__name__ for failure in FAILURES]
    parser.add_argument("--only", action="append", choices=names, help="repeatable")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    drawn = [failure for failure in FAILURES if failure.__name__ in (arguments.only or names)]
    programs = binaries()
    if programs is None:
        parser.exit(2, "PostgreSQL is not installed\n")
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="golfnet-cluster-")))
        database = running.enter_context(closing(PostgresServer(programs)))
        nodes = running.enter_context(closing(Nodes(database.new_url(), database.port, folder)))
        judge = Judge(nodes.history)
        for number in range(1, arguments.failures + 1):
            failure = chance.choice(drawn)
            print(f"seed {arguments.seed}, failure {number}: {failure.__name__}", flush=True)
            with Scene(nodes, judge, seed=arguments.seed + number) as scene:
                for owner in nodes.be(3):
                    scene.seat(owner, *chance.sample(nodes.well, chance.choice([1, 2])))
                inject(scene, database, failure)
    print(f"{judge.told} events were sent to players and checked")


if __name__ == "__main__":
    main()
