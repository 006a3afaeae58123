"""The sending half of a session: everything in order, nothing before it is durable, and not without bound.

What stays true: what waits for the disk counts as if it waited for the peer to read it, and both together are never
more than the outbox; over that the peer is cut off, and comes back to one whole view. A fault in rendering ends the
connection that it is rendered for: never the command of another peer, or a table.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

from golfnet.protocol.errors import Code
from golfnet.protocol.replies.replies import AnyReply, Burst, Bye
from golfnet.server.budget import room
from golfnet.server.faults import fault_boundary, guard
from golfnet.server.session.discards import discard_in
from golfnet.server.session.held import HeldReplies, HeldReply

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.server.journal.gate import DurabilityGate
    from golfnet.server.session.writer import ReplyWriter
    from golfnet.server.transport.transport import Transport

log = logging.getLogger(__name__)


class Outgoing(ABC):
    """What one peer is sent; ``outbox`` is how many bytes may wait for it."""

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
        """Whether the peer may still be told something."""
        return not self._closed

    def send(self, reply: AnyReply | Burst, *, ticket: int = 0, you: Seat | None = None) -> None:
        """Send a reply, once ``ticket`` is durable and all that was sent before is out."""
        if self._closed:
            return
        if self._held.replies or ticket > self._gate.durable:
            self._hold(ticket, reply, you)
            return
        guard(self._boundary, self.writer.write, reply, you)  # whoever sends to this peer has others
        if you is not None and (number := discard_in(reply)) is not None:
            self._note_shown(you, number)

    def interject(self, reply: AnyReply) -> None:
        """Send a reply at once, before all that waits."""
        if not self._closed:
            guard(self._boundary, self.writer.write, reply)

    def release(self, durable: int) -> int:
        """Send what waits for tickets up to ``durable``; return the ticket that the rest waits for, 0 without one."""
        guard(self._boundary, self._write_held, durable)  # whoever releases has others to release
        self._released()
        return self._held.waits_for

    @property
    def _is_full(self) -> bool:
        """Whether so much waits for the peer that nothing more is done for it; the rest is for what others cause."""
        return self._held.size + self.transport.waiting > self._room

    def _hold(self, ticket: int, reply: AnyReply | Burst, you: Seat | None) -> None:
        """Keep a reply until its ticket is durable."""
        if not self._held.replies:
            self._gate.hold(self, ticket)
        out = guard(self._boundary, self.writer.render, reply, you)
        if out is None:
            return
        number = None if you is None else discard_in(reply)
        self._held.add(HeldReply(ticket, out, None if you is None or number is None else (you, number)))
        if self._held.size + self.transport.waiting > self._outbox:
            self._held.clear()
            self.writer.write(Bye(code=Code.SLOW_CONSUMER.value, text=_HELD_TOO_MUCH))
            self.transport.cut_off("slow")

    def _write_held(self, durable: int) -> None:
        for each in self._held.take(durable):
            self.writer.write_bytes(each.out)
            if each.shown is not None:
                self._note_shown(*each.shown)

    def _boundary(self) -> fault_boundary:
        """Return a boundary that ends the connection after a fault, and nothing else."""
        what = "a connection from %s ended with a fault in the server"
        return fault_boundary(log, what, self.transport.address, on_fault=self._cut_off_after_fault)

    def _cut_off_after_fault(self) -> None:
        self._held.clear()
        self.transport.cut_off("lost")

    @abstractmethod
    def _note_shown(self, you: Seat, number: int) -> None:
        """Note that the discard of a slam window was sent to the seat just now."""

    @abstractmethod
    def _released(self) -> None:
        """Go on after some of what was held was sent."""


_HELD_TOO_MUCH: Final = (
    "The disk is slow and too much waits to be sent to you. Connect again for the whole view."
)
