"""A page for phones: a few files over HTTP, and machine-mode lines over a WebSocket.

The page is a client like any other, and nothing else in the server knows about HTTP. The style and the modules in
``page`` are put into the page when the server reads them, so there is no build step, and a phone needs one request. The
libraries for WebSockets and QR codes are imported only when the port is opened.

A connection has one request, which is answered with a file or starts a session. Invariants: a connection counts against
limits from its first byte; a request is limited to ``REQUEST_SECONDS`` and ``REQUEST_BYTES``, and at most
``UNANSWERED`` requests can be open, shared fairly among addresses; a fault ends only one connection. Without TLS, only
private networks are served, since elsewhere data could be read in transit.
"""

import contextlib
import gzip
import io
import logging
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from typing import Final, NamedTuple, cast

import segno
import trio
from websockets.datastructures import Headers
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from golfnet.server.budget import FRAME_NULS, PIECE, Newcomers, is_private, parsed_address
from golfnet.server.faults import fault_boundary
from golfnet.server.net.transport import LINGER_BYTES, Acceptor, Carrier, StreamTransport, wait_for_turn

LINES: Final = "/lines"
"""The path of the WebSocket."""

MODULES: Final = ("elements", "line", "game", "deal", "table", "sheets", "lobby", "golf")
"""The page's scripts, in the order of imports."""

_FILES: Final = {
    "/": ("golf.html", "text/html; charset=utf-8"),
    "/golf.svg": ("golf.svg", "image/svg+xml"),
    "/golf.png": ("golf.png", "image/png"),
    "/golf.webmanifest": ("golf.webmanifest", "application/manifest+json"),
}
_QR: Final = re.compile(r"/qr\?(t[0-9]{1,9}(?::[A-Za-z0-9_.!~*'()%-]{1,64})?)")
"""The path of an invitation's QR code, followed by the part of the invitation's link after the ``#``. Longer links are
not drawn: a camera could hardly read their code, and drawing one takes longer than answering a few requests."""

_ONLY_TLS: Final = {"Strict-Transport-Security": "max-age=15552000"}
"""Tells browsers to use only TLS for this host name, on any port, for half a year (RFC 6797). Subdomains are not
included, since they may belong to somebody else."""

_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?")


class PageFile(NamedTuple):
    """One of the page's files, compressed once for all requests."""

    body: bytes
    kind: str
    packed: bytes
    tag: str
    """The ETag (RFC 9110, 8.8.3); weak, because the plain and the compressed body share it."""
    code: str
    """The part of its Content-Security-Policy that allows its script and style."""


def read_page() -> dict[str, PageFile]:
    """Return the page's files by path. Style and scripts are in the HTML, to save connections on phones."""
    folder = files(__package__).joinpath("page")
    style = squeezed(folder.joinpath("golf.css").read_text("utf-8"))
    script = joined([folder.joinpath(f"{name}.js").read_text("utf-8") for name in MODULES])
    bodies = {path: folder.joinpath(name).read_bytes() for path, (name, _) in _FILES.items()}
    lines = [line.strip() for line in bodies["/"].decode().splitlines()]
    bodies["/"] = "\n".join(lines).format(style=style, script=script).encode()
    code = f"script-src {_digest(script)}; style-src {_digest(style)}"
    return {
        path: PageFile(
            body=body,
            kind=_FILES[path][1],
            packed=gzip.compress(body, mtime=0),
            tag=f'W/"{sha256(body).hexdigest()[:16]}"',
            code=code,
        )
        for path, body in bodies.items()
    }


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def joined(scripts: Sequence[str]) -> str:
    """Return modules as one script, without imports, comments and unneeded spaces."""
    lines = [line.strip().removeprefix("export ") for script in scripts for line in script.splitlines()]
    kept = [re.sub(" +// .*$", "", line) for line in lines if line and not line.startswith(("import ", "//"))]
    return squeezed("\n".join(['"use strict";', *kept]), "[]()<>?&|")


def squeezed(text: str, signs: str = "") -> str:
    """Return a style sheet or a script without ``/* */`` comments or white space around punctuation and ``signs``.

    Strings stay as they are. In a style sheet, spaces around other signs are significant.
    """
    return re.sub(
        rf"""/\*.*?\*/\s*|("[^"\n]*"|'[^'\n]*'|`[^`]*`)|\s*([{{}},;:={re.escape(signs)}])\s*""",
        lambda each: each[1] or each[2] or "",
        text,
    )


def own_names(configured: Collection[str]) -> frozenset[str]:
    """Return the host names under which the page can be reached; IP addresses need not be listed."""
    machine = socket.gethostname().lower().removesuffix(".local")
    return frozenset({"localhost", machine, f"{machine}.local", *(name.lower() for name in configured)})


def answer(
    request: Request, page: Mapping[str, PageFile], names: Collection[str], *, secure: bool
) -> Response | None:
    """Return the response to a request, or None if it should become a WebSocket."""
    hosts = request.headers.get_all("Host")
    if len(hosts) != 1 or not _is_own(hosts[0], names):
        return _refusal(HTTPStatus.MISDIRECTED_REQUEST, "This server is not known by that name.")
    if request.method not in ("GET", "HEAD"):
        return _refusal(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are supported here.")
    if request.path == LINES:
        origins = request.headers.get_all("Origin")
        if request.method != "GET" or origins != [f"{'https' if secure else 'http'}://{hosts[0]}"]:
            return _refusal(HTTPStatus.FORBIDDEN, "Open the page of this server itself.")
        return None
    if invited := _QR.fullmatch(request.path):
        code = qr_svg(f"{'https' if secure else 'http'}://{hosts[0]}/#{invited[1]}")
        response = _response(HTTPStatus.OK, "image/svg+xml", code, {})
    elif request.path in page:
        response = _page_file(request, page[request.path], "wss" if secure else "ws", hosts[0])
    else:
        return _refusal(HTTPStatus.NOT_FOUND, "There is no such page. The game is at /.")
    if secure:
        response.headers.update(_ONLY_TLS)
    if request.method == "HEAD":
        response.body = b""
    return response


def qr_svg(text: str) -> bytes:
    """Return a QR code as a picture.

    It always has the same mask: trying all masks, as the standard requires, would take five times as long.
    """
    drawn = io.BytesIO()
    code = segno.make(text, error="l", mask=0, micro=False, boost_error=False)
    code.save(drawn, kind="svg", xmldecl=False, omitsize=True, light="#fff", svgclass=None, lineclass=None)
    return drawn.getvalue()


def _page_file(request: Request, file: PageFile, scheme: str, host: str) -> Response:
    """Return a file, compressed if possible, or an empty response if it has not changed."""
    policy = (
        f"default-src 'none'; {file.code}; img-src 'self'; manifest-src 'self'; "
        f"connect-src 'self' {scheme}://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    more = {"Content-Security-Policy": policy, "ETag": file.tag, "Vary": "Accept-Encoding"}
    if file.tag in [tag.strip() for tag in ",".join(request.headers.get_all("If-None-Match")).split(",")]:
        unchanged = _response(HTTPStatus.NOT_MODIFIED, file.kind, b"", more)
        del unchanged.headers["Content-Length"]
        return unchanged
    if _GZIP.search(",".join(request.headers.get_all("Accept-Encoding"))):
        return _response(HTTPStatus.OK, file.kind, file.packed, {**more, "Content-Encoding": "gzip"})
    return _response(HTTPStatus.OK, file.kind, file.body, more)


_GZIP: Final = re.compile(r"(?:^|,)\s*gzip\s*(?:,|$)", re.IGNORECASE)
"""An ``Accept-Encoding`` that allows gzip without a quality value. If there is one, the page is sent uncompressed,
which is also correct."""


def _is_own(host: str, names: Collection[str]) -> bool:
    """Return whether a ``Host`` is one of this machine's names, or an IP address (DNS rebinding needs a name)."""
    name = found["name"].lower() if (found := _HOST.fullmatch(host)) else ""
    return bool(name) and (name in names or parsed_address(name.strip("[]")) is not None)


def _refusal(status: HTTPStatus, sentence: str) -> Response:
    return _response(status, "text/plain; charset=utf-8", f"{sentence}\n".encode(), {})


def _response(status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str]) -> Response:
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            **more,
        }
    )
    return Response(status.value, status.phrase, headers, body)


MESSAGE_BYTES: Final = 4096
"""The maximum size of a message: larger than the longest line, so that an overlong line still gets an answer."""

PING_SECONDS: Final = 20.0

_READ_AT_ONCE: Final = 512
"""How many bytes of frames are decoded at a time: half a millisecond for the smallest frames."""

_NO_LINE: Final = b"\0" * FRAME_NULS
"""The input that a session gets for a frame without a line: NULs, which are ignored but count against a limit."""

_CLOSING_SECONDS: Final = 1.0
"""How long the peer may take to close its side of the connection."""


class MessageStream(trio.abc.Stream):
    """The lines of a WebSocket after its handshake."""

    def __init__(self, stream: trio.abc.Stream, protocol: ServerProtocol) -> None:
        self.transport_stream = stream
        self._protocol = protocol
        self._sending = trio.Lock()
        self._received = bytearray()
        self._line = bytearray()
        """The beginning of a line to send; the rest has not been written yet."""
        self._is_pinged = False
        self._brings_no_lines = False
        """Whether any of the last frames had no line; if so, the next read waits for a turn."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Return the next lines with line ends; empty once the peer has closed."""
        while not self._received:
            data = None
            with trio.move_on_after(PING_SECONDS):
                data = await self.transport_stream.receive_some(_READ_AT_ONCE)
            if data is None and not self._is_pinged and self._protocol.state is State.OPEN:
                self._is_pinged = True
                self._protocol.send_ping(b"")
                await self._flush()
            elif not data or not await self._feed(bytes(data)):
                return b""
        lines, self._received = bytes(self._received), bytearray()
        return lines

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send each line completed by the bytes as a message."""
        *lines, self._line = (self._line + data).split(b"\n")
        if self._protocol.state is not State.OPEN:
            raise trio.ClosedResourceError("the peer has closed the WebSocket")
        for line in lines:
            self._protocol.send_text(bytes(line.removesuffix(b"\r")))
        await self._flush()

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until sending will probably not block."""
        await self.transport_stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """Close the WebSocket, then the connection once the peer has answered."""
        try:
            if self._protocol.state is State.OPEN:
                self._protocol.send_close(CloseCode.NORMAL_CLOSURE)
            with trio.move_on_after(_CLOSING_SECONDS):
                await self._flush()
                for _ in range(LINGER_BYTES // PIECE):
                    if not await self.transport_stream.receive_some(PIECE):
                        break
        except (trio.BrokenResourceError, trio.BusyResourceError):
            pass  # the peer is gone, or another task is reading from it
        finally:
            await trio.aclose_forcefully(self.transport_stream)

    async def _feed(self, data: bytes) -> bool:
        """Decode received bytes; return whether more may follow."""
        self._is_pinged = False
        if self._brings_no_lines:
            self._brings_no_lines = False
            await wait_for_turn()
        self._protocol.receive_data(data)
        # The other kind of event, the HTTP request, came before.
        for frame in cast("list[Frame]", self._protocol.events_received()):
            if frame.opcode is Opcode.BINARY:
                self._protocol.fail(CloseCode.UNSUPPORTED_DATA, "lines are text")
                break
            if frame.opcode in (Opcode.TEXT, Opcode.CONT):
                self._received += frame.data
                if frame.fin:
                    self._received += b"\n"
                if frame.fin and frame.data:
                    continue
            self._received += _NO_LINE
            self._brings_no_lines = True
        await self._flush()
        return not self._protocol.close_expected()

    async def _flush(self) -> None:
        """Send the protocol's output: messages, answers to pings, the close frame."""
        async with self._sending:
            if data := b"".join(self._protocol.data_to_send()):
                await self.transport_stream.send_all(data)


REQUEST_SECONDS: Final = 5.0
REQUEST_BYTES: Final = 8192
UNANSWERED: Final = 64
"""The maximum number of open requests: each takes a few kilobytes, and a browser sends six at once."""

log = logging.getLogger(__name__)

_library_log = logging.getLogger(f"{__name__}.websockets")
_library_log.setLevel(logging.WARNING)  # lower levels log what players send, including passwords


class WebEntrance:
    """Serves browsers; ``names`` are additional host names, ``context`` is for TLS."""

    def __init__(
        self, acceptor: Acceptor, outbox: int, names: Sequence[str], context: ssl.SSLContext | None
    ) -> None:
        self._acceptor = acceptor
        self._outbox = outbox
        self._names = own_names(names)
        self._context = context
        self._page = read_page()
        self._unanswered = Newcomers(UNANSWERED)

    async def serve(self, stream: trio.SocketStream, address: str) -> None:
        """Serve one connection until it ends."""
        if self._acceptor.admit(address):
            try:
                await self.carry(stream, address)
            finally:
                self._acceptor.gone(address)

    async def carry(self, stream: trio.abc.Stream, address: str) -> None:
        """Answer the HTTP request on an accepted connection, and run a session if it becomes a WebSocket."""
        with fault_boundary(log, "a web connection from %s ended because of a fault in the server", address):
            protocol = ServerProtocol(max_size=MESSAGE_BYTES, logger=_library_log)
            if self._context is not None:
                stream = trio.SSLStream(stream, self._context, server_side=True, https_compatible=True)
            elif not is_private(address):
                log.info("turned away a browser at %s: without TLS only private networks are served", address)
                return
            is_open = False
            with trio.move_on_after(REQUEST_SECONDS) as scope, contextlib.suppress(trio.BrokenResourceError):
                self._unanswered.enter(address, scope.cancel)
                try:
                    is_open = await self._answer(stream, protocol)
                finally:
                    self._unanswered.leave(scope.cancel)
            if is_open:
                messages = MessageStream(stream, protocol)
                carrier = Carrier.PLAIN if self._context is None else Carrier.TLS
                await StreamTransport(messages, address, self._outbox, carrier=carrier).serve(
                    self._acceptor.welcome
                )
            else:
                await stream.aclose()

    async def _answer(self, stream: trio.abc.Stream, protocol: ServerProtocol) -> bool:
        """Read the request and answer it; return whether the connection becomes a WebSocket."""
        if (request := await _request(stream, protocol)) is None:
            return False
        response = answer(request, self._page, self._names, secure=self._context is not None)
        response = response or protocol.accept(request)
        protocol.send_response(response)
        await stream.send_all(b"".join(protocol.data_to_send()))
        return response.status_code == 101


async def _request(stream: trio.abc.Stream, protocol: ServerProtocol) -> Request | None:
    """Return a connection's request, or None if it is not HTTP or is too long."""
    received = 0
    while received <= REQUEST_BYTES and (data := await stream.receive_some(REQUEST_BYTES)):
        received += len(data)
        protocol.receive_data(bytes(data))
        for event in protocol.events_received():
            return event if isinstance(event, Request) else None
        if protocol.handshake_exc is not None:
            return None
    return None
