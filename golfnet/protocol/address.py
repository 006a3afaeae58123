"""Server addresses as people write them: ``HOST[:PORT]``, or ``tls://HOST[:PORT]`` for TLS.

Invariant: parsing the text of an address gives the same address.
"""

import hashlib
from typing import Final

from msgspec import Struct

PORT: Final = 7777
TLS_PORT: Final = 7779
"""Default ports of servers."""


class BadAddress(Exception):
    """The text is not an address; the message says what was expected."""


class Address(Struct, frozen=True, kw_only=True):
    """The address of one server."""

    host: str
    port: int = PORT
    tls: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls://' if self.tls else ''}{host}:{self.port}"

    @property
    def short(self) -> str:
        """The shortest text that parses to this address: without the default port."""
        if self.port != (TLS_PORT if self.tls else PORT):
            return str(self)
        return f"tls://{self.host}" if self.tls else self.host


def parse_address(text: str, *, tls: bool = False) -> Address:
    """Return the address written as ``HOST``, ``HOST:PORT``, ``[V6]:PORT`` or ``tls://…``, or raise ``BadAddress``.

    The default port depends on TLS; ``tls`` requires TLS even without ``tls://``.
    """
    rest = text.strip()
    tls = tls or rest.startswith("tls://")
    rest = rest.removeprefix("tls://").removeprefix("tcp://")
    if rest.startswith("["):
        host, _, after = rest[1:].partition("]")
        port = after.removeprefix(":")
    elif rest.count(":") > 1:
        host, port = rest, ""
    else:
        host, _, port = rest.partition(":")
    if not _is_name(host) or not (port == "" or (port.isdecimal() and 0 < int(port) < 65536)):
        raise BadAddress(f"a server such as golf.example.org or 192.168.0.5:{PORT}, not {text!r}")
    usual = TLS_PORT if tls else PORT
    return Address(host=host, port=int(port) if port else usual, tls=tls)


def reason_of(problem: BaseException) -> str:
    """Return in words why connecting failed; if several addresses failed, why the last one did."""
    inner = problem.__cause__
    if isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[-1]
    words = [each.strerror for each in (problem, inner) if isinstance(each, OSError) and each.strerror]
    text = words[0] if words else str(problem) or "no answer"
    text = text.rpartition(": ")[2]
    return f"{text[:1].lower()}{text[1:]}"


def _is_name(host: str) -> bool:
    """Return whether a host can be looked up: each label has 1 to 63 bytes (RFC 1035), even after IDNA encoding."""
    try:
        return host.encode("idna") != b""
    except UnicodeError:
        return False


class NoCertificate(Exception):
    """The bytes are not an X.509 certificate."""


def key_fingerprint(certificate: bytes) -> str:
    """Return the SHA-256 of the public key in a DER certificate, as 64 hex digits, or raise ``NoCertificate``.

    The hash covers the whole SubjectPublicKeyInfo, which is what ``openssl pkey -pubin -outform DER`` writes.
    """
    signed, _ = _inside(certificate, _SEQUENCE)
    fields, _ = _inside(signed, _SEQUENCE)
    if fields[:1] == _VERSION:
        fields = _inside(fields, _VERSION)[1]
    for kind in _BEFORE_THE_KEY:
        fields = _inside(fields, kind)[1]
    _, after = _inside(fields, _SEQUENCE)
    return hashlib.sha256(fields[: len(fields) - len(after)]).hexdigest()


_SEQUENCE: Final = b"\x30"
_INTEGER: Final = b"\x02"
_VERSION: Final = b"\xa0"
_BEFORE_THE_KEY: Final = (_INTEGER, _SEQUENCE, _SEQUENCE, _SEQUENCE, _SEQUENCE)
"""Serial number, signature, issuer, validity, subject."""
_LONG: Final = 0x80
"""From this value up, the first length byte says how many length bytes follow it."""


def _inside(data: bytes, kind: bytes) -> tuple[bytes, bytes]:
    """Return the contents of the first element, which must be of this kind, and the bytes after it."""
    if data[:1] != kind or len(data) < 2:
        raise NoCertificate(f"expected an element of type {kind.hex()}, not {data[:2].hex() or 'the end'}")
    start, length = 2, data[1]
    if length >= _LONG:
        start += length - _LONG
        length = int.from_bytes(data[2:start], "big")
    if start + length > len(data):
        raise NoCertificate(f"expected {length} bytes, not {len(data) - start}")
    return data[start : start + length], data[start + length :]
