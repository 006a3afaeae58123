"""The interface between connections and sessions, and a transport over any trio stream.

A session never awaits. It writes, and output that the peer does not read at once waits in the transport's outbox; if
that is full, the peer is cut off, so that nobody waits for a slow peer. A session with more work than fits in one turn
pauses reading, and gets further turns until it has caught up, so that nobody waits for a greedy peer. A transport calls
its session only while no session is working; in particular, ``write`` never calls a session.

``StreamTransport`` serves TLS, memory streams in tests, and sockets on systems without a hub. It has two tasks. The
reader passes input to the session. The writer sends the output, and then gives the session a turn if the session has
asked for one; only one stream gets a turn in each pass of the event loop. Output written between two sends is sent in
one piece, unless it is long.
"""

import contextlib
import logging
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Final, Protocol

import trio

from golfnet.server.budget import CHUNK, PIECE
from golfnet.server.faults import CONNECTION_FAULT, LAST_FAULT, fault_boundary
from golfnet.server.net.kernel import ProxyRoundTrip, RoundTrip, kernel_round_trip

log = logging.getLogger(__name__)

LINGER_SECONDS: Final = 2.0
"""How long a peer may take to read its last lines after ``close``."""

LINGER_BYTES: Final = 1024 * 1024
"""How many bytes of input are still read and discarded after ``close``."""


TOO_MANY: Final = b"! TOO_MANY There are too many connections, or yours are not welcome; try again later.\r\n"
"""The answer to a connection that is not admitted."""


class Carrier(Enum):
    """What carries a connection, as far as this server knows."""

    PLAIN = "plain"
    TLS = "tls"
    PROXY = "proxy"
    """A proxy that has sent the peer's address; its connection to the peer may be encrypted or not."""
    PROXY_ALONE = "proxy alone"
    """A proxy that has not sent the peer's address, so the address is the proxy's own."""


class Acceptor(Protocol):
    """Decides which connections to accept, and starts their sessions."""

    def admit(self, address: str) -> bool:
        """Return whether to accept a connection."""

    def welcome(self, transport: "Transport") -> "Peer":
        """Return the session for an accepted connection."""

    def gone(self, address: str) -> None:
        """Handle the end of an accepted connection; called once for each."""


class Transport(Protocol):
    """One connection, as seen by its session."""

    @property
    def address(self) -> str:
        """The peer's address, for limits and logs."""

    @property
    def carrier(self) -> Carrier:
        """What carries the connection."""

    @property
    def waiting(self) -> int:
        """Unsent bytes."""

    def write(self, data: bytes) -> None:
        """Send bytes in order; never blocks, never fails."""

    def close(self) -> None:
        """Send the waiting output, then close; the session is not notified."""

    def cut_off(self, cause: str) -> None:
        """Send what can be sent and close soon; ``lost`` is called later, with the cause "lost" or "slow"."""

    def pause(self) -> None:
        """Stop reading until ``resume``; further input stays in the kernel."""

    def resume(self) -> None:
        """Resume reading."""

    def wake(self) -> None:
        """Give the session a turn (``proceed``) later, once most of the output is sent."""

    def round_trip(self) -> RoundTrip | None:
        """Return the round trip to the peer as measured by a kernel, if any."""

    def stamp_arrivals(self) -> None:
        """From now on, use the kernel's timestamps for input, if the kernel has them."""


class Peer(Protocol):
    """The receiving side of a transport: a session."""

    def receive(self, data: bytes, arrived: float) -> None:
        """Handle input; ``arrived`` is when it arrived, on trio's clock."""

    def proceed(self) -> None:
        """Continue with unfinished work, in a turn that ``Transport.wake`` asked for."""

    def end_of_input(self) -> None:
        """Handle the end of input; the peer may still read."""

    def lost(self, cause: str) -> None:
        """Handle the loss of the connection; ``cause`` is "lost" or "slow"."""


class StreamTransport:
    """Carries one session over one stream; ``outbox`` is how many bytes may wait for the peer.

    ``by_proxy`` is the round trip between a proxy and the peer.
    """

    def __init__(
        self,
        stream: trio.abc.Stream,
        address: str,
        outbox: int,
        by_proxy: ProxyRoundTrip | None = None,
        *,
        carrier: Carrier = Carrier.PLAIN,
    ) -> None:
        self.address = address
        self.carrier = carrier
        self._stream = stream
        self._limit = outbox
        self._by_proxy = by_proxy
        self._waiting = bytearray()
        self._sending = 0
        """How many bytes the writer is sending."""
        self._wake = trio.Event()
        self._may_read = trio.Event()
        self._may_read.set()
        self._wants_turn = False
        self._closing = False
        self._peer: Peer | None = None
        """The session, until the connection is over."""
        self._cause: str | None = None
        """Why the connection was cut off, if it was."""
        self._scope = trio.CancelScope()

    @property
    def waiting(self) -> int:
        """Unsent bytes."""
        return len(self._waiting) + self._sending

    def write(self, data: bytes) -> None:
        """Queue bytes for the writer; cut the peer off if too many are waiting."""
        if not self._is_open:
            return
        self._waiting += data
        if len(self._waiting) > self._limit:
            self._cause = "slow"
            self._scope.cancel()
        else:
            self._wake.set()

    def cut_off(self, cause: str) -> None:
        """Send what can be sent and close soon; notify the session later."""
        if self._is_open:
            self._cause = cause
            self._scope.deadline = trio.current_time() + LINGER_SECONDS
            self._wake.set()

    def close(self) -> None:
        """Send the waiting output, then close."""
        self._closing = True
        self._scope.deadline = trio.current_time() + LINGER_SECONDS
        self._wake.set()

    def pause(self) -> None:
        """Stop reading until ``resume``."""
        if self._may_read.is_set():
            self._may_read = trio.Event()

    def resume(self) -> None:
        """Resume reading."""
        self._may_read.set()

    def wake(self) -> None:
        """Give the session a turn once everything is sent."""
        self._wants_turn = True
        self._wake.set()

    def round_trip(self) -> RoundTrip | None:
        """Return the round trip that the proxy sent or, without a proxy, the one that the kernel measured, if any."""
        if self._by_proxy is not None or self.carrier not in (Carrier.PLAIN, Carrier.TLS):
            return self._by_proxy  # this machine's kernel only measures the path to the proxy
        below = self._stream
        while not isinstance(below, trio.SocketStream) and hasattr(below, "transport_stream"):
            below = below.transport_stream
        return kernel_round_trip(below.socket) if isinstance(below, trio.SocketStream) else None

    def stamp_arrivals(self) -> None:
        """Do nothing: after TLS and buffering, the kernel's timestamps cannot be matched to the bytes read here."""

    async def refuse(self) -> None:
        """Tell the peer that it is not admitted."""
        with trio.move_on_after(1), contextlib.suppress(trio.BrokenResourceError):
            await self._stream.send_all(TOO_MANY)

    async def serve(self, make_peer: Callable[["StreamTransport"], Peer]) -> None:
        """Run the connection until either side ends it; a fault in the server ends it, too."""
        with (
            fault_boundary(log, LAST_FAULT, self.address),
            fault_boundary(log, CONNECTION_FAULT, self.address, on_fault=partial(self._end, "lost")),
        ):
            await self.run(make_peer)

    async def run(self, make_peer: Callable[["StreamTransport"], Peer]) -> None:
        """Run the connection until either side ends it; raise the exception of a fault."""
        self._peer = make_peer(self)
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._write_all)
                    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                        await self._read_all()
                        await trio.sleep_forever()
                    nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(self._stream)
        self._end(self._cause or "lost")

    def _end(self, cause: str) -> None:
        peer, self._peer = self._peer, None
        if peer is not None and not self._closing:
            peer.lost(cause)

    async def _read_all(self) -> None:
        while True:
            await self._may_read.wait()
            data = await self._stream.receive_some(CHUNK)
            if not data or (peer := self._active_peer) is None:
                break
            peer.receive(bytes(data), trio.current_time())
        if (peer := self._active_peer) is not None:
            peer.end_of_input()

    async def _write_all(self) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while True:
                while self._waiting:
                    data = bytes(self._waiting[:PIECE])
                    del self._waiting[:PIECE]
                    self._sending = len(data)
                    await self._stream.send_all(data)
                    self._sending = 0
                if not self._is_open:
                    await self._stream.aclose()
                    break
                if self._wants_turn:
                    await wait_for_turn()
                    self._wants_turn = False
                    if (peer := self._active_peer) is not None:
                        peer.proceed()
                else:
                    self._wake = trio.Event()
                    await self._wake.wait()
        self._scope.cancel()

    @property
    def _active_peer(self) -> Peer | None:
        """The session, or None once it gets no more input."""
        return self._peer if self._is_open else None

    @property
    def _is_open(self) -> bool:
        return not self._closing and self._cause is None


_TURNSTILE: Final = trio.lowlevel.RunVar[trio.StrictFIFOLock]("_TURNSTILE")


async def wait_for_turn() -> None:
    """Wait for a pass of the event loop in which no other stream has a turn."""
    try:
        turnstile = _TURNSTILE.get()
    except LookupError:
        turnstile = trio.StrictFIFOLock()
        _TURNSTILE.set(turnstile)
    async with turnstile:  # the next waiting stream gets it in the next pass
        pass
