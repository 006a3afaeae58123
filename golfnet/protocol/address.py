"""Addresses of servers as people write them, and how a server announces itself on the local network.

An address is ``HOST[:PORT]``, or ``tls://HOST[:PORT]`` for TLS; ``parse_address(str(address))`` equals ``address``.

The announcement is a DNS-SD service (RFC 6763). The announced port is the one for plain lines; TXT keys give the other
ports. Two more keys say how full the server is, in numbers and without names, because everybody on the network can read
them. Unknown keys, and values that are not ports or numbers, are ignored.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, structs

from golfnet import __version__
from golfnet.protocol.replies.replies import PROTOCOL

PORT: Final = 7777
TLS_PORT: Final = 7779
"""Default ports of servers."""


class BadAddress(Exception):
    """A text that is not an address; the message says what was expected."""


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
        """The shortest text that parses to this address; the default port is left out."""
        if self.port != (TLS_PORT if self.tls else PORT):
            return str(self)
        return f"tls://{self.host}" if self.tls else self.host


def parse_address(text: str, *, tls: bool = False) -> Address:
    """Return the address written as ``HOST``, ``HOST:PORT``, ``[V6]:PORT`` or ``tls://…``, or raise ``BadAddress``.

    If ``tls``, the address is for TLS even without ``tls://``. The default port depends on TLS.
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
    return Address(host=host, port=int(port or (TLS_PORT if tls else PORT)), tls=tls)


def reason_of(problem: BaseException) -> str:
    """Return the reason why connecting failed, in words; if several addresses were tried, use the last failure."""
    inner = problem.__cause__
    if isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[-1]
    words = [each.strerror for each in (problem, inner) if isinstance(each, OSError) and each.strerror]
    text = (words[0] if words else str(problem) or "no answer").rpartition(": ")[2]
    return f"{text[:1].lower()}{text[1:]}"


def _is_name(host: str) -> bool:
    """Return whether a text is a host name: each label, encoded as IDNA, has 1 to 63 bytes (RFC 1035)."""
    try:
        return host.encode("idna") != b""
    except UnicodeError:
        return False


class NoCertificate(OSError):
    """Bytes that are not an X.509 certificate, so that a connection to whoever sent them is useless."""


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
_VERSION: Final = b"\xa0"
_BEFORE_THE_KEY: Final = (b"\x02", _SEQUENCE, _SEQUENCE, _SEQUENCE, _SEQUENCE)
"""The types of the elements before the key: serial number, signature, issuer, validity, subject."""
_LONG: Final = 0x80
"""A first length byte of at least this value is the sum of this value and the number of length bytes after it."""


def _inside(data: bytes, kind: bytes) -> tuple[bytes, bytes]:
    """Return the contents of the first DER element, whose type must be ``kind``, and the bytes after it."""
    if data[:1] != kind or len(data) < 2:
        raise NoCertificate("the certificate cannot be read")
    start, length = 2, data[1]
    if length >= _LONG:
        start += length - _LONG
        length = int.from_bytes(data[2:start], "big")
    if start + length > len(data):
        raise NoCertificate("the certificate cannot be read")
    return data[start : start + length], data[start + length :]


SERVICE: Final = "_golfnet._tcp.local."


class Announcement(Struct, frozen=True, kw_only=True):
    """What a server announces besides its name and its port for plain lines; the field names are TXT keys.

    A port is None if the server has none; any other number is None if it is not known.
    """

    telnet_port: int | None = None
    tls_port: int | None = None
    web_port: int | None = None
    players: int | None = None
    """How many players are connected."""
    open_tables: int | None = None
    """How many tables have room and are open to anybody."""


def properties(announced: Announcement) -> dict[str, str]:
    """Return the TXT record of this server: version, protocol, other ports, and how full it is."""
    texts = {key: str(number) for key, number in structs.asdict(announced).items() if number is not None}
    return {"version": __version__, "protocol": str(PROTOCOL), **texts}


def announcement_of(txt: Mapping[str, str | None]) -> Announcement:
    """Return what a TXT record announces."""
    return Announcement(**{key: _number(key, txt.get(key)) for key in Announcement.__struct_fields__})


def _number(key: str, text: str | None) -> int | None:
    number = int(text) if text is not None and re.fullmatch("[0-9]{1,6}", text) else None
    is_port = number is not None and 0 < number < 65536
    return number if is_port or not key.endswith("_port") else None
