"""A WebSocket as a stream of lines: a text message is a line, and a line is a text message (RFC 6455).

A session's transport reads and writes it like any other stream. What stays true: a message is never longer than
``MESSAGE_BYTES``; a peer that has not been heard for ``PING_SECONDS`` is asked for a sign of life, and is gone when
none has come after as long again, so that a phone that fell asleep is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import State

from golfnet.server.budget import CHUNK

if TYPE_CHECKING:
    from websockets.server import ServerProtocol

MESSAGE_BYTES: Final = 4096
"""The longest message that is read: over the longest line, so that a line that is too long gets its answer."""

PING_SECONDS: Final = 20.0

_CLOSING_SECONDS: Final = 1.0
"""How long the peer may take to close its side."""


class MessageStream(trio.abc.Stream):
    """The lines of a WebSocket whose handshake is over."""

    def __init__(self, stream: trio.abc.Stream, protocol: ServerProtocol) -> None:
        self.transport_stream = stream
        self._protocol = protocol
        self._sending = trio.Lock()
        self._received = bytearray()
        self._line = bytearray()
        """The beginning of a line that is still to be written."""
        self._is_pinged = False

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Return the next lines, each with its end; nothing once the peer has closed."""
        while not self._received:
            data = None
            with trio.move_on_after(PING_SECONDS):
                data = await self.transport_stream.receive_some(CHUNK)
            if data is None and not self._is_pinged and self._protocol.state is State.OPEN:
                self._is_pinged = True
                self._protocol.send_ping(b"")
                await self._flush()
            elif not data or not await self._feed(bytes(data)):
                return b""
        lines = bytes(self._received)
        self._received.clear()
        return lines

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send the lines that the bytes complete, a message each."""
        self._line += data
        *lines, rest = self._line.split(b"\n")
        self._line = bytearray(rest)
        if self._protocol.state is not State.OPEN:
            raise trio.ClosedResourceError("the peer has closed the WebSocket")
        for line in lines:
            self._protocol.send_text(bytes(line.removesuffix(b"\r")))
        await self._flush()

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until something can be sent."""
        await self.transport_stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """Close the WebSocket, and the connection once the peer has answered."""
        try:
            if self._protocol.state is State.OPEN:
                self._protocol.send_close(CloseCode.NORMAL_CLOSURE)
            with trio.move_on_after(_CLOSING_SECONDS):
                await self._flush()
                while await self.transport_stream.receive_some(CHUNK):
                    pass
        except (trio.BrokenResourceError, trio.BusyResourceError):
            pass  # the peer is gone, or the reader waits for it already
        finally:
            await trio.aclose_forcefully(self.transport_stream)

    async def _feed(self, data: bytes) -> bool:
        """Take the messages out of received bytes; return whether more can come."""
        self._is_pinged = False
        self._protocol.receive_data(data)
        for frame in self._protocol.events_received():
            if not isinstance(frame, Frame):
                continue  # the request is over
            if frame.opcode is Opcode.BINARY:
                self._protocol.fail(CloseCode.UNSUPPORTED_DATA, "lines are text")
                break
            if frame.opcode in (Opcode.TEXT, Opcode.CONT):
                self._received += frame.data
                if frame.fin:
                    self._received += b"\n"
        await self._flush()
        return not self._protocol.close_expected()

    async def _flush(self) -> None:
        """Send what the protocol has to say: messages, answers to pings, the end."""
        async with self._sending:
            for data in self._protocol.data_to_send():
                if data:
                    await self.transport_stream.send_all(data)
