"""Two hundred programs at fifty tables play whole matches, one after the other: no error, and nobody is cut off.

Each thinks for a moment before it acts, as a pace-maker says. Prints what happened, and ends with status 1 where a
command was refused, a connection was lost or a table stood still.

With ``--come-and-go`` they leave after a match or lose their connections, others come in their place, and the server's
memory is measured meanwhile: is it flat, or how much of every match stays? Give it ten minutes or more; it ends with
status 1 where memory is not flat.
"""

from __future__ import annotations

import argparse
import math
import os
import random
from collections import deque
from itertools import cycle, pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.benchmarks._load import Crowd, Metronome, Player, Times, players, seat
from tests.benchmarks._processes import LOAD_CORE, Server, golfnet, pin

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

TABLES: Final = 50
VARIANTS: Final = ("six-card", "four-turn")

SAMPLE_SECONDS: Final = 2.0
WARM_UP: Final = 0.3
"""The share of a run after which memory is judged: caches are full then, and a store in memory has all it keeps."""

FLAT_BYTES: Final = 100.0
"""What may stay of a match: ten thousand matches a day would be a megabyte."""

NAMES: Final = 400
"""People who come again and again; the names of guests are kept for 90 days, whatever they do."""


def main() -> int:
    """Play for a while and judge it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default 60)")
    parser.add_argument("--rate", type=float, default=500.0, help="commands a second in all (default 500)")
    parser.add_argument("--come-and-go", action="store_true", help="leave and come, and measure the memory")
    parser.add_argument("--memory", action="store_true", help="serve with --memory instead of a file")
    options = parser.parse_args()
    pin(os.getpid(), LOAD_CORE)
    flags = ("--grace", "5", "--pause", "0") if options.come_and_go else ()
    with golfnet(*flags, durable=not options.memory) as server, Crowd(server.port) as crowd:
        if options.come_and_go:
            return _come_and_go(server, crowd, options.seconds, options.rate)
        return _stay(crowd, options.seconds, options.rate)


def _stay(crowd: Crowd, seconds: float, rate: float) -> int:
    """Play with the same people all the time."""
    seated = players(crowd, TABLES * 4)
    for variant, first in zip(cycle(VARIANTS), range(0, len(seated), 4), strict=False):
        seat(crowd, seated[first : first + 4], 4, f"create {variant} holes=2")
    queue: deque[Player] = deque()
    times = Times()
    for each in seated:
        each.queue, each.times = queue, times
        each.play()
    crowd.run(seconds, Metronome(queue, rate))
    refused = [line for each in seated for line in each.refusals]
    still = [each.table for each in seated[::4] if not each.done]
    matches = sum(each.matches for each in seated[::4])
    print(f"{len(times.taken):,} commands in {seconds:.0f} s, {matches} matches finished")
    print(f"p50 {times.at(0.5):.2f} ms, p99 {times.at(0.99):.2f} ms, longest {times.at(1):.1f} ms")
    print(f"{len(refused)} commands refused, {crowd.ended} connections lost, {len(still)} tables stood still")
    for line in refused[:3]:
        print(f"  {line.decode()}")
    return 1 if refused or crowd.ended or still else 0


# People who come and go.


class Guest(Player):
    """A player whose connection is new, and whose name may have been here before."""

    def __init__(self, sock: socket.socket, number: int, chance: random.Random) -> None:
        super().__init__(sock, number, chance, f"g{number % NAMES}x")


class Party:
    """Two people at a table of their own, from their coming in to their end there."""

    def __init__(self, crowd: Crowd, queue: deque[Player], chance: random.Random) -> None:
        self._crowd = crowd
        self._chance = chance
        self.guests = crowd.connect(2, lambda sock, number: Guest(sock, number, chance))
        for guest in self.guests:
            guest.queue = queue
        self._has_asked = 0

    @property
    def is_over(self) -> bool:
        """Whether their match has ended."""
        return self.guests[0].matches > 0

    def go_on(self) -> None:
        """Take the next step to the table."""
        host, other = self.guests
        if not self._has_asked and host.is_named and other.is_named:
            host.ask(f"create {self._chance.choice(VARIANTS)} seats=2 holes=1".encode())
            self._has_asked = 1
        elif self._has_asked == 1 and host.is_seated:
            other.ask(f"join {host.table}".encode())
            self._has_asked = 2
        elif self._has_asked == 2 and other.is_seated:
            for guest in self.guests:
                guest.play()
            self._has_asked = 3

    def leave(self) -> None:
        """Go, in one of the ways in which people go."""
        for guest in self.guests:
            guest.rest_now()
            if self._chance.random() < 0.7:
                guest.ask(self._chance.choice([b"leave", b"quit", b"leave\nhistory\nwho"]))
            self._crowd.drop(guest)


class Sample(NamedTuple):
    """What was measured at one time."""

    matches: int
    memory: int


class Trend(NamedTuple):
    """How memory grows with matches: bytes a match, and the standard error."""

    slope: float
    error: float


def _come_and_go(server: Server, crowd: Crowd, seconds: float, rate: float) -> int:
    """Play with ever new people, and judge the memory."""
    queue: deque[Player] = deque()
    beat, chance = Metronome(queue, rate), random.Random(1)
    parties = [Party(crowd, queue, chance) for _ in range(TABLES)]
    samples: list[Sample] = []
    matches, due = 0, 0.0
    print(f"{'seconds':>8} {'matches':>8} {'MB':>7}")

    def tick(now: float) -> None:
        nonlocal matches, due
        beat(now)
        for place, party in enumerate(parties):
            if party.is_over:
                party.leave()
                matches += 1
                parties[place] = Party(crowd, queue, chance)
            else:
                party.go_on()
        if now >= due:
            due = now + SAMPLE_SECONDS
            samples.append(Sample(matches, server.memory))
            if len(samples) % 15 == 1:
                print(f"{now - began:8.0f} {matches:8} {samples[-1].memory / 1e6:7.1f}", flush=True)

    began = perf_counter()
    crowd.run(seconds, tick)
    trend = trend_of([sample for sample in samples if sample.matches >= WARM_UP * matches])
    is_flat = trend.slope - 2 * trend.error <= FLAT_BYTES
    print(
        f"{matches} matches of {2 * matches} people; memory {'is flat' if is_flat else 'GROWS'}: "
        f"{trend.slope:.0f} ± {2 * trend.error:.0f} bytes a match"
    )
    return 0 if is_flat else 1


def trend_of(samples: Sequence[Sample]) -> Trend:
    """Return the least-squares slope of memory over matches, with its error.

    Samples that follow each other resemble each other, so they count for fewer than they are: by the correlation of
    neighbouring residuals.
    """
    count = len(samples)
    if count < 3:
        return Trend(0.0, math.inf)
    matches, memory = ([float(value) for value in column] for column in zip(*samples, strict=True))
    middle, level = sum(matches) / count, sum(memory) / count
    spread = sum((x - middle) ** 2 for x in matches)
    if not spread:
        return Trend(0.0, math.inf)
    slope = sum((x - middle) * (y - level) for x, y in zip(matches, memory, strict=True)) / spread
    residuals = [y - level - slope * (x - middle) for x, y in zip(matches, memory, strict=True)]
    squares = sum(residual**2 for residual in residuals)
    if not squares:
        return Trend(slope, 0.0)
    alike = sum(one * next_one for one, next_one in pairwise(residuals)) / squares
    alike = min(max(alike, 0.0), 0.98)
    return Trend(slope, math.sqrt(squares / (count - 2) / spread * (1 + alike) / (1 - alike)))


if __name__ == "__main__":
    main()
