"""Where a server is: ``HOST[:PORT]``, with TLS or without, and how it is reached.

TLS is trust on first use: the certificate is not checked against authorities, its fingerprint is kept, and another
one later is refused with both, because somebody may sit between.
"""

from __future__ import annotations

import hashlib
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from golfnet_client.remembered import Remembered

PORT: Final = 7777
HANDSHAKE_SECONDS: Final = 8.0


class BadAddress(Exception):
    """A text that names no server; says what was expected."""


class Untrusted(OSError):
    """A server whose certificate is another than the one it showed first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One server."""

    host: str
    port: int = PORT
    tls: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls://' if self.tls else ''}{host}:{self.port}"


def parse_address(text: str) -> Address:
    """Return the server of ``HOST``, ``HOST:PORT``, ``[V6]:PORT`` or ``tls://…``; raises ``BadAddress``."""
    rest = text.strip()
    tls = rest.startswith("tls://")
    rest = rest.removeprefix("tls://").removeprefix("tcp://")
    if rest.startswith("["):
        host, _, after = rest[1:].partition("]")
        port = after.removeprefix(":")
    elif rest.count(":") > 1:
        host, port = rest, ""
    else:
        host, _, port = rest.partition(":")
    if not host or not (port == "" or (port.isdecimal() and 0 < int(port) < 65536)):
        raise BadAddress(f"a server such as golf.example.org or 192.168.0.5:{PORT}, not {text!r}")
    return Address(host=host, port=int(port) if port else PORT, tls=tls)


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


def reason_of(problem: BaseException) -> str:
    """Return why there is no connection, in words alone; where every address was tried, why the last one failed."""
    inner = problem.__cause__
    if isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[-1]
    words = [each.strerror for each in (problem, inner) if isinstance(each, OSError) and each.strerror]
    text = words[0] if words else str(problem) or "no answer"
    text = text.rpartition(": ")[2]
    return f"{text[:1].lower()}{text[1:]}"
