"""Faults: of one server and its people, and of the nodes of a cluster, which also lose each other or the database."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from golfnet.storage.faults import StoreReason
from tests.simulation.engine import LEASE_SECONDS
from tests.simulation.players import Player

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from tests.simulation.cluster import ClusterWorld
    from tests.simulation.people import Person
    from tests.simulation.world import World

    Fault = tuple[str, Callable[[], None]]

NODES: Final = 3

USUAL_LATENCY: Final = 0.001
"""How many seconds a write takes."""

_SECONDS: Final = (0.05, 0.5, 3.0, 8.0)
"""How long faults last: some less than a lease, some more."""


def fault_of_server(world: World, chance: Random, *, in_window: bool) -> Fault:
    """Return a fault of the server, its disk, or a person, with its description."""
    person = chance.choice(world.people)
    seconds = chance.choice(_SECONDS)
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


def fault_of_nodes(world: ClusterWorld, chance: Random, *, is_graceful: bool) -> Fault:
    """Return a fault of nodes, with its description; if ``is_graceful``, it is a graceful stop."""
    place, seconds = chance.randrange(NODES), chance.choice(_SECONDS)
    flip, silent = chance.random() < 0.5, chance.random() < 0.3
    match chance.randrange(11, 16) if is_graceful else chance.randrange(25):
        case 0 | 1 | 2:
            how = "vanishes with its machine" if silent else "crashes"
            return f"node {place} {how}", partial(world.kill, place, flip, is_silent=silent)
        case 3:
            return "links break", partial(_break_links, world)
        case 4:
            what = f"node {place} is cut off from the others for {seconds} s"
            return what, partial(_cut, world, place, seconds)
        case 5:
            delay, piece = chance.choice((0.05, 0.3)), chance.choice((0, 1, 7))
            what = f"links take {delay} s, in pieces of {piece}"
            return what, partial(_lag_links, world, delay, piece, seconds)
        case 6:
            what = f"node {place} is cut off from the database server for {seconds} s"
            return what, partial(_cut_engine, world, place, seconds)
        case 7:
            latency = chance.choice((0.02, 0.3, 1.0))
            return f"the database server takes {latency} s", partial(_slow, world, latency, seconds)
        case 8 | 9:
            return f"node {place} is cut off and another takes over", partial(_usurp, world, place, flip)
        case 10 | 22:
            reason = chance.choice((StoreReason.FULL, StoreReason.UNREACHABLE))
            seconds = chance.choice((0.5, 3.0, 8.0, 13.0))
            return f"the database server is {reason.value} for {seconds} s", partial(
                _fail, world, reason, seconds
            )
        case 11 | 12:
            return f"graceful restart of node {place}", partial(world.stop, place)
        case 13:
            what = f"graceful restart of all but node {(place + 2) % NODES}"
            return what, partial(_stop, world, [(place + 1) % NODES, place], 0.0)
        case 14:
            apart = chance.choice((0.0, 0.1, 0.4))
            what = f"graceful restart of all nodes, {apart} s apart"
            return what, partial(_stop, world, range(NODES), apart)
        case 15:
            apart = chance.choice((3.0, 7.0))
            what = f"graceful restart of one node after another, {apart} s apart"
            return what, partial(_stop, world, range(NODES), apart)
        case 16:
            after = chance.uniform(0.2, 0.8)
            what = f"node {place} dies {after:.2f} s after it starts to stop"
            return what, partial(_stop_and_kill, world, place, [place], after, flip)
        case 17:
            after = chance.uniform(0.2, 0.8)
            heirs = [other for other in range(NODES) if other != place][: 1 + flip]
            what = f"the heirs of node {place} die {after:.2f} s after it starts to stop"
            return what, partial(_stop_and_kill, world, place, heirs, after, flip)
        case 18 | 19:
            what = f"node {place} is frozen{' while it writes' if flip else ''} for {seconds} s"
            return what, partial(_freeze, world, place, seconds, while_it_writes=flip)
        case 20:
            what = f"replies of the database server to node {place} are lost for {seconds} s"
            return what, partial(_impair, world, place, seconds, "loses_answers", True, False)
        case 23:
            late = tuple([chance.choice((0.02, 0.2, 1.0)) for _ in range(NODES)])
            what = f"the database server restarts, and nodes reconnect after {late} s"
            return what, partial(_restart_engine, world, late)
        case 24:
            seconds = chance.choice((0.02, 0.2, 0.5, 3.0))
            what = f"node {place} loses its connections to the database server for {seconds} s"
            return what, partial(_sever, world, place, seconds)
        case _:
            what = f"replies of the database server to node {place} are late for {seconds} s"
            return what, partial(_impair, world, place, seconds, "late_answers", (0.05, 0.5, 1.5), ())


def _break_links(world: ClusterWorld) -> None:
    world.harm()
    world.network.break_all()


def _stop(world: ClusterWorld, places: Sequence[int], apart: float) -> None:
    for number, place in enumerate(places):
        world.after(number * apart, partial(world.stop, place))


def _stop_and_kill(
    world: ClusterWorld, place: int, victims: list[int], after: float, write_survives: bool
) -> None:
    world.harm(after)
    world.stop(place)
    for victim in victims:
        world.after(after, partial(world.kill, victim, write_survives, is_silent=False))


def _freeze(world: ClusterWorld, place: int, seconds: float, *, while_it_writes: bool) -> None:
    """Freeze a node, now or during its next write."""
    node = world.at(place)
    if node is None or not node.number:
        return
    disk = node.disk()

    def freeze() -> None:
        if node.has_ended or (while_it_writes and node.is_durable):
            return
        disk.on_write = lambda: None
        node.hurt(seconds)
        node.freeze()
        world.after(seconds, node.thaw)

    if while_it_writes:
        disk.on_write = freeze
    else:
        freeze()


def _impair(world: ClusterWorld, place: int, seconds: float, what: str, value: Any, usual: Any) -> None:
    """Impair a node for a while by setting an attribute."""
    if (node := world.at(place)) is not None:
        node.hurt(seconds)
        world.for_a_while(seconds, node, what, value, usual)


def _cut(world: ClusterWorld, place: int, seconds: float) -> None:
    node = world.at(place)
    if node is not None and node.number:
        world.harm(seconds)
        world.network.cut_off.add(node.number)
        world.after(seconds, world.network.heal)


def _lag_links(world: ClusterWorld, delay: float, piece: int, seconds: float) -> None:
    world.harm(seconds)
    world.network.delay, world.network.piece = delay, piece
    world.after(seconds, world.network.heal)


def _cut_engine(world: ClusterWorld, place: int, seconds: float) -> None:
    _impair(world, place, seconds, "is_cut_off", True, False)


def _sever(world: ClusterWorld, place: int, seconds: float) -> None:
    """Close a node's connections to the database server; the node opens new ones later."""
    node = world.at(place)
    if node is None or not node.number:
        return
    disk = node.disk()

    def connect() -> None:
        if not (node.has_ended or node.is_frozen):
            disk.connect()

    _cut_engine(world, place, seconds)
    disk.sever()
    world.buses[place].lost()
    world.after(seconds, connect)


def _restart_engine(world: ClusterWorld, late: tuple[float, ...]) -> None:
    world.engine.restart()
    for place, seconds in enumerate(late):
        _sever(world, place, seconds)


def _usurp(world: ClusterWorld, place: int, write_survives: bool) -> None:
    """Have others declare a node gone; it learns this when it reaches the database server again."""
    _cut_engine(world, place, 2 * LEASE_SECONDS + 4)
    world.after(0.5, partial(world.kill, (place + 1) % NODES, write_survives, is_silent=False))


def _slow(world: ClusterWorld, latency: float, seconds: float) -> None:
    world.harm(seconds)
    world.for_a_while(seconds, world, "latency", latency, USUAL_LATENCY)


def _fail(world: ClusterWorld, reason: StoreReason, seconds: float) -> None:
    def heal() -> None:
        if world.engine_fails is not None and seconds >= 1:  # a shorter outage may go unnoticed
            world.engine.recovered()
        world.engine_fails = None
        world.renew()

    world.harm(seconds)
    world.engine_fails = reason
    if reason is StoreReason.UNREACHABLE:
        world.engine.restart()
    world.renew()
    world.after(seconds, heal)
