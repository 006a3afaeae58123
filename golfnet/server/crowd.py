"""What everybody in the lobby is told: to the first at once, to thousands a part in each turn of the event loop.

What stays true: everybody hears the same things in the same order; what waits to be told has a bound.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio

from golfnet.protocol.errors import Code, Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

TOLD_AT_ONCE: Final = 256
"""Players who are told something in one turn: a millisecond of work."""

MOST_WAITING: Final = 20
"""Things that may wait to be told; more are shouted only where thousands are, and too fast to be read."""

_WAIT_MS: Final = 1000


Listener = TypeVar("Listener")


class Crowd:
    """All who hear what is shouted; ``spawn`` starts a task."""

    def __init__(self, spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        self._spawn = spawn
        self._waiting: deque[tuple[Iterator[Any], Callable[[Any], None]]] = deque()

    def tell(self, listeners: Sequence[Listener], tell: Callable[[Listener], None]) -> None:
        """Call ``tell`` with each listener, behind what was to be told before; raises ``Refused`` for too much."""
        if len(self._waiting) >= MOST_WAITING:
            raise Refused(
                Code.RATE_LIMITED,
                "Too many people are shouting at once. Wait a second, then try again.",
                wait_ms=_WAIT_MS,
            )
        if not self._waiting and len(listeners) <= TOLD_AT_ONCE:
            for listener in listeners:
                tell(listener)
            return
        self._waiting.append((iter(listeners), tell))
        if len(self._waiting) == 1:
            self._tell_some()
            if self._waiting:
                self._spawn(self._tell_all)

    async def _tell_all(self) -> None:
        while self._waiting:
            await trio.lowlevel.checkpoint()
            self._tell_some()

    def _tell_some(self) -> None:
        """Tell the thing that waits longest to the next listeners."""
        listeners, tell = self._waiting[0]
        part = list(islice(listeners, TOLD_AT_ONCE))
        for listener in part:
            tell(listener)
        if len(part) < TOLD_AT_ONCE:
            self._waiting.popleft()
