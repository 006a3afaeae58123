"""The receiving half of a session: a peer's lines in order, so many in one turn, and none while others wait.

What stays true: nothing is read from a peer while a line of its own is still to be carried out, while a password is
being hashed, while a list is being sent to it, or while too much waits for it. What it sends then stays in the
kernels, so that a greedy peer waits for itself alone. The end of its input comes after all its lines.
"""

from __future__ import annotations

from abc import abstractmethod
from time import perf_counter
from typing import TYPE_CHECKING

from golfnet.protocol.lines import LineFault
from golfnet.server.budget import LINES_AT_ONCE, PEER_SECONDS
from golfnet.server.session.outgoing import Outgoing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from golfnet.server.journal.gate import DurabilityGate
    from golfnet.server.session.decoder import InputDecoder
    from golfnet.server.session.writer import ReplyWriter
    from golfnet.server.transport.transport import Transport


class Incoming(Outgoing):
    """What one peer asks for; ``arrived`` is when the line that is carried out came, ``heard`` the last of all."""

    __slots__ = (
        "_decoder",
        "_input_over",
        "_is_paused",
        "_list",
        "_pending",
        "_suspended",
        "arrived",
        "heard",
    )

    def __init__(
        self,
        transport: Transport,
        decoder: InputDecoder,
        writer: ReplyWriter,
        gate: DurabilityGate,
        *,
        outbox: int,
        now: float,
    ) -> None:
        super().__init__(transport, writer, gate, outbox=outbox)
        self.arrived = self.heard = now
        self._decoder = decoder
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
        lines: list[str | LineFault] = []
        for item in self._decoder.feed(received, arrived):
            if isinstance(item, (str, LineFault)):
                lines.append(item)
            else:
                self._obey(item)
                if not self.is_open:  # it was another protocol, or a flood of options
                    return
        if not lines and not received.strip(b"\r\n\0"):  # Enter alone is no line
            self._entered()
        elif len(lines) == 1 and not self._is_paused:  # nearly always
            self._line(lines[0])
            if (
                self._suspended
                or self._list is not None
                or self._held.size + self.transport.waiting > self._room
            ):
                self._pace()
        elif lines:
            self._pending[:0] = lines[::-1]
            self._work()

    def end_of_input(self) -> None:
        """Carry out what has come, answer it, and close."""
        if self._closed:
            return
        self._input_over = True
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
        """Go on with the requests that came meanwhile."""
        self._suspended = False
        self._work()

    @property
    def is_settled(self) -> bool:
        """Whether the session can go on elsewhere: nothing is being sent in parts, and nothing waits for the disk."""
        return not (self._list or self._held.replies or self._closed)

    def _waiting_lines(self) -> tuple[tuple[str, bool], ...]:
        """Return the lines that are to be carried out, in order; a fault by its code, marked."""
        return tuple(
            [
                (line.value, True) if isinstance(line, LineFault) else (line, False)
                for line in reversed(self._pending)
            ]
        )

    def _let_wait(self, lines: Iterable[tuple[str, bool]]) -> None:
        """Let lines wait behind what is under way. Raise ``ValueError`` for a fault that is none."""
        waiting = [LineFault(text) if is_fault else text for text, is_fault in lines]
        self._pending[:0] = waiting[::-1]

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
    def _end(self, cause: str) -> None:
        """Close after what was written; nothing waits any more."""

    @property
    def _is_busy(self) -> bool:
        """Whether something has to happen before the next request is carried out."""
        return self._suspended or self._list is not None or self._is_full

    def _work(self) -> None:
        """Carry out requests in order, until none is left, one has to be waited for, or the turn is over."""
        pending, left = self._pending, LINES_AT_ONCE
        if pending:
            until = perf_counter() + PEER_SECONDS
            while pending and left and not (self._closed or self._is_busy):
                self._line(pending.pop())
                left = left - 1 if perf_counter() < until else 0
        if self._input_over:
            self._finish_if_done()
        self._pace()

    def _pace(self) -> None:
        """Read on, or read nothing while something is left to do; ask for a turn where that can be done."""
        if self._closed:
            self._drop_requests()
            return
        must_wait = bool(self._pending) or self._is_busy
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
        if not (self._pending or self._suspended or self._list or self._held.replies or self._closed):
            self._end("lost")

    def _drop_requests(self) -> None:
        """Carry out nothing more."""
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
