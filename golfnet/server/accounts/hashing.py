"""Hashes and checks passwords with argon2id, one at a time at low priority, in a fair queue.

Invariants: one hash is computed at a time, in one low-priority thread, and at most ``QUEUE`` wait; the waiting
origins take turns, one hash each; when the queue is full, a new request replaces the last one of the origin with the
most requests, so no origin can block the others. A cancelled request gives up its place, and its hash is discarded.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.storage.sqlite_files import lower_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

log = logging.getLogger(__name__)

T = TypeVar("T")

_NICENESS: Final = 10
"""Gives hashing a tenth of the usual processor time: at the least, a hash takes half a minute on a busy machine."""

QUEUE: Final = 32
"""Maximum number of waiting hashes: a few seconds of work."""

_LANES: Final = 1
"""Threads per hash: each one takes a processor away from play, and passwords are rare."""

_EACH_MS: Final = 200
"""Processor time of one hash in milliseconds; it also needs 64 MiB of memory."""

_AGAIN_MS: Final = 5000
"""How long a player is asked to wait when there is not enough memory for a hash."""

_BUSY: Final = "The server is busy; try again in a moment."

NOBODY: Final = (
    "$argon2id$v=19$m=65536,t=3,p=1$YmVpbmcgbm9ib2R5ISEhIQ$4y0aUYqWCHcPyBgVXcPQ7eN0ZCZrXy4N6sW0V9sQk1I"
)
"""A hash that no password matches, so that a wrong name takes as long as a wrong password."""


class Hashing:
    """Computes and checks the password hashes of one server."""

    def __init__(self) -> None:
        self._queue = FairQueue(1, QUEUE)

    async def make(self, password: str, origin: str) -> str:
        """Return a new hash of a password, or raise ``Refused`` if too many are waiting."""
        return await self._queue.run(origin, lambda: _make(password))

    async def check(self, hashed: str, password: str, origin: str) -> bool:
        """Return whether a password matches a hash, or raise ``Refused`` if too many are waiting."""
        return await self._queue.run(origin, lambda: _check(hashed, password))


class FairQueue:
    """Runs functions in threads, ``at_once`` at a time, while at most ``length`` others wait."""

    def __init__(self, at_once: int, length: int) -> None:
        self._threads = trio.CapacityLimiter(at_once)
        self._at_once = at_once
        self._length = length
        self._running = 0
        self._waiting: OrderedDict[str, deque[_QueuePlace]] = OrderedDict()
        """Waiting places by origin; the first origin is served next and then moves to the end."""

    def __len__(self) -> int:
        return sum([len(places) for places in self._waiting.values()])

    async def run(self, origin: str, work: Callable[[], T]) -> T:
        """Run ``work`` in a thread when it is the origin's turn, and return its result, or raise ``Refused``."""
        await self._enter(origin)
        try:
            result = await trio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._leave()
        await trio.lowlevel.checkpoint_if_cancelled()
        return result

    async def _enter(self, origin: str) -> None:
        if self._running < self._at_once:
            self._running += 1
            return
        place = self._join(origin)
        try:
            await place.called.wait()
        except trio.Cancelled:
            if place.is_served:
                self._leave()
            else:
                self._remove(place)
            raise
        if not place.is_served:
            raise self._busy()

    def _join(self, origin: str) -> _QueuePlace:
        """Return a new place in the queue, or raise ``Refused`` if no origin has more places than this one."""
        if len(self) >= self._length:
            longest = max(self._waiting.values(), key=len)
            if len(longest) <= len(self._waiting.get(origin, ())) + 1:
                raise self._busy()
            displaced = longest[-1]
            self._remove(displaced)
            displaced.called.set()
        place = _QueuePlace(origin)
        self._waiting.setdefault(origin, deque()).append(place)
        return place

    def _remove(self, place: _QueuePlace) -> None:
        places = self._waiting.get(place.origin)
        if places is not None and place in places:
            places.remove(place)
            if not places:
                del self._waiting[place.origin]

    def _leave(self) -> None:
        """Pass a thread on to the next in the queue."""
        if not self._waiting:
            self._running -= 1
            return
        origin, places = next(iter(self._waiting.items()))
        place = places.popleft()
        if places:
            self._waiting.move_to_end(origin)
        else:
            del self._waiting[origin]
        place.is_served = True
        place.called.set()

    def _busy(self) -> Refused:
        wait = (len(self) // self._at_once + 1) * _EACH_MS
        return Refused(Code.RATE_LIMITED, _BUSY, wait_ms=wait)


class _QueuePlace:
    """A place in the queue; ``called`` is set when the place is served or lost to another request."""

    __slots__ = ("called", "is_served", "origin")

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.called = trio.Event()
        self.is_served = False


def _make(password: str) -> str:
    """Return a new hash, or raise ``Refused`` if there is not enough memory."""
    with _refused_without_memory():
        from argon2 import PasswordHasher

        return _in_background(partial(PasswordHasher(parallelism=_LANES).hash, password))


def _check(hashed: str, password: str) -> bool:
    """Return whether a password matches a hash, or raise ``Refused`` if there is not enough memory."""
    with _refused_without_memory():
        from argon2 import PasswordHasher
        from argon2.exceptions import InvalidHashError, VerifyMismatchError

        try:
            return _in_background(partial(PasswordHasher().verify, hashed, password))
        except (VerifyMismatchError, InvalidHashError):
            return False


def _in_background(work: Callable[[], T]) -> T:
    """Run ``work`` in a low-priority thread, and return its result.

    It is a new thread each time, since a lowered priority cannot be raised again.
    """
    with ThreadPoolExecutor(1, initializer=lower_priority, initargs=(_NICENESS,)) as thread:
        return thread.submit(work).result()


@contextmanager
def _refused_without_memory() -> Iterator[None]:
    """Refuse, and log why, if the process runs out of memory or cannot open one of the library's files."""
    try:
        from argon2.exceptions import Argon2Error  # imported on use: it would slow down every start
    except (MemoryError, OSError, ImportError) as error:
        raise _refusal(error) from error
    try:
        yield
    except (
        Argon2Error,
        MemoryError,
        OSError,
        RuntimeError,
    ) as error:  # RuntimeError: no thread can be started
        raise _refusal(error) from error


def _refusal(error: BaseException) -> Refused:
    log.error("a password cannot be hashed: %s", str(error) or "out of memory")
    return Refused(Code.RATE_LIMITED, _BUSY, wait_ms=_AGAIN_MS)
