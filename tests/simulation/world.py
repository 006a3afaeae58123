"""A world: people, a network, servers and a disk, from one seed, in one thread and virtual time."""

from __future__ import annotations

import hashlib
import random
import traceback
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import trio

from golfnet.server.config import Config
from golfnet.server.net.listeners import PortKind
from tests.simulation.disk import Disk
from tests.simulation.insides import (
    greedy_peer,
    left_over,
    watched_clocks,
    wrong_restoration,
    wrong_table,
)
from tests.simulation.judges import Ledger, LineJudge
from tests.simulation.ladder import wrong_ladder, wrong_record
from tests.simulation.machine import Machine
from tests.simulation.mishaps import fault_of_server
from tests.simulation.network import Line
from tests.simulation.people import Person, Stranger, Typist
from tests.simulation.players import Player, Watcher
from tests.simulation.server import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from golfnet.server.table.table import Table
    from tests.simulation.insides import Standing
    from tests.simulation.mishaps import Fault

LIFE: Final = 30.0
"""Virtual seconds in which there are faults."""

MOST_STEPS: Final = 100_000
"""Maximum steps in a world; a few thousand are normal, and more than this means an endless loop."""


class Outcome(NamedTuple):
    seed: int
    violation: str | None
    hash: str
    faults: Counter[str]
    events: int
    told: int
    story: list[tuple[float, str, str]]
    planned: int


class World:
    late_logins = 0.0
    """For how many seconds another node may still carry out a login whose connection is lost."""

    def __init__(self, seed: int, *, only: Collection[int] | None = None) -> None:
        self.seed = seed
        self.machine = Machine(f"world {seed}")
        self.chance = random.Random(f"world {seed}")
        self.faults: Counter[str] = Counter()
        self.story: list[tuple[float, str, str]] = []
        self.violation: str | None = None
        self.board: dict[str, str] = {}
        """Tables that somebody has opened, with their settings, as friends would tell each other."""
        self.idle: set[str] = set()
        """Programs without a seat, as far as friends know."""
        self.is_calm = False
        """Whether people only finish what they have begun, and no longer do anything unusual."""
        self.has_accounts = self.chance.random() < 0.4
        """Whether programs register their names, and play each other for the accounts' ladder."""
        self.has_windows = self.chance.random() < 0.15
        """Whether people open only tables with slam windows."""
        self.skipped = 0.0
        """How many seconds in total the wall clock has jumped ahead."""
        self.is_buried = False
        """Whether the world is ending, so that no more servers start."""
        self.ledger = Ledger(self.fail)
        self.disk = Disk(random.Random(f"{seed} disk"), self)
        self.servers: list[ServerProcess] = []
        """The latest run of each server."""
        self._nursery: trio.Nursery | None = None
        self._living = trio.CancelScope()
        """Cancelled to end a phase of the world's life early."""
        self._before: dict[str, Standing] | None = None
        """The tables of the crashed server, if all of them were durable."""
        self.hash = hashlib.blake2b(digest_size=16)
        self.config = self._config()
        self.people = self._people()
        self.plan = self._plan()
        if only is not None:
            self.plan = [fault for number, fault in enumerate(self.plan) if number in only]

    # --- what people and connections need

    @property
    def now(self) -> float:
        return self.machine.clock.now

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        self.machine.clock.after(seconds, call)

    def fail(self, why: str) -> None:
        """Report something that must never happen; only the first report counts."""
        if self.violation is None:
            self.violation = why
            self.note("judge", why)
            self._living.cancel()

    def check(self, problem: str | None) -> None:
        if problem is not None:
            self.fail(problem)

    def broke(self, problem: BaseException) -> None:
        """Report that the simulation itself has failed."""
        if self.violation is None:
            told = "".join(traceback.format_exception(problem))
            self.violation = f"the world broke: {problem!r}\n{told}"
            self._living.cancel()

    def _has_failed(self) -> bool:
        return self.violation is not None

    @property
    def open_servers(self) -> list[ServerProcess]:
        return [server for server in self.servers if server.is_open]

    def for_a_while(self, seconds: float, thing: object, what: str, value: Any, usual: Any) -> None:
        def change(to: Any) -> None:
            setattr(thing, what, to)
            self.renew()

        change(value)
        self.after(seconds, partial(change, usual))

    def renew(self) -> None:
        """Apply what has changed to the servers' disks."""

    def note(self, who: str, what: str) -> None:
        self.story.append((self.now, who, what))

    def connect(self, person: Person) -> Line | None:
        """Return a new connection, or None if no server accepts it."""
        server = self._entrance()
        if server is None or not server.is_open:
            return None
        is_polite = not isinstance(person, Stranger)
        line = Line(self, person, LineJudge(self.ledger, self.fail, owner=person.name, is_polite=is_polite))
        kind = PortKind.TELNET if person.is_telnet else PortKind.PLAIN
        return line if server.connect(line, person.address, kind) else None

    def _entrance(self) -> ServerProcess | None:
        return self.servers[0] if self.servers else None

    # --- the run

    def run(self) -> Outcome:
        clock = self.machine.clock
        clock.on_step, clock.on_fault = self._stepped, self.broke
        with self.machine.installed(), watched_clocks(self.fail):
            trio.run(self._run, clock=clock)
        return self.outcome()

    def outcome(self) -> Outcome:
        for time, who, what in self.story:
            self.hash.update(f"{time:.6f} {who} {what}\n".encode())
        return Outcome(
            self.seed,
            self.violation,
            self.hash.hexdigest(),
            self.faults,
            self.ledger.events,
            self.ledger.told,
            self.story,
            len(self.plan),
        )

    async def _run(self) -> None:
        async with trio.open_nursery() as self._nursery:
            self.start_server()
            for person in self.people:
                self.after(person.chance.uniform(0, 3), person.start)
            for at, what, call in self.plan:
                self.after(at, partial(self._befall, what, call))
            await self._live_until(self.now + LIFE)
            await self._reckon()
            await self._bury()

    async def _live_until(self, end: float) -> None:
        """Process events in order until the given time or until an invariant is violated."""
        if not self._has_failed():
            with trio.CancelScope(deadline=end) as self._living:
                await trio.sleep_forever()

    def _stepped(self, steps: int) -> None:
        if steps % 32 == 0:
            self._look_at_servers()
        if steps > MOST_STEPS:
            self.fail("the world does not come to rest")

    def _look_at_servers(self) -> None:
        for server in self.open_servers:
            if not server.is_frozen and not server.lobby.is_stopping:
                self.check(greedy_peer(server.lobby, self.now))
                if len(server.lobby.sessions) > server.living_lines:
                    self.fail("a session continues without a connection")
                for table in server.lobby.tables.values():
                    self.check(wrong_table(table))

    def compare(self, server: ServerProcess) -> None:
        """Compare the tables of a server that has just started with those of the one that crashed."""
        before, self._before = self._before, None
        if before is None:
            return
        for id, table in server.lobby.tables.items():
            self.check(wrong_restoration(table, before.pop(id, None)))
        if before:
            self.fail(f"tables {list(before)} are not restored")

    async def _bury(self) -> None:
        self.is_buried = True
        for server in self.servers:
            if not server.has_ended:
                server.crash(write_survives=False)
        assert self._nursery is not None
        while self._nursery.child_tasks:  # noqa: ASYNC110 -- they set no event
            await trio.sleep(1.0)

    def start_server(self) -> None:
        if self.is_buried:
            return
        assert self._nursery is not None
        self.note("server", "starts")
        self.servers = [ServerProcess(self)]
        self._nursery.start_soon(self.servers[0].run)

    def _befall(self, what: str, call: Callable[[], None]) -> None:
        if not self.is_calm:
            self.faults[what] += 1
            self.note("fault", what)
            call()

    async def _reckon(self) -> None:
        """Repair everything, let people finish what they have begun, and check that nothing is left."""
        if self._has_failed():
            return
        self.note("world", "everything is repaired")
        self.is_calm = True
        self._heal()
        for person in self.people:
            person.ways.piece, person.ways.delay = 0, 0.002
            if person.line is not None:
                person.line.read_on()
            if person.line is not None and person.line.was_cut:
                person.drop()
            person.start()
        self._start_again()
        await self._live_until(self.now + 10)
        await self._watch_matches_go_on()
        for person in self.people:
            person.wind_up()  # type: ignore[attr-defined]
        limit = self.now + self.config.idle_time + self.config.grace + 30
        while not self._has_failed() and self.now < limit and self._is_anybody_left():
            await self._live_until(self.now + 5)
        await self._live_until(self.now + 5)
        if self._has_failed():
            return
        self.is_buried = True
        for server in self.servers:
            self._nothing_is_left(server)
            server.stop()
        await self._live_until(self.now + 15)
        if not all(server.has_ended for server in self.servers):
            self.fail("the server does not stop")
        self.ledger.audit(self.disk.queries())
        self.check(wrong_record(self.ledger, self.disk.queries()))
        self.check(wrong_ladder(self.ledger, self.disk.queries()))

    async def _watch_matches_go_on(self) -> None:
        if self._has_failed() or not all(server.is_open for server in self.servers):
            return
        for person in self.people:
            if isinstance(person, Player) and person.unanswered:
                self.fail(f"{person.name} has no answer to {person.unanswered!r}")
        if self.chance.random() < 0.5:
            self.people[0].is_asleep = True
        looks, least = (2, 30.0) if self.chance.random() < 0.1 else (3, 5.0)
        for _ in range(looks):
            begun = self.now
            waiting = {
                table: table.seq
                for table in self._running_tables()
                if any(chair.present for chair in table.seating)
            }
            while waiting and not self._has_failed():
                await self._live_until(self.now + least)
                there = self._running_tables()
                waiting = {
                    table: seq for table, seq in waiting.items() if table in there and table.seq == seq
                }
                # Far longer than any wait: 33 s for sealed texts after a restart begin again after a failed write.
                if self.now - begun >= 90.0:
                    for table, seq in waiting.items():
                        self.fail(f"nothing happens at {table.id} after event {seq}")

    def _running_tables(self) -> list[Table]:
        tables = [table for server in self.open_servers for table in server.lobby.tables.values()]
        return [table for table in tables if table.is_running]

    def _is_anybody_left(self) -> bool:
        return any(
            not server.is_open or server.lobby.tables or server.lobby.sessions for server in self.servers
        )

    def _heal(self) -> None:
        self.disk.failing, self.disk.hangs, self.disk.latency = None, False, 0.001

    def _nothing_is_left(self, server: ServerProcess) -> None:
        self.check(left_over(server))

    # --- what a seed decides

    def _config(self) -> Config:
        chance = self.chance
        return Config(
            port=7777,
            clock=6,
            pause=1,
            start_delay=1,
            grace=chance.choice((2, 8, 30)),
            house_delay=0.3,
            outbox=32_768,
            commands_per_second=chance.choice((10, 100)),
            chat_per_10_seconds=chance.choice((8, 200)),
            excess_per_10_seconds=100,
            name_time=20,
            idle_time=60,
            drain_time=1,
            tables=chance.choice((2, 50)),
            connections=chance.choice((6, 100)),
        )

    def _people(self) -> list[Person]:
        chance = self.chance
        kinds: list[type[Person]] = [Player, Player]
        kinds += [Player] * (chance.random() < 0.5)
        kinds += [Typist] * (chance.random() < 0.4)
        kinds += [Watcher] * (chance.random() < 0.4)
        kinds += [Stranger] * (chance.random() < 0.3)
        names = ("Ann", "Ben", "Cem", "Dot", "Eva", "Fay", "Gus")
        return [
            kind(self, name, random.Random(f"{self.seed} {name}"))
            for kind, name in zip(kinds, names, strict=False)
        ]

    def _plan(self) -> list[tuple[float, str, Callable[[], None]]]:
        chance = random.Random(f"{self.seed} faults")
        plan = []
        for number in range(chance.randrange(1, 7)):
            in_window = self.has_windows and not number
            at = chance.uniform(1.0, 5.0 if in_window else LIFE - 2)
            plan.append((at, *self._fault(chance, in_window=in_window)))
        return sorted(plan, key=lambda fault: fault[0])

    def _fault(self, chance: random.Random, *, in_window: bool = False) -> Fault:
        return fault_of_server(self, chance, in_window=in_window)

    # --- faults of the server

    def crash(self, down: float, *, write_survives: bool) -> None:
        """Kill the server, and restart it after a while."""
        (server,) = self.servers
        if not server.has_ended:
            self._before = server.standing() if server.is_durable else None
            server.crash(write_survives=write_survives)
            self.ledger.audit(self.disk.queries())
            self.after(down, self._start_again)

    def restart(self) -> None:
        (server,) = self.servers
        if server.is_open:
            server.stop()
            self.after(8.0, self._start_again)

    def _start_again(self) -> None:
        if all(server.has_ended for server in self.servers):
            self.start_server()
