"""The database server of a simulated cluster: one database for several nodes, with a fence for each, and a directory.

It keeps the promises of ``golfnet.storage.postgres``: a node has a unique number, counts its batches, and can store
nothing once it has been declared gone; a batch whose outcome is unknown is stored before that or never; a table belongs
to one node and, once that node is gone, to the first node that takes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from golfnet.server.ownership import LOST_SECONDS
from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.writes import (
    AppendEvent,
    CloseTable,
    GiveTable,
    OpenTable,
    SaveTable,
    SetAside,
)
from tests.server.shared_directory import FakeDirectory, SharedState, as_plain
from tests.simulation.disk import Disk, SimulatedStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from golfnet.storage.writes import Write
    from tests.simulation.cluster import ClusterWorld


LEASE_SECONDS: Final = 3.0
"""How long a node must have committed nothing before it may be declared gone."""

LOOKS: Final = 8


class Engine:
    """The state that all nodes share; ``disk`` is its database."""

    def __init__(self, chance: Random, world: ClusterWorld) -> None:
        self.disk = Disk(chance, world)
        self.nodes: dict[int, NodeDisk] = {}
        """The connection of each node so far, which acts as the node's disk."""
        self.state = SharedState(SimulatedStore(self.disk))  # type: ignore[arg-type]
        self.world = world
        self._recovered_at = self._restarted_at = 0.0
        self.generation = 1
        """How many times the database server has been started; a restart closes all connections."""

    def register(self) -> NodeDisk:
        number = len(self.nodes) + 1
        node = self.nodes[number] = NodeDisk(self, number)
        self.state.batches[number] = 0
        return node

    def living(self) -> list[NodeDisk]:
        return [node for node in self.nodes.values() if node.number not in self.state.gone]

    @property
    def now(self) -> float:
        return self.world.now

    def recovered(self) -> None:
        self._recovered_at = self.now

    def restart(self) -> None:
        """Close all connections; the nodes reconnect when they can."""
        self.generation += 1
        self._restarted_at = self.now
        for node in self.nodes.values():
            node.sever()

    def declare_silent(self, node: NodeDisk, *, is_lost: bool = False) -> None:
        """Declare a node gone because it has been silent; fail if it was silent for less than a lease.

        If ``is_lost``, the reason is that it has lost its connections: the node must have none now, have lost them
        otherwise than by a restart of the database server, and have had time to open another.
        """
        silence = self.now - max(node.stored_at, self._recovered_at)
        if is_lost and (node.severed_at is None or self.now < node.severed_at + LOST_SECONDS):
            problem = f"too soon after losing its connections: {node.severed_at}"
        elif (
            is_lost and node.generation != self.generation and (node.severed_at or 0.0) >= self._restarted_at
        ):
            problem = "because the database server restarted"
        elif not is_lost and silence < LEASE_SECONDS:
            problem = f"after a silence of {silence} s"
        else:
            problem = None
        self.world.check(problem and f"node {node.number} is declared gone {problem}")
        self.world.declared(node.number)
        self.declare_gone(node)

    def declare_gone(self, node: NodeDisk) -> None:
        """Refuse all further writes of a node."""
        node.crash()
        self.state.gone.add(node.number)


class NodeDisk(Disk):
    """The database server as one node's journal sees it."""

    keeps_failed = False

    def __init__(self, engine: Engine, number: int) -> None:
        super().__init__(engine.disk._chance, engine.world, engine.disk.connection)
        self.number = number
        self.is_storing = False
        self.stored_at = engine.now
        """When the last batch was stored."""
        self.generation = engine.generation
        """The engine's ``generation`` when it last connected."""
        self.severed_at: float | None = None
        """When its last connection was lost."""
        self.on_write: Callable[[], None] = lambda: None
        """Called when a write has begun."""
        self.loses_answers = False
        """Whether replies about completed work may get lost."""
        self._unanswered: Sequence[Write] | None = None
        """A stored batch whose reply was lost: it is not stored again when it is resent."""
        self._engine = engine

    @property
    def commits(self) -> int:
        return self._engine.state.batches[self.number]

    def sever(self) -> None:
        if self.severed_at is None:
            self.severed_at = self._engine.now

    def connect(self) -> None:
        self.severed_at, self.generation = None, self._engine.generation

    def probe(self) -> None:
        """Raise ``StoreError`` if the database server is failing, or accepts nothing from this node."""
        if self.number in self._engine.state.gone:
            raise StoreError(StoreReason.FENCED, "Another server has taken over the simulated database.")
        if self.failing is not None:
            raise StoreError(self.failing, f"The simulated database server is {self.failing.value}.")

    def begin_write(self, write: Callable[[], None]) -> None:
        def end() -> None:
            self.is_storing = False
            write()

        self.is_storing = True
        super().begin_write(end)
        self.on_write()

    def write(self, batch: Sequence[Write]) -> None:
        """Store a batch, unless this node has been declared gone."""
        if self.number in self._engine.state.gone:
            self.probe()
        if self.failing is None:
            if self._unanswered is batch:
                self._unanswered = None
                return
            self._need_tables(batch)
        super().write([as_plain(write) for write in batch])
        self.connect()
        self._count(batch)
        if self.may_be_lost():
            self._unanswered = batch
            raise lost_answer()

    def may_be_lost(self) -> bool:
        return self.loses_answers and self._chance.random() < 0.5

    def crash(self) -> None:
        """Decide whether the batch in doubt is stored."""
        if self.number in self._engine.state.gone:
            return
        super().crash()

    def _survived(self, batch: Sequence[Write]) -> None:
        super()._survived([as_plain(write) for write in batch])
        self._count(batch)

    def _count(self, batch: Sequence[Write]) -> None:
        self.stored_at = self._engine.now
        state = self._engine.state
        state.batches[self.number] += 1
        for write in batch:
            state.note(self.number, write)

    def _need_tables(self, batch: Sequence[Write]) -> None:
        """Check that a node that has not been declared gone writes only to its own tables."""
        opened = {write.table for write in batch if isinstance(write, OpenTable)}
        for write in batch:
            if not isinstance(write, AppendEvent | SaveTable | SetAside | CloseTable | GiveTable):
                continue
            owner = self.number if write.table in opened else self._engine.state.owners.get(write.table)
            if owner != self.number and not (isinstance(write, CloseTable) and owner is None):
                self._world.fail(f"node {self.number} writes {write} to a table of node {owner}")
                raise StoreError(StoreReason.CONFLICT, f"Table {write.table} is not open here.")


class EngineDirectory(FakeDirectory):
    """The directory as a node sees it, while the database server can be reached; its replies may be lost."""

    def __init__(self, engine: Engine, node: NodeDisk) -> None:
        super().__init__(engine.state, node.number)
        self._engine = engine
        self._connection = node
        self.is_dead = False

    @property
    def _state(self) -> SharedState:
        if self.is_dead or self._connection.failing is StoreReason.UNREACHABLE:
            raise StoreError(StoreReason.UNREACHABLE, "The database server cannot be reached.")
        return self._shared

    def _is_writing(self, node: int) -> bool:
        return self._engine.nodes[node].is_storing

    def _is_connected(self, node: int) -> bool:
        return self._engine.nodes[node].severed_at is None

    def _generation(self) -> int:
        return self._engine.generation

    def _end(self, node: int, *, is_lost: bool) -> None:
        self._engine.declare_silent(self._engine.nodes[node], is_lost=is_lost)


def _lossy(name: str) -> Callable[..., Any]:
    """Return a method that works like the directory's, but whose reply may be lost."""
    carry_out, is_change = getattr(FakeDirectory, name), name in _CHANGES

    def ask(directory: EngineDirectory, *args: Any, **more: Any) -> Any:
        if is_change and directory._connection.failing is not None:
            raise lost_answer()  # only changes fail: a database whose disk is full can still be read
        answer = carry_out(directory, *args, **more)
        if directory._connection.may_be_lost():
            raise lost_answer()
        return answer

    return ask


_CHANGES: Final = (
    *("reserve", "claim_name", "arrive", "take", "depart", "declare_gone", "take_tables", "drain", "keep"),
    *("publish", "seek"),
)

for _name in (*_CHANGES, "look", "heirs", "link_of", "place_of"):
    setattr(EngineDirectory, _name, _lossy(_name))


def lost_answer() -> StoreError:
    return StoreError(StoreReason.UNREACHABLE, "The simulated database server does not answer.")
