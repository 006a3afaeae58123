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
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import AnyReply, Burst, Bye, Chat, TableView
from golfnet.server.budget import room
from golfnet.server.faults import fault_boundary
from golfnet.server.session.player import HeldReplies, discard_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from golfnet.engine.layout import Seat
    from golfnet.server.journal.journal import DurabilityGate
    from golfnet.server.net.transport import Transport
    from golfnet.server.session.player import PlayerSession, ShownDiscard
    from golfnet.server.session.writer import ReplyWriter

log = logging.getLogger(__name__)


def send_to_all(
    hearers: Iterable[tuple[PlayerSession, Seat | None]], reply: Burst | Chat | TableView, *, ticket: int = 0
) -> None:
    """Send what all hearers may see, each with its seat at the table; those who see it alike get the same bytes."""
    line, number = b"", discard_in(reply)
    for session, you in hearers:
        writer = session.writer
        if writer.speaks_json:
            line = line or data.encode(reply)
            shown = None if you is None or number is None else (you, number)
            session.send_bytes(line, ticket=ticket, shown=shown)
        elif you is None and (out := writer.told_alike(reply)) is not None:
            session.send_bytes(out, ticket=ticket)
        else:
            session.send(reply, ticket=ticket, you=you)


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
        try:
            out = self.writer.render(reply, you)
        except Exception:
            with self._boundary():  # whoever sends to this peer has others
                raise
            return
        shown = None
        if you is not None and isinstance(reply, Burst | TableView):
            number = discard_in(reply)
            shown = None if number is None else (you, number)
        self.send_bytes(out, ticket=ticket, shown=shown)

    def send_bytes(self, out: bytes, *, ticket: int = 0, shown: ShownDiscard | None = None) -> None:
        """Send a reply in its final form, as ``send`` does; ``shown`` is the discard of a slam window in it."""
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
        """Send a reply at once, before all that waits."""
        if not self._closed:
            with self._boundary():
                self.writer.write(reply)

    def release(self, durable: int) -> int:
        """Send what waits for tickets up to ``durable``; return the ticket that the rest waits for, 0 without one."""
        held, waits_for = self._held, 0
        try:
            out, shown, waits_for = held.take(durable)
            if out:
                self.transport.write(out)
            for each in shown:
                self._note_shown(*each)
        except Exception:
            with self._boundary():  # whoever releases has others to release
                raise
        self._released()
        return waits_for

    def discard_held(self) -> None:
        """Drop the replies that wait: what they tell of will never be stored."""
        self._held.clear()

    @property
    def _is_full(self) -> bool:
        """Whether so much waits for the peer that nothing more is done for it; the rest is for what others cause."""
        return self._held.size + self.transport.waiting > self._room

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
