"""Open a stream to a server, with TLS or without.

Python can neither verify a certificate after the handshake nor return one that failed verification. So clients
first connect without verification if they know a key, and connect again for the certificate if verification fails.
"""

import ssl
from collections.abc import Callable
from functools import partial
from typing import Final

import trio

from golfnet.connect.trust import Trust
from golfnet.protocol.address import Address

HANDSHAKE_SECONDS: Final = 8.0


async def open_stream(address: Address, trust: Trust) -> trio.abc.Stream:
    """Connect to a server. Raise ``OSError``, of which ``Untrusted`` is a subclass."""
    if not address.tls:
        return await _open_tcp(address)
    if trust.knows_a_key:
        stream = await _open_if(address, trust.recognises)
        if stream is not None:
            return stream
    reason = ""
    if trust.asks_authorities:
        try:
            verified = await _open_tls(address, ssl.create_default_context())
        except ssl.SSLCertVerificationError as problem:
            reason = problem.verify_message.rstrip(".")
        else:
            trust.vouched_for()
            return verified
    stream = await _open_if(address, partial(trust.meet, address, reason))
    assert stream is not None, "it trusts the first certificate, or raises"
    return stream


async def _open_tcp(address: Address) -> trio.SocketStream:
    stream = await trio.open_tcp_stream(address.host, address.port)
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    return stream


async def _open_tls(address: Address, context: ssl.SSLContext) -> trio.SSLStream[trio.SocketStream]:
    """Connect and do the handshake. Raise ``OSError``, of which ``SSLCertVerificationError`` is a subclass."""
    plain = await _open_tcp(address)
    try:
        stream = trio.SSLStream(plain, context, server_hostname=address.host, https_compatible=True)
        with trio.fail_after(HANDSHAKE_SECONDS):
            await stream.do_handshake()
    except BaseException as problem:
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(plain)
        if isinstance(problem, trio.BrokenResourceError | trio.TooSlowError):
            if isinstance(problem.__cause__, ssl.SSLCertVerificationError):
                raise problem.__cause__ from None  # noqa: ASYNC104
            raise OSError("the server does not speak TLS") from None  # noqa: ASYNC104
        raise
    return stream


async def _open_if(address: Address, is_trusted: Callable[[bytes], bool]) -> trio.abc.Stream | None:
    """Connect without verification; return None if the certificate is not trusted."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    stream = await _open_tls(address, context)
    is_kept = False
    try:
        is_kept = is_trusted(stream.getpeercert(binary_form=True) or b"")
    finally:
        if not is_kept:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)
    return stream if is_kept else None
