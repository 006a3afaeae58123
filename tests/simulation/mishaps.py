"""Faults of one server and its people: crashes, stops, disk failures, and lost, slow or unread connections."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from golfnet.storage.faults import StoreReason
from tests.simulation.players import Player

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.simulation.people import Person
    from tests.simulation.world import World

    Fault = tuple[str, Callable[[], None]]


def fault_of_server(world: World, chance: Random, *, in_window: bool) -> Fault:
    """Return a fault of the server, its disk, or a person, with its description."""
    person = chance.choice(world.people)
    seconds = chance.choice((0.05, 0.5, 3.0, 8.0))
    survives = chance.random() < 0.5
    match 15 if in_window else chance.randrange(15):
        case 0 | 1 | 2:
            return f"crash, down {seconds} s", lambda: world.crash(seconds, write_survives=survives)
        case 15:
            what = f"crash in a slam window, down {seconds} s"
            return what, lambda: _crash_in_window(world, seconds, survives, world.now + 20)
        case 3:
            return "graceful restart", world.restart
        case 4:
            reason = chance.choice((StoreReason.FULL, StoreReason.FAULTY, StoreReason.READ_ONLY))
            fail = partial(world.for_a_while, seconds, world.disk, "failing", reason, None)
            return f"disk is {reason.value} for {seconds} s", fail
        case 5:
            hang = partial(world.for_a_while, seconds, world.disk, "hangs", True, False)
            return f"disk hangs for {seconds} s", hang
        case 6:
            latency = chance.choice((0.02, 0.3, 1.0))
            slow = partial(world.for_a_while, seconds, world.disk, "latency", latency, 0.001)
            return f"a write to the disk takes {latency} s", slow
        case 11:
            what = f"a stop while the disk fails for {seconds} s"
            return what, partial(_stop_in_need, world, seconds)
        case kind:
            return fault_of_person(world, chance, person, seconds, kind)


def fault_of_person(world: World, chance: Random, person: Person, seconds: float, kind: int) -> Fault:
    """Return a fault of one person or of everybody, with its description."""
    match kind:
        case 7:
            return f"{person.name} loses the connection", person.drop
        case 8:
            return f"{person.name} vanishes without a word", person.forget
        case 9:
            what = f"{person.name} stops reading for {seconds} s"
            return what, partial(_stop_reading, world, person, seconds)
        case 10:
            delay, piece = chance.choice((0.05, 0.3)), chance.choice((0, 1, 5))
            what = f"bytes of {person.name} take {delay} s, in pieces of {piece}"
            return what, partial(_lag, world, person, delay, piece, seconds)
        case 12:
            what = f"everybody shouts while {person.name} does not read"
            return what, partial(_shout_at, world, person)
        case 13 if person is not world.people[0]:
            return f"{person.name} goes home without a word", person.go_home
        case _:
            jump = chance.choice((-86400.0 * 400, -3600.0, 3600.0, 86400.0 * 40))
            return f"the wall clock jumps by {jump} s", partial(_jump, world, jump)


def _crash_in_window(world: World, down: float, write_survives: bool, last: float) -> None:
    """Crash once a slam window is open (and won, if the downtime is long), but not later than ``last``."""
    holes = [table.hole for server in world.open_servers for table in server.lobby.tables.values()]
    windows = [hole.window for hole in holes if hole is not None and hole.window is not None]
    if world.now > last or any(window.won >= (down > 1) for window in windows):
        world.crash(down, write_survives=write_survives)
    else:
        world.after(0.05, partial(_crash_in_window, world, down, write_survives, last))


def _stop_in_need(world: World, seconds: float) -> None:
    """Stop the server while nothing can be stored; the disk may recover before the server exits."""
    world.for_a_while(seconds, world.disk, "failing", StoreReason.FULL, None)
    world.after(world.chance.uniform(0.0, 1.0), world.restart)


def _stop_reading(world: World, person: Person, seconds: float) -> None:
    line = person.line
    if line is not None:
        line.reads = False
        world.after(seconds, line.read_on)


def _shout_at(world: World, person: Person) -> None:
    """Have everybody send a lot of chat to a person whose client is not reading."""
    if person.line is not None:
        person.line.reads = False
    for other in world.people:
        if isinstance(other, Player) and other is not person and other.line is not None:
            for _ in range(80):
                other.ask(f"shout {'loud ' * 190}")


def _lag(world: World, person: Person, delay: float, piece: int, seconds: float) -> None:
    world.for_a_while(seconds, person.ways, "delay", delay, 0.002)
    world.for_a_while(seconds, person.ways, "piece", piece, 0)


def _jump(world: World, seconds: float) -> None:
    world.machine.clock.wall_offset += seconds
    world.skipped += max(0.0, seconds)
