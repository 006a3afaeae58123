"""Disk before players: what has happened is shown when it is durable, and to each peer in the order it was said.

Every batch of writes gets a ticket. A reply that tells of it is sent with that ticket and waits in its session until
the journal has come so far; what the session is told meanwhile waits behind it. With a memory store nothing waits. A
node of several that is not sure any more whether its tables are its own tells nothing until it is (``server.lease``).
"""

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Protocol

from golfnet.server.counters import JOURNAL_WAITS, Buckets
from golfnet.storage.writes import Write


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
