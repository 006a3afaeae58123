"""How long a turn of the event loop lasts while everybody asks for as much as there is to have.

A turn is what the server does between two looks at what is ready: nobody else is served meanwhile, and no timer runs.
By the clock other programs of the machine count as well; beside it stands what the main thread worked.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import trio

from tests.benchmarks._load import LoadError
from tests.benchmarks._measure import crowd, row
from tests.benchmarks._processes import golfnet
from tests.benchmarks.stages import LOADS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable


class Turns(trio.abc.Instrument):
    """The turns of a loop since ``clear``, each by the clock and by what its thread worked."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.taken: list[tuple[float, float]] = []
        self._began: tuple[float, float] | None = None

    def after_io_wait(self, timeout: float) -> None:
        """Note that a turn begins."""
        self._began = time.perf_counter(), time.thread_time()

    def before_io_wait(self, timeout: float) -> None:
        """Note that a turn ends."""
        if self._began is not None:
            clock, worked = self._began
            self.taken.append((time.perf_counter() - clock, time.thread_time() - worked))


def observed(file: str) -> None:
    """Run golfnet as the command line says; between two signals note its turns, then write them down."""
    from golfnet.cli.main import main

    turns, run = Turns(), trio.run

    def run_observed(*args: Any, **how: Any) -> Any:
        return run(*args, **how, instruments=[turns])

    def end(*_: object) -> None:
        taken = turns.taken
        Path(f"{file}.new").write_text(json.dumps(taken))
        Path(f"{file}.new").rename(file)

    trio.run = run_observed  # type: ignore[assignment]
    signal.signal(signal.SIGUSR1, lambda *_: turns.clear())
    signal.signal(signal.SIGUSR2, end)
    main()


def longest(load: str, seconds: float) -> tuple[float, float]:
    """Return the longest turn under a load in ms: by the clock, and of its thread's work."""
    with TemporaryDirectory(prefix="golfnet-turns-") as folder:
        file = f"{folder}/turns"
        program = f"from tests.benchmarks._turns import observed; observed({file!r})"
        with golfnet(program=program) as server, crowd(server) as peers:
            LOADS[load](peers)
            peers.run(seconds / 4)
            os.kill(server.process.pid, signal.SIGUSR1)
            peers.run(seconds)
            os.kill(server.process.pid, signal.SIGUSR2)
            peers.wait(lambda: Path(file).exists())
            turns = json.loads(Path(file).read_text())
    if not turns:
        raise LoadError("the server has not turned once")
    return max([clock for clock, _ in turns]) * 1000, max([worked for _, worked in turns]) * 1000


def show_turns(options: argparse.Namespace) -> None:
    """Print the longest turn under each load."""
    for load in ("ping", "chat", "six-card", "four-turn"):
        taken = [longest(load, options.seconds) for _ in range(options.repeat)]
        clock = statistics.median([clock for clock, _ in taken])
        row(
            f"longest turn of the loop at saturation, {load}",
            "<= 10",
            [worked for _, worked in taken],
            "ms",
            f"of work; {clock:.0f} ms by the clock",
        )


PARTS: Final[dict[str, Callable[[argparse.Namespace], None]]] = {"turns": show_turns}
