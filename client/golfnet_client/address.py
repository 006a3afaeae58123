"""How a server is reached, with TLS or without.

TLS is trust on first use: the certificate is not checked against authorities, its fingerprint is kept, and another
one later is refused with both, because somebody may sit between.
"""

from __future__ import annotations

import hashlib
import ssl
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from golfnet.protocol.address import Address
    from golfnet_client.remembered import Remembered

HANDSHAKE_SECONDS: Final = 8.0


class Untrusted(OSError):
    """A server whose certificate is another than the one it showed first."""


async def open_stream(address: Address, remembered: Remembered) -> trio.abc.Stream:
    """Connect to a server; raises ``OSError``, of which ``Untrusted`` is one."""
    stream = await trio.open_tcp_stream(address.host, address.port)
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    if not address.tls:
        return stream
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    secure = trio.SSLStream(stream, context, server_hostname=address.host, https_compatible=True)
    try:
        with trio.fail_after(HANDSHAKE_SECONDS):
            await secure.do_handshake()
        _check(address, secure.getpeercert(binary_form=True) or b"", remembered)
    except BaseException as problem:
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(secure)
        if isinstance(problem, trio.BrokenResourceError | trio.TooSlowError):
            raise OSError("the server does not speak TLS") from None  # noqa: ASYNC104
        raise
    return secure


def _check(address: Address, certificate: bytes, remembered: Remembered) -> None:
    shown = hashlib.sha256(certificate).hexdigest()
    kept = remembered.fingerprint(str(address))
    if kept is None:
        remembered.trust(str(address), shown)
    elif kept != shown:
        raise Untrusted(
            f"the certificate of {address} has changed from {kept[:16]} to {shown[:16]}; "
            f"if that is right, remove the line from {remembered.directory / 'client.json'}"
        )
