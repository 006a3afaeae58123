"""Server processes of a world, which may die at any time: the real ``serve`` on the world's machine and disk.

A node is such a process at one of the places in a cluster, with access to the database server and the bus.
"""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING, Any

import trio

from golfnet.protocol.errors import Refused
from golfnet.rulesets import catalogue
from golfnet.server.joining import LinkPort, NodeSetup
from golfnet.server.net.listeners import PortKind
from golfnet.server.serve import Running, serve
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.bus import PostgresBus
from tests.simulation.disk import SimulatedStore
from tests.simulation.engine import LEASE_SECONDS, LOOKS, EngineDirectory, NodeDisk
from tests.simulation.insides import Standing
from tests.simulation.network import Door, Line, Listener
from tests.simulation.processes import PROCESS, Process

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.journal.journal import Journal
    from golfnet.server.lobby import Lobby
    from tests.simulation.cluster import ClusterWorld
    from tests.simulation.world import World

CATALOGUE = catalogue()


class ServerProcess(Process):
    def __init__(self, world: World) -> None:
        super().__init__()
        self.running: Running | None = None
        self.has_ended = False
        self._world = world
        self._disk = world.disk
        self._store: SimulatedStore | None = None
        self._scope = trio.CancelScope()
        self._doors: dict[PortKind, Listener] = {}
        self._lines: list[Line] = []
        self._is_dead = False

    @property
    def is_open(self) -> bool:
        return self.running is not None and not self.has_ended

    @property
    def lobby(self) -> Lobby:
        assert self.running is not None
        return self.running.lobby

    @property
    def journal(self) -> Journal:
        assert self.running is not None
        return self.running.journal

    @property
    def living_lines(self) -> int:
        """The number of connections that its sockets still have."""
        self._lines = [line for line in self._lines if not line.socket.is_closed]
        return len(self._lines)

    @property
    def is_durable(self) -> bool:
        """Whether everything that was to be stored so far is on the disk."""
        return self.running is not None and self.lobby.gate.durable == self.lobby.gate.issued

    def standing(self) -> dict[str, Standing]:
        return {id: Standing.of(table) for id, table in self.lobby.tables.items()}

    async def run(self) -> None:
        PROCESS.set(self)
        watch = _FaultWatch(self._world.fail)
        logging.getLogger("golfnet").addHandler(watch)
        try:
            with self._scope:
                self._store, node = await self._prepare()
                await serve(
                    self._world.config,
                    store=self._store,
                    catalogue=CATALOGUE,
                    node=node,
                    task_status=self,  # type: ignore[arg-type]
                )
        except Exception as fault:
            if not self._is_dead and not self._may_end_by(fault):
                self._world.fail("the server failed: " + "".join(traceback.format_exception(fault)))
        finally:
            self.has_ended = True
            if not self._is_dead:
                self._die(write_survives=self._world.machine.chance.random() < 0.5)
            logging.getLogger("golfnet").removeHandler(watch)

    def started(self, running: Running) -> None:
        """Handle the opening of the server: ``serve`` calls this method of its ``task_status``."""
        self.running = running
        self._world.compare(self)

    def open_doors(self) -> dict[PortKind, list[Listener]]:
        self._doors = {kind: Listener(Door()) for kind in (PortKind.PLAIN, PortKind.TELNET)}
        return {kind: [self._doors[kind]] if kind in self._doors else [] for kind in PortKind}

    async def _prepare(self) -> tuple[SimulatedStore, NodeSetup | None]:
        """Return the store and, if this is one of several nodes, its setup."""
        return SimulatedStore(self._disk), None

    def _may_end_by(self, fault: Exception) -> bool:
        return False

    def connect(self, line: Line, address: str, kind: PortKind) -> bool:
        """Deliver a connection to a listener; return whether the listener is open."""
        if not self.is_open or not self._doors[kind].socket.is_open:
            return False
        self._lines.append(line)
        line.server = self
        self._doors[kind].socket.knock(line, address)
        return True

    def crash(self, *, write_survives: bool) -> None:
        """Die at once: nothing more is sent, stored or answered."""
        self._die(write_survives=write_survives)
        for line in self._lines:
            line.server_died()
        self._scope.cancel()

    def _die(self, *, write_survives: bool) -> None:
        """Die as a process does, perhaps in the middle of a write."""
        self.thaw()
        self._is_dead = self.has_ended = True
        thread = None if self._store is None else self._world.machine.thread_of(self._store)
        if thread is not None:
            thread.die(write_survives=write_survives)
        self._disk.crash()

    @property
    def is_stopping(self) -> bool:
        return self.running is not None and self.running.stop.is_set()

    def stop(self) -> None:
        if self.running is not None:
            self.running.stop.set()


class _FaultWatch(logging.Handler):
    """Watches for logged faults in golfnet, which would otherwise only end one connection or one table."""

    def __init__(self, fail: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._fail = fail

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self._fail(f"{record.getMessage()}: " + "".join(traceback.format_exception(*record.exc_info)))
        elif "writes were refused" in record.msg or "setting table" in record.msg:
            self._fail(record.getMessage())


class NodeProcess(ServerProcess):
    """One run of a node, at one of the places in the cluster."""

    def __init__(self, world: ClusterWorld, place: int) -> None:
        super().__init__(world)
        self.place = place
        self.number = 0
        self.is_cut_off = False
        """Whether the node cannot reach the database server."""
        self.is_hurt_until = 0.0
        """The time until which the node counts as impaired."""
        self.loses_answers = False
        """Whether the database server's replies to the node may get lost."""
        self._world: ClusterWorld = world
        self._port = Door()
        self._directory: EngineDirectory | None = None
        self._was_killed = False

    def hurt(self, seconds: float) -> None:
        self.is_hurt_until = max(self.is_hurt_until, self._world.now + seconds)
        self._world.harm(seconds)

    @property
    def is_valid(self) -> bool:
        """Whether the node is serving, and has not been declared gone."""
        return self.is_open and self.number not in self._world.engine.state.gone

    @property
    def living_lines(self) -> int:
        """Number of connections that may have a session here."""
        return super().living_lines + self._world.network.ends_at(self.number)

    async def dial(self, number: int) -> Any:
        return await self._world.network.dial(self.number, number)

    def disk(self) -> NodeDisk:
        return self._world.engine.nodes[self.number]

    async def run(self) -> None:
        """Run until stopped or dead; then have the world restart the node."""
        try:
            await super().run()
        finally:
            if self.number and not self._was_killed:
                self._world.engine.declare_gone(self.disk())
                self._world.network.died(self.number, is_silent=False)
            self._world.ended(self)

    def crash(self, *, write_survives: bool, is_silent: bool = False) -> None:
        """Die at once, together with the machine if ``is_silent``, so that no connection is closed."""
        self._was_killed = True
        if self._directory is not None:
            self._directory.is_dead = True
        super().crash(write_survives=write_survives)
        if self.number:
            self._world.network.died(self.number, is_silent=is_silent)
            if not is_silent:
                self.disk().sever()

    async def _prepare(self) -> tuple[SimulatedStore, NodeSetup | None]:
        """Declare gone all nodes that have committed nothing for a lease, and register as a node."""
        world, engine = self._world, self._world.engine
        while not self._reaches_engine():  # noqa: ASYNC110 -- in reality, a service manager restarts it
            await trio.sleep(0.5)
        silent = {node.number: node.commits for node in engine.living()}
        for _ in range(LOOKS):
            if silent:
                await trio.sleep(LEASE_SECONDS / LOOKS)
            if not self._reaches_engine():
                raise StoreError(StoreReason.UNREACHABLE, "The database server cannot be reached.")
            for node in engine.living():
                if silent.get(node.number) != node.commits:
                    silent.pop(node.number, None)
        for node in engine.living():
            if node.number in silent and not node.is_storing:
                engine.declare_silent(node)
        disk = engine.register()
        self.number = disk.number
        self._disk = disk
        world.spoil(self)
        world.note("server", f"{self.place} is node {self.number}")
        world.network.ports[self.number] = self._port
        self._directory = EngineDirectory(engine, disk)
        port = LinkPort(listener=Listener(self._port), address=f"10.0.0.{self.number}:1")  # type: ignore[arg-type]
        setup = NodeSetup(
            directory=self._directory, bus=Bus(world, self), secret="a secret", port=port, lease=LEASE_SECONDS
        )
        return SimulatedStore(disk), setup

    def _reaches_engine(self) -> bool:
        return not (self.is_cut_off or self._world.engine_fails)

    def _may_end_by(self, fault: Exception) -> bool:
        return not self.is_open and _is_of_engine(fault)


def _is_of_engine(fault: BaseException) -> bool:
    if isinstance(fault, BaseExceptionGroup):
        return all(_is_of_engine(each) for each in fault.exceptions)
    return isinstance(fault, StoreError | Refused)


class Bus(PostgresBus):
    """The bus as one node sees it: messages are delayed, and lost if sender or receiver is cut off."""

    def __init__(self, world: ClusterWorld, process: NodeProcess) -> None:
        self._world = world
        self._process = process
        self.receive: Callable[[bytes], None] | None = None
        self.lost: Callable[[], None] = lambda: None
        world.buses[process.place] = self

    def send(self, payload: bytes, node: int | None = None) -> None:
        world = self._world
        if self._process.has_ended or self._process.is_cut_off:
            return
        for bus in world.buses.values():
            if bus is not self and node in (None, bus._process.number):
                world.after(0.02, lambda bus=bus: bus.deliver(payload))  # type: ignore[misc]

    def listen(self, receive: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self.receive, self.lost = receive, lost

    def deliver(self, payload: bytes) -> None:
        if self.receive is not None and not (self._process.has_ended or self._process.is_cut_off):
            self.receive(payload)
