"""What durability costs: actions per second with each kind of store, at 1, 10 and 200 tables at once.

Every table waits until what happened is durable before its next action, as a real one does before it tells its
players. ``actions`` are random play of whole matches: the engine decides, the events are encoded and journaled.
``appends`` leave out the engine: one event of 100 bytes each time, which is the journal alone. The bare loop writes
the same events with nothing but sqlite3: a commit for each round of all tables, in one thread. Ratios are worth more
than rates, for machines differ and so do their busy hours; ``of memory`` is the price of durability. The store in
memory is written in the event loop, an action at a time; those in files in a thread, many at once.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import trio

from golfnet.engine import match as matches
from golfnet.engine.match import Match
from golfnet.engine.variants import SIX_CARD
from golfnet.server.journal.journal import Journal
from golfnet.storage.records import log_body
from golfnet.storage.sqlite import Durability, MemoryStore, SqliteStore
from golfnet.storage.writes import AppendEvent, OpenTable
from tests.engine.random_play import random_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from golfnet.engine.events import Event
    from golfnet.storage.store import Store

TABLES: Final = (1, 10, 200)
BODY: Final = b"x" * 100
NAMES: Final = ("Ann", "Bo", "Cy", "Di")


class Source(Protocol):
    """Where the events of a table come from."""

    def __call__(self) -> tuple[bytes, ...]:
        """Return the bodies of the events of the next action."""


class Rate(NamedTuple):
    """What was done in a second: actions and events."""

    actions: float
    events: float


def main() -> None:
    """Print a table of actions and one of appends."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="for each figure (2)")
    parser.add_argument(
        "--directory", type=Path, metavar="DIR", help="where to put the databases: on the disk to be measured"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.directory) as directory:
        for kind, source in (("actions", Play), ("appends", Append)):
            print(
                f"{kind:>9} {'tables':>7} {kind + '/s':>11} {'events/s':>9} {'of memory':>10} {'of bare loop':>13}"
            )
            for tables in TABLES:
                for line in lines(Path(directory) / kind, tables, source, asked.seconds):
                    print(line)


def lines(place: Path, tables: int, source: Callable[[int], Source], seconds: float) -> Iterator[str]:
    """Yield a line for each kind of store."""
    place.mkdir(exist_ok=True)
    memory = trio.run(measure, MemoryStore(), tables, source, seconds)
    yield f"{'memory':>9} {tables:>7} {memory.actions:11,.0f} {memory.events:9,.0f}"
    for durability in Durability:
        path = place / f"{tables}-{durability}.db"
        with closing(SqliteStore(path, durability)) as store:
            rate = trio.run(measure, store, tables, source, seconds)
        rows = max(1, round(tables * rate.events / rate.actions))
        bare = bare_loop(path.with_suffix(".bare"), durability, rows, seconds)
        yield (
            f"{durability:>9} {tables:>7} {rate.actions:11,.0f} {rate.events:9,.0f}"
            f" {rate.actions / memory.actions:10.2f} {rate.events / bare:13.2f}"
        )


def bare_loop(path: Path, durability: Durability, rows: int, seconds: float) -> float:
    """Return the events per second of commits of so many rows, with nothing around them."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {durability}")
        connection.execute("CREATE TABLE event (live INTEGER, seq INTEGER, body BLOB, UNIQUE (live, seq))")
        begin, seq = perf_counter(), 0
        while perf_counter() < begin + seconds:
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO event VALUES (?, ?, ?)", [(n, seq, BODY) for n in range(rows)]
            )
            connection.execute("COMMIT")
            seq += 1
        return seq * rows / (perf_counter() - begin)


class Append:
    """One event of 100 bytes each time."""

    def __init__(self, seed: int) -> None:
        pass

    def __call__(self) -> tuple[bytes, ...]:
        return (BODY,)


class Play:
    """Random play of one match after the other."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        self._match = Match("m1")

    def __call__(self) -> tuple[bytes, ...]:
        return tuple([log_body(event) for event in self._next()])

    def _next(self) -> tuple[Event, ...]:
        """Return the events of the next action, with those of a deal where one is due."""
        happened: tuple[Event, ...] = ()
        if self._match.places is not None:
            self._match = Match("m1")
        if not self._match.is_playing:
            events, self._match = matches.commit(self._match, self._chance.randbytes(32))
            happened += events
            if self._match.rules is None:
                events, self._match = matches.start(self._match, SIX_CARD, NAMES)
                happened += events
            events, self._match = matches.deal(self._match, ("",) * len(NAMES))
            return happened + events
        step = random_step(self._match, self._chance)
        self._match = step.after
        return step.events


async def measure(store: Store, tables: int, source: Callable[[int], Source], seconds: float) -> Rate:
    """Let so many tables act for a while, each as soon as its last action is durable."""
    journal = Journal(store)
    actions = events = 0
    end = float("inf")

    def run(table: str, seq: int, following: Source) -> None:
        nonlocal actions, events
        if perf_counter() >= end:
            return
        bodies = following()
        actions += 1
        events += len(bodies)
        writes = [AppendEvent(table, seq + n, body) for n, body in enumerate(bodies, 1)]
        journal.submit(writes, lambda: run(table, seq + len(bodies), following))

    def begin() -> None:
        nonlocal end
        end = perf_counter() + seconds
        for n, following in enumerate(sources, 1):
            run(f"t{n}", 0, following)

    sources = [source(n) for n in range(tables)]
    async with trio.open_nursery() as nursery:
        await nursery.start(journal.run)
        journal.submit([OpenTable(f"t{n}", b"{}") for n in range(1, tables + 1)], begin)
        await journal.aclose()
    return Rate(actions / seconds, events / seconds)
