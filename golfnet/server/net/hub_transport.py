"""One connection of a hub: reads input for its session, collects the session's output, and closes the socket.

Invariants: a read takes at most ``CHUNK`` bytes; output is sent in one piece when the hub calls ``settle``; the peer is
cut off if more bytes are waiting than the hub's ``outbox``; a session that has paused reading gets no input, and gets
the turn it has asked for once most of its output is sent; the session is notified of the end at most once, and only
while it is not working.
"""

from __future__ import annotations

import logging
import socket
import struct
import sys
import time
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from typing import TYPE_CHECKING, Final, Protocol

import trio

from golfnet.server.budget import CHUNK
from golfnet.server.clock import NO_TIMER
from golfnet.server.faults import fault_boundary
from golfnet.server.net.transport import LINGER_BYTES, LINGER_SECONDS, Carrier, kernel_round_trip

if TYPE_CHECKING:
    from golfnet.server.clock import Timers
    from golfnet.server.net.transport import Acceptor, Peer, RoundTrip

_SO_TIMESTAMPNS: Final = 35
"""From asm-generic/socket.h, since Python's socket module lacks it. Systems with another number send no timestamps."""

_TIMESPEC: Final = struct.Struct("@ll")
_SPACE: Final = 64
_OLDEST: Final = 0.25
"""Maximum age of input in seconds; anything older means that the clock was changed."""


def stamp_arrivals(sock: socket.socket) -> bool:
    """Ask the kernel for timestamps of input from now on; return whether it supports them."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return True


def receive_stamped(sock: socket.socket, size: int) -> tuple[bytes, float]:
    """Return input and its age in seconds (0 without a timestamp), or raise what ``recv`` raises."""
    data, ancillary, *_ = sock.recvmsg(size, _SPACE)
    for level, kind, stamp in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS) and len(stamp) == _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack(stamp)
            age = (time.time_ns() - seconds * 1_000_000_000 - nanoseconds) / 1e9
            return data, age if 0 <= age <= _OLDEST else 0.0
    return data, 0.0


log = logging.getLogger(__name__)

_FAULT: Final = "a connection from %s ended because of a fault in the server"


class HubOfTransport(Protocol):
    """The part of a hub that its transports use; see ``hub.Hub``."""

    timers: Timers
    outbox: int
    room: int
    connections: dict[HubTransport, None]

    def watch(self, thing: HubTransport, fd: int, before: int, wanted: int) -> None:
        """Change the watched events of a descriptor."""

    def give_turn(self, transport: HubTransport) -> None:
        """Queue a transport for a turn."""

    def unsettled(self, transport: HubTransport) -> None:
        """Queue a transport for ``settle``."""

    def forget(self, transport: HubTransport) -> None:
        """Remove a closed connection."""


class HubTransport:
    """One connection of a hub."""

    carrier = Carrier.PLAIN
    """TLS and proxied connections are streams, not a hub's sockets."""

    __slots__ = (
        "_acceptor",
        "_awaited",
        "_cause",
        "_hub",
        "_is_closing",
        "_is_input_over",
        "_is_over",
        "_is_paused",
        "_is_stamped",
        "_is_unsettled",
        "_out",
        "_peer",
        "_sock",
        "_thrown_away",
        "_timer",
        "_wants_turn",
        "address",
        "waiting",
    )

    def __init__(self, hub: HubOfTransport, sock: socket.socket, address: str, acceptor: Acceptor) -> None:
        self.address = address
        self._hub = hub
        self._sock = sock
        self._acceptor = acceptor
        self.waiting = 0
        """Unsent bytes."""
        self._out: list[bytes] = []
        self._awaited = 0
        self._is_unsettled = False
        self._is_input_over = False
        self._is_closing = False
        self._is_over = False
        self._is_paused = False
        self._is_stamped = False
        self._thrown_away = 0
        """Bytes received after ``close``."""
        self._wants_turn = False
        self._cause: str | None = None
        """Why the connection was lost, if it was."""
        self._timer = NO_TIMER
        self._peer: Peer | None = None
        """The session, until the connection is over."""

    def open(self) -> None:
        """Start a session for an admitted peer."""
        self._hub.connections[self] = None
        self._await(EVENT_READ)
        with fault_boundary(log, _FAULT, self.address, on_fault=self.end):
            self._peer = self._acceptor.welcome(self)

    # --- for sessions

    def write(self, data: bytes) -> None:
        """Send bytes once the session has returned; cut the peer off if too many are waiting."""
        if self._is_closing or self._cause is not None:
            return
        self._out.append(data)
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
        self._is_paused = True
        self._await(self._awaited & ~EVENT_READ)

    def resume(self) -> None:
        """Resume reading."""
        self._is_paused = False
        if not self._is_input_over and not self._is_over:
            self._await(self._awaited | EVENT_READ)

    def wake(self) -> None:
        """Give the session a turn once most of the output is sent."""
        self._wants_turn = True
        if self.waiting <= self._hub.room:
            self._hub.give_turn(self)

    def round_trip(self) -> RoundTrip | None:
        """Return the round trip as measured by this machine's kernel, if any."""
        return kernel_round_trip(self._sock)

    def stamp_arrivals(self) -> None:
        """Use the kernel's timestamps for input from now on, if it has them."""
        self._is_stamped = self._is_stamped or stamp_arrivals(self._sock)

    # --- for the hub

    def ready(self, events: int, now: float) -> None:
        """Handle a socket that can be read or written."""
        if self._is_over:  # closed because of another peer in the same round
            return
        if events & EVENT_WRITE:
            self._mark_unsettled()
        if events & EVENT_READ and self._cause is None and not self._is_paused:
            try:
                self._read(now)
            except Exception:
                with self._boundary():
                    raise

    def turn(self) -> None:
        """Let the session continue with its work."""
        if not self._wants_turn:
            return
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
                self._notify_lost(peer, self._cause)
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
        self._acceptor.gone(self.address)
        self._hub.forget(self)
        self._peer = None  # the session refers to this transport: leave no cycle for the collector

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
        waiting = self._out
        data = waiting[0] if len(waiting) == 1 else b"".join(waiting)
        waiting.clear()
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
            waiting.append(data[sent:])
            if not self._awaited & EVENT_WRITE:
                self._await(self._awaited | EVENT_WRITE)
        if self._wants_turn and self.waiting <= self._hub.room:
            self._hub.give_turn(self)

    def _lose(self, cause: str) -> None:
        if self._cause is None:
            self._cause = cause
            self._mark_unsettled()

    def _linger(self) -> None:
        """Half-close, then close when the peer has also done so, or after a while.

        Closing a socket with unread input resets the connection, and the peer may lose its last lines.
        """
        if self._is_input_over:
            self.end()
            return
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.end()

    def _boundary(self) -> fault_boundary:
        return fault_boundary(log, _FAULT, self.address, on_fault=partial(self._lose, "lost"))

    def _notify_lost(self, peer: Peer, cause: str) -> None:
        with fault_boundary(log, "a fault in the server at the end of a connection from %s", self.address):
            peer.lost(cause)

    def _mark_unsettled(self) -> None:
        if not self._is_unsettled:
            self._is_unsettled = True
            self._hub.unsettled(self)

    def _await(self, events: int) -> None:
        if events != self._awaited:
            self._hub.watch(self, self._sock.fileno(), self._awaited, events)
            self._awaited = events
