"""The journal's writer: stores one batch after another, retries a failing store, and probes an idle one.

``steps`` has all the logic and waits for nothing but the store; ``run`` takes the steps in a thread and waits between
them. A batch is given up if the server is stopping or if another server has taken over the store. Invariant: nothing
is stored after a batch that was given up, since a log must not have a gap.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple

from msgspec import Struct, field

from golfnet.storage.faults import StoreError, StoreReason
from golfnet.storage.store import Store
from golfnet.storage.writes import Write

log = logging.getLogger(__name__)

MAX_BATCH: Final = 2000
"""The maximum number of submissions in one batch; storing that many takes tens of milliseconds."""

PROBE_SECONDS: Final = 1.0
"""The interval between checks that an idle store is still writable."""


class Submission(Struct, frozen=True):
    """Writes that belong together, and the callback for when they are stored."""

    writes: Sequence[Write]
    then: Callable[[], None]


class SubmissionOutcome(NamedTuple):
    """The outcome of a submission or, if ``submission`` is None, the news that the store fails or works again."""

    submission: Submission | None
    error: StoreError | None


class Pause(Enum):
    """What the writer waits for."""

    IDLE = "submissions, for at most ``PROBE_SECONDS``"
    STORE = "the store, however long that takes"
    REST = "the next retry"


Report = Callable[[Sequence[SubmissionOutcome]], None]


class Writer(Struct, eq=False):
    """Stores submissions; it shares only the queue and ``stopping`` with the trio thread.

    ``given_up`` counts the submissions that were not stored when the writer stopped.
    """

    _store: Store
    _handed_over: "SimpleQueue[list[Submission] | None]"
    _retry_seconds: Sequence[float]
    stopping: threading.Event = field(default_factory=threading.Event)
    given_up: int = 0
    _failures: int = 0
    _fault: str = ""
    _pending: list[Submission] = []
    _last: bool = False
    _is_fenced: bool = False
    _has_given_up: bool = False

    def run(self, report: Report, on_bug: Callable[[BaseException], None]) -> None:
        """Take all steps in this thread, waiting between them."""
        try:
            for pause, seconds in self.steps(report):
                if pause is Pause.IDLE:
                    self._receive(seconds)
                elif pause is Pause.REST:
                    self.stopping.wait(seconds)
        except BaseException as bug:  # the thread must not end silently  # noqa: ASYNC103
            on_bug(bug)

    def steps(self, report: Report) -> Iterator[tuple[Pause, float]]:
        """Store one batch after another, until None is submitted; yield before everything that takes time.

        What is yielded is the reason, and the maximum number of seconds; 0 means as long as the store takes.
        """
        while True:
            while len(self._pending) < MAX_BATCH and self._receive():
                pass
            if self._pending:
                batch, self._pending = self._pending[:MAX_BATCH], self._pending[MAX_BATCH:]
                yield from self._store_batch(batch, report)
            elif self._last or self._is_fenced:
                return
            else:
                yield Pause.IDLE, PROBE_SECONDS
                if self._has_received():
                    continue
                try:
                    self._store.probe()
                except StoreError as error:
                    self._failed(error, report)
                else:
                    self._recovered(report)

    def _has_received(self) -> bool:
        return bool(self._pending) or self._last or self._receive()

    def _receive(self, seconds: float | None = None) -> bool:
        """Receive submissions, waiting up to ``seconds`` if given; return whether there were any."""
        try:
            submissions = self._handed_over.get(block=seconds is not None, timeout=seconds)
        except Empty:
            return False
        if submissions is None:
            self._last = True
        else:
            self._pending += submissions
        return True

    def _store_batch(self, batch: list[Submission], report: Report) -> Iterator[tuple[Pause, float]]:
        writes = [write for submission in batch for write in submission.writes]
        while not self._has_given_up:
            yield Pause.STORE, 0.0
            try:
                self._store.write(writes)
            except StoreError as error:
                if error.reason is StoreReason.CONFLICT:
                    self._recovered(report)
                    if len(batch) == 1:
                        report([SubmissionOutcome(batch[0], error)])
                        return
                    for submission in batch:
                        yield from self._store_batch([submission], report)
                    return
                self._failed(error, report)
                if not self._is_fenced:
                    delays = self._retry_seconds
                    yield Pause.REST, delays[min(self._failures, len(delays)) - 1]
                if self._is_fenced or self.stopping.is_set():
                    self._has_given_up = True
                    log.error("%d submissions were not stored: %s", len(batch), error.sentence)
            else:
                self._recovered(report)
                report([SubmissionOutcome(submission, None) for submission in batch])
                return
        self.given_up += len(batch)

    def _failed(self, error: StoreError, report: Report) -> None:
        self._failures += 1
        self._is_fenced = error.reason is StoreReason.FENCED
        self._has_given_up |= self._is_fenced
        if error.sentence != self._fault:
            self._fault = error.sentence
            report([SubmissionOutcome(None, error)])

    def _recovered(self, report: Report) -> None:
        if self._failures:
            self._failures, self._fault = 0, ""
            report([SubmissionOutcome(None, None)])
