"""What PostgreSQL and several processes cost, and what they bring: each kind of server in turns.

Programs at tables of two act as soon as they are asked, so that with one table a command waits for nothing but its own
way to the disk and back, and with many for the others too. PostgreSQL is one of the benchmark's own on this machine, as
it is set up by default: with fsync, without a second copy. Differences are worth more than times; the processor time of
a command is that of golfnet alone, with all its threads and processes. Where players come in at two nodes, one of the
two at each table is relayed. Two processes are for machines with more cores than there are here: server, PostgreSQL and
load share them, and a gain shows only where the load leaves room.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.benchmarks._load import Crowd, Echo, Player, Times, players, seat
from tests.benchmarks._processes import LOAD_CORE, golfnet, pin
from tests.postgres import Engine, binaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.benchmarks._processes import Server

TABLES: Final = (1, 32)

PINGERS: Final = 16

OPENED: Final = 4
"""Tables opened at a time: a node has numbers for ten, and asks for more when half of them are used."""


def main() -> int:
    """Print a table of times for each number of tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement (3)")
    parser.add_argument("--repeat", type=int, default=3, help="rounds, each with every store (3)")
    options = parser.parse_args()
    programs = binaries()
    if programs is None:
        print("PostgreSQL is not installed")
        return 1
    pin(os.getpid(), LOAD_CORE)
    with contextlib.closing(Engine(programs)) as engine:
        stores: dict[str, Callable[[], contextlib.AbstractContextManager[Sequence[Server]]]] = {
            "memory": lambda: _alone(golfnet(durable=False, pinned=False)),
            "SQLite": lambda: _alone(golfnet(pinned=False)),
            "PostgreSQL": lambda: _alone(golfnet(database=engine.new_url(), pinned=False)),
            "2 nodes": lambda: _two_nodes(engine.new_url()),
            "2 processes": lambda: _alone(
                golfnet("--processes", "2", database=engine.new_url(), pinned=False)
            ),
        }
        print(
            f"{'tables':>7} {'store':<11} {'p50 ms':>7} {'range':>13} {'p99 ms':>7} {'commands/s':>11} {'µs each':>8}"
        )
        for tables in TABLES:
            taken: dict[str, list[Round]] = defaultdict(list)
            for _ in range(options.repeat):
                for name, start in stores.items():
                    with start() as servers:
                        taken[name].append(measure(servers, tables, options.seconds))
            for name, rounds in taken.items():
                p50 = [each.p50 for each in rounds]
                print(
                    f"{tables:>7} {name:<11} {median(p50):7.2f} {min(p50):6.2f}–{max(p50):<6.2f}"
                    f" {median([each.p99 for each in rounds]):7.1f} {median([each.rate for each in rounds]):11,.0f}"
                    f" {median([each.cost for each in rounds]):8.0f}",
                    flush=True,
                )
        rates = {name: median([each.rate for each in rounds]) for name, rounds in taken.items()}
        print(
            f"2 processes do {rates['2 processes'] / rates['PostgreSQL']:.2f} times the commands of one (aim 1.7)"
        )
        ratios = [relayed_ping(engine.new_url(), options.seconds) for _ in range(options.repeat)]
        shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        print(f"a relayed ping costs its front {median(ratios):.2f} of a ping (aim 1.0; {shown})")
    return 0


@contextlib.contextmanager
def _alone(starting: contextlib.AbstractContextManager[Server]) -> Iterator[Sequence[Server]]:
    with starting as server:
        yield [server]


@contextlib.contextmanager
def _two_nodes(url: str) -> Iterator[Sequence[Server]]:
    with tempfile.NamedTemporaryFile("w") as secret:
        secret.write("a secret of two nodes, and long enough")
        secret.flush()
        flags = "--cluster", "--cluster-secret", secret.name
        with (
            golfnet(*flags, database=url, pinned=False) as first,
            golfnet(*flags, database=url, pinned=False) as second,
        ):
            yield [first, second]


def relayed_ping(url: str, seconds: float) -> float:
    """Return the processor time of a front for the ping of a relayed player, as a part of that of a ping of its own."""
    with _two_nodes(url) as (owner, front), Crowd(owner.port) as crowd:
        hosts = players(crowd, PINGERS)
        crowd.port = front.port
        guests = players(crowd, PINGERS)
        for at in range(0, PINGERS, OPENED):
            pairs = zip(hosts[at : at + OPENED], guests[at : at + OPENED], strict=True)
            seat(crowd, [each for pair in pairs for each in pair], 2)
        relayed = _cost_of_pings(crowd, guests, front, seconds)
        with Crowd(front.port) as others:
            return relayed / _cost_of_pings(others, players(others, PINGERS, name="q"), front, seconds)


def _cost_of_pings(crowd: Crowd, seated: Sequence[Player], server: Server, seconds: float) -> float:
    """Return the processor seconds of a server for each ping of some connections."""
    pingers = crowd.recast(seated, Echo)
    for each in pingers:
        each.send(Echo.line)
    crowd.run(seconds / 3)
    counted, before = sum(each.count for each in pingers), server.cpu
    crowd.run(seconds)
    return (server.cpu - before) / (sum(each.count for each in pingers) - counted)


class Round(NamedTuple):
    """What one store did: milliseconds of a command, commands in a second, microseconds of processor time for each."""

    p50: float
    p99: float
    rate: float
    cost: float


def measure(servers: Sequence[Server], tables: int, seconds: float) -> Round:
    """Let tables of two play, whose players come in at the servers in turns; return how long their commands took."""
    times = Times()
    with Crowd(servers[0].port) as crowd:
        arrived = []
        for server in servers:
            crowd.port = server.port
            arrived.append(players(crowd, tables * 2 // len(servers)))
        seated = [each for together in zip(*arrived, strict=True) for each in together]
        for at in range(0, len(seated), 2 * OPENED):
            seat(crowd, seated[at : at + 2 * OPENED], 2)
        for each in seated:
            each.play()
        crowd.run(seconds / 3)
        for each in seated:
            each.times = times
        before = sum(server.cpu for server in servers)
        crowd.run(seconds)
        used = sum(server.cpu for server in servers) - before
        if refused := [line for each in seated for line in each.refusals]:
            print(f"    {len(refused)} commands were refused: {refused[0].decode()}", file=sys.stderr)
    count = len(times.taken)
    return Round(times.at(0.5), times.at(0.99), count / seconds, used / count * 1e6)


if __name__ == "__main__":
    sys.exit(main())
