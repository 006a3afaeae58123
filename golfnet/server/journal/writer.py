"""The thread of the journal: stores batch after batch, tries a failing store again, and looks after an idle one.

A store that another server has taken over is not tried again: the thread ends, and nothing more is stored.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple

from golfnet.storage.errors import StoreError, StoreReason
from golfnet.storage.store import Store
from golfnet.storage.writes import Write

log = logging.getLogger(__name__)

MAX_BATCH: Final = 2000
"""Submissions in one batch at the most; storing so many takes some tens of milliseconds."""

PROBE_SECONDS: Final = 1.0
"""How often an idle store is asked whether it could still be written."""


class Submission(NamedTuple):
    """Writes that belong together, and who is called when they are stored or refused."""

    writes: Sequence[Write]
    then: Callable[[], None]
    refused: Callable[[StoreError], None] | None


class SubmissionOutcome(NamedTuple):
    """What became of a submission: stored, or refused; without one, that the store fails or works again."""

    submission: Submission | None
    error: StoreError | None


class Writer:
    """The thread that writes; it shares nothing with the trio thread but the queue and ``stopping``.

    ``given_up`` counts the submissions that were not stored when the thread had to end.
    """

    def __init__(
        self,
        store: Store,
        handed_over: "SimpleQueue[list[Submission] | None]",
        retry_seconds: Sequence[float],
    ) -> None:
        self.stopping = threading.Event()
        self._store = store
        self._handed_over = handed_over
        self._retry_seconds = retry_seconds
        self.given_up = 0
        self._failures = 0
        self._fault = ""
        self._pending: list[Submission] = []
        self._last = False
        self._is_fenced = False

    def run(
        self, tell: Callable[[Sequence[SubmissionOutcome]], None], broken: Callable[[BaseException], None]
    ) -> None:
        """Store what is submitted, batch after batch, until None is or another server has the store."""
        try:
            while batch := self._next_batch(tell):
                self._store_batch(batch, tell)
        except BaseException as bug:  # would end the thread unseen; it belongs to whoever runs the journal  # noqa: ASYNC103
            broken(bug)

    def _next_batch(self, tell: Callable[[Sequence[SubmissionOutcome]], None]) -> list[Submission]:
        """Wait for submissions, and return them with all that have come meanwhile; none after the last."""
        while not (self._last or self._is_fenced) and len(self._pending) < MAX_BATCH:
            try:
                submissions = self._handed_over.get(block=not self._pending, timeout=PROBE_SECONDS)
            except Empty:
                if self._pending:
                    break
                self._probe(tell)
                continue
            if submissions is None:
                self._last = True
            else:
                self._pending += submissions
        if self._is_fenced:
            self.given_up += len(self._pending)
            return []
        batch, self._pending = self._pending[:MAX_BATCH], self._pending[MAX_BATCH:]
        return batch

    def _store_batch(
        self, batch: list[Submission], tell: Callable[[Sequence[SubmissionOutcome]], None]
    ) -> None:
        writes = [write for submission in batch for write in submission.writes]
        while True:
            try:
                self._store.write(writes)
            except StoreError as error:
                if error.reason is StoreReason.CONFLICT:
                    self._recovered(tell)
                    if len(batch) == 1:
                        tell([SubmissionOutcome(batch[0], error)])
                        return
                    for submission in batch:
                        self._store_batch([submission], tell)
                    return
                if self._is_fenced or not self._wait_after(error, tell):
                    self.given_up += len(batch)
                    log.error("%d submissions were not stored: %s", len(batch), error.sentence)
                    return
            else:
                self._recovered(tell)
                tell([SubmissionOutcome(submission, None) for submission in batch])
                return

    def _probe(self, tell: Callable[[Sequence[SubmissionOutcome]], None]) -> None:
        """Look whether the store could be written, while there is nothing to write."""
        try:
            self._store.probe()
        except StoreError as error:
            self._failed(error, tell)
        else:
            self._recovered(tell)

    def _wait_after(self, error: StoreError, tell: Callable[[Sequence[SubmissionOutcome]], None]) -> bool:
        """Leave a failing store alone for a while; return whether to try again."""
        self._failed(error, tell)
        if self._is_fenced:
            return False
        seconds = self._retry_seconds[min(self._failures, len(self._retry_seconds)) - 1]
        return not self.stopping.wait(seconds)

    def _failed(self, error: StoreError, tell: Callable[[Sequence[SubmissionOutcome]], None]) -> None:
        self._failures += 1
        self._is_fenced = error.reason is StoreReason.FENCED
        if error.sentence != self._fault:
            self._fault = error.sentence
            tell([SubmissionOutcome(None, error)])

    def _recovered(self, tell: Callable[[Sequence[SubmissionOutcome]], None]) -> None:
        if self._failures:
            self._failures, self._fault = 0, ""
            tell([SubmissionOutcome(None, None)])
