"""From a connection's bytes to its lines: other protocols' first bytes, telnet's commands, then text.

What stays true: a connection that begins as TLS or HTTP is told from golf by its first line and nothing of it is
taken for a command; a peer that never sends 0xFF costs no telnet; items come in the order of their bytes, however
the network has cut these.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import msgspec

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import LINE_LIMIT, LineFault, LineReader
from golfnet.protocol.telnet import Gmcp, Signal, TelnetEvent, TelnetPeer

_HTTP: Final = re.compile(rb"(GET|POST|HEAD|PUT|DELETE|OPTIONS|CONNECT|PATCH|TRACE) \S* HTTP/1\.[01]\r?\n?")
_TLS_HELLO: Final = b"\x16\x03"
_TELNET: Final = b"\xff"
_LONGEST_FIRST: Final = 64
"""Bytes without a line end after which a connection is taken for golf."""

_NOT_HTTP: Final = b"This port speaks the card game Golf, not HTTP. Try: nc HOST PORT\r\n"


REFUSALS: Final = {
    LineFault.TOO_LONG: Refused(
        Code.LINE_TOO_LONG, f"A line may have {LINE_LIMIT} bytes; this one was thrown away."
    ),
    LineFault.BAD_ENCODING: Refused(Code.BAD_ENCODING, "That line was not UTF-8 text and was thrown away."),
}
"""What a peer is told of a line that is none."""


class Foreign(NamedTuple):
    """A connection that speaks something else: what it is, for the log, and the answer that it understands."""

    what: str
    answer: bytes


class Owed(NamedTuple):
    """Bytes that telnet has to answer with."""

    answer: bytes


Heard = str | LineFault | TelnetEvent | Owed | Foreign


class Reception:
    """The receiving side of one connection; ``telnet`` is None as long as nobody has begun to speak it."""

    __slots__ = ("_first", "_reader", "telnet")

    def __init__(self) -> None:
        self._reader = LineReader()
        self.telnet: TelnetPeer | None = None
        self._first: bytes | None = b""

    def start_telnet(self) -> bytes:
        """Begin to speak telnet; return the opening."""
        self._first = None
        return self._telnet().start()

    def hear(self, received: bytes, now: float) -> list[Heard]:
        """Return what the bytes complete; ``now`` is in seconds of trio's clock."""
        if self._first is not None:
            foreign = self._look_at_first(received)
            if foreign is not None:
                return [foreign]
        telnet = self.telnet
        if _TELNET not in received if telnet is None else telnet.is_plain(received):
            return self._reader.feed(received)  # type: ignore[return-value]
        self._first = None
        heard = self._telnet().receive(received, now=now)
        items: list[Heard] = [Owed(heard.reply)] if heard.reply else []
        for item in heard.items:
            match item:
                case bytes():
                    items += self._reader.feed(item)
                case Signal.ERASE_LINE | Signal.INTERRUPT:
                    self._reader.erase_line()
                case Gmcp(package="Golf.Command", json=written):
                    items += LineReader().feed(_command_in(written) + b"\n")  # beside what is being typed
                case _:
                    items.append(item)
        return items

    def end(self) -> list[str | LineFault]:
        """Return the line that the end of input completes."""
        return self._reader.feed_eof()

    def _telnet(self) -> TelnetPeer:
        if self.telnet is None:
            self.telnet = TelnetPeer()
        return self.telnet

    def _look_at_first(self, received: bytes) -> Foreign | None:
        """Look at the first bytes of a connection for protocols that are none of ours."""
        first = self._first = ((self._first or b"") + received)[:LINE_LIMIT]
        if first.startswith(_TLS_HELLO):
            return Foreign("TLS hello", b"")
        if _HTTP.match(first):
            return Foreign(
                "HTTP request",
                b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n"
                b"Connection: close\r\n\r\n%b" % (len(_NOT_HTTP), _NOT_HTTP),
            )
        if b"\n" in first or b"\r" in first or len(first) > _LONGEST_FIRST:
            self._first = None
        return None


def _command_in(written: bytes) -> bytes:
    """Return the command line in a GMCP object: a JSON string, or the bare text."""
    try:
        line = msgspec.json.decode(written, type=str)
    except msgspec.MsgspecError:
        return written
    return line.encode()
