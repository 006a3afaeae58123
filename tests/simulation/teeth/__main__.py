"""Put each fault into a copy of golfnet and tell which seed finds it: ``python -m tests.simulation.teeth``."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.simulation.teeth.patches import PATCHES, ROOT, apply

_PROGRAM = """
import sys
from tests.simulation.seeds import run_seed
for seed in range(1, int(sys.argv[1]) + 1):
    violation = run_seed(seed, cluster=sys.argv[2] == "cluster").violation
    if violation is not None:
        print(seed, violation)
        break
"""


def main() -> int:
    """Return 1 where a fault was not found."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.teeth", description=__doc__)
    parser.add_argument("names", nargs="*", help="these faults only")
    parser.add_argument("--seeds", type=int, default=300, metavar="N", help="worlds to look in for each")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many processes do it")
    args = parser.parse_args()
    wanted = [patch for patch in PATCHES if not args.names or patch.stem in args.names]
    missed = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for patch, found in zip(wanted, pool.map(lambda patch: seek(patch, args.seeds), wanted), strict=True):
            missed += not found
            seed, _, why = found.partition(" ")
            told = (
                f"seed {seed:>4}  {' '.join(why.split())[:110]}"
                if found
                else f"not found in {args.seeds} worlds"
            )
            print(f"{patch.stem:26} {told}", flush=True)
    print(f"{len(wanted) - missed} of {len(wanted)} faults are found")
    return 1 if missed else 0


def seek(patch: Path, seeds: int) -> str:
    """Return the first seed that finds a fault, and what it says; empty where none does."""
    with tempfile.TemporaryDirectory() as copy:
        for part in ("golfnet", "tests/simulation", "tests/server"):
            shutil.copytree(ROOT / part, Path(copy, part), ignore=shutil.ignore_patterns("__pycache__"))
        apply(patch, Path(copy))
        found = subprocess.run(
            [
                sys.executable,
                "-c",
                _PROGRAM,
                str(seeds),
                "cluster" if patch.stem.startswith("node-") else "one",
            ],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": copy, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    return found.stdout.strip() or ("" if not found.returncode else f"? {found.stderr[-300:]}")


if __name__ == "__main__":
    sys.exit(main())
