"""What a server's lines, commands, logins, connections and start cost, compared with a bare server.

Costs of lines are processor time of the server process, so that other work on the machine does not count. The server
has one core and the load another, if there are two. The servers in a row are measured one after the other.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from tests.benchmarks.load import Crowd, Echo, LoadError, Once, Player, Talker, players, seat
from tests.benchmarks.processes import baseline, golfnet
from tests.benchmarks.table import Row, least

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from tests.benchmarks.processes import Server

    Starting = Callable[[], AbstractContextManager[Server]]

PLAYERS: Final = 1000
"""How many players log in, and sit at tables of four."""

WARM: Final = 100
"""Connections opened before memory is measured."""

KINDS: Final = ("trio", "floor")


@contextmanager
def crowd(starting: AbstractContextManager[Server]) -> Iterator[tuple[Server, Crowd]]:
    """Run a server with a crowd of clients."""
    with starting as server, Crowd(server.port) as peers:
        yield server, peers


def each_cost(server: Server, peers: Crowd, count: Callable[[], int], seconds: float) -> float:
    """Return the microseconds per item that a running load counts."""
    peers.run(seconds / 4)
    before, cpu = count(), server.cpu
    peers.run(seconds)
    if count() == before:
        raise LoadError("the server did nothing")
    return (server.cpu - cpu) / (count() - before) * 1e6


def pings(options: argparse.Namespace) -> Iterator[Row]:
    """Measure a round trip of one line, for programs with names and for bare connections."""

    def cost(size: int, start: Starting, *, is_golf: bool = False) -> float:
        with crowd(start()) as (server, peers):
            came = players(peers, size) if is_golf else peers.connect(size, Echo)
            echoes = peers.recast(came, Echo)
            for each in echoes:
                each.sock.send(Echo.line)
            return each_cost(server, peers, lambda: sum(each.count for each in echoes), options.seconds)

    for size in (100, options.connections):
        ours = partial(cost, size, golfnet, is_golf=True)
        bare = [partial(cost, size, partial(baseline, kind)) for kind in KINDS]
        yield Row(
            f"ping, {size:,} connections", "µs", *[least(each, options.rounds) for each in (ours, *bare)]
        )


def chat(options: argparse.Namespace) -> Iterator[Row]:
    """Measure a line sent to four people, and a command in a match, at tables of four."""
    ours = partial(_talk, golfnet, options.seconds, is_golf=True)
    bare = [partial(_talk, partial(baseline, kind, 4), options.seconds) for kind in KINDS]
    talk = [least(each, options.rounds) for each in (ours, *bare)]
    yield Row("a line to four, 250 tables", "µs", *talk)
    command = least(partial(_play, options.seconds), options.rounds)
    yield Row("a six-card command, 250 tables (baseline: a line to four)", "µs", command, *talk[1:])


def _talk(start: Starting, seconds: float, *, is_golf: bool = False) -> float:
    with crowd(start()) as (server, peers):
        seated: Sequence[Player | Talker]
        if is_golf:
            seated = players(peers, PLAYERS)
            seat(peers, seated)
        else:
            seated = peers.connect(PLAYERS, Talker)
            peers.run(0.5)  # until all are accepted, since a table with one missing would wait forever
        talkers = peers.recast(seated, Talker)
        for first in range(0, len(talkers), 4):
            for each in talkers[first : first + 4]:
                each.table = talkers[first : first + 4]
            talkers[first].speak()
        return each_cost(server, peers, lambda: sum(each.heard for each in talkers) // 4, seconds)


def _play(seconds: float) -> float:
    with crowd(golfnet()) as (server, peers):
        seated = players(peers, PLAYERS)
        seat(peers, seated)
        for each in seated:
            each.play()
        return each_cost(server, peers, lambda: sum(each.done for each in seated), seconds)


def names(options: argparse.Namespace) -> Iterator[Row]:
    """Measure logging in: a connection and a name, compared with a connection and an answer."""

    def cost(start: Starting, come: Callable[[Crowd, int], object]) -> float:
        with crowd(start()) as (server, peers):
            come(peers, WARM)
            cpu = server.cpu
            come(peers, PLAYERS)
            return (server.cpu - cpu) / PLAYERS * 1e6

    ours = partial(cost, golfnet, players)
    bare = [partial(cost, partial(baseline, kind), answered) for kind in KINDS]
    yield Row(
        "a login (baseline: an accepted connection)",
        "µs",
        *[least(each, options.rounds) for each in (ours, *bare)],
    )


def answered(peers: Crowd, count: int) -> list[Once]:
    """Return connections that have each had an answer."""
    return peers.connect(count, Once, lambda each: each.is_answered)


def memory(options: argparse.Namespace) -> Iterator[Row]:
    """Measure resident memory per connection: idle, with a name, and in a match with its share of the table."""

    def idle(start: Starting) -> float:
        with crowd(start()) as (server, peers):
            answered(peers, WARM)
            before = server.memory
            answered(peers, PLAYERS)
            return (server.memory - before) / PLAYERS / 1024

    bare = [idle(partial(baseline, kind)) for kind in KINDS]
    yield Row("memory of an idle connection", "KiB", idle(golfnet), *bare)
    with crowd(golfnet()) as (server, peers):
        players(peers, WARM)
        before = server.memory
        seated = players(peers, PLAYERS)
        yield Row("memory of one with a name", "KiB", (server.memory - before) / PLAYERS / 1024, *bare)
        seat(peers, seated)
        for each in seated:
            each.play()
        peers.wait(lambda: all(each.done > 10 for each in seated), 120)
        yield Row(
            "memory of one in a match, with its share",
            "KiB",
            (server.memory - before) / PLAYERS / 1024,
            *bare,
        )


def starts(options: argparse.Namespace) -> Iterator[Row]:
    """Measure a start until the first answer, with nothing to restore and with tables in play."""
    bare = [least(partial(_first_answer, partial(baseline, kind)), options.rounds) for kind in KINDS]
    empty = least(partial(_first_answer, golfnet), options.rounds)
    yield Row("a start until the first answer", "ms", empty, *bare)
    with tempfile.TemporaryDirectory(prefix="golfnet-benchmark-") as folder:
        with crowd(golfnet(folder=folder)) as (server, peers):
            seated = players(peers, PLAYERS)
            seat(peers, seated)
            for each in seated:
                each.play()
            peers.wait(lambda: all(each.done > 10 for each in seated), 120)
            os.kill(server.process.pid, signal.SIGKILL)
            server.process.wait()
        restored = least(partial(_first_answer, partial(golfnet, folder=folder)), options.rounds)
    yield Row("the same with 250 tables to restore (baseline: none)", "ms", restored, empty)


def _first_answer(start: Starting) -> float:
    """Return the milliseconds of processor time that a new server uses until it has answered a line."""
    with start() as server, socket.create_connection(("127.0.0.1", server.port), 60) as peer:
        peer.sendall(b"version\r\n")
        peer.recv(1)
        return server.cpu * 1000
