"""What benchmarks of whole servers share: figures of several runs, rows of one table, speeds by processor time.

Throughputs are compared by what one second of the server's processor time does, so that other work on the machine
does not count; what was counted on the clock stands behind it.
"""

from __future__ import annotations

import statistics
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.benchmarks._load import Crowd, Echo, LoadError, Player, players

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.benchmarks._processes import Server


class Figures:
    """The values of one figure over several runs."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {}

    def add(self, name: str, value: float) -> None:
        self.values.setdefault(name, []).append(value)

    def ratio(self, name: str, to: str) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.values[name], self.values[to], strict=True)]


def row(what: str, aim: str, values: Sequence[float], unit: str = "", note: str = "") -> None:
    """Print one line of the table: the median, and the range of the runs."""
    median = statistics.median(values)
    spread = f"{min(values):.2f}-{max(values):.2f}" if len(values) > 1 else ""
    print(f"{what:<58} {aim:>9}  {median:8.2f} {unit:<5} {spread:<16} {note}", flush=True)


@contextmanager
def crowd(server: Server) -> Iterator[Crowd]:
    with Crowd(server.port) as crowd:
        yield crowd
        if crowd.ended:
            print(f"    {crowd.ended} connections were lost", flush=True)


class Speed:
    """Lines or commands a second of the server's processor time, and what there were by the clock."""

    def __init__(self, count: float, seconds: float, load: float, server: float) -> None:
        if not count:
            raise LoadError("the server did nothing")
        self.rate = count / (server or seconds)
        self.note = (
            f"{1e6 / self.rate:.1f} µs each; {count / seconds:,.0f}/s by the clock, load {load / seconds:.0%}"
        )


def measure(
    server: Server, crowd: Crowd, count: Callable[[], float], seconds: float, tick: Any = None
) -> Speed:
    crowd.run(seconds / 4, tick)
    before, load, cpu = count(), time.process_time(), server.cpu
    took = crowd.run(seconds, tick)
    return Speed(count() - before, took, time.process_time() - load, server.cpu - cpu)


def ping(server: Server, connections: int, seconds: float, *, golf: bool) -> Speed:
    """Return how fast one line there and back is, for programs that have a name or for bare connections."""
    with crowd(server) as peers:
        if golf:
            echoes = peers.recast(players(peers, connections), Echo)
        else:
            echoes = peers.settle(connections, Echo, lambda each: True)
        for each in echoes:
            each.send(Echo.line)
        return measure(server, peers, lambda: sum(each.count for each in echoes), seconds)


def complain(seated: Sequence[Player]) -> None:
    refused = [line for each in seated for line in each.refusals]
    if refused:
        print(f"    {len(refused)} commands were refused, such as {refused[0].decode()}", flush=True)
