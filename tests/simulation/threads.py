"""The threads of a world's servers: one for each journal, and those for queries, passwords and slow bots.

Invariants: none of them is a task or a real thread. Each is a chain of agenda entries, so that time passes
between its steps, and no step is taken once its process is dead.
"""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext
from queue import Empty
from typing import TYPE_CHECKING, Any

import outcome
import trio

from golfnet.server.journal.writer import Pause, Writer
from tests.simulation.processes import PROCESS

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.journal.writer import Step, Submission
    from tests.simulation.machine import Machine


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
            self._process.holds(lambda: self._begin(step))
        else:
            self._begin(step)

    def _begin(self, step: Step) -> None:
        if step.pause is Pause.STORE:
            self.is_storing = True
            self.store.disk.begin_write(self._written)
        else:
            self._pause = step.pause
            self._go_on_after(step.seconds)


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
