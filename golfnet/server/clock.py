"""All timeouts of the server: one queue of timers, one task.

Callbacks are plain functions and run in the order of their deadlines. A callback that raises is a bug and cancels the
server's nursery, so the timers of a table go through the table's fault boundary.
"""

import heapq
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

import trio
from msgspec import Struct, field

_CANCELLED_KEPT: Final = 1000
"""Up to this many cancelled timers stay in the queue, since removing so few is not worth the work."""


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
        """Whether the call is still pending."""
        return self.callback is not None

    @property
    def remaining_ms(self) -> int:
        """Milliseconds until the deadline, 0 once it has passed."""
        return max(0, round((self.deadline - trio.current_time()) * 1000))


class Timers(Struct, eq=False):
    """A queue of timers; ``run`` makes the calls when they are due.

    Nearly all timers are cancelled long before they are due. Cancelled timers are removed once they make up more than
    half of the queue, so the queue is never much longer than twice the number of pending calls.
    """

    before_calls: Callable[[], object] = lambda: None
    """Called before due calls are made; it may cancel them."""
    cancelled: int = 0
    """Cancelled timers in the queue."""
    _queue: list[tuple[float, int, Timer]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)
    _sooner: trio.Event = field(default_factory=trio.Event)

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back after ``seconds``."""
        deadline = trio.current_time() + seconds
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
        """Make the calls that are due; ``run`` would keep the last one, and so its table, until the next."""
        self.before_calls()
        now = trio.current_time()
        while self._queue and (self._queue[0][0] <= now or not self._queue[0][2].is_set):
            timer = heapq.heappop(self._queue)[2]
            callback, timer.callback = timer.callback, None
            if callback is not None:
                callback()
            else:
                self.cancelled -= 1


NO_TIMER: Final = Timer(Timers(), 0.0, None)
"""The initial value of attributes that hold a timer."""
