"""The sending half of a session: replies go out in order, once they are durable, and only a limited amount may wait.

Invariants: replies waiting for the disk count like those waiting for the peer to read them, and together they never
exceed the outbox: a peer that would need more is cut off, and gets one full view when it reconnects. A fault in
rendering closes only the connection for which the reply was being rendered.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from golfnet.protocol.errors import Code
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import AnyReply, Burst, Bye, Chat, TableView
from golfnet.server.budget import HELD_ENTRY, room
from golfnet.server.faults import fault_boundary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from golfnet.engine.layout import Seat
    from golfnet.server.journal.journal import DurabilityGate
    from golfnet.server.net.transport import Transport
    from golfnet.server.session.player import PlayerSession, ShownDiscard
    from golfnet.server.session.writer import ReplyWriter

log = logging.getLogger(__name__)


_OUT: Final = itemgetter(1)
_SHOWN: Final = itemgetter(2)


class HeldReplies:
    """Replies that a session may not send yet; ``size`` is in bytes of memory."""

    __slots__ = ("_latest", "replies", "size")

    def __init__(self) -> None:
        self.replies: list[tuple[int, bytes, ShownDiscard | None]] = []
        self.size = 0
        self._latest = 0
        """The highest ticket of a held reply."""

    def add(self, ticket: int, out: bytes, shown: ShownDiscard | None = None) -> None:
        """Append a reply to send once ``ticket`` is durable."""
        self.replies.append((ticket, out, shown))
        self.size += len(out) + HELD_ENTRY
        if ticket > self._latest:
            self._latest = ticket

    def take(self, durable: int) -> tuple[bytes, list[ShownDiscard], int]:
        """Remove and return the replies that can be sent now, with the discards they show, and the next ticket or 0."""
        replies, waits_for = self.replies, 0
        if durable >= self._latest:  # nearly always
            taken, self.replies, self.size, self._latest = replies, [], 0, 0
        else:
            count = next(at for at, (ticket, _, _) in enumerate(replies) if ticket > durable)
            taken, waits_for = replies[:count], replies[count][0]
            del replies[:count]
            self.size -= sum([len(out) + HELD_ENTRY for _, out, _ in taken])
        if len(taken) == 1:
            ((_, out, shown),) = taken
            return out, [] if shown is None else [shown], waits_for
        return b"".join(map(_OUT, taken)), list(filter(None, map(_SHOWN, taken))), waits_for

    def clear(self) -> None:
        """Drop all replies."""
        self.replies.clear()
        self.size = self._latest = 0


def discard_in(reply: AnyReply | Burst) -> int | None:
    """Return the number of the discard whose slam window the reply shows, if any."""
    if isinstance(reply, Burst):
        return reply.discard_no
    return reply.slam.discard_no if isinstance(reply, TableView) and reply.slam is not None else None


def send_to_all(
    receivers: Iterable[tuple[PlayerSession, Seat | None]],
    reply: Burst | Chat | TableView,
    *,
    ticket: int = 0,
) -> None:
    """Send a reply to receivers who may all see it, each given with their seat, if any; encode equal bytes once."""
    line, number = b"", discard_in(reply)
    for session, you in receivers:
        writer = session.writer
        if writer.speaks_json:
            line = line or data.encode(reply)
            shown = None if you is None or number is None else (you, number)
            session.send_bytes(line, ticket=ticket, shown=shown)
        elif you is None and (out := writer.rendered_before(reply)) is not None:
            session.send_bytes(out, ticket=ticket)
        else:
            session.send(reply, ticket=ticket, you=you)


class Outgoing(ABC):
    """Sends to one peer; ``outbox`` is the maximum number of bytes that may wait for it."""

    __slots__ = ("_closed", "_gate", "_held", "_outbox", "_room", "transport", "writer")

    def __init__(
        self, transport: Transport, writer: ReplyWriter, gate: DurabilityGate, *, outbox: int
    ) -> None:
        self.transport = transport
        self.writer = writer
        self._gate = gate
        self._outbox = outbox
        self._room = room(outbox)
        self._held = HeldReplies()
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Whether replies can still be sent."""
        return not self._closed

    def send(self, reply: AnyReply | Burst, *, ticket: int = 0, you: Seat | None = None) -> None:
        """Send a reply after all earlier ones, once ``ticket`` is durable."""
        if self._closed:
            return
        try:
            out = self.writer.render(reply, you)
        except Exception:
            with self._boundary():  # the caller also sends to others
                raise
            return
        shown = None
        if you is not None and isinstance(reply, Burst | TableView):
            number = discard_in(reply)
            shown = None if number is None else (you, number)
        self.send_bytes(out, ticket=ticket, shown=shown)

    def send_bytes(self, out: bytes, *, ticket: int = 0, shown: ShownDiscard | None = None) -> None:
        """Send an encoded reply, as ``send`` does; ``shown`` is the discard of a slam window in it."""
        if self._closed:
            return
        held = self._held
        if not held.replies:
            if ticket <= self._gate.durable:
                if out:
                    self.transport.write(out)
                if shown is not None:
                    self._note_shown(*shown)
                return
            self._gate.hold(self, ticket)
        held.add(ticket, out, shown)
        if held.size + self.transport.waiting > self._outbox:
            held.clear()
            self.writer.write(Bye(code=Code.SLOW_CONSUMER.value, text=_HELD_TOO_MUCH))
            self.transport.cut_off("slow")

    def interject(self, reply: AnyReply) -> None:
        """Send a reply at once, before any held ones."""
        if not self._closed:
            with self._boundary():
                self.writer.write(reply)

    def release(self, durable: int) -> int:
        """Send the replies held for tickets up to ``durable``; return the ticket of the next one, or 0."""
        held, waits_for = self._held, 0
        try:
            out, shown, waits_for = held.take(durable)
            if out:
                self.transport.write(out)
            for each in shown:
                self._note_shown(*each)
        except Exception:
            with self._boundary():  # the caller also releases others
                raise
        self._released()
        return waits_for

    def discard_held(self) -> None:
        """Drop the held replies, because the events they are about will never be stored."""
        self._held.clear()

    @property
    def _is_full(self) -> bool:
        """Whether so much output is waiting that requests must wait, too; the rest of the outbox is for events."""
        return self._held.size + self.transport.waiting > self._room

    def _boundary(self) -> fault_boundary:
        what = "a connection from %s ended because of a fault in the server"
        return fault_boundary(log, what, self.transport.address, on_fault=self._cut_off_after_fault)

    def _cut_off_after_fault(self) -> None:
        self._held.clear()
        self.transport.cut_off("lost")

    @abstractmethod
    def _note_shown(self, you: Seat, number: int) -> None:
        """Record that the discard of a slam window has just been sent to the seat."""

    @abstractmethod
    def _released(self) -> None:
        """Continue after held replies have been sent."""


_HELD_TOO_MUCH: Final = (
    "The disk is slow and too much is waiting to be sent to you. Connect again for the full view."
)
