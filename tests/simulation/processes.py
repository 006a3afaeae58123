"""Processes of a world, which can be frozen as if by SIGSTOP, and their threads.

Invariants: nothing in a frozen process runs: no task, no thread and no call from a thread. Due events are queued
in order and run late, when the process is thawed. Its sockets stay open, and the kernel accepts bytes for them.
Requests that a thread had already sent to the database server may still be executed there.

The threads, one for each journal and those for queries, passwords and slow bots, are neither tasks nor real threads.
Each is a chain of agenda entries, so that time passes between its steps; no step is taken once its process is dead.
"""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext
from contextvars import ContextVar, copy_context
from functools import partial
from queue import Empty
from typing import TYPE_CHECKING, Any, Final

import outcome
import trio
import trio._core._run as trio_scheduler

from golfnet.server.journal.writer import Pause, Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.journal.writer import Submission
    from tests.simulation.machine import Machine


class Process:
    late_answers: tuple[float, ...] = ()
    """Possible delays of its worker threads' results; empty to use those of the machine."""

    def __init__(self) -> None:
        self._held: list[Callable[[], object]] | None = None

    @property
    def is_frozen(self) -> bool:
        return self._held is not None

    def freeze(self) -> None:
        if self._held is None:
            self._held = []

    def thaw(self) -> None:
        """Let the process continue, starting with everything that became due while it was frozen."""
        held, self._held = self._held, None
        for call in held or ():
            call()

    def holds(self, call: Callable[[], object]) -> bool:
        """Queue a call if the process is frozen; return whether it is."""
        if self._held is None:
            return False
        self._held.append(call)
        return True


PROCESS: Final = ContextVar[Process]("process")
"""The process that a task belongs to."""


class RunQueue(deque[Any]):
    """The tasks that can run; those of a frozen process cannot."""

    def append(self, task: Any) -> None:
        """Let a task run, now or when its process is thawed."""
        process = task.context.get(PROCESS)
        run = partial(super().append, task)
        if process is None or not process.holds(run):
            run()


def install_run_queue() -> None:
    runner = trio_scheduler.GLOBAL_RUN_CONTEXT.runner
    runner.runq = RunQueue(runner.runq)


class Token:
    """Replaces a trio token: a thread's calls belong to its process, and are queued while it is frozen."""

    def __init__(self, real: Callable[[], trio.lowlevel.TrioToken]) -> None:
        self._real = real()
        self._process = PROCESS.get(None)
        self._context = copy_context()

    def run_sync_soon(self, call: Callable[..., object], *args: Any, idempotent: bool = False) -> None:
        run = partial(self._real.run_sync_soon, self._context.run, call, *args, idempotent=idempotent)
        if self._process is None or not self._process.holds(run):
            run()


class VirtualQueue:
    """Replaces the queue between the journal and its writer's thread."""

    def __init__(self) -> None:
        self._items: deque[list[Submission] | None] = deque()
        self.on_put: Callable[[], None] | None = None

    def put(self, item: list[Submission] | None) -> None:
        self._items.append(item)
        if self.on_put is not None:
            self.on_put()

    def get(self, block: bool = True, timeout: float | None = None) -> list[Submission] | None:
        """Return the next item, or raise ``Empty``; never blocks."""
        if not self._items:
            raise Empty
        return self._items.popleft()


class VirtualThread:
    """Replaces the journal's thread: runs the writer's steps, with time between them."""

    def __init__(
        self, machine: Machine, *, target: Any, args: tuple[Any, ...], name: str, daemon: bool
    ) -> None:
        self._writer: Writer = target.__self__
        self.store: Any = self._writer._store
        self._machine = machine
        self._process = PROCESS.get()
        self._tell, self._broken = args
        self._steps = self._writer.steps(self._told)
        self._pause: Pause | None = None
        self._pauses = 0
        """Number of pauses so far, so that a late callback cannot end a newer pause."""
        self.is_storing = False
        self.ended = trio.Event()

    def start(self) -> None:
        self._machine.threads.append(self)
        queue: Any = self._writer._handed_over
        queue.on_put = self._has_more
        self._step()

    def join(self, seconds: float) -> None:
        """Do nothing: ``run_in_thread`` waits instead."""

    def is_alive(self) -> bool:
        return not self.ended.is_set()

    def die(self, *, write_survives: bool) -> None:
        """Die with the process; a write that is under way may still reach the disk."""
        if not self.ended.is_set():
            if self.is_storing and write_survives:
                next(self._steps, None)
            self.store.is_dead = True
            self.ended.set()

    def _told(self, outcomes: Any) -> None:
        if not self.store.is_dead:
            self._tell(outcomes)

    def _has_more(self) -> None:
        """End the pause of an idle thread, or of one that should stop."""
        if self._pause is Pause.IDLE or (self._pause is Pause.REST and self._writer.stopping.is_set()):
            self._go_on_after(0.0)

    def _go_on_after(self, seconds: float) -> None:
        self._pauses += 1
        number = self._pauses

        def go_on() -> None:
            if number == self._pauses:
                self._step()

        self._machine.clock.after(seconds, go_on)

    def _written(self) -> None:
        """Continue after a write. If the process is frozen, the database may already have received the next write."""
        if self._process.is_frozen and self._machine.chance.random() < 0.5:
            self._step(is_asked=True)
        else:
            self._step()

    def _step(self, *, is_asked: bool = False) -> None:
        """Take the next step, unless the process is frozen and had not yet requested it."""
        if not is_asked and self._process.holds(self._step):
            return
        self._pause, self.is_storing = None, False
        if self.ended.is_set():
            return
        try:
            step = next(self._steps, None)
        except Exception as bug:
            self._broken(bug)
            step = None
        if step is None or self.store.is_dead:
            self.ended.set()
        elif is_asked:
            self._process.holds(lambda: self._begin(*step))
        else:
            self._begin(*step)

    def _begin(self, pause: Pause, seconds: float) -> None:
        if pause is Pause.STORE:
            self.is_storing = True
            self.store.disk.begin_write(self._written)
        else:
            self._pause = pause
            self._go_on_after(seconds)


async def run_in_thread(
    machine: Machine, work: Callable[[], Any], limiter: trio.CapacityLimiter | None, *, is_patient: bool
) -> Any:
    """Do work in a thread that starts late and may return late. A patient caller cannot be cancelled."""
    clock, chance, process = machine.clock, machine.chance, PROCESS.get()
    late_answers = process.late_answers or machine.late_answers
    task = trio.lowlevel.current_task()
    is_given_up = False

    def do() -> None:
        if process.is_frozen and chance.random() < 0.5:
            process.holds(do)  # the request had not been sent yet
            return
        if is_given_up:
            answer(outcome.Value(None))  # a real thread would go on, but nobody sees the result
            return
        result = outcome.capture(work)
        if late_answers:
            clock.after(chance.choice(late_answers), lambda: answer(result))
        else:
            answer(result)

    def answer(result: outcome.Outcome[Any]) -> None:
        if not process.holds(lambda: answer(result)) and not is_given_up:
            trio.lowlevel.reschedule(task, result)

    def abort(_: object) -> trio.lowlevel.Abort:
        nonlocal is_given_up
        if is_patient:
            return trio.lowlevel.Abort.FAILED
        is_given_up = True
        return trio.lowlevel.Abort.SUCCEEDED

    async with limiter or nullcontext():
        clock.after(chance.choice((0.0001, 0.01, 0.15)), do)
        return await trio.lowlevel.wait_task_rescheduled(abort)
