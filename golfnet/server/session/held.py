"""Replies of one session that wait for the disk, as bytes: what waits has a size, and is quickly sent when it may be.

What stays true: they leave in the order in which they came; each is counted with what it takes in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.server.budget import HELD_ENTRY

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat

    ShownDiscard = tuple[Seat, int]
    """The seat that is shown the discard of a slam window, and the number of that discard."""


class HeldReplies:
    """What one session may not send yet: tickets, bytes and what they show; ``size`` is in bytes of memory."""

    __slots__ = ("_latest", "replies", "size")

    def __init__(self) -> None:
        self.replies: list[tuple[int, bytes, ShownDiscard | None]] = []
        self.size = 0
        self._latest = 0
        """The highest ticket so far."""

    @property
    def waits_for(self) -> int:
        """The ticket of the first reply, 0 without one."""
        return self.replies[0][0] if self.replies else 0

    def add(self, ticket: int, out: bytes, shown: ShownDiscard | None = None) -> None:
        """Keep a reply behind the others."""
        self.replies.append((ticket, out, shown))
        self.size += len(out) + HELD_ENTRY
        if ticket > self._latest:
            self._latest = ticket

    def take(self, durable: int) -> tuple[bytes, list[ShownDiscard]]:
        """Return, and keep no longer, what waits for tickets up to ``durable`` and for nothing before it."""
        replies = self.replies
        if durable >= self._latest:  # nearly always
            taken, self.replies, self.size, self._latest = replies, [], 0, 0
        else:
            count = next(at for at, (ticket, _, _) in enumerate(replies) if ticket > durable)
            taken = replies[:count]
            del replies[:count]
            self.size -= sum([len(out) + HELD_ENTRY for _, out, _ in taken])
        if len(taken) == 1:
            ((_, out, shown),) = taken
            return out, [] if shown is None else [shown]
        return b"".join([out for _, out, _ in taken]), [shown for _, _, shown in taken if shown is not None]

    def clear(self) -> None:
        """Keep nothing any longer."""
        self.replies.clear()
        self.size = self._latest = 0
