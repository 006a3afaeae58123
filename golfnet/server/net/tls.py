"""TLS: the server's certificate, a given one or one of its own that is made once and kept.

A certificate of one's own proves nothing by itself: clients remember its public key when they first see it, so it is
kept through restarts and lasts long. Private keys are readable by their owner only.
"""

import os
import socket
import ssl
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from golfnet.protocol.address import NoCertificate, key_fingerprint
from golfnet.storage.files import make_folder, replace_file

HANDSHAKE_SECONDS: Final = 10.0
"""How long a peer may take for the handshake: several round trips of the slowest links."""

_YEARS: Final = 10
"""How long a certificate of one's own is good: who replaces it frightens everybody who remembers the old one."""


class BadCertificate(Exception):
    """A certificate or key that cannot be used; names the file and says what was expected."""


class Certificate:
    """The certificate of a server; ``context`` is what new connections are made with."""

    def __init__(self, chain: Path, key: Path) -> None:
        self._chain, self._key = chain, key
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.fingerprint = ""
        """SHA-256 of the public key, in hex: what clients remember where no authority vouches for the server."""
        self.reload()

    def reload(self) -> None:
        """Read the files again, as after a renewal, for connections from now on; raises ``BadCertificate``.

        Where they cannot be used, the old certificate stays.
        """
        for path in (self._chain, self._key):
            if not os.access(path, os.R_OK):
                raise BadCertificate(f"{path}: expected a PEM file that this server may read")
        try:
            # Tried apart first: a context that has taken half of a pair would be of no use.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self._chain, self._key, password="")
            self.context.load_cert_chain(self._chain, self._key, password="")
            self.fingerprint = key_fingerprint(_first_in(self._chain))
        except (ssl.SSLError, ValueError, NoCertificate) as error:
            raise BadCertificate(
                f"{self._chain} and {self._key}: expected a certificate and its key without a password, in PEM "
                f"({getattr(error, 'reason', None) or error})"
            ) from None


def own_certificate(path: Path, names: Iterable[str] = ()) -> Certificate:
    """Return the certificate kept in a file, made for some names if there is none; raises ``BadCertificate``."""
    if not path.exists():
        _make(path, [*names])
    return Certificate(path, path)


def _first_in(path: Path) -> bytes:
    """Return the first certificate of a PEM file as DER."""
    text = path.read_text("ascii", "replace")
    start, end = text.find(ssl.PEM_HEADER), text.find(ssl.PEM_FOOTER)
    return ssl.PEM_cert_to_DER_cert(text[start : end + len(ssl.PEM_FOOTER)])


def _make(path: Path, names: list[str]) -> None:
    """Write a new key and a certificate signed with it; raises ``BadCertificate``."""
    try:
        from cryptography import x509  # 90 ms, and needed once in the life of a server
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        raise BadCertificate(
            "a certificate of the server's own is made with a package that is not installed: pip install "
            "'golfnet[tls-self-signed]'; or give tls_cert and tls_key"
        ) from None

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "golfnet")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # for clients whose clock is late
        .not_valid_after(now + timedelta(days=365 * _YEARS))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(each) for each in ["localhost", *names]]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _keep(path, secret + certificate.public_bytes(serialization.Encoding.PEM))


def _keep(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all; raises ``BadCertificate``."""
    try:
        make_folder(path.parent)
        replace_file(path, data)
    except OSError as error:
        raise BadCertificate(f"{path}: cannot be written: {error.strerror}") from None


def own_names() -> list[str]:
    """Return the names of this machine that a certificate can carry."""
    name = socket.gethostname()
    return [name] if name.isascii() and name != "localhost" else []
