"""Decodes a connection's bytes: detects other protocols, removes telnet commands, and splits lines.

Invariants: a connection that uses TLS, SSH or HTTP is detected by its first bytes, or by an HTTP header field in its
first two lines, and nothing after that is taken for a command; a peer that never sends 0xFF needs no telnet state; the
result does not depend on how the network splits the input.
"""

import re
from contextlib import suppress
from typing import Final

from msgspec import MsgspecError, Struct, field, json

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import LINE_LIMIT, LineFault, LineReader
from golfnet.protocol.telnet.options import Gmcp
from golfnet.protocol.telnet.telnet import Signal, TelnetEvent, TelnetPeer

_METHODS: Final = rb"GET|POST|HEAD|PUT|DELETE|OPTIONS|CONNECT|PATCH|TRACE|PROPFIND|REPORT|M-SEARCH"
_HTTP: Final = (
    rb"(?:%b) (?:[/*]|[Hh][Tt][Tt][Pp]s?:|[^ \r\n]+:[0-9])"  # RFC 9112, 3.2: the four forms of a target
    rb"|[A-Z-]+ [^ \r\n]+ (?:HTTP|RTSP|SIP)/[0-9]" % _METHODS
)
"""The start of an HTTP request. A web page can choose the target, which may have any length, but not the method.

No command looks like a request: a method is in capitals, a target follows it, and no verb begins with a method.
"""
_FIELD: Final = (
    r"(?i:host|user-agent|accept[a-z-]*|content-[a-z]+|connection|origin|referer|cookie|cache-control|pragma|upgrade[a-z-]*"
    r"|transfer-encoding|authorization|sec-[a-z-]+|x-[a-z-]+) ?:"
)
"""A header field of a request, which directly follows the request line."""
_TELNET: Final = 0xFF
"""A number, since looking for bytes in bytes takes ten times as long."""
_LONGEST_FIRST: Final = 64
"""After this many bytes without a line end, the first bytes are no longer checked for another protocol."""
_LINES_CHECKED: Final = 2
"""How many lines at the start of a connection are checked for a header: the request line and the first field."""

_NOT_HTTP: Final = b"This port speaks the card game Golf, not HTTP. Try: nc HOST PORT\r\n"

REFUSALS: Final = {
    LineFault.TOO_LONG: Refused(
        Code.LINE_TOO_LONG, f"That line was longer than {LINE_LIMIT} bytes and was ignored."
    ),
    LineFault.BAD_ENCODING: Refused(Code.BAD_ENCODING, "That line was not UTF-8 text and was ignored."),
}
"""The answers to invalid lines."""


class OtherProtocol(Struct, frozen=True):
    """A connection uses another protocol: its name for the log, and an answer that the peer understands."""

    what: str
    answer: bytes


NO_TELNET: Final = TelnetPeer()
"""Shared by all connections without telnet; it never receives anything."""

Item = str | LineFault | TelnetEvent | bytes | OtherProtocol
"""What a connection's bytes contain; bytes are the answer to a telnet negotiation."""


class InputDecoder(Struct, eq=False):
    """Decodes the input of one connection; ``telnet`` is ``NO_TELNET`` until either side uses it."""

    telnet: TelnetPeer = NO_TELNET
    _reader: LineReader = field(default_factory=LineReader)
    _first: bytes | None = b""
    _unchecked: int = _LINES_CHECKED
    """The number of lines still to be checked for an HTTP header."""

    def use_telnet(self) -> TelnetPeer:
        """Return the connection's telnet state, creating it if necessary."""
        if self.telnet is NO_TELNET:
            self.telnet = TelnetPeer()
        return self.telnet

    def feed(self, received: bytes, now: float) -> list[Item]:
        """Return the items completed by the bytes; ``now`` is on trio's clock."""
        if self._first is not None and (foreign := self._check_first(self._first + received)):
            return [foreign]
        telnet = self.telnet
        if _TELNET not in received if telnet is NO_TELNET else telnet.is_plain(received):
            items: list[Item] = self._reader.feed(received)  # type: ignore[assignment]
        else:
            items = self._out_of_telnet(received, now)
        return self._without_header(items) if self._unchecked else items

    def _out_of_telnet(self, received: bytes, now: float) -> list[Item]:
        found, reply = self.use_telnet().receive(received, now=now)
        items: list[Item] = [reply] if reply else []
        for item in found:
            match item:
                case bytes():
                    items += self._reader.feed(item)
                case Signal.ERASE_LINE:
                    self._reader.erase_line()
                case Gmcp(package="Golf.Command", json=written):
                    with suppress(MsgspecError):  # the command may also be bare text
                        written = json.decode(written, type=str).encode()
                    # A separate reader, so that a half-typed line is kept.
                    items += LineReader().feed(written + b"\n")
                case _:
                    items.append(item)
        return items

    def end(self) -> list[str | LineFault]:
        """Return the line completed by the end of input, if any."""
        return self._reader.end_line()

    def _check_first(self, received: bytes) -> OtherProtocol | None:
        """Return the other protocol that a connection's first bytes reveal, or None if it is Golf or not yet clear."""
        first = received.lstrip(b"\r\n")[:LINE_LIMIT]
        for start, what in ((b"\x16\x03", "TLS hello"), (b"SSH-", "SSH")):
            if first.startswith(start):
                return OtherProtocol(what, b"")
        if not first[:1].islower() and re.match(_HTTP, first):
            return _A_REQUEST
        is_golf = b"\n" in first or b"\r" in first or _TELNET in first or len(first) > _LONGEST_FIRST
        self._first = None if is_golf else first
        return None

    def _without_header(self, items: list[Item]) -> list[Item]:
        """Return the items; replace an HTTP header field and all that follows it with an ``OtherProtocol``."""
        for at, item in enumerate(items):
            if isinstance(item, str) and ":" in item and re.match(_FIELD, item):
                return [*items[:at], _A_REQUEST]
            if isinstance(item, (str, LineFault)):
                self._unchecked -= 1
                if not self._unchecked:
                    break
        return items


_A_REQUEST: Final = OtherProtocol(
    "HTTP request",
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n"
    b"Connection: close\r\n\r\n%b" % (len(_NOT_HTTP), _NOT_HTTP),
)
