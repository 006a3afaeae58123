"""The receiving half of a session: handles a peer's lines in order, a limited number per pass of the event loop.

Invariants: nothing is read from a peer while its earlier input has yet to be decoded or handled, while a password is
being hashed, while a list is being sent to it, or while too much output is waiting for it. Further input then stays in
the kernel, so a greedy peer delays only itself. The end of input is handled after all lines. Every byte counts against
a limit, whether it belongs to a line or not.
"""

from __future__ import annotations

from abc import abstractmethod
from time import perf_counter
from typing import TYPE_CHECKING

from golfnet.protocol.lines import LineFault
from golfnet.server.budget import (
    BESIDE_LINES,
    BESIDE_LINES_SECONDS,
    DECODED_AT_ONCE,
    EDIT_COSTS,
    LINE_PAYS,
    LINES_AT_ONCE,
    PEER_SECONDS,
    READ_COSTS,
    TELNET_COSTS,
    RateLimit,
)
from golfnet.server.session.outgoing import Outgoing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golfnet.server.config import Config
    from golfnet.server.journal.journal import DurabilityGate
    from golfnet.server.net.transport import Transport
    from golfnet.server.session.decoder import InputDecoder, Item
    from golfnet.server.session.writer import ReplyWriter


class Incoming(Outgoing):
    """Receives from one peer; ``arrived`` is when the current line arrived, ``last_input`` when any input last did."""

    __slots__ = (
        "_after_cr",
        "_decoder",
        "_input_over",
        "_is_paused",
        "_list",
        "_pending",
        "_rate",
        "_suspended",
        "_undecoded",
        "arrived",
        "last_input",
    )

    def __init__(
        self,
        transport: Transport,
        decoder: InputDecoder,
        writer: ReplyWriter,
        gate: DurabilityGate,
        rate: Allowance,
        *,
        outbox: int,
        now: float,
    ) -> None:
        super().__init__(transport, writer, gate, outbox=outbox)
        self.arrived = self.last_input = now
        self._decoder = decoder
        self._rate = rate
        self._undecoded = b""
        """Bytes to decode once no line is pending."""
        self._after_cr = False
        """Whether the last byte received was a CR."""
        self._pending: list[str | LineFault] = []
        """Lines to handle, in reverse order."""
        self._list: Callable[[], bool] | None = None
        """Sends the next part of a long answer and returns whether there is more; None without a long answer."""
        self._suspended = False
        self._is_paused = False
        self._input_over = False

    def receive(self, received: bytes, arrived: float) -> None:
        """Handle bytes from the peer, within the limits of one pass of the event loop."""
        if self._closed:
            return
        self.arrived = self.last_input = arrived
        is_rest = self._after_cr and received == b"\n"  # the LF of the CR LF that ended the last line
        self._after_cr = received.endswith(b"\r")
        if len(received) > DECODED_AT_ONCE or self._is_paused:
            if not self._spends(received):
                self._undecoded += received
                if b"\xff" in received:  # telnet takes longest, so the other peers in this pass go first
                    self._pace()
                else:
                    self._work()
            return
        items = self._decoder.feed(received, arrived)
        if len(items) == 1 and isinstance(items[0], str) and not self._rate.spent:  # the usual case
            self._line(items[0])
            if (
                self._suspended
                or self._list is not None
                or self._held.size + self.transport.waiting > self._room
            ):
                self._pace()
        elif not self._spends(received):
            if items:
                self._take(items)
                self._work()
            elif not is_rest and received.strip(b"\0") and not received.strip(b"\r\n\0"):
                self._entered()

    def end_of_input(self) -> None:
        """Handle the input that has arrived, then close."""
        if self._closed:
            return
        self._input_over = True
        if not self._undecoded:
            self._pending[:0] = self._decoder.end()
        self._work()

    def proceed(self) -> None:
        """Continue handling this peer's requests."""
        if self._closed:
            return
        if self._list is not None and not self._is_full and not self._list():
            self._list = None
        self._work()

    def send_in_turns(self, send_part: Callable[[], bool]) -> None:
        """Send a long answer in parts: call ``send_part`` whenever there is room for one, until it returns False.

        The next request is handled only after that.
        """
        self._list = send_part

    @property
    def is_suspended(self) -> bool:
        """Whether a task is working on a request."""
        return self._suspended

    def suspend(self) -> None:
        """Handle no more requests until ``resume`` is called."""
        self._suspended = True
        self._pace()

    def resume(self) -> None:
        """Continue with requests that have arrived, but in later passes: many sessions may resume at once."""
        self._suspended = False
        if self._pending or self._undecoded or self._list is not None:
            self._pace()
        else:
            self._work()

    @property
    def unfinished(self) -> int:
        """How many received lines have not been handled completely."""
        is_busy = self._suspended or self._list is not None or bool(self._held.replies)
        return len(self._pending) + is_busy

    def receive_line(self, line: str | LineFault, arrived: float) -> None:
        """Handle a line received by another node; an empty line is a bare Enter."""
        if self._closed:
            return
        self.arrived = self.last_input = arrived
        if self._pending or self._is_busy:
            if line:
                self._pending.insert(0, line)
        elif line:
            self._line(line)
        else:
            self._entered()
        self._pace()

    def put_back(self, lines: Sequence[str | LineFault]) -> None:
        """Put lines that another node did not handle in front of the pending ones."""
        self._pending.extend(reversed(lines))

    @abstractmethod
    def _entered(self) -> None:
        """Handle a bare Enter."""

    @abstractmethod
    def _line(self, line: str | LineFault) -> None:
        """Handle a line."""

    @abstractmethod
    def _handle(self, event: object) -> None:
        """Handle input that is not text."""

    @abstractmethod
    def _overspent(self) -> None:
        """Disconnect a peer that sends too much outside lines."""

    @abstractmethod
    def _end(self, cause: str) -> None:
        """Close once everything written has been sent; no more requests or replies are waiting."""

    @property
    def _is_busy(self) -> bool:
        """Whether something has to happen before the next request is handled."""
        return self._suspended or self._list is not None or self._is_full

    def _spends(self, received: bytes) -> bool:
        """Count bytes, which lines pay back later; if there were too many, disconnect the peer and return True."""
        size = len(received)
        edits = size - len(received.translate(None, b"\b\x7f\r\n\0"))
        cost = max(size, READ_COSTS) + EDIT_COSTS * edits + TELNET_COSTS * received.count(b"\xff")
        if is_too_much := self._rate.spend(cost, self.arrived):
            self._overspent()
        return is_too_much

    def _take(self, items: list[Item]) -> None:
        """Queue the lines, and handle other input at once."""
        lines: list[str | LineFault] = []
        for item in items:
            if isinstance(item, (str, LineFault)):
                lines.append(item)
            else:
                self._handle(item)
                if not self.is_open:  # closed because of another protocol, or a flood of options
                    return
        if lines:
            self._pending[:0] = lines[::-1]
            self._rate.spend(-LINE_PAYS * len(lines), self.arrived)

    def _decode(self) -> None:
        piece, self._undecoded = self._undecoded[:DECODED_AT_ONCE], self._undecoded[DECODED_AT_ONCE:]
        self._take(self._decoder.feed(piece, self.arrived))
        if self._input_over and not self._undecoded:
            self._pending[:0] = self._decoder.end()

    def _work(self) -> None:
        """Handle lines in order until none is left, one has to wait, or the limits of one pass are reached."""
        pending, left = self._pending, LINES_AT_ONCE
        if pending or self._undecoded:
            until = perf_counter() + PEER_SECONDS
            while left and not (self._closed or self._is_busy):
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
        """Pause reading while there is work left, else resume; if the work can be done now, ask to be called again."""
        if self._closed:
            self._drop_requests()
            return
        must_wait = bool(self._pending or self._undecoded) or self._is_busy
        if must_wait != self._is_paused:
            self._is_paused = must_wait
            if must_wait:
                self.transport.pause()
            else:
                self.transport.resume()
        if must_wait and not self._suspended and not (self._held.replies and self._is_full):
            self.transport.wake()

    def _finish_if_done(self) -> None:
        waits = self._pending or self._undecoded or self._suspended or self._list or self._held.replies
        if not (waits or self._closed):
            self._end("lost")

    def _drop_requests(self) -> None:
        self._undecoded = b""
        self._pending.clear()
        self._list = None

    def _released(self) -> None:
        """Close after the goodbye, or continue with requests that were waiting for the disk."""
        if self._closed and not self._held.replies:
            self.transport.close()
        elif self._input_over:
            self._finish_if_done()
        if self._is_paused:
            self._pace()


class Allowance(RateLimit):
    """One connection's limits: commands, and bytes outside lines."""

    __slots__ = ("_excess", "_most_excess", "_spent_at", "spent")

    def __init__(self, config: Config) -> None:
        super().__init__(config.commands_per_second, 1)
        self._most_excess = config.excess_per_10_seconds
        self._excess: RateLimit | None = None
        """The limit on commands above the rate, created when first needed: most peers never need it."""
        self.spent = 0.0
        """Bytes received outside lines that still counted at ``_spent_at``; nearly always 0."""
        self._spent_at = 0.0

    def _spent_by(self, now: float) -> float:
        """Return how many spent bytes still count at ``now``."""
        return max(0.0, self.spent - (now - self._spent_at) * (BESIDE_LINES / BESIDE_LINES_SECONDS))

    def spend(self, cost: float, now: float) -> bool:
        """Count bytes outside lines, or with a negative cost pay some back; return whether there are too many."""
        self.spent = max(0.0, self._spent_by(now) + cost)
        self._spent_at = now
        return self.spent > BESIDE_LINES

    def is_flood(self, now: float) -> bool:
        """Count a command above the rate; return whether there have been too many of them."""
        if self._excess is None:
            self._excess = RateLimit(self._most_excess, 10)
        return self._excess.take(now) > 0
