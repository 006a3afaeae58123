"""What a server's lines, commands, logins, connections, start and commits cost, compared with a bare server.

Costs of lines are processor time of the server process, so that other work on the machine does not count. The server
has one core and the load another, if there are two. The servers in one row are measured one after the other.
"""

import argparse
import os
import signal
import socket
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

import trio

from golfnet.server.journal.journal import Journal
from golfnet.storage.sqlite import MemoryStore, SqliteStore
from golfnet.storage.store import Store
from golfnet.storage.writes import AppendEvent, OpenTable
from tests.benchmarks.load import Crowd, LoadError, Once, Peer, Player, echo, players, seat, talk
from tests.benchmarks.processes import Server, baseline, golfnet

Starting = Callable[[], AbstractContextManager[Server]]

PLAYERS: Final = 1000
"""How many players log in, and sit at tables of four."""

WARM: Final = 100
"""Connections opened before memory is measured."""

BODY: Final = b"x" * 100
"""The body of each event whose commit is measured."""

HEADING = (
    f"{'':<64} {'':<6} {'ours':>9} {'baseline':>9} {'floor':>9} {'ours/baseline':>13} {'ours/floor':>11}"
)


class Row(NamedTuple):
    """A cost: golfnet's, the baseline's, and the possible minimum; lower is better.

    ``baseline`` is a bare trio server unless the row names something else.
    """

    what: str
    unit: str
    ours: float
    baseline: float
    floor: float | None = None

    def __str__(self) -> str:
        costs = [f"{each:9.2f}" if each else f"{'–':>9}" for each in (self.ours, self.baseline, self.floor)]
        ratios = [f"{self.ours / each:.2f}" if each else "–" for each in (self.baseline, self.floor)]
        return f"{self.what:<64} {self.unit:<6} {' '.join(costs)} {ratios[0]:>13} {ratios[1]:>11}"


def least(measure: Callable[[], float], rounds: int) -> float:
    """Return the lowest cost of several rounds, since other work on the machine only adds to it."""
    return min([measure() for _ in range(rounds)])


def row(
    what: str, unit: str, options: argparse.Namespace, cost: Callable[[Starting], float], size: int = 1
) -> Row:
    """Return a cost of golfnet, and of both bare servers with tables of ``size`` peers."""
    servers: list[Starting] = [golfnet, *[partial(baseline, kind, size) for kind in ("trio", "floor")]]
    return Row(what, unit, *[least(partial(cost, start), options.rounds) for start in servers])


@contextmanager
def crowd(start: Starting) -> Iterator[tuple[Server, Crowd]]:
    with start() as server, Crowd(server.port) as peers:
        yield server, peers


def each_cost(server: Server, peers: Crowd, busy: Sequence[Peer], seconds: float) -> float:
    """Return the microseconds per line or command that the busy peers have counted."""
    peers.run(seconds / 4)
    before, cpu = sum(each.count for each in busy), server.cpu
    peers.run(seconds)
    done = sum(each.count for each in busy) - before
    if not done:
        raise LoadError("the server did nothing")
    return (server.cpu - cpu) / done * 1e6


def pings(options: argparse.Namespace) -> Iterator[Row]:
    """Measure a round trip of one line, for programs with names and for bare connections."""

    def cost(size: int, start: Starting) -> float:
        with crowd(start) as (server, peers):
            busy = players(peers, size) if start is golfnet else peers.connect(size, Peer)
            for each in busy:
                echo(each)
            return each_cost(server, peers, busy, options.seconds)

    for size in (100, options.connections):
        yield row(f"ping, {size:,} connections", "µs", options, partial(cost, size))


def chat(options: argparse.Namespace) -> Iterator[Row]:
    """Measure a line sent to four people, and a command in a match, at tables of four."""

    def line(start: Starting) -> float:
        with crowd(start) as (server, peers):
            busy = seat(peers, PLAYERS) if start is golfnet else peers.connect(PLAYERS, Peer)
            peers.run(0.5)  # until all are accepted, since a table would wait forever for a missing peer
            for first in range(0, PLAYERS, 4):
                talk(busy[first : first + 4])
            return each_cost(server, peers, busy, options.seconds)

    def command() -> float:
        with crowd(golfnet) as (server, peers):
            busy = seat(peers, PLAYERS)
            for each in busy:
                each.play()
            return each_cost(server, peers, busy, options.seconds)

    lines = row("a line to four, 250 tables", "µs", options, line, size=4)
    yield lines
    what = "a six-card command, 250 tables (baseline: a line to four)"
    yield Row(what, "µs", least(command, options.rounds), lines.baseline, lines.floor)


def came(start: Starting, peers: Crowd, count: int) -> None:
    """Log in players at golfnet, or wait until every connection to a bare server has an answer."""
    if start is golfnet:
        players(peers, count)
    else:
        peers.connect(count, Once)


def names(options: argparse.Namespace) -> Iterator[Row]:
    """Measure logging in: a connection and a name, compared with a connection and an answer."""

    def cost(start: Starting) -> float:
        with crowd(start) as (server, peers):
            came(start, peers, WARM)
            cpu = server.cpu
            came(start, peers, PLAYERS)
            return (server.cpu - cpu) / PLAYERS * 1e6

    yield row("a login (baseline: an accepted connection)", "µs", options, cost)


def memory(options: argparse.Namespace) -> Iterator[Row]:
    """Measure resident memory per connection: idle, with a name, and in a match with its share of the table."""

    def idle(start: Starting) -> float:
        with crowd(start) as (server, peers):
            peers.connect(WARM, Once)
            before = server.memory
            peers.connect(PLAYERS, Once)
            return (server.memory - before) / PLAYERS / 1024

    bare = row("memory of an idle connection", "KiB", options, idle)
    yield bare
    with crowd(golfnet) as (server, peers):
        players(peers, WARM)
        before = server.memory
        players(peers, PLAYERS)
        named = (server.memory - before) / PLAYERS / 1024
        yield Row("memory of one with a name", "KiB", named, bare.baseline, bare.floor)
    with crowd(golfnet) as (server, peers):
        players(peers, WARM)
        before = server.memory
        play_a_while(peers, seat(peers, PLAYERS))
        playing = (server.memory - before) / PLAYERS / 1024
        yield Row("memory of one in a match, with its share", "KiB", playing, bare.baseline, bare.floor)


def play_a_while(peers: Crowd, seated: Sequence[Player]) -> None:
    """Play until everybody has done more than ten actions."""
    for each in seated:
        each.play()
    peers.wait(lambda: all(each.count > 10 for each in seated), 120)


def starts(options: argparse.Namespace) -> Iterator[Row]:
    """Measure a start until the first answer, with nothing to restore and with tables in play."""
    empty = row("a start until the first answer", "ms", options, _first_answer)
    yield empty
    with tempfile.TemporaryDirectory(prefix="golfnet-benchmark-") as folder:
        stored = partial(golfnet, folder=folder)
        with crowd(stored) as (server, peers):
            play_a_while(peers, seat(peers, PLAYERS))
            os.kill(server.process.pid, signal.SIGKILL)
            server.process.wait()
        restored = least(partial(_first_answer, stored), options.rounds)
    yield Row("the same with 250 tables to restore (baseline: none)", "ms", restored, empty.ours)


def _first_answer(start: Starting) -> float:
    """Return the milliseconds of processor time that a new server uses until it has answered a line."""
    with start() as server, socket.create_connection(("127.0.0.1", server.port), 60) as peer:
        peer.sendall(b"version\r\n")
        peer.recv(1)
        return server.cpu * 1000


def commits(options: argparse.Namespace) -> Iterator[Row]:
    """Measure the cost of durability: every table waits until its latest event is on disk before the next one."""
    for tables in (1, 200):
        with tempfile.TemporaryDirectory(dir=options.directory) as folder:
            with closing(SqliteStore(Path(folder) / "db")) as store:
                ours = trio.run(_appended, store, tables, options.seconds)
            bare = _bare_loop(Path(folder) / "bare", tables, options.seconds)
        memory = trio.run(_appended, MemoryStore(), tables, options.seconds)
        yield Row(f"an event on disk, tables: {tables} (baseline: in memory)", "µs", ours, memory, bare)


async def _appended(store: Store, tables: int, seconds: float) -> float:
    """Return the elapsed microseconds per event when each table waits for its latest one."""
    journal, count, end = Journal(store), 0, perf_counter() + seconds

    def append(table: str, seq: int) -> None:
        nonlocal count
        if perf_counter() < end:
            count += 1
            journal.submit([AppendEvent(table, seq, BODY)], lambda: append(table, seq + 1))

    async with trio.open_nursery() as nursery:
        await nursery.start(journal.run)
        for number in range(1, tables + 1):
            table = f"t{number}"
            journal.submit([OpenTable(table, b"{}")], partial(append, table, 1))
        await journal.aclose()
    return seconds / count * 1e6


def _bare_loop(path: Path, rows: int, seconds: float) -> float:
    """Return the microseconds per row in bare commits of this many rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = full")
        connection.execute("CREATE TABLE event (live INTEGER, seq INTEGER, body BLOB, UNIQUE (live, seq))")
        end, seq = perf_counter() + seconds, 0
        while perf_counter() < end:
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO event VALUES (?, ?, ?)", [(n, seq, BODY) for n in range(rows)]
            )
            connection.execute("COMMIT")
            seq += 1
        return seconds / (seq * rows) * 1e6
