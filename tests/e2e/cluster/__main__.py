"""A long run: one thing after the other that the seed draws from ``blows.py``, until something is wrong.

The seed draws the same blows in the same order, but not at the same moments of play.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from tests.e2e.cluster.blows import BLOWS, strike
from tests.e2e.cluster.judges import Judge
from tests.e2e.cluster.nodes import Nodes
from tests.e2e.cluster.scene import Scene
from tests.postgres import Engine, binaries


def main() -> None:
    """Read the arguments, and run; raises ``AssertionError``."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.cluster", description=__doc__)
    parser.add_argument("--blows", type=int, default=50, help="how many (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=time.time_ns() % 10**6, help="what draws them; else a new one"
    )
    names = [blow.__name__ for blow in BLOWS]
    parser.add_argument("--only", action="append", choices=names, help="repeatable")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    drawn = [blow for blow in BLOWS if blow.__name__ in (arguments.only or names)]
    programs = binaries()
    if programs is None:
        parser.exit(2, "PostgreSQL is not installed\n")
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="golfnet-cluster-")))
        engine = running.enter_context(closing(Engine(programs)))
        nodes = running.enter_context(closing(Nodes(engine.new_url(), engine.port, folder)))
        judge = Judge(nodes.history)
        for number in range(1, arguments.blows + 1):
            blow = chance.choice(drawn)
            print(f"seed {arguments.seed}, blow {number}: {blow.__name__}", flush=True)
            with Scene(nodes, judge, seed=arguments.seed + number) as scene:
                for owner in nodes.be(3):
                    scene.seat(owner, *chance.sample(nodes.well, chance.choice([1, 2])))
                strike(scene, engine, blow)
    print(f"{judge.told} events were told, and judged")


if __name__ == "__main__":
    main()
