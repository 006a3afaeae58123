"""The event loop of a world: trio's own, in virtual time, with an agenda of events from outside the servers.

Trio asks its clock how long to sleep only when no task can run. The clock then jumps to whatever comes next, an agenda
entry or a deadline. So nothing happens while any task is busy, no time passes without a cause, and an event that
concerns no task costs no pass of trio's loop. No descriptor is polled, since there is nothing real to wait for.
"""

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any, Final

import trio
import trio._core._run as trio_scheduler
from trio._core._wakeup_socketpair import WakeupSocketpair
from trio.abc import Clock

_TICK: Final = 1e-7
"""Time between two reads of the clock: it never shows the same time twice."""


class VirtualClock(Clock):
    """Advances by a tick at each read, and jumps to the next event when all tasks are waiting."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.wall_offset = 1_800_000_000.0
        self.on_step: Callable[[int], None]
        """Called before each event, when all tasks are waiting, with the event's number."""
        self.on_fault: Callable[[Exception], None]
        """Called with an exception from an agenda entry."""
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers, self._steps = count(), count(1)

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call back after this many seconds, outside all tasks; entries with the same time keep their order."""
        heapq.heappush(self._agenda, (self.now + seconds, next(self._numbers), call))

    def start_clock(self) -> None:
        """Do nothing."""

    def current_time(self) -> float:
        self.now += _TICK
        return self.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Process the next event, and do not sleep."""
        runner = trio_scheduler.GLOBAL_RUN_CONTEXT.runner
        agenda = self._agenda
        while not runner.runq:
            self.on_step(next(self._steps))
            deadline = runner.deadlines.next_deadline()
            if not agenda or agenda[0][0] > deadline:
                assert deadline < float("inf"), "all tasks would wait forever"
                self.now = max(self.now, deadline)
                break
            at, _, call = heapq.heappop(agenda)
            self.now = max(self.now, at)
            try:
                call()
            except Exception as fault:
                self.on_fault(fault)
        return 0.0

    def wall(self) -> float:
        return self.wall_offset + self.now


class NoDescriptors:
    """Replaces trio's polling of descriptors."""

    def get_events(self, timeout: float) -> list[Any]:
        return []

    def do_nothing(self, *args: object) -> None:
        """Do nothing: trio never sleeps here."""

    process_events = force_wakeup = statistics = close = do_nothing


class Sleeper:
    """A place where at most one task sleeps until something wakes it."""

    def __init__(self) -> None:
        self._task: trio.lowlevel.Task | None = None

    @property
    def is_waiting(self) -> bool:
        return self._task is not None

    def wake(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            trio.lowlevel.reschedule(task)

    async def sleep(self) -> None:
        def abort(_: object) -> trio.lowlevel.Abort:
            self._task = None
            return trio.lowlevel.Abort.SUCCEEDED

        self._task = trio.lowlevel.current_task()
        await trio.lowlevel.wait_task_rescheduled(abort)


class _Wakeup:
    """Wakes trio for calls from outside its tasks, with a flag instead of a socket."""

    def __init__(self) -> None:
        self._sleeper = Sleeper()
        self._is_woken = False

    def wakeup_thread_and_signal_safe(self) -> None:
        self._is_woken = not self._sleeper.is_waiting
        self._sleeper.wake()

    async def wait_woken(self) -> None:
        if self._is_woken:
            await trio.lowlevel.checkpoint()
        else:
            await self._sleeper.sleep()
        self._is_woken = False

    def wakeup_on_signals(self) -> None:
        """Do nothing."""

    close = wakeup_on_signals


REPLACED: Final[tuple[tuple[object, str, object], ...]] = (
    (trio_scheduler, "TheIOManager", NoDescriptors),
    *(
        (WakeupSocketpair, name, getattr(_Wakeup, name))
        for name in ("__init__", "wakeup_thread_and_signal_safe", "wait_woken", "wakeup_on_signals", "close")
    ),
)
"""What is replaced in trio while a world runs."""


async def pass_time(clock: VirtualClock, seconds: float) -> None:
    """Replace ``trio.sleep``, which costs three times as much."""
    sleeper = Sleeper()
    clock.after(seconds, sleeper.wake)
    await sleeper.sleep()
