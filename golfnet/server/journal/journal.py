"""The journal: what has happened reaches the disk before the players, for all tables together.

Writes are stored in the order in which they were submitted, and their callbacks run in that order in the trio thread,
each after its writes are durable. One thread writes; whatever was submitted while it was writing is its next batch
(group commit), so tables wait for durability and not for each other. Submissions are handed to it when the event loop
has gone round, or at the end of a ``with`` around them: what happens at several tables at once costs one commit, not
two. While the store fails it is tried again and nothing that was submitted is lost; a store that neither fails nor
answers for a while counts as failing; one that another server has taken over is given up. A store that is ``immediate``
is written at once, without a thread.
"""

import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from queue import SimpleQueue
from time import perf_counter
from typing import Final, Protocol

import trio

from golfnet.server.budget import LOOP_SECONDS
from golfnet.server.counters import JOURNAL_WAITS, Buckets
from golfnet.server.journal.writer import Submission, SubmissionOutcome, Writer
from golfnet.storage.faults import StoreError, StoreReason, slow
from golfnet.storage.store import Store
from golfnet.storage.writes import Write

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""How long a failing store is left alone before each next try; the last is repeated."""

STALL_SECONDS: Final = 2.0
"""How long the store may let something wait without storing anything: far longer than a disk that is only busy."""

_LOOK_SECONDS: Final = 0.5
"""How often that is looked at; it may be noticed so much later."""

LAST_SECONDS: Final = 1.0
"""How long the end of ``run`` waits for the batch under way and what was submitted behind it."""


class Journal:
    """The way of all writes into a store, used in the trio thread.

    ``failed`` holds the error while the store cannot be written, else None; ``waiting`` counts the submissions whose
    callback has not run yet; ``unstored`` counts those that a stop gave up. ``on_failure`` is called with the error
    when a failure begins or turns into another, and ``on_recovery`` when it is over, in one order with the callbacks
    of submissions. A callback must not raise: its exception ends ``run``, or reaches the submitter where the store is
    immediate.
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
        self.unstored = 0
        self._answers = 0
        """How often the thread has told what it did."""
        self._answers_seen = -1  # the first look begins to count
        self._silent_since = 0.0
        self._store = store
        self._on_failure = on_failure
        self._on_recovery = on_recovery
        self._gathered: deque[Submission] = deque()
        self._handed_over: SimpleQueue[list[Submission] | None] = SimpleQueue()
        self._is_gathering = False
        self.around_callbacks: AbstractContextManager[object] = contextlib.nullcontext()
        """What is entered while callbacks are made."""
        self._token: trio.lowlevel.TrioToken | None = None
        self._outcomes: deque[SubmissionOutcome] = deque()
        self._delivering = False
        self._settled = trio.Event()
        self._ended = trio.Event()
        self._bug: BaseException | None = None
        self._writer = Writer(store, self._handed_over, retry_seconds)

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
        self._gathered.append(Submission(writes, then, refused))
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

        def tell(outcomes: Sequence[SubmissionOutcome]) -> None:
            self._outcomes.extend(outcomes)
            soon(self._deliver)

        def broken(bug: BaseException) -> None:
            self._bug = bug
            soon(self._ended.set)

        thread = threading.Thread(target=self._writer.run, args=(tell, broken), name="journal", daemon=True)
        thread.start()
        task_status.started()
        try:
            while not self._ended.is_set():
                self._look_for_stall()
                with trio.move_on_after(_LOOK_SECONDS):
                    await self._ended.wait()
        finally:
            self._ended.set()
            self._writer.stopping.set()
            self._hand_over()
            self._handed_over.put(None)
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(thread.join, LAST_SECONDS)
            self._count_unstored(is_stuck=thread.is_alive())
        if self._bug is not None:
            raise self._bug

    async def aclose(self) -> None:
        """Wait until all that was submitted is stored and called back, then end ``run``.

        While the store fails this waits for its recovery: put it under a deadline. It does not wait for a store that
        another server has taken over.
        """
        while self.waiting and not (self._ended.is_set() or self.is_fenced):
            self._settled = trio.Event()
            await self._settled.wait()
        self._ended.set()

    @property
    def is_fenced(self) -> bool:
        """Whether another server has taken over the store, so that nothing can be stored any more."""
        return self.failed is not None and self.failed.reason is StoreReason.FENCED

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
                self._settle(SubmissionOutcome(submission, error))
            finally:
                self._delivering = False

    def _deliver(self) -> None:
        """Run the callbacks of what the thread has done; called by trio's entry queue, where nothing may escape.

        Much can have been done at once after a disk was slow: after ``LOOP_SECONDS`` the rest waits for the next turn.
        """
        until = perf_counter() + LOOP_SECONDS
        self._answers += 1
        try:
            with self.around_callbacks:
                while self._outcomes and not self._ended.is_set():
                    self._settle(self._outcomes.popleft())
                    if perf_counter() >= until and self._token is not None:
                        self._token.run_sync_soon(self._deliver, idempotent=True)
                        break
        except BaseException as bug:  # noqa: ASYNC103
            self._bug = bug
            self._ended.set()

    def _settle(self, outcome: SubmissionOutcome) -> None:
        submission, error = outcome
        if submission is None:
            if error is None:
                self._recover()
            else:
                self._fail(error)
            return
        if self.failed is not None and self.failed.reason is StoreReason.SLOW:
            self._recover()
        self.waiting -= 1
        if error is None:
            submission.then()
        elif submission.refused is None:
            log.error("writes were refused: %s", error.sentence)
        else:
            submission.refused(error)
        if not self.waiting:
            self._settled.set()

    def _look_for_stall(self) -> None:
        """Count a store as failing that has let something wait for too long."""
        now = trio.current_time()
        if not self.waiting or self.failed is not None or self._answers != self._answers_seen:
            self._answers_seen, self._silent_since = self._answers, now
        elif (
            now - self._silent_since >= STALL_SECONDS + _LOOK_SECONDS
        ):  # silent for so long between two looks
            self._fail(slow(STALL_SECONDS))

    def _fail(self, error: StoreError) -> None:
        self.failed = error
        log.error("the journal %s: %s", "ends" if self.is_fenced else "waits", error.sentence)
        if self.is_fenced:
            self._settled.set()
        self._on_failure(error)

    def _recover(self) -> None:
        log.warning("the journal goes on")
        self.failed = None
        self._on_recovery()

    def _count_unstored(self, *, is_stuck: bool) -> None:
        """Count what is given up; nobody was told of it."""
        self.unstored = self.waiting if is_stuck else self._writer.given_up
        if is_stuck:
            log.error("the disk does not answer; %d submissions may not be stored", self.unstored)


class Log(Protocol):
    """What the gate needs of a journal."""

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        """Queue writes; call ``then`` once they are durable, in the order of submission."""


class HoldingSession(Protocol):
    """A session with replies that wait."""

    def release(self, durable: int) -> int:
        """Send what waits for tickets up to ``durable``; return the ticket that the rest waits for, 0 without one."""


class DurabilityGate:
    """Hands out tickets and releases sessions."""

    def __init__(self, log: Log, may_tell: Callable[[], bool] | None = None) -> None:
        self._log = log
        self._may_tell = may_tell
        self._held: dict[int, list[HoldingSession]] = {}
        """Sessions by the ticket that their first reply waits for, so that a ticket wakes nobody in vain."""
        self._shown: dict[int, list[Callable[[], None]]] = {}
        self.is_stuck = False
        """Whether the journal cannot be written: nothing new may begin by itself until it can."""
        self.issued = 0
        self.durable = 0
        """What is stored and may be told."""
        self._stored = 0
        self.waits = Buckets(JOURNAL_WAITS)
        """How many seconds each submission took to become durable."""

    def submit(self, writes: Sequence[Write]) -> int:
        """Write down what has happened; return the ticket of the replies that tell of it."""
        self.issued += 1
        self._log.submit(writes, partial(self._reached, self.issued, perf_counter()))
        return self.issued

    def hold(self, session: HoldingSession, ticket: int) -> None:
        """Remember a session whose replies wait for a ticket."""
        self._held.setdefault(ticket, []).append(session)

    def once_shown(self, ticket: int, call: Callable[[], None]) -> None:
        """Call back right after the replies of a ticket went out, at once where they have."""
        if ticket <= self.durable:
            call()
        else:
            self._shown.setdefault(ticket, []).append(call)

    def _reached(self, ticket: int, began: float) -> None:
        self.waits.add(perf_counter() - began)
        self._stored = ticket
        if self._may_tell is None or self._may_tell():
            self.go_on()

    def go_on(self) -> None:
        """Let everything be told that is stored."""
        # The tickets before it have been reached, or were refused by the store and never will be.
        before, self.durable = self.durable, self._stored
        for reached in range(before + 1, self._stored + 1):
            for session in self._held.pop(reached, ()):
                if waits_for := session.release(self.durable):
                    self.hold(session, waits_for)
            for call in self._shown.pop(reached, ()):
                call()
