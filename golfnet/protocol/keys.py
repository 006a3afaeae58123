"""The public key of a certificate: it identifies a server, since a renewed certificate may keep its key.

A certificate is a nest of DER elements (RFC 5280, section 4.1; X.690): its first element holds, after an optional
version, serial number, signature, issuer, validity and subject, and then the key with its algorithm.
"""

import hashlib
from typing import Final


class NoCertificate(Exception):
    """Bytes that are not an X.509 certificate."""


def key_fingerprint(certificate: bytes) -> str:
    """Return the SHA-256 of the public key in a DER certificate, as 64 hex digits. Raise ``NoCertificate``.

    The key is hashed with its algorithm (SubjectPublicKeyInfo), as ``openssl pkey -pubin -outform DER`` writes it.
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
"""From this value on, the first byte of the length is the number of its bytes."""


def _inside(data: bytes, kind: bytes) -> tuple[bytes, bytes]:
    """Return the contents of the first element, which must be of this kind, and the bytes after it."""
    if data[:1] != kind or len(data) < 2:
        raise NoCertificate(f"expected an element {kind.hex()}, not {data[:2].hex() or 'the end'}")
    start, length = 2, data[1]
    if length >= _LONG:
        start += length - _LONG
        length = int.from_bytes(data[2:start], "big")
    if start + length > len(data):
        raise NoCertificate(f"expected {length} bytes, not {len(data) - start}")
    return data[start : start + length], data[start + length :]
