"""A world: people, a network, servers and a disk, from one seed, in one thread and virtual time."""

from __future__ import annotations

import hashlib
import random
import traceback
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.server.config import Config
from golfnet.server.net.listeners import PortKind
from golfnet.server.session.session import Session
from golfnet.storage.faults import StoreReason
from golfnet.storage.verification import verify
from tests.simulation.disk import Disk
from tests.simulation.insides import (
    greedy_peer,
    watched_bots,
    watched_clocks,
    watched_turns,
    wrong_clock,
    wrong_table,
)
from tests.simulation.judges import Ledger, LineJudge
from tests.simulation.ladder import wrong_ladder
from tests.simulation.machine import Machine
from tests.simulation.network import Line
from tests.simulation.people import Person, Stranger, Typist
from tests.simulation.players import Player, Watcher
from tests.simulation.server import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tests.simulation.insides import Standing

LIFE: Final = 30.0
"""Virtual seconds in which there are faults."""


MOST_STEPS: Final = 100_000
"""A world has some thousands of steps; so many mean that something goes round and round."""


class Outcome(NamedTuple):
    """What became of a world."""

    seed: int
    violation: str | None
    hash: str
    faults: Counter[str]
    events: int
    told: int
    seconds: float
    story: list[tuple[float, str, str]]
    planned: int


class World:
    """One world."""

    def __init__(self, seed: int, *, only: Collection[int] | None = None) -> None:
        self.seed = seed
        self.machine = Machine(f"world {seed}")
        self.chance = random.Random(f"world {seed}")
        self.faults: Counter[str] = Counter()
        self.story: list[tuple[float, str, str]] = []
        self.violation: str | None = None
        self.board: dict[str, str] = {}
        self.idle: set[str] = set()
        self.is_calm = False
        self.has_accounts = self.chance.random() < 0.4
        self.has_windows = self.chance.random() < 0.15
        self.skipped = 0.0
        self.is_buried = False
        """Whether the world ends: then no server begins any more."""
        self.ledger = Ledger(self.fail)
        self.disk = Disk(random.Random(f"{seed} disk"), self.ledger, self.faults, self.after)
        self.judges: list[LineJudge] = []
        self.servers: list[ServerProcess] = []
        """The latest life of each server."""
        self._nursery: trio.Nursery | None = None
        self._living = trio.CancelScope()
        """Ends a stretch of the world's life before its time."""
        self._chosen: dict[tuple[str, str], str] = {}
        self._before: dict[str, Standing] | None = None
        """The tables of the server that has crashed, where all of them were durable."""
        self._hash = hashlib.blake2b(digest_size=16)
        self.config = self._config()
        self.people = self._people()
        self.plan = self._plan()
        if only is not None:
            self.plan = [fault for number, fault in enumerate(self.plan) if number in only]

    # --- what people and lines need

    @property
    def now(self) -> float:
        """Virtual seconds."""
        return self.machine.clock.now

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call back in so many seconds."""
        self.machine.clock.after(seconds, call)

    def fail(self, why: str) -> None:
        """Report what must never happen; the first counts."""
        if self.violation is None:
            self.violation = why
            self.note("judge", why)
            self._living.cancel()

    def broke(self, problem: BaseException) -> None:
        """Report that the simulation itself has failed."""
        if self.violation is None:
            told = "".join(traceback.format_exception(problem))
            self.violation = f"the world broke: {problem!r}\n{told}"

    def _raised(self, problem: Exception) -> None:
        self.broke(problem)
        self._living.cancel()

    def _has_failed(self) -> bool:
        return self.violation is not None

    def chose(self, line: Line, name: str, setting: str, value: str) -> None:
        """Hear that a setting was acknowledged: it has to be stored a little later, unless something goes wrong."""
        before, choice = self._undisturbed(), self._chosen
        if before is None or not any(server.has_line(line) for server in self.servers):
            return
        if self.ledger.player(name) is None or not self._has_chosen(name, setting, value):
            return  # chosen by somebody who has no name yet, or could not come in
        choice[name, setting] = value

        def look() -> None:
            if self._undisturbed() != before or choice[name, setting] != value:
                return
            row = self.ledger.player(name)
            if row is not None and f'"{setting}":"{value}"' not in row.settings.decode():
                self.fail(f"{name} chose {setting} {value}, and that is not stored: {row.settings!r}")

        self.after(10.0, look)

    def _has_chosen(self, name: str, setting: str, value: str) -> bool:
        """Tell whether a setting was chosen on a connection of the player with a name."""
        players = [player for server in self.servers if server.is_open for player in server.lobby.accounts]
        sessions = [player.session for player in players if player.name == name]
        return any(
            isinstance(session, Session) and session.writer.preferences.chosen.get(setting) == value
            for session in sessions
        )

    def _undisturbed(self) -> list[tuple[ServerProcess, int]] | None:
        """Return the servers with how often each has paused, None while something keeps one from storing."""
        if self.disk.hangs or not all(
            server.is_open and not server.lobby.is_paused for server in self.servers
        ):
            return None
        return [(server, server.lobby.counters.pauses) for server in self.servers]

    def note(self, who: str, what: str) -> None:
        """Note something for the story."""
        self.story.append((self.now, who, what))

    def connect(self, person: Person) -> tuple[Line, LineJudge] | None:
        """Return a new connection, None where the server is not there."""
        server = self._entrance()
        if server is None or not server.is_open:
            return None
        judge = LineJudge(
            self.ledger, self.fail, owner=person.name, is_polite=not isinstance(person, Stranger)
        )

        def tap(line: Line, data: bytes) -> None:
            self._hash.update(data)
            judge.hear(data)

        line = Line(self, person, person.ways, tap)
        kind = PortKind.TELNET if person.is_telnet else PortKind.PLAIN
        if not server.connect(line, person.address, kind):
            return None
        self.judges.append(judge)
        return line, judge

    def _entrance(self) -> ServerProcess | None:
        """Return the server to which the next connection goes."""
        return self.servers[0] if self.servers else None

    # --- the run

    def run(self) -> Outcome:
        """Live to the end."""
        clock = self.machine.clock
        clock.on_step, clock.on_fault = self._stepped, self._raised
        turns, clocks, bots = watched_turns(self.fail), watched_clocks(self.fail), watched_bots(self.fail)
        with self.machine.installed(), turns, clocks, bots:
            trio.run(self._run, clock=clock)
        return self.outcome()

    def outcome(self) -> Outcome:
        """Return what became of this world."""
        for time, who, what in self.story:
            self._hash.update(f"{time:.6f} {who} {what}\n".encode())
        return Outcome(
            self.seed,
            self.violation,
            self._hash.hexdigest(),
            self.faults,
            self.ledger.events,
            sum(judge.told for judge in self.judges),
            self.now - 1000.0,
            self.story,
            len(self.plan),
        )

    async def _run(self) -> None:
        async with trio.open_nursery() as self._nursery:
            self.start_server()
            for person in self.people:
                self.after(person.chance.uniform(0, 3), person.start)
            for at, what, call in self.plan:
                self.after(at, lambda what=what, call=call: self._befall(what, call))  # type: ignore[misc]
            await self._live_until(self.now + LIFE)
            await self._reckon()
            await self._bury()

    async def _live_until(self, end: float) -> None:
        """Let everything happen until a time, in order, unless something that must not happen has."""
        if not self._has_failed():
            with trio.CancelScope(deadline=end) as self._living:
                await trio.sleep_forever()

    def _stepped(self) -> None:
        """Look at the world between two steps."""
        steps = self.machine.clock.steps
        if steps % 32 == 0 and self._nursery is not None:
            self._look_at_servers()
        if steps > MOST_STEPS:
            self.fail("the world does not come to rest")

    def _look_at_servers(self) -> None:
        """See that no server does what none may do at any time."""
        for server in self.servers:
            if server.is_open and not server.is_frozen and not server.lobby.is_stopping:
                if problem := greedy_peer(server.lobby, self.now):
                    self.fail(problem)
                if len(server.lobby.sessions) > server.living_lines:
                    self.fail("a session goes on without a connection")
                for table in server.lobby.tables.values():
                    if problem := wrong_table(table):
                        self.fail(problem)

    def _compare(self, server: ServerProcess) -> None:
        """Compare the tables of a server that has just started with those of the one that crashed."""
        before, self._before = self._before, None
        if before is None:
            return
        for id, table in server.standing().items():
            old = before.pop(id, table)
            # A slam window closes at the start, where everybody is away: then the match has gone on.
            if old.hole_seq == table.hole_seq and old != table:
                self.fail(f"table {id} is not restored as it was: {old.row} {table.row}")
            elif old.hole_seq == table.hole_seq and (problem := wrong_clock(server.lobby.tables[id])):
                self.fail(problem)
        if before:
            self.fail(f"tables {list(before)} are not restored")

    async def _bury(self) -> None:
        """End whatever still lives."""
        self.is_buried = True
        for server in self.servers:
            if not server.has_ended:
                server.crash(write_survives=False)
        while self._nursery is not None and self._nursery.child_tasks:  # noqa: ASYNC110 -- they set no event
            await trio.sleep(1.0)

    def start_server(self) -> None:
        """Start a server on the disk."""
        if self.is_buried:
            return
        assert self._nursery is not None
        self.note("server", "starts")
        self.servers = [ServerProcess(self.machine, self.disk, self.config, self.fail, self._compare)]
        self._nursery.start_soon(self.servers[0].run)

    def _befall(self, what: str, call: Callable[[], None]) -> None:
        if not self.is_calm:
            self.faults[what] += 1
            self.note("fault", what)
            call()

    async def _reckon(self) -> None:
        """Heal everything, let people end what they have begun, and see that nothing is left."""
        if self._has_failed():
            return
        self.note("world", "everything is healed")
        self.is_calm = True
        self._heal()
        for person in self.people:
            person.ways.is_cut, person.ways.piece, person.ways.delay = False, 0, 0.002
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
        for server in self.servers:
            self._nothing_is_left(server)
            server.stop()
        await self._live_until(self.now + 15)
        if not all(server.has_ended for server in self.servers):
            self.fail("the server does not stop")
        self.ledger.audit(self.disk.queries())
        self._records_verify()
        if problem := wrong_ladder(self.ledger, self.disk.queries()):
            self.fail(problem)

    async def _watch_matches_go_on(self) -> None:
        """See that something happens at each table with people where a match is on."""
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
                for server in self.servers
                if server.is_open
                for table in server.lobby.tables.values()
                if table.is_running and any(chair.present for _, chair in table.seating)
            }
            while waiting and not self._has_failed():
                await self._live_until(self.now + least)
                open_ones = [server for server in self.servers if server.is_open]
                there = [table for server in open_ones for table in server.lobby.tables.values()]
                waiting = {
                    table: seq
                    for table, seq in waiting.items()
                    if table in there and table.seq == seq and table.is_running
                }
                if self.now - begun >= 30.0:
                    for table, seq in waiting.items():
                        self.fail(f"nothing happens at {table.id} after event {seq}")

    def _is_anybody_left(self) -> bool:
        return any(
            not server.is_open or server.lobby.tables or server.lobby.sessions for server in self.servers
        )

    def _heal(self) -> None:
        """Let nothing be wrong with the machines any more."""
        self.disk.failing, self.disk.hangs, self.disk.latency = None, False, 0.001

    def _nothing_is_left(self, server: ServerProcess) -> None:
        lobby = server.lobby
        if lobby.tables:
            self.fail(f"tables are left when everybody has gone: {list(lobby.tables)}")
        if lobby.sessions:
            self.fail(f"{len(lobby.sessions)} sessions are left when everybody has gone")
        beats = 0 if lobby.lease is None else lobby.lease._under_way
        if server.journal.waiting > beats or lobby.gate.durable != lobby.gate.issued:
            self.fail("writes are left when everybody has gone")
        if lobby.is_paused:
            self.fail("the tables are still paused")

    def _records_verify(self) -> None:
        reads = self.disk.queries()
        for match in self.ledger.matches:
            lines = reads.record(match)
            if lines is None:
                self.fail(f"match {match} has no record")
                return
            try:
                verify(lines)
            except Exception as problem:
                self.fail(f"the record of match {match}: {problem}")

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
        """Return the faults of this world: when, what, and how."""
        chance = random.Random(f"{self.seed} faults")
        plan = []
        for number in range(chance.randrange(1, 7)):
            in_window = self.has_windows and not number
            at = chance.uniform(1.0, 5.0 if in_window else LIFE - 2)
            plan.append((at, *self._fault(chance, in_window=in_window)))
        return sorted(plan, key=lambda fault: fault[0])

    def _fault(self, chance: random.Random, *, in_window: bool = False) -> tuple[str, Callable[[], None]]:
        person = chance.choice(self.people)
        seconds = chance.choice((0.05, 0.5, 3.0, 8.0))
        flip = chance.random() < 0.5
        match 15 if in_window else chance.randrange(15):
            case 0 | 1 | 2:
                return f"crash, down {seconds} s", lambda: self._crash(seconds, flip)
            case 15:
                return f"crash in a slam window, down {seconds} s", lambda: self._crash_in_window(
                    seconds, flip, self.now + 20, is_won=seconds > 1
                )
            case 3:
                return "graceful restart", self._restart
            case 4:
                reason = chance.choice((StoreReason.FULL, StoreReason.FAULTY, StoreReason.READ_ONLY))
                return f"disk is {reason.value} for {seconds} s", lambda: self._fail_disk(reason, seconds)
            case 5:
                return f"disk hangs for {seconds} s", lambda: self._hang_disk(seconds)
            case 6:
                latency = chance.choice((0.02, 0.3, 1.0))
                return f"disk takes {latency} s", lambda: self._slow_disk(latency, seconds)
            case 11:
                return f"a stop while the disk fails for {seconds} s", lambda: self._stop_in_need(seconds)
            case kind:
                return self._fault_of_person(chance, person, seconds, kind)

    def _fault_of_person(
        self, chance: random.Random, person: Person, seconds: float, kind: int
    ) -> tuple[str, Callable[[], None]]:
        match kind:
            case 7:
                return f"{person.name} loses the connection", person.drop
            case 8:
                return f"{person.name} vanishes without a word", person.forget
            case 9:
                return f"{person.name} stops reading for {seconds} s", lambda: self._stop_reading(
                    person, seconds
                )
            case 10:
                delay, piece = chance.choice((0.05, 0.3)), chance.choice((0, 1, 5))
                return (
                    f"bytes of {person.name} take {delay} s, in pieces of {piece}",
                    lambda: self._lag(person, delay, piece, seconds),
                )
            case 12:
                return f"everybody shouts while {person.name} does not read", lambda: self._shout_at(person)
            case 13 if person is not self.people[0]:
                return f"{person.name} goes home without a word", person.go_home
            case _:
                jump = chance.choice((-86400.0 * 400, -3600.0, 3600.0, 86400.0 * 40))
                return f"the wall clock jumps by {jump} s", lambda: self._jump(jump)

    def _crash(self, down: float, write_survives: bool) -> None:
        (server,) = self.servers
        if not server.has_ended:
            self._before = server.standing() if server.is_durable else None
            server.crash(write_survives=write_survives)
            self.ledger.audit(self.disk.queries())
            self.after(down, self._start_again)

    def _crash_in_window(self, down: float, write_survives: bool, last: float, *, is_won: bool) -> None:
        """Crash as soon as a slam window is open, and won where it is to be, at the latest in a while."""
        holes = [table.hole for it in self.servers if it.is_open for table in it.lobby.tables.values()]
        windows = [hole.window for hole in holes if hole is not None and hole.window is not None]
        if self.now > last or any(window.won >= is_won for window in windows):
            self._crash(down, write_survives)
        else:
            self.after(0.05, lambda: self._crash_in_window(down, write_survives, last, is_won=is_won))

    def _start_again(self) -> None:
        if all(server.has_ended for server in self.servers):
            self.start_server()

    def _restart(self) -> None:
        (server,) = self.servers
        if server.is_open:
            server.stop()
            self.after(8.0, self._start_again)

    def _fail_disk(self, reason: StoreReason, seconds: float) -> None:
        def heal() -> None:
            self.disk.failing = None

        self.disk.failing = reason
        self.after(seconds, heal)

    def _stop_in_need(self, seconds: float) -> None:
        """Stop the server while nothing can be stored, which may become possible before it has ended."""
        self._fail_disk(StoreReason.FULL, seconds)
        self.after(self.chance.uniform(0.0, 1.0), self._restart)

    def _hang_disk(self, seconds: float) -> None:
        def heal() -> None:
            self.disk.hangs = False

        self.disk.hangs = True
        self.after(seconds, heal)

    def _slow_disk(self, latency: float, seconds: float) -> None:
        def heal() -> None:
            self.disk.latency = 0.001

        self.disk.latency = latency
        self.after(seconds, heal)

    def _stop_reading(self, person: Person, seconds: float) -> None:
        line = person.line
        if line is not None:
            line.stop_reading()
            self.after(seconds, line.read_on)

    def _shout_at(self, person: Person) -> None:
        """Let much be said that one of the people does not read."""
        if person.line is not None:
            person.line.stop_reading()
        for other in self.people:
            if isinstance(other, Player) and other is not person and other.line is not None:
                for _ in range(80):
                    other.ask(f"shout {'loud ' * 190}")

    def _lag(self, person: Person, delay: float, piece: int, seconds: float) -> None:
        def heal() -> None:
            person.ways.delay, person.ways.piece = 0.002, 0

        person.ways.delay, person.ways.piece = delay, piece
        self.after(seconds, heal)

    def _jump(self, seconds: float) -> None:
        self.machine.clock.wall_offset += seconds
        self.skipped += max(0.0, seconds)
