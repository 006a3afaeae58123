"""The machine under a world's servers: its clock, threads, sockets, entropy and chance, all virtual.

``Machine.installed`` puts them in the place of the real ones while a world runs. What stays true: golfnet reads no real
clock, starts no thread, opens no file or socket and draws no chance meanwhile; one that it did would change the hash of
a world's trace from run to run, which a test compares.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import random
import secrets
import selectors
from collections import deque
from contextvars import ContextVar
from queue import Empty
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import outcome
import trio
import trio._core._run as trio_scheduler
from trio.abc import Clock

from golfnet.server import joining
from golfnet.server import serve as serving
from golfnet.server.accounts import hashing
from golfnet.server.journal import gate, journal
from golfnet.server.journal.writer import Pause, Writer
from golfnet.server.links import dialing
from golfnet.server.links.dialing import HubDialer
from golfnet.server.lobby import Lobby
from golfnet.server.session import incoming
from golfnet.server.transport import hub
from tests.simulation import network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from golfnet.server.journal.writer import Submission

_PERF_TICK: Final = 0.00005
"""What each look at the processor's time seems to have taken: budgets of the loop run out after so many looks."""

_NEVER: Final = 1e9

PROCESS: Final = ContextVar[Any]("process")
"""The server process that a task belongs to."""


_TICK: Final = 1e-7
"""What passes from one look at the clock to the next: no clock shows the same time for ever."""


class VirtualClock(Clock):
    """Goes on by itself only a tick at a time; the world sets ``now``."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.wall_offset = 1_800_000_000.0

    def start_clock(self) -> None:
        """Do nothing."""

    def current_time(self) -> float:
        """Return the virtual time."""
        self.now += _TICK
        return self.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Return nothing for what is due, and as good as for ever for the rest."""
        return 0.0 if deadline <= self.now else _NEVER

    def wall(self) -> float:
        """Return virtual seconds since 1970."""
        return self.wall_offset + self.now


class Machine:
    """What a world's servers run on."""

    def __init__(self, seed: str) -> None:
        self.clock = VirtualClock()
        self.chance = random.Random(f"{seed} machine")
        self.threads: list[VirtualThread] = []
        self.late_answers: tuple[float, ...] = ()
        """How long the result of a worker thread may be on its way, nothing for at once."""
        self._perf = 0.0

    def token_bytes(self, count: int | None = None) -> bytes:
        """Stand for ``secrets.token_bytes``."""
        return self.chance.randbytes(32 if count is None else count)

    def perf_counter(self) -> float:
        """Stand for ``time.perf_counter``."""
        self._perf += _PERF_TICK
        return self._perf

    async def run_in_thread(
        self, work: Callable[..., Any], *args: Any, limiter: Any = None, abandon_on_cancel: bool = False
    ) -> Any:
        """Stand for ``trio.to_thread.run_sync``: the work is done some time later."""
        thread = getattr(work, "__self__", None)
        if isinstance(thread, VirtualThread):
            with trio.move_on_after(args[0]):
                await thread.ended.wait()
            return None
        async with limiter or contextlib.nullcontext():
            with trio.CancelScope(shield=not abandon_on_cancel):
                await trio.sleep(self.chance.choice((0.0001, 0.01, 0.15)))
            answer = outcome.capture(work, *args)
            with trio.CancelScope(shield=not abandon_on_cancel):
                if self.late_answers:
                    await trio.sleep(self.chance.choice(self.late_answers))
            return answer.unwrap()

    def thread_of(self, store: object) -> VirtualThread | None:
        """Return the thread that writes to a store, None where there is none yet."""
        return next((thread for thread in self.threads if thread.store is store), None)

    def _lobby(self, **given: Any) -> Lobby:
        return Lobby(**given, entropy=self.token_bytes, wall_clock=self.clock.wall)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Let everything that golfnet asks of a machine be asked of this one."""
        state = random.getstate()
        random.seed(self.chance.random())
        network.reset_numbers()
        machine = self

        class Thread(VirtualThread):
            def start(self) -> None:
                machine.threads.append(self)
                super().start()

        replaced: list[tuple[object, str, object]] = [
            (secrets, "token_bytes", self.token_bytes),
            (selectors, "DefaultSelector", network.Selector),
            (trio.lowlevel, "wait_readable", network.wait_readable),
            (trio.to_thread, "run_sync", self.run_in_thread),
            (trio_scheduler, "_ALLOW_DETERMINISTIC_SCHEDULING", True),
            (trio_scheduler, "_r", random.Random(self.chance.random())),
            (journal, "SimpleQueue", VirtualQueue),
            (journal, "threading", SimpleNamespace(Thread=Thread)),
            (hashing, "_make", _hash_password),
            (hashing, "_check", lambda hashed, password: hashed == _hash_password(password)),
            (serving, "socket", SimpleNamespace(socket=lambda fileno: fileno)),
            (trio, "open_tcp_stream", _open_tcp_stream),
            (dialing, "socket", SimpleNamespace(socket=lambda fileno: fileno)),
            (joining, "HubDialer", _Dialer),
            (serving, "open_all", _open_all),
            (serving, "where", lambda _: ()),
            (serving, "Lobby", self._lobby),
            *((module, "perf_counter", self.perf_counter) for module in (gate, journal, incoming, hub)),
        ]
        logger = logging.getLogger("golfnet")
        level, propagates = logger.level, logger.propagate
        logger.setLevel(logging.ERROR)
        logger.propagate = False
        try:
            with contextlib.ExitStack() as stack:
                for where, name, replacement in replaced:
                    stack.enter_context(patch.object(where, name, replacement))
                yield
        finally:
            random.setstate(state)
            logger.setLevel(level)
            logger.propagate = propagates


async def _open_tcp_stream(host: str, port: int) -> object:
    """Stand for ``trio.open_tcp_stream`` from one node to another."""
    return await PROCESS.get().dial(int(host.rpartition(".")[2]))


class _Dialer(HubDialer):
    """Knows which process dials: a task that something outside has caused does not."""

    def __init__(self, hub: Any) -> None:
        super().__init__(hub)
        self._process = PROCESS.get()

    async def dial(self, host: str, port: int, peer_of: Any) -> None:
        PROCESS.set(self._process)
        await super().dial(host, port, peer_of)


async def _open_all(*_: object) -> object:
    """Stand for the opening of listeners."""
    return PROCESS.get().open_doors()


def _hash_password(password: str) -> str:
    """Return what is kept of a password; argon2 would take longer than a whole world."""
    return hashlib.sha256(password.encode()).hexdigest()


class VirtualQueue:
    """Stands for the queue between the journal and the thread of its writer."""

    def __init__(self) -> None:
        self._items: deque[list[Submission] | None] = deque()
        self.filled = trio.Event()

    def put(self, item: list[Submission] | None) -> None:
        """Put something in."""
        self._items.append(item)
        self.filled.set()

    def get(self, block: bool = True, timeout: float | None = None) -> list[Submission] | None:
        """Return the next, or raise ``Empty``; never blocks."""
        if not self._items:
            self.filled = trio.Event()
            raise Empty
        return self._items.popleft()


class VirtualThread:
    """Stands for the thread of the journal: takes the steps of the writer, and lets time pass between."""

    def __init__(self, *, target: Any, args: tuple[Any, ...], name: str, daemon: bool) -> None:
        self._writer: Writer = target.__self__
        self.store: Any = self._writer._store
        self._tell, self._broken = args
        self._steps = self._writer.steps(self._told)
        self.is_storing = False
        self.ended = trio.Event()

    def start(self) -> None:
        """Begin."""
        trio.lowlevel.spawn_system_task(self._run)

    def join(self, seconds: float) -> None:
        """Stand for the wait, which ``Machine.run_in_thread`` does."""

    def is_alive(self) -> bool:
        """Tell whether it has not ended."""
        return not self.ended.is_set()

    def die(self, *, write_survives: bool) -> bool:
        """End with the process; a write that is under way may still reach the disk. Return whether one was."""
        if self.ended.is_set():
            return False
        if self.is_storing and write_survives:
            next(self._steps, None)
        self.store.is_dead = True
        self.ended.set()
        return self.is_storing

    def _told(self, outcomes: Any) -> None:
        if not self.store.is_dead:
            self._tell(outcomes)

    async def _run(self) -> None:
        writer, store = self._writer, self.store
        queue: Any = writer._handed_over
        try:
            for step in self._steps:
                if step.pause is Pause.STORE:
                    self.is_storing = True
                    await store.disk.take_time()
                    self.is_storing = False
                elif step.pause is Pause.IDLE:
                    with trio.move_on_after(step.seconds):
                        await queue.filled.wait()
                else:
                    for _ in range(20):
                        if not (writer.stopping.is_set() or store.is_dead):
                            await trio.sleep(step.seconds / 20)
                if store.is_dead:
                    break
        except Exception as bug:
            self._broken(bug)
        finally:
            self.ended.set()
