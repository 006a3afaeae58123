"""Open a stream to a server that a client trusts: verified by an authority, or else the first one seen at its address.

Invariants: a server that an authority has verified is never again trusted without one, and a key is replaced only after
verification or by the user's decision. A renewed certificate with the same key is the same server.

Python can neither verify a certificate after the handshake nor return one that failed verification. So clients first
connect without verification if they know a key, and connect again for the certificate if verification fails.
"""

import hashlib
import ssl
from collections.abc import Callable
from functools import partial
from typing import Final

import trio

from golfnet.protocol.address import Address, NoCertificate, key_fingerprint

AUTHORITY: Final = "authority"
"""The value stored for a server whose certificate was signed by a trusted authority."""

KEY: Final = "key:"
"""The prefix of the value stored for any other server; the SHA-256 of its public key follows.

Older clients stored the SHA-256 of its certificate, without a prefix.
"""


class Untrusted(OSError):
    """A server that is not the trusted one; ``shown`` is the value to store in order to trust it."""

    def __init__(self, address: Address, known: str, shown: str, reason: str) -> None:
        expected = "verification by an authority" if known == AUTHORITY else f"the key {_short(known)}"
        why = f" ({reason})" if reason else ""
        super().__init__(
            f"{address} is not the same server: expected {expected}, found the key {_short(shown)}{why}"
        )
        self.shown = shown


class Trust:
    """Which server to trust at an address.

    ``known`` is the stored value, empty if there is none; ``keep`` is called to store another value. ``only`` is the
    SHA-256 of the required key or certificate, whatever any authority says.
    """

    def __init__(
        self, known: str = "", *, only: str = "", keep: Callable[[str], object] = lambda known: None
    ) -> None:
        self.known = only or known
        self.asks_authorities = not only
        """Whether verification by an authority is enough."""
        self._keep = keep

    @property
    def knows_a_key(self) -> bool:
        """Whether the server is known by its key or certificate."""
        return self.known not in ("", AUTHORITY)

    def recognises(self, certificate: bytes) -> bool:
        """Return whether a DER certificate is the known server's. Raise ``OSError`` if it cannot be read."""
        shown = _key_of(certificate)
        if self.known.removeprefix(KEY) not in (
            shown.removeprefix(KEY),
            hashlib.sha256(certificate).hexdigest(),
        ):
            return False
        if self.asks_authorities:
            self._learn(shown)
        return True

    def vouched_for(self) -> None:
        """Trust the server that an authority has just vouched for."""
        self._learn(AUTHORITY)

    def meet(self, address: Address, reason: str, certificate: bytes) -> bool:
        """Trust the first server seen. Raise ``Untrusted`` for any other; ``reason`` is why verification failed."""
        shown = _key_of(certificate)
        if self.known:
            raise Untrusted(address, self.known, shown, reason)
        self._learn(shown)
        return True

    def accept(self, problem: Untrusted) -> None:
        """Trust the server in ``problem``, as the user has decided; the caller stores that decision."""
        self.known = problem.shown

    def _learn(self, known: str) -> None:
        if self.known != known:
            self.known = known
            self._keep(known)


def _key_of(certificate: bytes) -> str:
    """Return the value to store for a server with this certificate. Raise ``OSError`` if it cannot be read."""
    try:
        return KEY + key_fingerprint(certificate)
    except NoCertificate:
        raise OSError("the server's certificate cannot be read") from None


def _short(known: str) -> str:
    """Return the part of a key that people compare."""
    return known.removeprefix(KEY)[:16]


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
