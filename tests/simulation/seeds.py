"""Running worlds by seed: many at once, one with its story, and a failing one reduced to the fewest faults."""

import contextlib
import multiprocessing
import signal
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Final

from tests.simulation.cluster import ClusterWorld
from tests.simulation.world import Outcome, World

_AT_ONCE: Final = 20
"""Number of seeds that a process is given at a time."""

_LONGEST: Final = 10.0
"""Maximum processor seconds for a world; 0.1 s is normal, and more than this means an endless loop."""


class Endless(BaseException):
    """A world does not end; no fault boundary may catch this."""


def run_seed(seed: int, only: Collection[int] | None = None, *, cluster: bool = False) -> Outcome:
    """Run one world, with one server or several nodes; it fails if it never ends or breaks the simulation."""
    world = (ClusterWorld if cluster else World)(seed, only=only)
    try:
        with _time_limit():
            return world.run()
    except (Exception, Endless, BaseExceptionGroup) as problem:
        world.broke(problem)
        return world.outcome()


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    """Raise ``Endless`` if something takes far too much processor time."""

    def interrupt(*_: object) -> None:
        raise Endless(f"after {_LONGEST} s of processor time")

    signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def without_story(seed: int, *, cluster: bool) -> Outcome:
    return run_seed(seed, cluster=cluster)._replace(story=[])


def run_seeds(seeds: Iterable[int], *, jobs: int, cluster: bool) -> Iterator[Outcome]:
    """Run worlds in other processes, and yield their outcomes in any order."""
    run = partial(without_story, cluster=cluster)
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(run, seeds, chunksize=_AT_ONCE)


def shrink(seed: int, *, cluster: bool) -> tuple[list[int], Outcome]:
    """Return the fewest faults with which a failing world still fails, and its outcome with them."""
    failing = run_seed(seed, cluster=cluster)
    faults = list(range(failing.planned))
    size = max(1, len(faults) // 2)
    while True:
        for start in range(0, len(faults), size):
            fewer = faults[:start] + faults[start + size :]
            outcome = run_seed(seed, fewer, cluster=cluster)
            if outcome.violation is not None:
                faults, failing = fewer, outcome
                break
        else:
            if size == 1:
                return faults, failing
            size //= 2


def command(seed: int, only: Collection[int] | None = None, *, cluster: bool = False) -> str:
    faults = "" if only is None else f" --only {','.join(map(str, only)) or 'none'}"
    return f"python -m tests.simulation{' --cluster' if cluster else ''} --seed {seed}{faults}"


def story_of(outcome: Outcome, most: int = 60) -> str:
    lines = [f"{at:9.3f}  {who:8} {what[:400]}" for at, who, what in outcome.story]
    left_out = len(lines) - most
    return "\n".join([*([f"… {left_out} earlier lines"] if left_out > 0 else []), *lines[-most:]])


def report_of(seed: int, *, cluster: bool = False) -> str:
    """Return a report on a failing world: what failed, its story, and the commands that repeat it."""
    faults, outcome = shrink(seed, cluster=cluster)
    return (
        f"seed {seed}: {outcome.violation}\n\n{story_of(outcome)}\n\n"
        f"With all its faults: {command(seed, cluster=cluster)}\n"
        f"With the fewest: {command(seed, faults, cluster=cluster)}"
    )
