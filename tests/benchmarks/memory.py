"""What a server keeps of matches that are over: whole tables in one process, opened, played, left and closed.

People are there without sockets and time is virtual, so thousands of matches take a minute or two. With the collector
off whatever is left of a closed table stays: what does not grow has been let go by itself. Ends with status 1 where a
table outlives its end.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
from typing import TYPE_CHECKING, Any, Final

import trio
from trio.testing import MockClock

from golfnet.server.hosting import COLLECTED_AFTER
from tests.server.house import open_house
from tests.server.table_lifetimes import GRACE, Crowd, TableReferences, run_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

ROWS: Final = 10
"""Lines of the table that is printed."""


def main() -> int:
    """Play so many matches and judge what is left of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=5000, help="how many (default 5000)")
    parser.add_argument(
        "--whole", type=float, default=0.3, help="share that is played to its end (default 0.3)"
    )
    parser.add_argument(
        "--collector", action="store_true", help="let the collector run as the server sets it"
    )
    options = parser.parse_args()
    collections = _Collections()
    gc.callbacks.append(collections)
    if options.collector:
        gc.set_threshold(*COLLECTED_AFTER)
    else:
        gc.disable()
    alive = trio.run(_live, options.matches, options.whole, clock=MockClock(autojump_threshold=0))
    print(f"{alive} of {options.matches} closed tables are still alive")
    print(
        f"collections {collections.runs}, objects collected {collections.collected}, "
        f"longest {collections.longest * 1000:.1f} ms"
    )
    return 1 if alive else 0


class _Collections:
    """What the collector did, by generation."""

    def __init__(self) -> None:
        self.runs = [0, 0, 0]
        self.collected = [0, 0, 0]
        self.longest = 0.0
        self._began = 0.0

    def __call__(self, phase: str, info: Mapping[str, Any]) -> None:
        """Note the beginning or the end of a collection."""
        now = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        if phase == "start":
            self._began = now
            return
        self.runs[info["generation"]] += 1
        self.collected[info["generation"]] += info["collected"]
        self.longest = max(self.longest, now - self._began)


async def _live(matches: int, whole: float) -> int:
    """Play the matches, print what the process holds on the way, and return how many tables are still alive."""
    chance = random.Random(11)
    async with open_house(11, grace=GRACE, house_delay=0.2) as house:
        crowd, remains = Crowd(house.dispatcher, chance), list[TableReferences]()
        print(f"{'matches':>8} {'MB':>8} {'objects':>10} {'alive':>6} {'timers':>7}")
        for _ in range(ROWS):
            remains += await run_tables(crowd, chance, matches // ROWS, whole=whole)
            alive = sum([each.are_alive for each in remains])
            print(
                f"{len(remains):>8} {_megabytes():>8.1f} {len(gc.get_objects()):>10}"
                f" {alive:>6} {len(house.lobby.timers):>7}",
                flush=True,
            )
    return alive


def _megabytes() -> float:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main()
