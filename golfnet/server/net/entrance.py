"""The start of a stream, before its session: a TLS handshake, or a PROXY protocol header.

A peer that takes too long or sends anything else is cut off without an answer. The acceptor gets the address of the
person, not of the proxy.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import struct
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.server.budget import plain_address
from golfnet.server.faults import fault_boundary
from golfnet.server.net.tls import HANDSHAKE_SECONDS
from golfnet.server.net.transport import TOO_MANY, Carrier, ProxyRoundTrip, StreamTransport

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable, Sequence

    from golfnet.server.budget import Newcomers
    from golfnet.server.net.transport import Acceptor

SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
PREAMBLE: Final = 16
"""Bytes at the start of every header, which contain the length of the rest."""

_VERSION: Final = 2
_LOCAL, _PROXY = 0, 1
_INET: Final = 1
_INET6: Final = 2
_STREAM: Final = 1
_LENGTHS: Final = {_INET: 4, _INET6: 16}
_TLV: Final = struct.Struct("!BH")
"""The beginning of a TLV: its type and its length."""

_MOST_DIGITS: Final = 8
"""Maximum digits in a round trip in microseconds: no connection survives a round trip of 100 seconds."""


class BadProxyHeader(Exception):
    """An invalid header; the text says what was expected."""


class Source(NamedTuple):
    """The source of a connection according to the proxy, with a ``round_trip`` if it sends one.

    ``is_peer`` means that the address is the peer's, not the proxy's own.
    """

    address: str
    port: int
    round_trip: ProxyRoundTrip | None = None
    is_peer: bool = True


def length_of_rest(preamble: bytes) -> int:
    """Return how many bytes follow the first ``PREAMBLE`` ones, or raise ``BadProxyHeader``."""
    if preamble[: len(SIGNATURE)] != SIGNATURE:
        raise BadProxyHeader("expected the signature of the PROXY protocol v2")
    if preamble[12] >> 4 != _VERSION:
        raise BadProxyHeader(f"expected version 2, not {preamble[12] >> 4}")
    if preamble[12] & 0xF not in (_LOCAL, _PROXY):
        raise BadProxyHeader(f"expected the command LOCAL or PROXY, not {preamble[12] & 0xF}")
    return int(struct.unpack_from("!H", preamble, 14)[0])


def parse(preamble: bytes, rest: bytes, rtt_type: int = 0) -> Source | None:
    """Return the source, or None if the proxy speaks for itself or knows no source; may raise ``BadProxyHeader``.

    ``rtt_type`` is the type of the TLV with the proxy's round trip, 0 to read none. The round trip is ignored if it
    is invalid or repeated, or if the last TLV does not end where the header ends.
    """
    if len(rest) != length_of_rest(preamble):
        raise BadProxyHeader("expected as many bytes as announced")
    family, transport = preamble[13] >> 4, preamble[13] & 0xF
    if preamble[12] & 0xF == _LOCAL or family not in _LENGTHS:
        return None
    if transport != _STREAM:
        raise BadProxyHeader(f"expected a stream (1), not transport {transport}")
    length = _LENGTHS[family]
    if len(rest) < 2 * length + 4:
        raise BadProxyHeader(f"expected at least {2 * length + 4} bytes of addresses, not {len(rest)}")
    address = ipaddress.ip_address(rest[:length])
    (port,) = struct.unpack_from("!H", rest, 2 * length)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    seconds = _round_trip(rest[2 * length + 4 :], rtt_type) if rtt_type else None
    return Source(str(mapped or address), port, seconds)


def _round_trip(tlvs: bytes, rtt_type: int) -> ProxyRoundTrip | None:
    found = []
    while tlvs:
        if len(tlvs) < _TLV.size:
            return None
        kind, length = _TLV.unpack_from(tlvs)
        value, tlvs = tlvs[_TLV.size : _TLV.size + length], tlvs[_TLV.size + length :]
        if len(value) < length:
            return None
        if kind == rtt_type:
            found.append(value)
    if len(found) != 1 or not found[0].isdigit() or len(found[0]) > _MOST_DIGITS:
        return None
    micros = int(found[0])
    return ProxyRoundTrip(micros / 1e6) if micros else None


PROXY_SECONDS: Final = 5.0
"""How long a proxy may take to send its header; it knows the source when it connects."""

log = logging.getLogger(__name__)


class Doors:
    """Accepts streams; ``connections`` serves them, and ``allow`` returns whether one may keep its descriptor."""

    def __init__(self, connections: trio.Nursery, allow: Callable[[int], bool]) -> None:
        self.connections = connections
        self._allow = allow
        self._accepting: list[trio.CancelScope] = []

    def open(
        self, listeners: list[trio.SocketListener], serve: Callable[[trio.SocketStream], Awaitable[None]]
    ) -> None:
        """Accept connections from now on."""

        async def serve_allowed(stream: trio.SocketStream) -> None:
            if self._allow(stream.socket.fileno()):
                await serve(stream)
            else:
                await trio.aclose_forcefully(stream)

        async def accept() -> None:
            with scope:
                await trio.serve_listeners(serve_allowed, listeners, handler_nursery=self.connections)

        scope = trio.CancelScope()
        self._accepting.append(scope)
        self.connections.start_soon(accept)

    def close(self) -> None:
        """Stop accepting; accepted connections stay open."""
        for scope in self._accepting:
            scope.cancel()


class DirectEntrance:
    """Plain connections, on systems without a hub."""

    def __init__(self, acceptor: Acceptor, outbox: int) -> None:
        self._acceptor = acceptor
        self._outbox = outbox

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve one connection until it ends."""
        address = peer_address(stream)
        if address is None:
            await trio.aclose_forcefully(stream)
        else:
            await carry(self._acceptor, stream, address, self._outbox)


class TlsEntrance:
    """TLS connections; ``newcomers`` limits unfinished handshakes."""

    def __init__(
        self,
        acceptor: Acceptor,
        outbox: int,
        context: ssl.SSLContext,
        newcomers: Newcomers | None = None,
    ) -> None:
        self._acceptor = acceptor
        self._outbox = outbox
        self._context = context
        self._newcomers = newcomers

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve one connection until it ends."""
        address = peer_address(stream)
        if address is None or not self._acceptor.admit(address):
            await trio.aclose_forcefully(stream)
            return
        try:
            if (secure := await self._secured(stream, address)) is not None:
                await _talk(self._acceptor, secure, address, self._outbox, carrier=Carrier.TLS)
        finally:
            self._acceptor.gone(address)
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)

    async def _secured(self, stream: trio.SocketStream, address: str) -> trio.abc.Stream | None:
        """Return a stream after its handshake, or None if that fails or another peer needs its place."""
        with trio.CancelScope() as scope:
            if self._newcomers is not None:
                self._newcomers.enter(address, scope.cancel)
            try:
                return await secured(stream, self._context, server_side=True)
            except OSError as error:
                log.info("the TLS handshake with %s failed: %s", address, error)
            finally:
                if self._newcomers is not None:
                    self._newcomers.leave(scope.cancel)
        return None


class ProxyEntrance:
    """Connections through a proxy from one of the ``trusted`` networks."""

    def __init__(self, acceptor: Acceptor, outbox: int, trusted: Sequence[str], rtt_type: int = 0) -> None:
        self._acceptor = acceptor
        self._rtt_type = rtt_type
        self._outbox = outbox
        self._trusted = [ipaddress.ip_network(each) for each in trusted]

    def trusts(self, address: str) -> bool:
        """Return whether a proxy at an address is trusted."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._trusted)

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve one connection until it ends."""
        proxy = peer_address(stream)
        source = None
        if proxy is not None and self.trusts(proxy):
            source = await self._announced(stream, proxy)
        elif proxy is not None:
            log.warning("%s is not a trusted proxy", proxy)
        if source is None:
            await trio.aclose_forcefully(stream)
        else:
            if source.round_trip is not None:
                away = 1000 * source.round_trip.seconds
                log.info("%s is %.1f ms from the proxy %s", source.address, away, proxy)
            await carry(
                self._acceptor,
                _Proxied(stream),
                source.address,
                self._outbox,
                source.round_trip,
                carrier=Carrier.PROXY if source.is_peer else Carrier.PROXY_ALONE,
            )

    async def _announced(self, stream: trio.SocketStream, proxy: str) -> Source | None:
        """Return the source that the proxy announces, or None without a valid header."""
        try:
            with trio.fail_after(PROXY_SECONDS):
                preamble = await _exactly(stream, PREAMBLE)
                source = parse(preamble, await _exactly(stream, length_of_rest(preamble)), self._rtt_type)
        except (BadProxyHeader, trio.TooSlowError, trio.BrokenResourceError) as error:
            log.warning(
                "the proxy %s did not announce its client: %s", proxy, str(error) or "it took too long"
            )
            return None
        return source or Source(proxy, 0, is_peer=False)


async def secured(
    stream: trio.abc.Stream, context: ssl.SSLContext, *, server_side: bool = False
) -> trio.abc.Stream:
    """Return a stream after its TLS handshake, or raise ``OSError``."""
    secure = trio.SSLStream(stream, context, server_side=server_side, https_compatible=True)
    try:
        with trio.fail_after(HANDSHAKE_SECONDS):
            await secure.do_handshake()
    except (trio.BrokenResourceError, trio.TooSlowError) as error:
        raise OSError(f"{error.__cause__ or 'it took too long'}") from error
    return secure


async def carry(
    acceptor: Acceptor,
    stream: trio.abc.Stream,
    address: str,
    outbox: int,
    by_proxy: ProxyRoundTrip | None = None,
    *,
    carrier: Carrier = Carrier.PLAIN,
) -> None:
    """Serve a connection over a stream until it ends, if the acceptor admits it."""
    if not acceptor.admit(address):
        with trio.move_on_after(1), contextlib.suppress(trio.BrokenResourceError):
            await stream.send_all(TOO_MANY)
        await trio.aclose_forcefully(stream)
        return
    try:
        await _talk(acceptor, stream, address, outbox, by_proxy, carrier=carrier)
    finally:
        acceptor.gone(address)


def peer_address(stream: trio.SocketStream) -> str | None:
    """Return the peer's address, or None if it has already disconnected."""
    try:
        return plain_address(str(stream.socket.getpeername()[0]))
    except OSError:
        return None


async def _talk(
    acceptor: Acceptor,
    stream: trio.abc.Stream,
    address: str,
    outbox: int,
    by_proxy: ProxyRoundTrip | None = None,
    *,
    carrier: Carrier,
) -> None:
    """Run a session over a stream; a fault closes only this connection."""
    with fault_boundary(log, "a connection from %s ended because of a fault in the server", address):
        transport = StreamTransport(stream, address, outbox, by_proxy, carrier=carrier)
        await transport.run(acceptor.welcome)


async def _exactly(stream: trio.abc.ReceiveStream, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = await stream.receive_some(count - len(data))
        if not more:
            raise BadProxyHeader(f"expected {count} bytes, but the stream ended after {len(data)}")
        data += bytes(more)
    return data


class _Proxied(trio.abc.Stream):
    """Hides the socket: round trips measured on it would be the proxy's."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        await self._stream.aclose()
