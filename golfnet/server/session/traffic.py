"""What passes through a session: a peer's lines, handled in order, and the replies, sent once they are durable.

Invariants: nothing is read from a peer while its earlier input is not yet decoded and handled, while a password is
being hashed, while a list is being sent to the peer, or while too much output is waiting for it. Further input then
stays in the kernel, so a greedy peer delays only itself. The end of input is handled after all lines. Every byte counts
against a limit, whether it belongs to a line or not.

Replies go out in order. Replies that wait for the disk and replies that wait for the peer to read them share one limit,
the outbox. A peer that would need more is cut off, and gets one full view when it reconnects. A fault in rendering a
reply closes only the connection of its receiver.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from time import perf_counter
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code
from golfnet.protocol.lines import LineFault
from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import AnyReply, Burst, Bye, Chat, TableView
from golfnet.server.budget import (
    DECODED_AT_ONCE,
    EDIT_COSTS,
    LINE_PAYS,
    LINES_AT_ONCE,
    PEER_SECONDS,
    READ_COSTS,
    TELNET_COSTS,
    Allowance,
    room,
)
from golfnet.server.faults import CONNECTION_FAULT, fault_boundary
from golfnet.server.journal.journal import DurabilityGate, HeldReplies, ShownDiscard
from golfnet.server.session.decoder import InputDecoder, Item
from golfnet.server.session.writer import ReplyWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from golfnet.engine.cards import Seat
    from golfnet.server.config import Config
    from golfnet.server.net.transport import Transport
    from golfnet.server.session.session import Session

log = logging.getLogger(__name__)


def _discard_in(reply: AnyReply | Burst) -> int | None:
    """Return the number of the discard whose slam window the reply shows, if any."""
    if isinstance(reply, Burst):
        return reply.discard_no
    return reply.slam.discard_no if isinstance(reply, TableView) and reply.slam is not None else None


def send_to_all(
    receivers: Iterable[tuple[Session, Seat | None]],
    reply: Burst | Chat | TableView,
    *,
    ticket: int = 0,
) -> None:
    """Send a reply that all receivers may see, rendering it only once for those who get the same bytes.

    Each receiver is a session with its seat, or with None.
    """
    line, number = b"", _discard_in(reply)
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


class Traffic(ABC):
    """The traffic with one peer.

    ``arrived`` is when the current line arrived, ``last_input`` when any input last arrived.
    """

    __slots__ = (
        "_after_cr",
        "_gate",
        "_held",
        "_input_over",
        "_is_paused",
        "_outbox",
        "_pending",
        "_rate",
        "_room",
        "_undecoded",
        "arrived",
        "decoder",
        "is_open",
        "is_suspended",
        "last_input",
        "parts",
        "transport",
        "writer",
    )

    def __init__(self, config: Config, gate: DurabilityGate, transport: Transport) -> None:
        self.transport = transport
        self._gate = gate
        self._outbox = config.outbox
        self._room = room(config.outbox)
        self._held = HeldReplies()
        self.is_open = True
        """Whether replies can still be sent."""
        self.arrived = self.last_input = trio.current_time()
        self.decoder = InputDecoder()
        self.writer = ReplyWriter(transport, self.decoder)
        self._rate = Allowance(config.commands_per_second, excess_per_10_seconds=config.excess_per_10_seconds)
        self._undecoded = b""
        """Bytes to decode once no line is pending."""
        self._after_cr = False
        """Whether the last byte received was a CR."""
        self._pending: list[str | LineFault] = []
        """Lines to handle, in reverse order."""
        self.parts: Iterator[None] | None = None
        """Sends a part of a long answer at each step, taken whenever there is room for a part; the next request waits
        until it ends. None if no answer is unfinished."""
        self.is_suspended = False
        """Whether a task is working on a request."""
        self._is_paused = False
        self._input_over = False

    # --- input

    def receive(self, received: bytes, arrived: float) -> None:
        """Handle bytes from the peer, within the limits of one pass of the event loop."""
        if not self.is_open:
            return
        self.arrived = self.last_input = arrived
        is_rest = self._after_cr and received == b"\n"  # the LF of a CR LF whose CR came before
        self._after_cr = received.endswith(b"\r")
        if len(received) > DECODED_AT_ONCE or self._is_paused:
            if not self._spends(received):
                self._undecoded += received
                if b"\xff" in received:  # telnet takes longest, so other peers go first
                    self._pace()
                else:
                    self._work()
            return
        items = self.decoder.feed(received, arrived)
        if len(items) == 1 and isinstance(items[0], str) and not self._rate.spent:  # the usual case
            self._line(items[0])
            if (
                self.is_suspended
                or self.parts is not None
                or self._held.size + self.transport.waiting > self._room
            ):
                self._pace()
        elif not self._spends(received):
            if items:
                self._take(items)
                self._work()
            elif not is_rest and received.strip(b"\0") and not received.strip(b"\r\n\0"):
                self._line("")

    def end_of_input(self) -> None:
        """Handle the input that has arrived, then close."""
        if not self.is_open:
            return
        self._input_over = True
        if not self._undecoded:
            self._pending[:0] = self.decoder.end()
        self._work()

    def proceed(self) -> None:
        """Continue handling this peer's requests."""
        if not self.is_open:
            return
        if self.parts is not None and not self._is_full and next(self.parts, _OVER) is _OVER:
            self.parts = None
        self._work()

    def suspend(self) -> None:
        """Handle no more requests until ``resume`` is called."""
        self.is_suspended = True
        self._pace()

    def resume(self) -> None:
        """Continue with requests that have arrived, but in later passes, since many sessions may resume at once."""
        self.is_suspended = False
        if self._pending or self._undecoded or self.parts is not None:
            self._pace()
        else:
            self._work()

    @property
    def unfinished(self) -> int:
        """How many received lines have not been handled completely."""
        is_busy = self.is_suspended or self.parts is not None or bool(self._held.replies)
        return len(self._pending) + is_busy

    def receive_line(self, line: str | LineFault, arrived: float) -> None:
        """Handle a line received by another node; an empty line is a bare Enter."""
        if not self.is_open:
            return
        self.arrived = self.last_input = arrived
        if not self._pending and not self._is_busy:
            self._line(line)
        elif line:
            self._pending.insert(0, line)
        self._pace()

    def put_back(self, lines: Sequence[str | LineFault]) -> None:
        """Queue lines that another node did not handle, before those that are already pending."""
        self._pending.extend(reversed(lines))

    # --- output

    def send(self, reply: AnyReply | Burst, *, ticket: int = 0, you: Seat | None = None) -> None:
        """Send a reply after all earlier ones, once ``ticket`` is durable."""
        if not self.is_open:
            return
        try:
            out = self.writer.render(reply, you)
        except Exception:
            with self._boundary():  # the fault must not keep the caller from sending to others
                raise
        else:
            shown = None
            if you is not None and isinstance(reply, (Burst, TableView)):
                number = _discard_in(reply)
                shown = None if number is None else (you, number)
            self.send_bytes(out, ticket=ticket, shown=shown)

    def send_bytes(self, out: bytes, *, ticket: int = 0, shown: ShownDiscard | None = None) -> None:
        """Send an encoded reply, as ``send`` does; ``shown`` is the discard that it shows, if it has a slam window."""
        if not self.is_open:
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
            self.discard_held()
            self.writer.write(Bye(code=Code.SLOW_CONSUMER.value, text=_HELD_TOO_MUCH))
            self.transport.cut_off("slow")

    def interject(self, reply: AnyReply) -> None:
        """Send a reply at once, before any held ones."""
        if self.is_open:
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
            with self._boundary():  # the fault must not keep the caller from releasing others
                raise
        self._released()
        return waits_for

    def discard_held(self) -> None:
        """Drop the held replies, because the events they are about will never be stored."""
        self._held = HeldReplies()

    # --- implemented by ``Session``

    @abstractmethod
    def _line(self, line: str | LineFault) -> None:
        """Handle a line; an empty line is a bare Enter."""

    @abstractmethod
    def _handle(self, event: object) -> None:
        """Handle input that is not text."""

    @abstractmethod
    def close(self, code: Code, sentence: str) -> None:
        """Send a goodbye, and close without waiting; held replies still go out first."""

    @abstractmethod
    def _end(self) -> None:
        """Handle the end of input, once no requests or held replies are left."""

    @abstractmethod
    def _note_shown(self, you: Seat, number: int) -> None:
        """Record that the discard of a slam window has just been sent to the peer, who has the seat ``you``."""

    # --- inside

    @property
    def _is_full(self) -> bool:
        """Whether so much output is waiting that requests must wait; the rest of the outbox is kept for events."""
        return self._held.size + self.transport.waiting > self._room

    def _boundary(self) -> AbstractContextManager[None]:
        return fault_boundary(
            log, CONNECTION_FAULT, self.transport.address, on_fault=self._cut_off_after_fault
        )

    def _cut_off_after_fault(self) -> None:
        self.discard_held()
        self.transport.cut_off("lost")

    @property
    def _is_busy(self) -> bool:
        return self.is_suspended or self.parts is not None or self._is_full

    def _spends(self, received: bytes) -> bool:
        """Count the cost of bytes; later lines may cancel part of it.

        If the limit is exceeded, disconnect the peer and return True.
        """
        size = len(received)
        edits = size - len(received.translate(None, b"\b\x7f\r\n\0"))
        cost = max(size, READ_COSTS) + EDIT_COSTS * edits + TELNET_COSTS * received.count(b"\xff")
        if is_too_much := self._rate.spend(cost, self.arrived):
            self.close(
                Code.FLOOD,
                "In ten seconds, you sent too much that is not a command. Connect again, and end each command with "
                "Enter.",
            )
        return is_too_much

    def _take(self, items: list[Item]) -> None:
        """Queue the lines, and handle other input at once."""
        lines: list[str | LineFault] = []
        for item in items:
            if isinstance(item, (str, LineFault)):
                lines.append(item)
            else:
                self._handle(item)
                if not self.is_open:  # closed because of another protocol or too many telnet options
                    return
        if lines:
            self._pending[:0] = lines[::-1]
            self._rate.spend(-LINE_PAYS * len(lines), self.arrived)

    def _decode(self) -> None:
        piece, self._undecoded = self._undecoded[:DECODED_AT_ONCE], self._undecoded[DECODED_AT_ONCE:]
        self._take(self.decoder.feed(piece, self.arrived))
        if self._input_over and not self._undecoded:
            self._pending[:0] = self.decoder.end()

    def _work(self) -> None:
        """Handle lines in order until none is left, the next has to wait, or the limits of one pass are reached."""
        pending, left = self._pending, LINES_AT_ONCE
        if pending or self._undecoded:
            until = perf_counter() + PEER_SECONDS
            while left and self.is_open and not self._is_busy:
                if pending:
                    self._line(pending.pop())
                    left -= 1
                elif self._undecoded:
                    self._decode()
                else:
                    break
                if perf_counter() >= until:
                    break
        if self._input_over:
            self._finish_if_done()
        self._pace()

    def _pace(self) -> None:
        """Pause reading if there is work left, else resume it; ask for a turn if the work can be done now."""
        if not self.is_open:
            self._drop_requests()
            return
        must_wait = bool(self._pending or self._undecoded) or self._is_busy
        if must_wait != self._is_paused:
            self._is_paused = must_wait
            if must_wait:
                self.transport.pause()
            else:
                self.transport.resume()
        if must_wait and not self.is_suspended and not (self._held.replies and self._is_full):
            self.transport.wake()

    def _finish_if_done(self) -> None:
        waits = self._pending or self._undecoded or self.is_suspended or self.parts or self._held.replies
        if self.is_open and not waits:
            self._end()

    def _drop_requests(self) -> None:
        self._undecoded = b""
        self._pending.clear()
        self.parts = None

    def _released(self) -> None:
        """Finish closing, or continue with requests that were waiting for the disk, after held replies are sent."""
        if not self.is_open and not self._held.replies:
            self.transport.close()
        elif self._input_over:
            self._finish_if_done()
        if self._is_paused:
            self._pace()


_OVER: Final = object()

_HELD_TOO_MUCH: Final = (
    "The disk is slow and too much is waiting to be sent to you. Connect again for the full view."
)
