"""Run simulated worlds: ``python -m tests.simulation --seeds 10000 --jobs 2``, or rerun one with ``--seed N``."""

import argparse
import re
import sys
from collections import Counter
from typing import Final

from tests.simulation.seeds import command, report_of, run_seed, run_seeds, story_of


def main() -> int:
    """Return 1 if a world has failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, metavar="N", help="how many worlds to run")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="the seed of the first world")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many processes run them")
    parser.add_argument("--seed", type=int, metavar="N", help="run only this world and print its story")
    parser.add_argument("--only", metavar="LIST", help="with only these of its faults, such as 0,2, or none")
    parser.add_argument("--cluster", action="store_true", help="worlds of three nodes instead of one server")
    args = parser.parse_args()
    return _run_many(args) if args.seed is None else _run_one(args)


def _run_one(args: argparse.Namespace) -> int:
    only = None
    if args.only is not None:
        only = [] if args.only == "none" else [int(number) for number in args.only.split(",")]
    outcome = run_seed(args.seed, only, cluster=args.cluster)
    again = command(args.seed, only, cluster=args.cluster)
    print(story_of(outcome, most=100_000))
    print(f"\n{again}\ntrace {outcome.hash}: {outcome.violation or 'nothing was wrong'}")
    return 1 if outcome.violation else 0


def _run_many(args: argparse.Namespace) -> int:
    failed, faults, events, told = list[int](), Counter[str](), 0, 0
    seeds = range(args.first, args.first + args.seeds)
    for done, world in enumerate(run_seeds(seeds, jobs=args.jobs, cluster=args.cluster), 1):
        events += world.events
        told += world.told
        for what, times in world.faults.items():
            faults[_DETAIL.sub("…", what)] += times
        if world.violation is not None:
            failed.append(world.seed)
            again = command(world.seed, cluster=args.cluster)
            print(f"seed {world.seed}: {world.violation[:300]}\n  {again}", flush=True)
        elif done % 1000 == 0:
            print(f"{done} worlds, {len(failed)} failed", file=sys.stderr, flush=True)
    print(f"{args.seeds} worlds, {events} events stored, {told} told and judged; faults:")
    print("\n".join([f"{times:9}  {what}" for what, times in sorted(faults.items())]))
    print(f"{len(failed)} failed: {', '.join(map(str, failed[:20])) or 'none'}")
    if failed:
        report = report_of(min(failed), cluster=args.cluster)
        print(f"\nThe first that failed, with the fewest faults:\n\n{report}")
    return 1 if failed else 0


_DETAIL: Final = re.compile(r"\b(?:Ann|Ben|Cem|Dot|Eva|Fay|Gus)\b|-?\d[\d.]*")
"""What is left out of a fault's description, so that its occurrences can be counted."""


if __name__ == "__main__":
    sys.exit(main())
