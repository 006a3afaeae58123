"""Plain connections: one task serves all sockets through one selector.

The selector's own descriptor becomes readable when any socket is ready, and trio waits only for that. In a round, every
ready socket is read once, up to ``CHUNK`` bytes, so that no flood delays others. A peer with more work than fits in one
turn gets further turns. Both rounds and turns let other tasks run after ``LOOP_SECONDS``, and turns are given only once
per round, so that new input does not wait for all old work. Output is sent once ``SENT_TOGETHER`` peers have some, with
one send per receiver: a peer's process that is still busy with the last line need not be woken again for the next. A
socket is watched for writing only after an incomplete send.
"""

import logging
import selectors
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from time import perf_counter
from typing import Any

import trio

from golfnet.server.budget import CHUNK, LOOP_SECONDS, SENT_AT_ONCE, SENT_TOGETHER, room
from golfnet.server.clock import NO_TIMER, Timer, Timers
from golfnet.server.faults import CONNECTION_FAULT, LAST_FAULT, fault_boundary
from golfnet.server.net.kernel import KernelRoundTrip, kernel_round_trip, receive_stamped, stamp_arrivals
from golfnet.server.net.transport import LINGER_BYTES, LINGER_SECONDS, Acceptor, Carrier, Peer

log = logging.getLogger(__name__)


class Hub:
    """All plain connections of a server.

    ``outbox`` is how many bytes may wait for one peer; ``around`` is a context entered while peers are served.
    """

    def __init__(
        self, timers: Timers, *, outbox: int, around: AbstractContextManager[object] | None = None
    ) -> None:
        self.timers = timers
        self.outbox = outbox
        self.room = room(outbox)
        self.connections: dict[HubTransport, None] = {}
        self.selector: Any = selectors.DefaultSelector()
        self._is_stopping = False
        self._unsettled: deque[HubTransport] = deque()
        self._turns: dict[HubTransport, None] = {}
        """The transports whose sessions want another turn, in order."""
        self._is_in_round = False
        """Whether a round was interrupted after ``LOOP_SECONDS``."""
        self._may_give_turns = True
        """Whether no turns have been given in this round yet."""
        self._is_settling = False
        self._around = around if around is not None else nullcontext()
        self._woken = trio.Event()
        self._scope = trio.CancelScope()

    @staticmethod
    def is_supported() -> bool:
        """Return whether this platform's selector has a descriptor to wait for."""
        return hasattr(selectors.DefaultSelector, "fileno")

    def stop(self) -> None:
        """Let ``run`` return once the last connection has been closed."""
        self._is_stopping = True
        self._end_if_done()

    async def run(self) -> None:
        """Serve until stopped, or until cancelled, which closes all connections at once."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._work_when_woken)
                    while True:
                        await trio.lowlevel.wait_readable(self.selector.fileno())
                        await self._round()
        finally:
            for transport in list(self.connections):
                transport.end()
            self.selector.close()

    async def _round(self) -> None:
        """Serve every ready socket once."""
        ready = iter(self.selector.select(0))
        while self._serve(ready):
            self._is_in_round = True
            await trio.lowlevel.checkpoint()
        self._is_in_round = False
        self._may_give_turns = True
        if self._turns:
            self._woken.set()

    def _serve(self, ready: Iterator[Any]) -> bool:
        """Serve ready sockets for up to ``LOOP_SECONDS``; return whether some are left."""
        now, until = trio.current_time(), perf_counter() + LOOP_SECONDS
        with self._around, self:
            for key, events in ready:
                key.data.ready(events, now)
                if len(self._unsettled) >= SENT_TOGETHER:
                    self._settle()
                if perf_counter() >= until:
                    return True
        return False

    def __enter__(self) -> None:
        """Start serving several peers; their output is sent by ``__exit__`` at the latest."""
        self._is_settling = True

    def __exit__(self, *problem: object) -> None:
        self._settle()
        self._is_settling = False

    def unsettled(self, transport: "HubTransport") -> None:
        """Queue a transport that has output or is ending."""
        self._unsettled.append(transport)
        if not self._is_settling:
            self._woken.set()

    async def _work_when_woken(self) -> None:
        """Give turns, and send the output that timers and the journal write outside a round."""
        while True:
            await self._woken.wait()
            self._woken = trio.Event()
            while self._unsettled or (self._turns and self._may_give_turns):
                with self._around, self:
                    if self._may_give_turns:
                        self._give_turns()
                        self._may_give_turns = not self._is_in_round
                await trio.lowlevel.checkpoint()

    def _give_turns(self) -> None:
        """Give one turn to each peer that wants one, for up to ``LOOP_SECONDS``."""
        until = perf_counter() + LOOP_SECONDS
        for _ in range(len(self._turns)):
            transport = next(iter(self._turns))
            del self._turns[transport]
            transport.turn()
            if len(self._unsettled) >= SENT_TOGETHER:
                self._settle()
            if perf_counter() >= until:
                break

    def _settle(self) -> None:
        """Send output in the order it was written; after ``SENT_AT_ONCE`` peers the rest wait for the next pass."""
        unsettled = self._unsettled
        for _ in range(SENT_AT_ONCE):
            if not unsettled:
                return
            unsettled.popleft().settle()
        self._woken.set()

    # --- for transports

    def give_turn(self, transport: "HubTransport") -> None:
        """Queue a transport for a turn."""
        self._turns[transport] = None
        self._woken.set()

    def forget(self, transport: "HubTransport") -> None:
        """Remove a closed connection."""
        self.connections.pop(transport, None)
        self._turns.pop(transport, None)
        self._end_if_done()

    def _end_if_done(self) -> None:
        if self._is_stopping and not self.connections:
            self._scope.cancel()


@dataclass(slots=True, eq=False)
class HubTransport:
    """One connection of a hub: reads input for its session, collects the session's output, and closes the socket.

    A session that has paused reading gets no input. A session that has asked for a turn gets it once most of its output
    is sent. A session is notified of the end at most once, and never while it is working.
    """

    carrier = Carrier.PLAIN
    """Always plain, since a hub serves neither TLS nor proxied connections."""

    _hub: Hub
    _sock: socket.socket
    address: str
    _acceptor: Acceptor | None = None
    """Counts the connection; None if this server has opened it."""
    waiting: int = 0
    """Unsent bytes."""
    _out: list[bytes] | tuple[()] = ()
    _awaited: int = 0
    _is_unsettled: bool = False
    _is_input_over: bool = False
    _is_closing: bool = False
    _is_over: bool = False
    _is_stamped: bool = False
    _thrown_away: int = 0
    """Bytes received after ``close``."""
    _wants_turn: bool = False
    _cause: str | None = None
    """Why the connection was lost; None if it was not."""
    _timer: Timer = NO_TIMER
    _peer: Peer | None = None
    """The session, until the connection is over."""

    def open(self, make_peer: Callable[["HubTransport"], Peer]) -> None:
        """Start a session."""
        self._hub.connections[self] = None
        self._await(EVENT_READ)
        with fault_boundary(log, CONNECTION_FAULT, self.address, on_fault=self.end):
            self._peer = make_peer(self)

    # --- for sessions

    def write(self, data: bytes) -> None:
        """Queue bytes to send once the session has returned; cut the peer off if too many are waiting."""
        if self._is_closing or self._cause is not None:
            return
        if self._out:
            self._out.append(data)
        else:
            self._out = [data]
        self.waiting += len(data)
        if not self._is_unsettled:
            self._is_unsettled = True
            self._hub.unsettled(self)
        if self.waiting > self._hub.outbox:
            self._send()
            if self.waiting > self._hub.outbox:
                self._lose("slow")

    def close(self) -> None:
        """Send the waiting output, then close."""
        if not self._is_closing:
            self._is_closing = True
            self.resume()
            self._timer = self._hub.timers.after(LINGER_SECONDS, self.end)
            self._mark_unsettled()

    def cut_off(self, cause: str) -> None:
        """Send what can be sent and close soon; ``lost`` is called later, with the cause "lost" or "slow"."""
        if not self._is_closing and self._cause is None:
            self._send()
            self._lose(cause)

    def pause(self) -> None:
        """Stop reading until ``resume``; further input stays in the kernel."""
        self._await(self._awaited & ~EVENT_READ)

    def resume(self) -> None:
        """Resume reading."""
        if not self._is_input_over and not self._is_over:
            self._await(self._awaited | EVENT_READ)

    def wake(self) -> None:
        """Give the session a turn once most of the output is sent."""
        self._wants_turn = True
        if self.waiting <= self._hub.room:
            self._hub.give_turn(self)

    def round_trip(self) -> KernelRoundTrip | None:
        """Return the round trip as measured by this machine's kernel, if any."""
        return kernel_round_trip(self._sock)

    def stamp_arrivals(self) -> None:
        """From now on, use the kernel's timestamps for input, if the kernel has them."""
        self._is_stamped = self._is_stamped or stamp_arrivals(self._sock)

    # --- for the hub

    def ready(self, events: int, now: float) -> None:
        """Handle a socket that can be read or written."""
        if self._is_over:  # another peer in the same round has caused this connection to be closed
            return
        if events & EVENT_WRITE:
            self._mark_unsettled()
        # The session may have paused after the selector found input.
        if events & self._awaited & EVENT_READ and self._cause is None:
            try:
                self._read(now)
            except Exception:
                with self._boundary():
                    raise

    def turn(self) -> None:
        """Let the session continue with its work."""
        self._wants_turn = False
        if self._peer is None or self._is_closing or self._cause is not None:
            return
        try:
            self._peer.proceed()
        except Exception:
            with self._boundary():
                raise

    def settle(self) -> None:
        """Send the waiting output, and finish closing if that has begun."""
        self._is_unsettled = False
        if self._is_over:
            return
        if self._out and self._cause is None:
            self._send()
        if self._cause is not None:
            peer = self._peer
            self.end()
            if not self._is_closing and peer is not None:
                with fault_boundary(log, LAST_FAULT, self.address):
                    peer.lost(self._cause)
        elif self._is_closing and not self._out:
            self._linger()

    def end(self) -> None:
        """Close at once and discard the waiting output, without notifying the session."""
        if self._is_over:
            return
        self._is_over = True
        self._timer.cancel()
        self._await(0)
        self._sock.close()
        if self._acceptor is not None:
            self._acceptor.gone(self.address)
        self._hub.forget(self)
        self._peer = None  # avoids a reference cycle, since the session refers to this transport

    # --- inside

    def _read(self, now: float) -> None:
        try:
            if self._is_stamped:
                data, age = receive_stamped(self._sock, CHUNK)
                now = trio.current_time() - age
            else:
                data = self._sock.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            self._lose("lost")
            return
        if not data:
            self._is_input_over = True
            self._await(self._awaited & ~EVENT_READ)
        if self._is_closing:
            self._thrown_away += len(data)
            if self._thrown_away > LINGER_BYTES:
                self.end()
            else:
                self._mark_unsettled()
        elif self._peer is None:
            return
        elif data:
            self._peer.receive(data, now)
        else:
            self._peer.end_of_input()

    def _send(self) -> None:
        data = b"".join(self._out)
        self._out = ()
        try:
            sent = self._sock.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._lose("lost")
            return
        self.waiting -= sent
        if not self.waiting:
            if self._awaited & EVENT_WRITE:
                self._await(self._awaited & ~EVENT_WRITE)
        else:
            self._out = [data[sent:]]
            if not self._awaited & EVENT_WRITE:
                self._await(self._awaited | EVENT_WRITE)
        if self._wants_turn and self.waiting <= self._hub.room:
            self._hub.give_turn(self)

    def _lose(self, cause: str) -> None:
        if self._cause is None:
            self._cause = cause
            self._mark_unsettled()

    def _linger(self) -> None:
        """Close the sending side now, and the socket when the peer has closed its side, or after a while.

        Closing a socket with unread input would reset the connection, and the peer might lose its last lines.
        """
        if self._is_input_over:
            self.end()
            return
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.end()

    def _boundary(self) -> AbstractContextManager[None]:
        return fault_boundary(log, CONNECTION_FAULT, self.address, on_fault=partial(self._lose, "lost"))

    def _mark_unsettled(self) -> None:
        if not self._is_unsettled:
            self._is_unsettled = True
            self._hub.unsettled(self)

    def _await(self, events: int) -> None:
        """Change the events for which ``ready`` is called."""
        if events == self._awaited:
            return
        if not self._awaited:
            self._hub.selector.register(self._sock, events, self)
        elif events:
            self._hub.selector.modify(self._sock, events, self)
        else:
            self._hub.selector.unregister(self._sock)
        self._awaited = events
