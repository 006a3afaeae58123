"""Processes of a world, which can be frozen as if by SIGSTOP.

Invariants: nothing in a frozen process runs: no task, no thread and no call from a thread. Due events are queued
in order and run late, when the process is thawed. Its sockets stay open, and the kernel accepts bytes for them.
Requests that a thread had already sent to the database server may still be executed there.
"""

from collections import deque
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any, Final

import trio
import trio._core._run as trio_scheduler


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
