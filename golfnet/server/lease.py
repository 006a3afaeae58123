"""The lease: how long a node of several may speak for its tables without a word of the database.

Every tenth of the lease the event loop submits a *beat*, a batch with nothing in it. One that is stored shows that the
loop turns, the writer writes, the database answers, and nobody has declared this node gone. The node is *sure* while
the latest beat that was stored was submitted less than 0.8 of a lease ago; others may take its tables after a whole
lease without one. So what a node tells while it is sure, nobody has decided otherwise meanwhile. While it is not, its
tables stand still, and it tells nothing of them: one that was stopped, and wakes up, may have lost them.

What it *writes* needs none of this: a node that was declared gone can store nothing.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

BEATS: Final = 10
"""Beats in a lease: so many that a node stays sure where each commit takes a third of a lease."""

SURE: Final = 0.8
"""For which part of a lease a beat is good; the rest is for clocks that do not run alike, and what is on its way."""

log = logging.getLogger(__name__)


class Lease:
    """The lease of one node; ``submit`` stores nothing, and calls back when that is durable."""

    def __init__(self, submit: Callable[[Callable[[], None]], None], seconds: float) -> None:
        self.seconds = seconds
        self.on_lapse: Callable[[], None] = _do_nothing
        self.on_renewal: Callable[[], None] = _do_nothing
        self._submit = submit
        self._under_way = 0
        self._confirmed = trio.current_time()  # who becomes a node has just written
        self._was_sure = True

    @property
    def age(self) -> float:
        """Seconds since the latest beat that was stored was submitted."""
        return trio.current_time() - self._confirmed

    def is_sure(self) -> bool:
        """Tell whether the node may speak; where it may not any more, ``on_lapse`` is called first."""
        if self._was_sure and self.age >= SURE * self.seconds:
            self._was_sure = False
            log.warning(
                "the database has confirmed nothing for %.1f s: all tables of this node stand still", self.age
            )
            self.on_lapse()
        return self._was_sure

    async def keep(self) -> None:
        """Submit beats until cancelled; while none is stored, no more than a lease has."""
        while True:
            self.is_sure()
            if self._under_way < BEATS:
                self._under_way += 1
                self._submit(partial(self._stored, trio.current_time()))
            await trio.sleep(self.seconds / BEATS)

    def _stored(self, submitted: float) -> None:
        self._under_way -= 1
        self._confirmed = submitted
        if not self._was_sure and self.age < SURE * self.seconds:
            self._was_sure = True
            log.warning("the database confirms again what this node writes")
            self.on_renewal()


def _do_nothing() -> None:
    """Be called until somebody else is."""
