"""Disk before players: what has happened is shown when it is durable, and to each peer in the order it was said.

Every batch of writes gets a ticket. A reply that tells of it is sent with that ticket and waits in its session until
the journal has come so far; what the session is told meanwhile waits behind it. With a memory store nothing waits.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Protocol

from golfnet.server.counters import JOURNAL_WAITS, Buckets
from golfnet.storage.writes import Write


class Log(Protocol):
    """What the gate needs of a journal."""

    def submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        """Queue writes; call ``then`` once they are durable, in the order of submission."""


class Held(Protocol):
    """A session with replies that wait."""

    def release(self, durable: int) -> bool:
        """Send what waits for tickets up to ``durable``; return whether anything still waits."""


class Gate:
    """Hands out tickets and releases sessions."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._held: dict[Held, None] = {}
        self._shown: list[tuple[int, Callable[[], None]]] = []
        self.is_stuck = False
        """Whether the journal cannot be written: nothing new may begin by itself until it can."""
        self.issued = 0
        self.durable = 0
        self.waits = Buckets(JOURNAL_WAITS)
        """How many seconds each submission took to become durable."""

    def submit(self, writes: Sequence[Write]) -> int:
        """Write down what has happened; return the ticket of the replies that tell of it."""
        self.issued += 1
        ticket, began = self.issued, perf_counter()

        def reached() -> None:
            self.waits.add(perf_counter() - began)
            self._reached(ticket)

        self._log.submit(writes, reached)
        return ticket

    def hold(self, session: Held) -> None:
        """Remember a session with replies that wait."""
        self._held[session] = None

    def once_shown(self, ticket: int, call: Callable[[], None]) -> None:
        """Call back right after the replies of a ticket went out, at once where they have."""
        if ticket <= self.durable:
            call()
        else:
            self._shown.append((ticket, call))

    def _reached(self, ticket: int) -> None:
        self.durable = ticket
        for session in [session for session in self._held if not session.release(ticket)]:
            del self._held[session]
        due = [call for needed, call in self._shown if needed <= ticket]
        if due:
            self._shown = [(needed, call) for needed, call in self._shown if needed > ticket]
            for call in due:
                call()
