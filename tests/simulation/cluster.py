"""A world with three nodes: server processes on one engine, with links between them, and people who come in at any.

Whoever joins, seeks, watches or resumes may have its session at another node than its connection. Nodes crash, with or
without their machines, are cut off from the engine or from each other, and are started again: a new life has a new
number, waits a lease, and takes what dead ones had.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import trio

from golfnet.protocol.errors import Refused
from golfnet.server.joining import LinkPort, NodeSetup
from golfnet.storage.errors import StoreError, StoreReason
from tests.simulation.engine import LEASE_SECONDS, LOOKS, Engine, EngineDirectory, NodeDisk, NodeStore
from tests.simulation.network import Door
from tests.simulation.server import ServerProcess
from tests.simulation.wires import Network, watched_links
from tests.simulation.world import Outcome, World

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from golfnet.server.config import Config
    from tests.simulation.disk import Disk, SimulatedStore
    from tests.simulation.network import Line

NODES: Final = 3
SECRET: Final = "a secret of all nodes"


class NodeProcess(ServerProcess):
    """One life of a node, at one of the places of the cluster."""

    def __init__(self, world: ClusterWorld, place: int) -> None:
        super().__init__(world.machine, world.disk, world.config, world.fail, world.opened)
        self.place = place
        self.number = 0
        self.is_cut_off = False
        """Whether it cannot reach the engine."""
        self._world = world
        self._port = Door()
        self._directory: EngineDirectory | None = None

    @property
    def is_valid(self) -> bool:
        """Whether it serves, and was not declared gone."""
        return self.is_open and self.number not in self._world.engine.state.gone

    @property
    def living_lines(self) -> int:
        """How many connections may have a session here."""
        return super().living_lines + self._world.network.ends_at(self.number)

    async def dial(self, number: int) -> Any:
        """Connect to the node with a number; raises ``OSError``."""
        return await self._world.network.dial(self.number, number)

    def disk(self) -> NodeDisk:
        """Return its connection to the engine."""
        return self._world.engine.nodes[self.number]

    async def run(self) -> None:
        """Live until stopped or dead, and be started again."""
        try:
            await super().run()
        finally:
            if self.number and not self._was_killed:
                self._world.engine.declare_gone(self.disk())
                self._world.network.died(self.number, is_silent=False)
            self._world.ended(self)

    def crash(self, *, write_survives: bool, is_silent: bool = False) -> None:
        """Die at once, with the machine where nobody is to hear of it."""
        self._was_killed = True
        if self._directory is not None:
            self._directory.is_dead = True
        super().crash(write_survives=write_survives)
        if self.number:
            self._world.network.died(self.number, is_silent=is_silent)

    _was_killed = False

    async def _prepare(self) -> tuple[SimulatedStore, NodeSetup | None]:
        """Declare gone who commits nothing for a lease, and become a node."""
        world, engine = self._world, self._world.engine
        while self.is_cut_off or world.engine_fails:  # noqa: ASYNC110 -- a service manager starts it again
            await trio.sleep(0.5)
        silent = {node.number: node.commits for node in engine.living()}
        for _ in range(LOOKS):
            if silent:
                await trio.sleep(LEASE_SECONDS / LOOKS)
            for node in engine.living():
                if node.is_storing or silent.get(node.number) != node.commits:
                    silent.pop(node.number, None)
        for node in engine.living():
            if node.number in silent:
                world.note("engine", f"node {node.number} is declared gone")
                engine.declare_gone(node)
        disk = engine.register()
        self.number = disk.number
        self._disk: Disk = disk
        world.spoil(self)
        world.note("server", f"{self.place} is node {self.number}")
        world.network.ports[self.number] = self._port
        self._directory = EngineDirectory(engine, disk)
        port = LinkPort(sock=self._port, address=f"10.0.0.{self.number}:1")  # type: ignore[arg-type]
        bus = _Bus(world, self)
        return NodeStore(disk), NodeSetup(
            directory=self._directory, bus=bus, secret=SECRET, port=port, lease=LEASE_SECONDS
        )

    def _may_end_by(self, fault: Exception) -> bool:
        """Return whether it ended because the engine could not be reached when it started."""
        return not self.is_open and _is_of_engine(fault)


def _is_of_engine(fault: BaseException) -> bool:
    if isinstance(fault, BaseExceptionGroup):
        return all(_is_of_engine(each) for each in fault.exceptions)
    return isinstance(fault, StoreError | Refused)


class _Bus:
    """The bus as one node has it: words come a little later, and are lost where one of both is cut off."""

    def __init__(self, world: ClusterWorld, process: NodeProcess) -> None:
        self._world = world
        self._process = process
        self.receive: Callable[[bytes], None] | None = None
        world.buses[process.place] = self

    def send(self, payload: bytes, node: int | None = None) -> None:
        """Send something; it may be lost."""
        world = self._world
        if self._process.has_ended or self._process.is_cut_off:
            return
        for bus in world.buses.values():
            if bus is not self and node in (None, bus._process.number):
                world.after(0.02, lambda bus=bus: bus.deliver(payload))  # type: ignore[misc]

    def listen(self, receive: Callable[[bytes], None]) -> None:
        """Call ``receive`` with what comes."""
        self.receive = receive

    def deliver(self, payload: bytes) -> None:
        """Hear something."""
        if self.receive is not None and not (self._process.has_ended or self._process.is_cut_off):
            self.receive(payload)


class ClusterWorld(World):
    """A world of several nodes."""

    kind = "cluster"

    def __init__(self, seed: int, *, only: Collection[int] | None = None) -> None:
        self.ways = random.Random(f"{seed} ways")
        super().__init__(seed, only=only)
        self.engine = Engine(random.Random(f"{seed} disk"), self.ledger, self.faults, self.after, self.fail)
        self.disk = self.engine.disk
        self.machine.late_answers = (0.0001, 0.002, 0.05)
        self.network = Network(self)
        self.buses: dict[int, _Bus] = {}
        self.engine_fails: StoreReason | None = None
        self._is_over = False

    def run(self) -> Outcome:
        """Live to the end."""
        with watched_links(self.fail):
            return super().run()

    # --- what nodes tell

    def opened(self, server: ServerProcess) -> None:
        """Compare the tables of a node that has just started with those of the ones that are gone."""
        before, self._before = self._before, None
        for id, table in server.standing().items():
            old = (before or {}).pop(id, table)
            if old.hole_seq == table.hole_seq and old != table:
                self.fail(f"table {id} is not restored as it was")
        if before:
            self._before = before

    def ended(self, node: NodeProcess) -> None:
        """Start a node again that has ended, as a service manager does."""
        if not self._is_over:
            self.after(self.ways.choice((0.1, 1.0, 4.0)), lambda: self._start_at(node.place))

    def spoil(self, node: NodeProcess) -> None:
        """Let a node have the engine that there is."""
        disk = node.disk()
        disk.failing, disk.latency = self._failing(node), self._latency

    # --- the nodes

    @property
    def nodes(self) -> list[NodeProcess]:
        """The latest life of each."""
        return [server for server in self.servers if isinstance(server, NodeProcess)]

    def start_server(self) -> None:
        for place in range(NODES):
            self._start_at(place)

    def _start_at(self, place: int) -> None:
        assert self._nursery is not None
        there = [node for node in self.nodes if node.place == place]
        if self._is_over or self.is_buried or (there and not there[0].has_ended):
            return
        self.note("server", f"{place} starts")
        node = NodeProcess(self, place)
        others = [other for other in self.nodes if other.place != place]
        self.servers = [*sorted([*others, node], key=lambda node: node.place)]
        self._nursery.start_soon(node.run)

    def _entrance(self) -> ServerProcess | None:
        open_ones = [node for node in self.nodes if node.is_open]
        return self.ways.choice(open_ones) if open_ones else None

    def _start_again(self) -> None:
        for place in range(NODES):
            self._start_at(place)

    # --- what must hold

    def _look_at_servers(self) -> None:
        super()._look_at_servers()
        connected, seated = dict[str, int](), dict[str, int]()
        for node in self.nodes:
            if not node.is_valid:
                continue
            for player in node.lobby.accounts:
                # One that is suspended is on its way to another node, which may have it already.
                acts = player.session is not None and not getattr(player.session, "is_suspended", False)
                if acts and connected.setdefault(player.id, node.number) != node.number:
                    self.fail(f"{player.name} is connected at nodes {connected[player.id]} and {node.number}")
                if player.table is not None and seated.setdefault(player.id, node.number) != node.number:
                    self.fail(f"{player.name} has seats at nodes {seated[player.id]} and {node.number}")
            for table in node.lobby.tables.values():
                if self.engine.state.owners.get(table.id, node.number) != node.number:
                    self.fail(f"node {node.number} has table {table.id} of another")

    async def _reckon(self) -> None:
        await super()._reckon()
        self._is_over = True

    def _nothing_is_left(self, server: ServerProcess) -> None:
        self._is_over = True
        super()._nothing_is_left(server)
        if self.engine.state.owners:
            self.fail(f"tables belong to somebody when everybody has gone: {self.engine.state.owners}")
        assert server.lobby.links is not None
        if server.lobby.links.relays:
            self.fail("relays are left when everybody has gone")

    # --- faults

    _latency = 0.001

    def _failing(self, node: NodeProcess) -> StoreReason | None:
        return StoreReason.UNREACHABLE if node.is_cut_off else self.engine_fails

    def _renew(self) -> None:
        """Let all nodes have the engine that there is now."""
        for node in self.nodes:
            if node.number:
                self.spoil(node)

    def _heal(self) -> None:
        self.engine_fails, self._latency = None, 0.001
        for node in self.nodes:
            node.is_cut_off = False
            if node.number:
                node.disk().hangs = False
        self._renew()
        self.network.heal()

    def chose(self, line: Line, name: str, setting: str, value: str) -> None:
        players = [player for node in self.nodes if node.is_valid for player in node.lobby.accounts]
        if any(player.name == name and player.session is not None for player in players):
            super().chose(
                line, name, setting, value
            )  # else it could not come in, for its table belongs to nobody

    def _undisturbed(self) -> list[tuple[ServerProcess, int]] | None:
        if any(node.number and node.disk().hangs for node in self.nodes) or self.network.cut_off:
            return None
        return super()._undisturbed()

    def _config(self) -> Config:
        config = super()._config()
        return replace(config, connections=100)  # a bound that sends people back and forth is for one server

    def _fault(self, chance: random.Random) -> tuple[str, Callable[[], None]]:
        if chance.random() < 0.3:
            person, seconds = chance.choice(self.people), chance.choice((0.05, 0.5, 3.0, 8.0))
            return self._fault_of_person(chance, person, seconds, chance.choice((7, 8, 9, 10, 13, 14)))
        place = chance.randrange(NODES)
        seconds = chance.choice((0.05, 0.5, 3.0, 8.0))
        flip, silent = chance.random() < 0.5, chance.random() < 0.3
        match chance.randrange(13):
            case 0 | 1 | 2:
                how = "vanishes with its machine" if silent else "crashes"
                return f"node {place} {how}", lambda: self._kill(place, flip, is_silent=silent)
            case 3:
                return f"graceful restart of node {place}", lambda: self._stop(place)
            case 4 | 5:
                return "links break", lambda: self.network.break_all()
            case 6:
                return f"node {place} is cut off from the others for {seconds} s", lambda: self._cut(
                    place, seconds
                )
            case 7:
                delay, piece = chance.choice((0.05, 0.3)), chance.choice((0, 1, 7))
                return (
                    f"links take {delay} s, in pieces of {piece}",
                    lambda: self._lag_links(delay, piece, seconds),
                )
            case 8:
                return f"node {place} is cut off from the engine for {seconds} s", lambda: self._cut_engine(
                    place, seconds
                )
            case 9:
                latency = chance.choice((0.02, 0.3, 1.0))
                return f"the engine takes {latency} s", lambda: self._slow(latency, seconds)
            case 10 | 11:
                return f"node {place} is cut off and another takes over", lambda: self._usurp(place, flip)
            case _:
                reason = chance.choice((StoreReason.FULL, StoreReason.UNREACHABLE))
                return f"the engine is {reason.value} for {seconds} s", lambda: self._fail_engine(
                    reason, seconds
                )

    def _at(self, place: int) -> NodeProcess | None:
        return next((node for node in self.nodes if node.place == place and not node.has_ended), None)

    def _kill(self, place: int, write_survives: bool, *, is_silent: bool) -> None:
        node = self._at(place)
        if node is None or not node.number:
            return
        if node.is_valid and node.is_durable:
            self._before = (self._before or {}) | node.standing()
        node.crash(write_survives=write_survives, is_silent=is_silent)
        self.ledger.audit(self.disk.queries())

    def _stop(self, place: int) -> None:
        node = self._at(place)
        if node is not None and node.is_open:
            node.stop()

    def _cut(self, place: int, seconds: float) -> None:
        node = self._at(place)
        if node is not None and node.number:
            self.network.cut(node.number)
            self.after(seconds, self.network.heal)

    def _lag_links(self, delay: float, piece: int, seconds: float) -> None:
        self.network.delay, self.network.piece = delay, piece
        self.after(seconds, self.network.heal)

    def _cut_engine(self, place: int, seconds: float) -> None:
        node = self._at(place)
        if node is None:
            return

        def heal() -> None:
            node.is_cut_off = False
            self._renew()

        node.is_cut_off = True
        self._renew()
        self.after(seconds, heal)

    def _usurp(self, place: int, write_survives: bool) -> None:
        """Let a node be declared gone by another, which it learns when it reaches the engine again."""
        self._cut_engine(place, 2 * LEASE_SECONDS + 4)
        self.after(0.5, lambda: self._kill((place + 1) % NODES, write_survives, is_silent=False))

    def _slow(self, latency: float, seconds: float) -> None:
        def heal() -> None:
            self._latency = 0.001
            self._renew()

        self._latency = latency
        self._renew()
        self.after(seconds, heal)

    def _fail_engine(self, reason: StoreReason, seconds: float) -> None:
        def heal() -> None:
            self.engine_fails = None
            self._renew()

        self.engine_fails = reason
        self._renew()
        self.after(seconds, heal)
