"""The receiving half of a session: a peer's lines in order, so many in one turn, and none while others wait.

What stays true: nothing is read from a peer while something of its own is still to be decoded or carried out, while a
password is being hashed, while a list is being sent to it, or while too much waits for it. What it sends then stays in
the kernels, so that a greedy peer waits for itself alone. The end of its input comes after all its lines. Every byte
costs a peer something, whether it belongs to a line or not.
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
    """What one peer asks for; ``arrived`` is when the line that is carried out came, ``heard`` the last of all."""

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
        "heard",
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
        self.arrived = self.heard = now
        self._decoder = decoder
        self._rate = rate
        self._undecoded = b""
        """Bytes that are to be decoded once no line is left."""
        self._after_cr = False
        """Whether the last byte that came was a CR."""
        self._pending: list[str | LineFault] = []
        """Lines that are to be carried out, the next one last."""
        self._list: Callable[[], bool] | None = None
        """Sends a part of the list that was asked for, and tells whether there is more."""
        self._suspended = False
        self._is_paused = False
        self._input_over = False

    def receive(self, received: bytes, arrived: float) -> None:
        """Handle bytes from the peer, and carry out what they ask for, as much as one turn is for."""
        if self._closed:
            return
        self.arrived = self.heard = arrived
        is_rest = self._after_cr and received == b"\n"  # of a line that has ended
        self._after_cr = received.endswith(b"\r")
        if len(received) > DECODED_AT_ONCE or self._is_paused:
            if not self._spends(received):
                self._undecoded += received
                if (
                    b"\xff" in received
                ):  # telnet takes longest, and waits until all who are heard now were read
                    self._pace()
                else:
                    self._work()
            return
        items = self._decoder.feed(received, arrived)
        if len(items) == 1 and isinstance(items[0], str) and not self._rate.spent:  # nearly always
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
                self._entered()  # Enter alone is no line

    def end_of_input(self) -> None:
        """Carry out what has come, answer it, and close."""
        if self._closed:
            return
        self._input_over = True
        if not self._undecoded:
            self._pending[:0] = self._decoder.end()
        self._work()

    def proceed(self) -> None:
        """Do some more of what this peer has asked for."""
        if self._closed:
            return
        if self._list is not None and not self._is_full and not self._list():
            self._list = None
        self._work()

    def send_in_turns(self, send_part: Callable[[], bool]) -> None:
        """Let ``send_part`` send a long answer, a part in each turn until it returns False.

        The next request is carried out after it, and a part only where there is room for it.
        """
        self._list = send_part

    @property
    def is_suspended(self) -> bool:
        """Whether a request is being answered in a task of its own."""
        return self._suspended

    def suspend(self) -> None:
        """Carry out no further request until ``resume``."""
        self._suspended = True
        self._pace()

    def resume(self) -> None:
        """Go on with the requests that came meanwhile, in turns: many may be answered at once."""
        self._suspended = False
        if self._pending or self._undecoded or self._list is not None:
            self._pace()
        else:
            self._work()

    @property
    def unfinished(self) -> int:
        """How many lines that have come are not dealt with, as far as they were read."""
        is_busy = self._suspended or self._list is not None or bool(self._held.replies)
        return len(self._pending) + is_busy

    def hear(self, line: str | LineFault, arrived: float) -> None:
        """Take a line that another node has read, nothing for Enter alone."""
        if self._closed:
            return
        self.arrived = self.heard = arrived
        if self._pending or self._is_busy:
            if line:
                self._pending.insert(0, line)
        elif line:
            self._line(line)
        else:
            self._entered()
        self._pace()

    def put_back(self, lines: Sequence[str | LineFault]) -> None:
        """Let lines be carried out before those that wait: another node has not."""
        self._pending.extend(reversed(lines))

    @abstractmethod
    def _entered(self) -> None:
        """Act on Enter without a line."""

    @abstractmethod
    def _line(self, line: str | LineFault) -> None:
        """Carry out a line."""

    @abstractmethod
    def _obey(self, heard: object) -> None:
        """Act on what a peer said besides text."""

    @abstractmethod
    def _overspent(self) -> None:
        """Send off a peer that sends too much that is no line."""

    @abstractmethod
    def _end(self, cause: str) -> None:
        """Close after what was written; nothing waits any more."""

    @property
    def _is_busy(self) -> bool:
        """Whether something has to happen before the next request is carried out."""
        return self._suspended or self._list is not None or self._is_full

    def _spends(self, received: bytes) -> bool:
        """Count bytes, for which their lines will pay; tell whether that was too much, and the peer was sent off."""
        size = len(received)
        edits = size - len(received.translate(None, b"\b\x7f\r\n\0"))
        cost = max(size, READ_COSTS) + EDIT_COSTS * edits + TELNET_COSTS * received.count(b"\xff")
        if is_too_much := self._rate.spend(cost, self.arrived):
            self._overspent()
        return is_too_much

    def _take(self, items: list[Item]) -> None:
        """Let lines wait, and act on what else was heard."""
        lines: list[str | LineFault] = []
        for item in items:
            if isinstance(item, (str, LineFault)):
                lines.append(item)
            else:
                self._obey(item)
                if not self.is_open:  # it was another protocol, or a flood of options
                    return
        if lines:
            self._pending[:0] = lines[::-1]
            self._rate.spend(-LINE_PAYS * len(lines), self.arrived)

    def _decode(self) -> None:
        """Decode some more of what has come."""
        piece, self._undecoded = self._undecoded[:DECODED_AT_ONCE], self._undecoded[DECODED_AT_ONCE:]
        self._take(self._decoder.feed(piece, self.arrived))
        if self._input_over and not self._undecoded:
            self._pending[:0] = self._decoder.end()

    def _work(self) -> None:
        """Carry out requests in order, until none is left, one has to be waited for, or the turn is over."""
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
        """Read on, or read nothing while something is left to do; ask for a turn where that can be done."""
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
        """Close after the end of input, once everything that came before it is answered."""
        waits = self._pending or self._undecoded or self._suspended or self._list or self._held.replies
        if not (waits or self._closed):
            self._end("lost")

    def _drop_requests(self) -> None:
        """Carry out nothing more."""
        self._undecoded = b""
        self._pending.clear()
        self._list = None

    def _released(self) -> None:
        """Close after the last goodbye; go on with requests where they waited for the disk."""
        if self._closed and not self._held.replies:
            self.transport.close()
        elif self._input_over:
            self._finish_if_done()
        if self._is_paused:
            self._pace()


class Allowance(RateLimit):
    """The commands of one connection."""

    __slots__ = ("_excess", "_most_excess", "_spent_at", "spent")

    def __init__(self, config: Config) -> None:
        super().__init__(config.commands_per_second, 1)
        self._most_excess = config.excess_per_10_seconds
        self._excess: RateLimit | None = None
        """None before the first command over the rate, which most never send."""
        self.spent = 0.0
        """Bytes that were spent on anything but lines by the last time that some were: nearly always none."""
        self._spent_at = 0.0

    def _spent_by(self, now: float) -> float:
        """Return how much is still spent."""
        return max(0.0, self.spent - (now - self._spent_at) * (BESIDE_LINES / BESIDE_LINES_SECONDS))

    def spend(self, cost: float, now: float) -> bool:
        """Count bytes that belong to no line, or less than none where lines pay; tell whether there are too many."""
        self.spent = max(0.0, self._spent_by(now) + cost)
        self._spent_at = now
        return self.spent > BESIDE_LINES

    def is_flood(self, now: float) -> bool:
        """Count a command over the rate; tell whether that was one too many."""
        if self._excess is None:
            self._excess = RateLimit(self._most_excess, 10)
        return self._excess.take(now) > 0
