"""Ways in that come before the acceptor: a TLS handshake, or a proxy's word about who is there.

Whoever does not get through in time, or says something else, is cut off without an answer and is counted out again.
The acceptor is asked with the address of the person, not of the proxy.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
from typing import TYPE_CHECKING, Final

import trio

from golfnet.server.faults import fault_boundary
from golfnet.server.throttle import plain_address
from golfnet.server.transport.proxy import PREAMBLE, BadProxyHeader, Source, length_of_rest, parse
from golfnet.server.transport.stream import StreamTransport
from golfnet.server.transport.tls import HANDSHAKE_SECONDS
from golfnet.server.transport.transport import TOO_MANY, Carrier

if TYPE_CHECKING:
    import ssl
    from collections.abc import Sequence

    from golfnet.server.transport.transport import Acceptor, ProxyRoundTrip

PROXY_SECONDS: Final = 5.0
"""How long a proxy may take to say who is there; it knows that when it connects."""

log = logging.getLogger(__name__)


class DirectEntrance:
    """Connections without anything before them, where there is no hub."""

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
    """Connections under TLS."""

    def __init__(self, acceptor: Acceptor, outbox: int, context: ssl.SSLContext) -> None:
        self._acceptor = acceptor
        self._outbox = outbox
        self._context = context

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve one connection until it ends."""
        address = peer_address(stream)
        if address is None or not self._acceptor.admit(address):
            await trio.aclose_forcefully(stream)
            return
        try:
            secure = trio.SSLStream(stream, self._context, server_side=True, https_compatible=True)
            try:
                with trio.fail_after(HANDSHAKE_SECONDS):
                    await secure.do_handshake()
            except (trio.BrokenResourceError, trio.TooSlowError) as error:
                log.info("no TLS handshake with %s: %s", address, error.__cause__ or "it took too long")
                return
            await _talk(self._acceptor, secure, address, self._outbox, carrier=Carrier.TLS)
        finally:
            self._acceptor.gone(address)
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)


class ProxyEntrance:
    """Connections through a proxy from one of the ``trusted`` networks."""

    def __init__(self, acceptor: Acceptor, outbox: int, trusted: Sequence[str], rtt_type: int = 0) -> None:
        self._acceptor = acceptor
        self._rtt_type = rtt_type
        self._outbox = outbox
        self._trusted = [ipaddress.ip_network(each) for each in trusted]

    def trusts(self, address: str) -> bool:
        """Tell whether a proxy at an address is believed."""
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
            log.warning("%s is no trusted proxy", proxy)
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
        """Return who is there, None where the proxy does not tell."""
        try:
            with trio.fail_after(PROXY_SECONDS):
                preamble = await _exactly(stream, PREAMBLE)
                source = parse(preamble, await _exactly(stream, length_of_rest(preamble)), self._rtt_type)
        except (BadProxyHeader, trio.TooSlowError, trio.BrokenResourceError) as error:
            log.warning("the proxy %s does not say who is there: %s", proxy, str(error) or "it took too long")
            return None
        return source or Source(proxy, 0, is_peer=False)


async def carry(
    acceptor: Acceptor,
    stream: trio.abc.Stream,
    address: str,
    outbox: int,
    by_proxy: ProxyRoundTrip | None = None,
    *,
    carrier: Carrier = Carrier.PLAIN,
) -> None:
    """Ask the acceptor, and serve a connection over a stream until it ends."""
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
    """Return the address of a socket's other end, None where it is gone already."""
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
    """Carry a connection; whatever goes wrong in it ends with it."""
    with fault_boundary(log, "a connection from %s ended with a fault in the server", address):
        transport = StreamTransport(stream, address, outbox, by_proxy, carrier=carrier)
        await transport.run(acceptor.welcome)


async def _exactly(stream: trio.abc.ReceiveStream, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = await stream.receive_some(count - len(data))
        if not more:
            raise BadProxyHeader(f"expected {count} bytes, not the end after {len(data)}")
        data += bytes(more)
    return data


class _Proxied(trio.abc.Stream):
    """A socket whose kernel knows nothing of the peer: round trips measured on it are the proxy's."""

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
