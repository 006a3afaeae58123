"""Replies of one session that wait for the disk, as bytes: what waits has a size, and is quickly sent when it may be.

What stays true: they leave in the order in which they came; each is counted with what it takes in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from golfnet.server.budget import HELD_ENTRY

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat


class HeldReply(NamedTuple):
    """A reply that waits for a ticket; ``shown`` is the seat and the number of a discard that it shows."""

    ticket: int
    out: bytes
    shown: tuple[Seat, int] | None


class HeldReplies:
    """What one session may not send yet; ``size`` is in bytes of memory."""

    __slots__ = ("replies", "size")

    def __init__(self) -> None:
        self.replies: list[HeldReply] = []
        self.size = 0

    @property
    def waits_for(self) -> int:
        """The ticket of the first reply, 0 without one."""
        return self.replies[0].ticket if self.replies else 0

    def add(self, reply: HeldReply) -> None:
        """Keep a reply behind the others."""
        self.replies.append(reply)
        self.size += len(reply.out) + HELD_ENTRY

    def take(self, durable: int) -> list[HeldReply]:
        """Return, and keep no longer, what waits for tickets up to ``durable`` and for nothing before it."""
        replies = self.replies
        count = next((at for at, each in enumerate(replies) if each.ticket > durable), len(replies))
        taken = replies[:count]
        del replies[:count]
        self.size -= sum([len(each.out) + HELD_ENTRY for each in taken])
        return taken

    def clear(self) -> None:
        """Keep nothing any longer."""
        self.replies.clear()
        self.size = 0
