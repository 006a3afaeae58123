"""What happens to an accepted connection before its session starts: a TLS handshake, a PROXY header, or nothing.

A peer whose handshake or header takes too long or is invalid is cut off without an answer. Behind a proxy, the acceptor
gets the address of the person, not of the proxy.
"""

import errno
import ipaddress
import logging
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import trio
from msgspec import Struct

from golfnet.server.budget import Newcomers, parsed_address, plain_address
from golfnet.server.net.hub import Hub, HubTransport
from golfnet.server.net.kernel import ProxyRoundTrip
from golfnet.server.net.tls import HANDSHAKE_SECONDS
from golfnet.server.net.transport import TOO_MANY, Acceptor, Carrier, StreamTransport

SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
PREAMBLE: Final = 16
"""The length in bytes of the first part of every header, which says how many more bytes follow."""

_LOCAL, _PROXY = 0x20, 0x21
"""The version, 2, with each of its commands."""

_LENGTHS: Final = {1: 4, 2: 16}
"""The length of an address by family: IPv4, IPv6."""

_STREAM: Final = 1
_TLV: Final = struct.Struct("!BH")
"""The beginning of a TLV: its type and its length."""

_MOST_DIGITS: Final = 8
"""Maximum digits in a round trip in microseconds: no connection survives a round trip of 100 seconds."""


class BadProxyHeader(Exception):
    """An invalid header; the text says what was expected."""


class Source(Struct, frozen=True):
    """Where a connection comes from according to the proxy, with the ``round_trip`` if the proxy sends one."""

    address: str
    round_trip: ProxyRoundTrip | None = None
    carrier: Carrier = Carrier.PROXY


def length_of_rest(preamble: bytes) -> int:
    """Return how many bytes of the header follow the preamble, or raise ``BadProxyHeader``."""
    if not preamble.startswith(SIGNATURE) or preamble[12] not in (_LOCAL, _PROXY):
        raise BadProxyHeader("expected the PROXY protocol v2, with the command LOCAL or PROXY")
    return int(struct.unpack_from("!H", preamble, 14)[0])


def parse(preamble: bytes, rest: bytes, rtt_type: int = 0) -> Source | None:
    """Return the source in a header, or None if the header has none; may raise ``BadProxyHeader``.

    ``preamble`` has been checked by ``length_of_rest``, and ``rest`` has that length.
    ``rtt_type`` is the type of the TLV with the proxy's round trip to the peer, or 0 to ignore it. The round trip is
    also ignored if it is invalid or repeated, or if the last TLV does not end where the header ends.
    """
    family, transport = preamble[13] >> 4, preamble[13] & 0xF
    if preamble[12] == _LOCAL or family not in _LENGTHS:
        return None
    if transport != _STREAM:
        raise BadProxyHeader(f"expected a stream (1), not transport {transport}")
    length = _LENGTHS[family]
    if len(rest) < 2 * length + 4:
        raise BadProxyHeader(f"expected at least {2 * length + 4} bytes of addresses, not {len(rest)}")
    address = ipaddress.ip_address(rest[:length])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    seconds = _round_trip(rest[2 * length + 4 :], rtt_type) if rtt_type else None
    return Source(str(mapped or address), seconds)


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
"""How long a proxy may take to send its header, which it can send as soon as it connects."""

log = logging.getLogger(__name__)

_accepting_log = logging.getLogger(f"{__name__}.accepting")
"""A logger for messages that might otherwise be repeated for every connection; see ``console.SELDOM``."""


async def serve_plain(acceptor: Acceptor, outbox: int, stream: trio.SocketStream, address: str) -> None:
    """Serve a plain connection until it ends, on systems without a hub."""
    await _serve(acceptor, StreamTransport(stream, address, outbox))


async def serve_tls(
    acceptor: Acceptor,
    outbox: int,
    context: ssl.SSLContext,
    stream: trio.abc.Stream,
    address: str,
    *,
    newcomers: Newcomers | None = None,
) -> None:
    """Serve a TLS connection until it ends; ``newcomers`` limits unfinished handshakes."""
    if not acceptor.admit(address):
        return
    try:
        if (secure := await _secured(stream, context, address, newcomers)) is not None:
            transport = StreamTransport(secure, address, outbox, carrier=Carrier.TLS)
            await transport.serve(acceptor.welcome)
    finally:
        acceptor.gone(address)


async def _secured(
    stream: trio.abc.Stream, context: ssl.SSLContext, address: str, newcomers: Newcomers | None
) -> trio.abc.Stream | None:
    """Return a stream after its handshake, or None if that fails or another peer needs its place."""
    with trio.CancelScope() as scope:
        if newcomers is not None:
            newcomers.enter(address, scope.cancel)
        try:
            return await secured(stream, context, server_side=True)
        except OSError as error:
            log.info("the TLS handshake with %s failed: %s", address, error)
        finally:
            if newcomers is not None:
                newcomers.leave(scope.cancel)
    return None


async def serve_proxied(
    acceptor: Acceptor,
    outbox: int,
    trusted: Sequence[str],
    rtt_type: int,
    stream: trio.SocketStream,
    proxy: str,
) -> None:
    """Serve a connection through a proxy from one of the ``trusted`` networks until it ends."""
    parsed = parsed_address(proxy)
    if parsed is None or not any(parsed in ipaddress.ip_network(network) for network in trusted):
        log.warning("%s is not a trusted proxy", proxy)
        return
    if (source := await _announced(stream, proxy, rtt_type)) is None:
        return
    if source.round_trip is not None:
        log.info("%s is %.1f ms from the proxy %s", source.address, 1000 * source.round_trip.smallest, proxy)
    transport = StreamTransport(stream, source.address, outbox, source.round_trip, carrier=source.carrier)
    await _serve(acceptor, transport)


async def _announced(stream: trio.SocketStream, proxy: str, rtt_type: int) -> Source | None:
    """Return the source in the proxy's header, or the proxy if the header names none; None if it is invalid."""
    try:
        with trio.fail_after(PROXY_SECONDS):
            preamble = await _exactly(stream, PREAMBLE)
            source = parse(preamble, await _exactly(stream, length_of_rest(preamble)), rtt_type)
    except (BadProxyHeader, trio.TooSlowError, trio.BrokenResourceError) as error:
        log.warning("the proxy %s did not announce its client: %s", proxy, str(error) or "it took too long")
        return None
    return source or Source(proxy, carrier=Carrier.PROXY_ALONE)


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


async def _serve(acceptor: Acceptor, transport: StreamTransport) -> None:
    """Run a session over a transport until it ends, if the acceptor admits the peer."""
    if not acceptor.admit(transport.address):
        await transport.refuse()
        return
    try:
        await transport.serve(acceptor.welcome)
    finally:
        acceptor.gone(transport.address)


def peer_address(stream: trio.SocketStream) -> str | None:
    """Return the peer's address, or None if it has already disconnected."""
    try:
        return plain_address(str(stream.socket.getpeername()[0]))
    except OSError:
        return None


async def _exactly(stream: trio.abc.ReceiveStream, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = await stream.receive_some(count - len(data))
        if not more:
            raise BadProxyHeader(f"expected {count} bytes, but the stream ended after {len(data)}")
        data += bytes(more)
    return data


_ACCEPTED_AT_ONCE: Final = 16

_OUT_OF_FILES: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_ACCEPT_AGAIN_SECONDS: Final = 0.1
"""How long accepting is paused after the process or the system has run out of descriptors or memory."""


async def accept_for_hub(
    hub: Hub, listening: socket.socket, acceptor: Acceptor, allow: Callable[[int], bool] = lambda _: True
) -> None:
    """Accept connections for a hub until cancelled, then close the listening socket."""
    listening.setblocking(False)
    with listening:
        while True:
            await trio.lowlevel.wait_readable(listening)
            await trio.lowlevel.checkpoint_if_cancelled()  # the hub may have stopped just now
            for _ in range(_ACCEPTED_AT_ONCE):
                try:
                    sock, name = listening.accept()
                except BlockingIOError:
                    break
                except OSError as error:
                    if error.errno not in _OUT_OF_FILES:
                        continue  # the peer is already gone
                    _accepting_log.error(
                        "cannot accept connections for a moment: %s", error.strerror or error
                    )
                    await trio.sleep(_ACCEPT_AGAIN_SECONDS)
                    break
                try:
                    _let_in(hub, sock, plain_address(str(name[0])), acceptor, allow)
                except OSError:
                    sock.close()


def _let_in(
    hub: Hub, sock: socket.socket, address: str, acceptor: Acceptor, allow: Callable[[int], bool]
) -> None:
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Telnet marks urgent data with a command in the stream (RFC 854), so urgent bytes have to stay in order.
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    if allow(sock.fileno()) and acceptor.admit(address):
        HubTransport(hub, sock, address, acceptor).open(acceptor.welcome)
    else:
        sock.send(TOO_MANY)
        sock.close()


class PortOpener(Struct, eq=False):
    """Opens ports; ``connections`` runs the streams, ``_allow`` says whether a connection may keep its descriptor."""

    connections: trio.Nursery
    _allow: Callable[[int], bool]
    hub: Hub | None
    outbox: int
    _accepting: list[trio.CancelScope] = []

    def open_plain(self, listeners: list[trio.SocketListener], acceptor: Acceptor) -> None:
        """Start accepting plain connections."""
        if self.hub is None:
            self.open(listeners, partial(serve_plain, acceptor, self.outbox))
            return
        for listener in listeners:
            sock = socket.socket(fileno=listener.socket.detach())
            self._accept(partial(accept_for_hub, self.hub, sock, acceptor, self._allow))

    def open(
        self,
        listeners: list[trio.SocketListener],
        serve: Callable[[trio.SocketStream, str], Awaitable[None]],
    ) -> None:
        """Start accepting streams; ``serve`` gets each one with the peer's address, and does not have to close it."""

        async def serve_allowed(stream: trio.SocketStream) -> None:
            try:
                if self._allow(stream.socket.fileno()) and (address := peer_address(stream)) is not None:
                    await serve(stream, address)
            finally:
                with trio.CancelScope(shield=True):
                    await trio.aclose_forcefully(stream)

        if listeners:
            self._accept(
                partial(trio.serve_listeners, serve_allowed, listeners, handler_nursery=self.connections)
            )

    def _accept(self, accept: Callable[[], Awaitable[object]]) -> None:
        async def accept_until_closed() -> None:
            with scope:
                await accept()

        scope = trio.CancelScope()
        self._accepting.append(scope)
        self.connections.start_soon(accept_until_closed)

    def close(self) -> None:
        """Stop accepting; accepted connections stay open."""
        for scope in self._accepting:
            scope.cancel()
        if self.hub is not None:
            self.hub.stop()
