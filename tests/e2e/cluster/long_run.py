"""A long run: three nodes, players at all of them, and one blow after the other, drawn by a seed.

What stays true: it ends after so many blows or minutes, and ends every process that it started. A failure is told with
what repeats it: the seed draws the same blows in the same order, at other moments of play.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.e2e.cluster.blows import KINDS, Field
from tests.e2e.cluster.judges import Judge, unsound
from tests.e2e.cluster.nodes import LEASE, Nodes
from tests.e2e.cluster.scene import Scene, first_shown
from tests.e2e.cluster.wires import Wires
from tests.postgres import Engine, binaries

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.cluster.scene import Table

NODES: Final = 3
TABLES: Final = 3
RENEWED: Final = 0.25
"""How likely it is after a blow that the players of a table leave, and others open one elsewhere."""


class LongRun:
    """One run, and its figures."""

    def __init__(
        self, nodes: Nodes, engine: Engine, seed: int, only: list[str], *, failures: int = 5
    ) -> None:
        self.nodes = nodes
        self.judge = Judge(nodes.history)
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        """By blow, how long each table that had to move was away."""
        self.failures: list[str] = []
        self._most = failures
        self.gone = self.taken = 0
        self._kinds = {kind: weight for kind, weight in KINDS.items() if not only or kind.__name__ in only}
        self._repeat = f"python -m tests.e2e.cluster --seed {seed}"
        self._starting = ThreadPoolExecutor(1)
        self._started: Future[object] | None = None
        nodes.be(NODES)
        self.scene = Scene(nodes, self.judge, seed=seed)
        self.field = Field(self.scene, engine, self.chance, self._revive)

    def run(self, blows: int, minutes: float) -> None:
        """Strike so often, or for so long."""
        deadline = time.monotonic() + 60 * minutes
        try:
            for _ in range(TABLES):
                self._seat()
            for number in range(1, blows + 1):
                (kind,) = self.chance.choices([*self._kinds], [*self._kinds.values()])
                self._strike(number, kind)
                if time.monotonic() > deadline or len(self.failures) >= self._most:
                    break
            self.scene.crowd.leave()
            self._note("the end", [*self.judge.conclude(self.scene.crowd)])
        finally:
            self.scene.crowd.close()
            self._starting.shutdown()

    def _strike(self, number: int, kind: Callable[[Field], float]) -> None:
        name = kind.__name__
        owners, gone = self.nodes.history.owners(), len(self.nodes.history.gone())
        self.counts[name] += 1
        found: list[str] = []
        since = time.monotonic()
        try:
            since = kind(self.field)
            self._all_well()
            self.scene.goes_on(patience=40)
        except AssertionError as problem:
            found.append(f"{problem}")
        after = self.nodes.history.owners()
        moved = [table for table in self.scene.tables if after.get(table.name) != owners.get(table.name)]
        self.gone += len(self.nodes.history.gone()) - gone
        self.taken += len(moved)
        away = [
            at - since for table in moved if (at := first_shown(self.scene.crowd, table, since)) is not None
        ]
        self.seconds[name] += away
        found += self.judge.judge(self.scene.crowd)
        if not number % 10:
            found += [*self.judge.kept(), *self.judge.placed()]
        self._note(f"blow {number}, {name}", found)
        shown = ", ".join(f"{each:.2f}" for each in away)
        print(
            f"{number:4} {name:22} {len(moved)} tables moved  {shown}{'  FAILED' * bool(found)}", flush=True
        )
        if found:
            self._begin_again()
        self.scene.crowd.forget()
        if self.chance.random() < RENEWED and self.scene.tables:
            self.scene.unseat(self.chance.choice(self.scene.tables))
        while len(self.scene.tables) < TABLES:
            self._seat()

    def _seat(self) -> Table:
        owners = Counter(self.nodes.history.owners().values())
        well = self.nodes.well
        owner = min(well, key=lambda node: owners[node.number])
        guests = self.chance.sample(
            [node for node in well if node is not owner], self.chance.choice([1, 1, 2])
        )
        return self.scene.seat(owner, *guests, patience=1 + 3 * LEASE)

    def _revive(self) -> None:
        """Begin to start what is missing, as a service manager does."""
        if self._started is None:
            self._started = self._starting.submit(self.nodes.be, NODES)

    def _all_well(self) -> None:
        """Wait until all nodes are there, and forget those that have ended."""
        self._revive()
        assert self._started is not None
        started, self._started = self._started, None
        started.result()
        self.nodes.tidy()
        if len(self.nodes.well) < NODES:
            self._all_well()

    def _note(self, what: str, found: list[str]) -> None:
        if not found:
            return
        only = what.rpartition(" ")[2]
        print(f"--- {what} FAILED; to repeat it: {self._repeat}, or with --only {only}")
        for problem in found[:20]:
            print(f"    {problem[:1500]}")
        for node in (*self.nodes.ended, *self.nodes.all):
            print(f"  {node.name} (node {node.number}, status {node.status}):")
            print("".join(f"    {line}\n" for line in node.service.printed.splitlines()[-8:]))
        self.failures.append(what)

    def _begin_again(self) -> None:
        """After a failure: new nodes, new players."""
        for table in list(self.scene.tables):
            self.scene.unseat(table)
        for node in self.nodes.all:
            node.is_well = False
        self.nodes.tidy()
        self._started = None
        self._all_well()

    def figures(self) -> str:
        """Return what was done and seen."""
        lines = [f"{'blow':22} {'times':>5} {'tables':>6}  seconds to being back: median [least - most]"]
        for name, times in sorted(self.counts.items()):
            lines.append(f"{name:22} {times:5} {len(self.seconds[name]):6}  {_spread(self.seconds[name])}")
        every = [each for seconds in self.seconds.values() for each in seconds]
        return "\n".join(
            [
                *lines,
                f"{'all':22} {self.counts.total():5} {len(every):6}  {_spread(every)}",
                f"{self.gone} nodes declared gone or stopped, {self.taken} tables moved, {self.judge.told} events told "
                f"and judged, {len(self.failures)} failures; lease {LEASE:g} s",
            ]
        )


def _spread(seconds: list[float]) -> str:
    if not seconds:
        return "-"
    return f"{statistics.median(seconds):.2f} [{min(seconds):.2f} - {max(seconds):.2f}]"


def long_run(blows: int, minutes: float, seed: int, only: list[str], failures: int) -> int:
    """Run, print the figures, and return the exit status."""
    programs = binaries()
    if programs is None:
        print("PostgreSQL is not installed")
        return 2
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="golfnet-cluster-")))
        engine = running.enter_context(closing(Engine(programs)))
        wires = running.enter_context(closing(Wires()))
        nodes = running.enter_context(closing(Nodes(engine.new_url(), engine.port, folder, wires)))
        run = LongRun(nodes, engine, seed, only, failures=failures)
        try:
            run.run(blows, minutes)
        finally:
            print(run.figures(), flush=True)
        assert not [*unsound(nodes.history)]
        return min(len(run.failures), 1)
