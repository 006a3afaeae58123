"""One run of a node, and its access to the bus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from golfnet.protocol.errors import Refused
from golfnet.server.joining import LinkPort, NodeSetup
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.postgres.bus import PostgresBus
from tests.simulation.disk import SimulatedStore
from tests.simulation.engine import LEASE_SECONDS, LOOKS, EngineDirectory, NodeDisk
from tests.simulation.network import Door, Listener
from tests.simulation.server import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.cluster import ClusterWorld


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
