"""One end of a link: exchanges frames with the other node, and connects to it.

A link begins with a handshake, whose frames are taken one by one with ``frame``. Then its frames go to a receiver.
Invariants: nothing more is read while a frame of the handshake is being handled, so each frame is checked by the limit
that is right for it; ``over`` is set when the link has ended, and the receiver is not called after that.
"""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from golfnet.protocol.errors import Code, Refused, RemoteProtocolError
from golfnet.protocol.links import PAYLOAD_LIMIT, AnyFrame, FrameReader, Rejected, encode
from golfnet.server.net.entrance import PortOpener, secured
from golfnet.server.net.hub import HubTransport
from golfnet.server.net.transport import StreamTransport, Transport

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

    from golfnet.server.links.link_transport import LinkTransport
    from golfnet.server.links.relay import Relay

log = logging.getLogger(__name__)

NOT_REACHED: Final = "The machine with that table cannot be reached at the moment. Try again later."


FrameT = TypeVar("FrameT")


class LinkEnd:
    """One end of a link; ``below`` carries the frames, ``limit`` is the longest payload in the handshake."""

    def __init__(self, below: Transport, *, limit: int = PAYLOAD_LIMIT) -> None:
        self.below = below
        self.reader = FrameReader(limit=limit)
        self.over = trio.Event()
        self.node = 0
        """The owner's number at the front's end, 0 at the owner's."""
        self._frames: Iterator[AnyFrame] = iter(())
        """Frames of the handshake that have arrived but are not handled."""
        self._arrived = trio.Event()
        self._receiver: Relay | LinkTransport | None = None
        """What gets the frames after the handshake: the relay at the front, or the transport at the owner."""

    async def frame(self, kind: type[FrameT]) -> FrameT:
        """Return the next frame of the handshake, which must be of the given kind.

        Raise ``RemoteProtocolError`` for any other frame, ``Refused`` if the owner has refused the link, and
        ``BrokenResourceError`` if the link has ended.
        """
        while (frame := next(self._frames, None)) is None:
            if self.over.is_set():
                raise trio.BrokenResourceError
            self._arrived = trio.Event()
            self.below.resume()
            await self._arrived.wait()
        if isinstance(frame, Rejected):
            raise Refused(Code(frame.code) if frame.code in Code.__members__ else Code.MOVED, frame.message)
        if not isinstance(frame, kind):
            raise RemoteProtocolError(f"{kind.__name__}, not {type(frame).__name__}")
        return frame

    def attach(self, receiver: Relay | LinkTransport) -> None:
        """End the handshake: from now on, the receiver gets all frames."""
        self._receiver = receiver
        self._deliver(receiver, self._frames, trio.current_time())
        self.below.resume()

    def send(self, *frames: AnyFrame) -> None:
        """Send frames, unless the link has ended."""
        if not self.over.is_set():
            self.below.write(b"".join([encode(frame) for frame in frames]))

    def close(self) -> None:
        """Close the link once everything has been sent; the receiver is not notified."""
        self._end()
        self.below.close()

    def make_room(self) -> None:
        """Close the link at once to make room for another, without waiting for the other end to read."""
        self._end()
        self.below.cut_off("lost")

    # --- called by the connection

    def receive(self, data: bytes, arrived: float) -> None:
        """Handle bytes from the other end."""
        frames = self.reader.feed(data)
        if self._receiver is not None:
            self._deliver(self._receiver, frames, arrived)
        else:
            self._frames = frames
            self.below.pause()
            self._arrived.set()

    def proceed(self) -> None:
        """Let the receiver continue to send."""
        if self._receiver is not None:
            self._receiver.proceed()

    def end_of_input(self) -> None:
        """Handle the end of the other end's input."""
        self.lost("lost")

    def lost(self, cause: str) -> None:
        """Handle the loss of the link."""
        receiver = self._receiver
        self.close()
        if receiver is not None:
            receiver.lost(cause)

    # --- internals

    def _deliver(self, receiver: Relay | LinkTransport, frames: Iterator[AnyFrame], arrived: float) -> None:
        try:
            receiver.take(frames, arrived)
        except RemoteProtocolError as error:
            which = f"the link to node {self.node}" if self.node else "a link"
            log.warning("invalid data on %s: expected %s", which, error)
            self.lost("lost")

    def _end(self) -> None:
        self.over.set()
        self._arrived.set()
        self._receiver = None  # avoids a reference cycle, since the receiver refers to the link


async def dial(opener: PortOpener, context: ssl.SSLContext | None, host: str, port: int) -> LinkEnd:
    """Return a link over a new connection, with TLS if there is a ``context``, or raise ``OSError``."""
    plain = await trio.open_tcp_stream(host, port)
    if context is None and opener.hub is not None:
        sock = socket.socket(fileno=plain.socket.detach())
        sock.setblocking(False)
        connection = HubTransport(opener.hub, sock, host)
        link = LinkEnd(connection)
        connection.open(lambda _: link)
        return link
    stream: trio.abc.Stream = plain
    if context is not None:
        try:
            stream = await secured(plain, context)
        except BaseException:
            plain.socket.close()
            raise
    transport = StreamTransport(stream, host, opener.outbox)
    link = LinkEnd(transport)
    opener.connections.start_soon(transport.serve, lambda _: link)
    return link
