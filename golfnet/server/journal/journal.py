"""The journal, shared by all tables: events reach the disk before they reach the players.

Writes are stored in the order of submission. Their callbacks run in the same order in the trio thread, each once its
writes are durable. One thread writes, and what is submitted while it is busy becomes its next batch (group commit), so
tables wait for the disk but not for each other. Submissions are passed to the thread after each pass of the event
loop, or at the end of a ``with`` block around them, so that simultaneous events at several tables cost one commit. A
write that fails is retried, and no submission is lost. A store that does not answer for a while counts as failing; a
store that another server has taken over is given up. An ``immediate`` store is written to at once, without a thread.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from operator import itemgetter
from queue import SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct, field

from golfnet.engine.cards import Seat
from golfnet.server.budget import HELD_ENTRY, LOOP_SECONDS, WAITS, Buckets
from golfnet.server.journal.writer import Submission, SubmissionOutcome, Writer
from golfnet.storage.faults import StoreError, StoreReason, slow
from golfnet.storage.store import Store
from golfnet.storage.writes import Write

if TYPE_CHECKING:
    from golfnet.server.session.traffic import Traffic

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""The delay before each retry; the last one is repeated."""

STALL_SECONDS: Final = 2.0
"""How long the store may take to answer before it counts as failing: far longer than a busy disk takes."""

_CHECK_SECONDS: Final = 0.5
"""The interval between checks for a store that does not answer."""

LAST_SECONDS: Final = 1.0
"""How long ``run`` waits at its end for the current batch and the submissions after it."""


class Journal:
    """Writes everything to one store; used in the trio thread.

    ``failed`` is the error while nothing can be stored, else None. ``waiting`` is the number of submissions whose
    callback has not run yet, ``unstored`` the number of those that were given up at a stop. ``on_failure`` is called
    with the error when a failure begins or changes, and ``on_recovery`` when it is over; both are called in order with
    the callbacks of submissions. A callback must not raise: its exception ends ``run`` or, with an immediate store,
    reaches the submitter.
    """

    def __init__(self, store: Store, *, retry_seconds: Sequence[float] = RETRY_SECONDS) -> None:
        self.on_failure: Callable[[StoreError], None] = lambda _: None
        self.on_recovery: Callable[[], None] = lambda: None
        self.around_callbacks: AbstractContextManager[object] = nullcontext()
        """A context manager entered while callbacks run."""
        self.failed: StoreError | None = None
        self.waiting = 0
        self.unstored = 0
        self._silent_checks = -1
        """How many checks in a row have found something waiting and no report; -1 until the first check after one."""
        self._store = store
        self._gathered: deque[Submission] = deque()
        self._handed_over: SimpleQueue[list[Submission] | None] = SimpleQueue()
        self._is_gathering = False
        self._token: trio.lowlevel.TrioToken | None = None
        self._outcomes: deque[SubmissionOutcome] = deque()
        self._delivering = False
        self._settled = trio.Event()
        self._ended = trio.Event()
        self._bug: BaseException | None = None
        self._writer = Writer(store, self._handed_over, retry_seconds)

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        """Queue the writes to be stored atomically; call ``then`` when they are durable.

        If they conflict with stored data, which is a bug in the submitter, the conflict is logged instead; other
        submissions are not affected.
        """
        self.waiting += 1
        self._gathered.append(Submission(writes, then))
        if self._store.immediate:
            self._write_now()
        elif self._token is not None and len(self._gathered) == 1 and not self._is_gathering:
            self._token.run_sync_soon(self._hand_over)

    def __enter__(self) -> None:
        """Start collecting submissions, which are passed to the thread together at the end."""
        self._is_gathering = True

    def __exit__(self, *problem: object) -> None:
        self._is_gathering = False
        if self._token is not None:
            self._hand_over()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Write until ``aclose``, or until cancelled; then try once more to store what has already been submitted."""
        if self._store.immediate:
            task_status.started()
            await self._ended.wait()
            return
        self._token = token = trio.lowlevel.current_trio_token()
        self._hand_over()

        def soon(call: Callable[[], None]) -> None:
            with suppress(trio.RunFinishedError):  # trio may stop before a slow disk answers
                token.run_sync_soon(call, idempotent=True)

        def report(outcomes: Sequence[SubmissionOutcome]) -> None:
            self._outcomes.extend(outcomes)
            soon(self._deliver)

        def on_bug(bug: BaseException) -> None:
            self._bug = bug
            soon(self._ended.set)

        thread = threading.Thread(target=self._writer.run, args=(report, on_bug), name="journal", daemon=True)
        thread.start()
        task_status.started()
        try:
            while not self._ended.is_set():
                self._check_for_stall()
                with trio.move_on_after(_CHECK_SECONDS):
                    await self._ended.wait()
        finally:
            self._ended.set()
            self._writer.stopping.set()
            self._hand_over()
            self._handed_over.put(None)
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(thread.join, LAST_SECONDS)
            is_stuck = thread.is_alive()
            self.unstored = self.waiting if is_stuck else self._writer.given_up
            if is_stuck:
                log.error("the disk is not responding; %d submissions may not be stored", self.unstored)
        if self._bug is not None:
            raise self._bug

    async def aclose(self) -> None:
        """Wait until all submissions are stored and their callbacks have run, then make ``run`` return.

        This waits for a failing store to recover, so it needs a deadline. It does not wait for a store that another
        server has taken over.
        """
        while self.waiting and not (self._ended.is_set() or self.is_fenced):
            self._settled = trio.Event()
            await self._settled.wait()
        self._ended.set()

    @property
    def is_fenced(self) -> bool:
        """Whether another server has taken over the store, so that nothing can be stored here any more."""
        return self.failed is not None and self.failed.reason is StoreReason.FENCED

    def _hand_over(self) -> None:
        if self._gathered:
            self._handed_over.put(list(self._gathered))
            self._gathered.clear()

    def _write_now(self) -> None:
        """Write to an immediate store. As with a thread, what a callback submits is written after that callback."""
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
        """Run the callbacks for the thread's results; trio calls this method, and no exception may escape from it.

        A slow disk may lead to many results at once. Those left after ``LOOP_SECONDS`` wait for the next pass.
        """
        until = perf_counter() + LOOP_SECONDS
        self._silent_checks = -1
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
        else:
            log.error("writes were refused: %s", error.sentence)
        if not self.waiting:
            self._settled.set()

    def _check_for_stall(self) -> None:
        """Treat the store as failing if something has been waiting too long.

        Checks are counted, not seconds: a process that was suspended has made none.
        """
        is_expected = self.waiting and self.failed is None
        self._silent_checks = self._silent_checks + 1 if is_expected else 0
        if self._silent_checks * _CHECK_SECONDS > STALL_SECONDS:
            self._fail(slow(STALL_SECONDS))

    def _fail(self, error: StoreError) -> None:
        self.failed = error
        log.error("the journal %s: %s", "stops" if self.is_fenced else "is waiting", error.sentence)
        if self.is_fenced:
            self._settled.set()
        self.on_failure(error)

    def _recover(self) -> None:
        log.warning("the journal continues")
        self.failed = None
        self.on_recovery()


Submit = Callable[[Sequence[Write], Callable[[], None]], None]
"""Queues writes, and calls a function once they are durable; the calls are in the order of submission."""


ShownDiscard = tuple[Seat, int]
"""The seat to which a slam window's discard is shown, and the discard's number."""

_OUT: Final = itemgetter(1)
_SHOWN: Final = itemgetter(2)


class HeldReplies(Struct, eq=False):
    """Replies that a session may not send yet; ``size`` is in bytes of memory."""

    replies: list[tuple[int, bytes, ShownDiscard | None]] | tuple[()] = ()
    size: int = 0
    _latest: int = 0
    """The highest ticket of a held reply."""

    def add(self, ticket: int, out: bytes, shown: ShownDiscard | None = None) -> None:
        """Append a reply to send once ``ticket`` is durable."""
        if self.replies:
            self.replies.append((ticket, out, shown))
        else:
            self.replies = [(ticket, out, shown)]
        self.size += len(out) + HELD_ENTRY
        if ticket > self._latest:
            self._latest = ticket

    def take(self, durable: int) -> tuple[bytes, list[ShownDiscard], int]:
        """Remove the replies for tickets up to ``durable``.

        Return their bytes, the discards that they show, and the ticket of the next held reply, or 0.
        """
        replies, waits_for = self.replies, 0
        if not replies or durable >= self._latest:  # nearly always
            taken, self.replies, self.size, self._latest = replies, (), 0, 0
        else:
            count = next(at for at, (ticket, _, _) in enumerate(replies) if ticket > durable)
            taken, waits_for = replies[:count], replies[count][0]
            del replies[:count]
            self.size -= sum([len(out) + HELD_ENTRY for _, out, _ in taken])
        if len(taken) == 1:
            ((_, out, shown),) = taken
            return out, [] if shown is None else [shown], waits_for
        return b"".join(map(_OUT, taken)), list(filter(None, map(_SHOWN, taken))), waits_for


class DurabilityGate(Struct, eq=False):
    """Issues a ticket for each submission, and releases the replies held for a ticket once its writes are durable."""

    _submit: Submit
    _may_release: Callable[[], bool] | None = None
    _held: "dict[int, list[Traffic]]" = field(default_factory=dict)
    """Sessions by the ticket of their first held reply; a session is called only when it can send something."""
    _shown: dict[int, list[Callable[[], None]]] = field(default_factory=dict)
    is_stuck: bool = False
    """Whether nothing can be stored, so that all tables are paused; set by the lobby."""
    issued: int = 0
    durable: int = 0
    """The latest ticket whose replies have been released."""
    _stored: int = 0
    waits: Buckets = field(default_factory=lambda: Buckets(WAITS))
    """How long submissions took to become durable."""

    def submit(self, writes: Sequence[Write]) -> int:
        """Store events; return the ticket for the replies about them."""
        self.issued += 1
        self._submit(writes, partial(self._reached, self.issued, perf_counter()))
        return self.issued

    def hold(self, session: "Traffic", ticket: int) -> None:
        """Add a session whose first held reply is waiting for a ticket."""
        self._held.setdefault(ticket, []).append(session)

    def once_shown(self, ticket: int, call: Callable[[], None]) -> None:
        """Call back right after the replies held for a ticket are sent, which may be immediately."""
        if ticket <= self.durable:
            call()
        else:
            self._shown.setdefault(ticket, []).append(call)

    def _reached(self, ticket: int, began: float) -> None:
        self.waits.add(perf_counter() - began)
        self._stored = ticket
        if self._may_release is None or self._may_release():
            self.release()

    def release(self) -> None:
        """Release the replies held for all tickets up to the latest stored one."""
        # Submissions are handled in order, so each one up to ``_stored`` has been stored, or refused for good.
        before, self.durable = self.durable, self._stored
        for reached in range(before + 1, self._stored + 1):
            for session in self._held.pop(reached, ()):
                if waits_for := session.release(self.durable):
                    self.hold(session, waits_for)
            for call in self._shown.pop(reached, ()):
                call()
