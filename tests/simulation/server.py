"""A server process of a world: the real ``serve`` on the world's machine and disk, which may die at any time."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING

import trio

from golfnet.rulesets import catalogue
from golfnet.server.net.listeners import PortKind
from golfnet.server.serve import Running, serve
from tests.simulation.disk import SimulatedStore
from tests.simulation.insides import Standing
from tests.simulation.network import Door, Line, Listener
from tests.simulation.processes import PROCESS, Process

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.joining import NodeSetup
    from golfnet.server.journal.journal import Journal
    from golfnet.server.lobby import Lobby
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
