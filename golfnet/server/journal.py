"""The journal: what has happened reaches the disk before the players, for all tables together.

Writes are stored in the order in which they were submitted, and their callbacks run in that order in the trio thread,
each after its writes are durable. One thread writes; whatever was submitted while it was writing is its next batch
(group commit), so tables wait for durability and not for each other. Submissions are handed to it when the event loop
has gone round, or at the end of a ``with`` around them: what happens at several tables at once costs one commit, not
two. While the store fails it is tried again and nothing that was submitted is lost. A store that is ``immediate`` is
written at once, without a thread.
"""

import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple

import trio

from golfnet.storage.errors import Reason, StoreError
from golfnet.storage.store import Store
from golfnet.storage.writes import Write

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""How long a failing store is left alone before each next try; the last is repeated."""

MAX_BATCH: Final = 2000
"""Submissions in one batch at the most; storing so many takes some tens of milliseconds."""

STOP_SECONDS: Final = 10.0
"""How long a stop waits for the batch under way: longer than a slow disk needs, shorter than service managers wait."""


class Journal:
    """The way of all writes into a store, used in the trio thread.

    ``failed`` holds the error while the store cannot be written, else None; ``waiting`` counts the submissions whose
    callback has not run yet. ``on_failure`` is called with the error when a failure begins and ``on_recovery`` when
    it is over, in one order with the callbacks of submissions. A callback must not raise: its exception ends ``run``,
    or reaches the submitter where the store is immediate.
    """

    def __init__(
        self,
        store: Store,
        *,
        on_failure: Callable[[StoreError], None] = lambda _: None,
        on_recovery: Callable[[], None] = lambda: None,
        retry_seconds: Sequence[float] = RETRY_SECONDS,
    ) -> None:
        self.failed: StoreError | None = None
        self.waiting = 0
        self._store = store
        self._on_failure = on_failure
        self._on_recovery = on_recovery
        self._gathered: deque[_Submission] = deque()
        self._handed_over: SimpleQueue[list[_Submission] | None] = SimpleQueue()
        self._is_gathering = False
        self.around_callbacks: AbstractContextManager[object] = contextlib.nullcontext()
        """What is entered while callbacks are made."""
        self._token: trio.lowlevel.TrioToken | None = None
        self._outcomes: deque[_Outcome] = deque()
        self._delivering = False
        self._settled = trio.Event()
        self._ended = trio.Event()
        self._bug: BaseException | None = None
        self._writer = _Writer(store, self._handed_over, retry_seconds)

    def submit(
        self,
        writes: Sequence[Write],
        then: Callable[[], None],
        refused: Callable[[StoreError], None] | None = None,
    ) -> None:
        """Store the writes, all or none of them, then call ``then``; returns at once.

        Where they contradict what is stored, a bug of their writer, ``refused`` is called instead, or else the
        contradiction is logged; nobody else's writes suffer.
        """
        self.waiting += 1
        self._gathered.append(_Submission(writes, then, refused))
        if self._store.immediate:
            self._write_now()
        elif self._token is not None and len(self._gathered) == 1 and not self._is_gathering:
            self._token.run_sync_soon(self._hand_over)

    def __enter__(self) -> None:
        """Begin to gather submissions, which are handed over together at the end."""
        self._is_gathering = True

    def __exit__(self, *problem: object) -> None:
        self._is_gathering = False
        if self._token is not None:
            self._hand_over()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Write until ``aclose``, or until cancelled; then what is already submitted is still tried once."""
        if self._store.immediate:
            task_status.started()
            await self._ended.wait()
            return
        self._token = token = trio.lowlevel.current_trio_token()
        self._hand_over()

        def soon(call: Callable[[], None]) -> None:
            with contextlib.suppress(trio.RunFinishedError):  # a disk that was slower than a stop may take
                token.run_sync_soon(call, idempotent=True)

        def tell(outcomes: Sequence[_Outcome]) -> None:
            self._outcomes.extend(outcomes)
            soon(self._deliver)

        def broken(bug: BaseException) -> None:
            self._bug = bug
            soon(self._ended.set)

        thread = threading.Thread(target=self._writer.run, args=(tell, broken), name="journal", daemon=True)
        thread.start()
        task_status.started()
        try:
            await self._ended.wait()
        finally:
            self._ended.set()
            self._writer.stopping.set()
            self._hand_over()
            self._handed_over.put(None)
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(thread.join, STOP_SECONDS)
        if self._bug is not None:
            raise self._bug

    async def aclose(self) -> None:
        """Wait until all that was submitted is stored and called back, then end ``run``.

        While the store fails this waits for its recovery: put it under a deadline.
        """
        while self.waiting and not self._ended.is_set():
            self._settled = trio.Event()
            await self._settled.wait()
        self._ended.set()

    def _hand_over(self) -> None:
        """Give the thread what has gathered."""
        if self._gathered:
            self._handed_over.put(list(self._gathered))
            self._gathered.clear()

    def _write_now(self) -> None:
        """Write to an immediate store; what a callback submits comes after it, as with a thread."""
        while self._gathered and not self._delivering:
            submission = self._gathered.popleft()
            error = None
            try:
                self._store.write(submission.writes)
            except StoreError as refusal:
                error = refusal
            self._delivering = True
            try:
                self._settle(_Outcome(submission, error))
            finally:
                self._delivering = False

    def _deliver(self) -> None:
        """Run the callbacks of what the thread has done; called by trio's entry queue, where nothing may escape."""
        try:
            with self.around_callbacks:
                while self._outcomes and not self._ended.is_set():
                    self._settle(self._outcomes.popleft())
        except BaseException as bug:  # noqa: ASYNC103
            self._bug = bug
            self._ended.set()

    def _settle(self, outcome: "_Outcome") -> None:
        submission, error = outcome
        if submission is None:
            self.failed = error
            if error is None:
                self._on_recovery()
            else:
                self._on_failure(error)
            return
        self.waiting -= 1
        if error is None:
            submission.then()
        elif submission.refused is None:
            log.error("writes were refused: %s", error.sentence)
        else:
            submission.refused(error)
        if not self.waiting:
            self._settled.set()


class _Submission(NamedTuple):
    writes: Sequence[Write]
    then: Callable[[], None]
    refused: Callable[[StoreError], None] | None


class _Outcome(NamedTuple):
    """What became of a submission: stored, or refused; without one, that the store fails or works again."""

    submission: _Submission | None
    error: StoreError | None


class _Writer:
    """The thread that writes; it shares nothing with the trio thread but the queue and ``stopping``."""

    def __init__(
        self,
        store: Store,
        handed_over: "SimpleQueue[list[_Submission] | None]",
        retry_seconds: Sequence[float],
    ) -> None:
        self.stopping = threading.Event()
        self._store = store
        self._handed_over = handed_over
        self._retry_seconds = retry_seconds
        self._failures = 0
        self._pending: list[_Submission] = []
        self._last = False

    def run(
        self, tell: Callable[[Sequence[_Outcome]], None], broken: Callable[[BaseException], None]
    ) -> None:
        """Store what is submitted, batch after batch, until None is."""
        try:
            while batch := self._next_batch():
                self._store_batch(batch, tell)
        except BaseException as bug:  # would end the thread unseen; it belongs to whoever runs the journal  # noqa: ASYNC103
            broken(bug)

    def _next_batch(self) -> list[_Submission]:
        """Wait for submissions, and return them with all that have come meanwhile; none after the last."""
        while not self._last and len(self._pending) < MAX_BATCH:
            try:
                submissions = self._handed_over.get(block=not self._pending)
            except Empty:
                break
            if submissions is None:
                self._last = True
            else:
                self._pending += submissions
        batch, self._pending = self._pending[:MAX_BATCH], self._pending[MAX_BATCH:]
        return batch

    def _store_batch(self, batch: list[_Submission], tell: Callable[[Sequence[_Outcome]], None]) -> None:
        writes = [write for submission in batch for write in submission.writes]
        while True:
            try:
                self._store.write(writes)
            except StoreError as error:
                if error.reason is Reason.CONFLICT:
                    self._recovered(tell)
                    if len(batch) == 1:
                        tell([_Outcome(batch[0], error)])
                        return
                    for submission in batch:
                        self._store_batch([submission], tell)
                    return
                if not self._wait_after(error, tell):
                    log.error("%d submissions were not stored: %s", len(batch), error.sentence)
                    return
            else:
                self._recovered(tell)
                tell([_Outcome(submission, None) for submission in batch])
                return

    def _wait_after(self, error: StoreError, tell: Callable[[Sequence[_Outcome]], None]) -> bool:
        """Leave a failing store alone for a while; tell whether to try again."""
        if not self._failures:
            log.error("the journal waits: %s", error.sentence)
            tell([_Outcome(None, error)])
        seconds = self._retry_seconds[min(self._failures, len(self._retry_seconds) - 1)]
        self._failures += 1
        return not self.stopping.wait(seconds)

    def _recovered(self, tell: Callable[[Sequence[_Outcome]], None]) -> None:
        if self._failures:
            self._failures = 0
            log.warning("the journal goes on")
            tell([_Outcome(None, None)])
