"""All timeouts of the server: one queue of timers, one task.

Callbacks are plain functions and run in the order of their deadlines. A callback that raises is a bug and cancels the
server's nursery, so the timers of a table go through the table's fault boundary.
"""

import heapq
from collections.abc import Callable
from itertools import count
from typing import Final

import trio

_CANCELLED_KEPT: Final = 1000
"""How many cancelled timers may always stay in the queue: removing so few is not worth the work."""


class Timer:
    """One future call; ``deadline`` is on trio's clock."""

    __slots__ = ("_timers", "callback", "deadline")

    def __init__(self, timers: "Timers", deadline: float, callback: Callable[[], None] | None) -> None:
        self._timers = timers
        self.deadline = deadline
        self.callback = callback

    def cancel(self) -> None:
        """Cancel the call; do nothing if it has already been made."""
        if self.callback is not None:
            self.callback = None
            self._timers.cancelled += 1

    @property
    def is_set(self) -> bool:
        """Whether the call has been neither made nor cancelled."""
        return self.callback is not None

    @property
    def remaining_ms(self) -> int:
        """Milliseconds until the deadline, 0 once it has passed."""
        return _ms_until(self.deadline)


class Countdown:
    """A countdown that is often restarted, and calls back at its marks and at its end.

    Nearly every countdown is stopped long before its first mark. So its only timer stays in the queue when the
    countdown is stopped or restarted; once the timer is due, it checks whether to call anything.
    """

    __slots__ = ("_at_end", "_at_mark", "_deadline", "_due", "_marks", "_timer", "_timers")

    def __init__(self, timers: "Timers", *, at_mark: Callable[[], None], at_end: Callable[[], None]) -> None:
        self._timers = timers
        self._at_mark = at_mark
        self._at_end = at_end
        self._deadline: float | None = None
        self._due = 0.0
        self._marks: tuple[float, ...] = ()
        self._timer: Timer | None = None

    def start(self, seconds: float, marks: tuple[float, ...] = ()) -> None:
        """Count down from ``seconds``; ``marks`` are seconds left, in descending order."""
        self._deadline = trio.current_time() + seconds
        self._marks = marks
        self._set()

    def stop(self) -> None:
        """Stop the countdown: make no more calls."""
        self._deadline = None

    def close(self) -> None:
        """Stop for good: drop the callbacks and the place in the queue."""
        self.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._at_mark = self._at_end = _nothing

    @property
    def is_running(self) -> bool:
        """Whether it has been started, and has neither ended nor been stopped."""
        return self._deadline is not None

    @property
    def remaining_ms(self) -> int:
        """Milliseconds until the end, 0 if it is not running."""
        return 0 if self._deadline is None else _ms_until(self._deadline)

    def _set(self) -> None:
        """Make sure that the timer is due no later than the next call."""
        if self._deadline is None:
            return
        self._due = self._deadline - (self._marks[0] if self._marks else 0.0)
        if self._timer is not None and self._timer.is_set:
            if self._timer.deadline <= self._due:
                return
            self._timer.cancel()
        self._timer = self._timers.at(self._due, self._check)

    def _check(self) -> None:
        if self._deadline is None:
            return
        if self._due > trio.current_time():
            self._set()
        elif self._marks:
            self._marks = self._marks[1:]
            self._set()
            self._at_mark()
        else:
            self._deadline = None
            self._at_end()


class Timers:
    """A queue of timers; ``run`` makes the calls when they are due.

    Nearly all timers are cancelled long before they are due. They are removed once they are more than half of the
    queue, so that it is at most about twice as long as the list of pending calls.
    """

    def __init__(self) -> None:
        self.before_calls: Callable[[], object] = _nothing
        """Called before due calls are made; it may cancel them."""
        self.cancelled = 0
        """Cancelled timers in the queue."""
        self._queue: list[tuple[float, int, Timer]] = []
        self._numbers = count()
        self._sooner = trio.Event()

    def __len__(self) -> int:
        """Return the number of timers in the queue, including cancelled ones."""
        return len(self._queue)

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back after ``seconds``."""
        return self.at(trio.current_time() + seconds, callback)

    def at(self, deadline: float, callback: Callable[[], None]) -> Timer:
        """Call back at the given time on trio's clock."""
        if self.cancelled > max(_CANCELLED_KEPT, len(self._queue) // 2):
            self._remove_cancelled()
        timer = Timer(self, deadline, callback)
        heapq.heappush(self._queue, (deadline, next(self._numbers), timer))
        if self._queue[0][2] is timer:
            self._sooner.set()
        return timer

    async def run(self) -> None:
        """Make each call when it is due, until cancelled."""
        while True:
            self._call_due()
            self._sooner = trio.Event()
            deadline = self._queue[0][0] if self._queue else float("inf")
            with trio.move_on_at(deadline):
                await self._sooner.wait()

    def _remove_cancelled(self) -> None:
        self._queue = [entry for entry in self._queue if entry[2].is_set]
        heapq.heapify(self._queue)
        self.cancelled = 0

    def _call_due(self) -> None:
        self.before_calls()
        now = trio.current_time()
        while self._queue and (self._queue[0][0] <= now or not self._queue[0][2].is_set):
            timer = heapq.heappop(self._queue)[2]
            callback, timer.callback = timer.callback, None
            if callback is not None:
                callback()
            else:
                self.cancelled -= 1


def _nothing() -> None:
    """Stand in for a callback that has been dropped."""


def _ms_until(deadline: float) -> int:
    return max(0, round((deadline - trio.current_time()) * 1000))


NO_TIMER: Final = Timer(Timers(), 0.0, None)
"""What an attribute holds before its first timer is set."""
