"""Plant each fault in golfnet and print what finds it: ``python -m tests.faults [NAME ...]``."""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.faults.planting import FAULTS, seek


def main() -> int:
    """Return 1 if a fault was not found."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("names", nargs="*", help="only these faults")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="how many processes to use")
    args = parser.parse_args()
    wanted = [fault for fault in FAULTS if not args.names or fault.name in args.names]
    began, missed = time.perf_counter(), 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for fault, found in zip(wanted, pool.map(seek, wanted), strict=True):
            missed += not found
            print(f"{fault.name:34} {found[:120] or f'not found by {fault.found_by}'}", flush=True)
    print(f"{len(wanted) - missed} of {len(wanted)} faults are found, in {time.perf_counter() - began:.0f} s")
    return 1 if missed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
