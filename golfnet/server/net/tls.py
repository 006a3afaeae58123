"""TLS: the server's certificate, given or self-signed, and the certificate of a node for links.

A self-signed certificate proves nothing by itself, so clients remember its public key when they first see it. The
certificate therefore has to survive restarts, and is valid for a long time. No other user may read a private key.
"""

import os
import shlex
import socket
import ssl
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from golfnet.protocol.address import NoCertificate, key_fingerprint
from golfnet.storage.files import make_folder, replace_file

HANDSHAKE_SECONDS: Final = 10.0
"""How long a peer may take for the handshake: several round trips on the slowest links."""

_YEARS: Final = 10
"""How long a self-signed certificate is valid; its replacement will alarm everyone whose client remembers it."""


class BadCertificate(Exception):
    """A certificate or key that cannot be used; the text names the file and says what was expected."""


class Certificate:
    """A server's certificate; ``context`` is for new connections."""

    def __init__(self, chain: Path, key: Path) -> None:
        self._chain, self._key = chain, key
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.fingerprint = ""
        """SHA-256 of the public key, in hex, which clients remember if no authority vouches for the server."""
        self.reload()

    def reload(self) -> None:
        """Read the renewed files for new connections, or raise ``BadCertificate`` and keep the old certificate."""
        # The files are tried in another context first: a failure would leave this one with a certificate but no key.
        for context in (ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), self.context):
            _load(context, self._chain, self._key)
        self.fingerprint = _fingerprint(self._chain, self._key)


class NodeCertificate:
    """A node's certificate for links, with contexts for ``accepting`` and for ``dialling``.

    Both contexts also require the peer to have a certificate signed by one in ``authority``. Names are not checked,
    since nodes have only addresses.
    """

    def __init__(self, chain: Path, key: Path, authority: Path) -> None:
        self._chain, self._key, self._authority = chain, key, authority
        self.accepting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.dialling = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.fingerprint = ""
        """SHA-256 of the public key, in hex."""
        self.reload()

    def reload(self) -> None:
        """Read the renewed files for new links, or raise ``BadCertificate`` and keep the old certificate.

        Authorities that were already trusted stay trusted until a restart.
        """
        accepting, dialling = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._prepare(accepting)
        self._prepare(dialling)
        try:
            _shake_hands(accepting, dialling)
        except ssl.SSLError as error:
            raise BadCertificate(
                f"{self._chain}: expected a certificate signed by one in {self._authority}, for both server and "
                f"client ({getattr(error, 'verify_message', None) or error.reason})"
            ) from None
        self._prepare(self.accepting)
        self._prepare(self.dialling)
        self.fingerprint = _fingerprint(self._chain, self._key)

    def _prepare(self, context: ssl.SSLContext) -> None:
        _load(context, self._chain, self._key)
        if others_may_read(self._key, self._key.stat().st_mode):
            raise BadCertificate(
                f"{self._key}: expected a key that nobody else can read: chmod 600 {shlex.quote(str(self._key))}, "
                "and make a new key if someone may have read it"
            )
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        _need_readable(self._authority)
        try:
            context.load_verify_locations(self._authority)
        except ssl.SSLError as error:
            raise BadCertificate(
                f"{self._authority}: expected, in PEM, the certificate of the authority that signs the "
                f"certificates of all nodes ({error.reason})"
            ) from None


def others_may_read(path: Path, mode: int) -> bool:
    """Return whether anyone but the owner may read a file with this mode."""
    # Files in systemd's credentials folder seem readable by a group, because of an ACL for the service's own user.
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    return os.name == "posix" and bool(mode & 0o077) and os.path.dirname(path) != folder


def own_certificate(path: Path, names: Iterable[str] = ()) -> Certificate:
    """Return the self-signed certificate in a file, creating it if needed, or raise ``BadCertificate``."""
    if not path.exists():
        _make(path, [*names])
    return Certificate(path, path)


def _load(context: ssl.SSLContext, chain: Path, key: Path) -> None:
    _need_readable(chain)
    _need_readable(key)
    try:
        context.load_cert_chain(chain, key, password="")
    except (ssl.SSLError, ValueError) as error:
        raise _unusable(chain, key, error) from None


def _need_readable(path: Path) -> None:
    if not os.access(path, os.R_OK):
        raise BadCertificate(f"{path}: expected a PEM file that this server may read")


def _fingerprint(chain: Path, key: Path) -> str:
    """Return the SHA-256 of the public key in the first certificate of a PEM file, or raise ``BadCertificate``."""
    text = chain.read_text("ascii", "replace")
    start, end = text.find(ssl.PEM_HEADER), text.find(ssl.PEM_FOOTER)
    try:
        return key_fingerprint(ssl.PEM_cert_to_DER_cert(text[start : end + len(ssl.PEM_FOOTER)]))
    except (ValueError, NoCertificate) as error:
        raise _unusable(chain, key, error) from None


def _unusable(chain: Path, key: Path, error: Exception) -> BadCertificate:
    return BadCertificate(
        f"{chain} and {key}: expected a certificate and its key without a password, in PEM "
        f"({getattr(error, 'reason', None) or error})"
    )


def _shake_hands(accepting: ssl.SSLContext, dialling: ssl.SSLContext) -> None:
    """Try a handshake in memory, or raise ``ssl.SSLError``."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    front, owner = dialling.wrap_bio(back, there), accepting.wrap_bio(there, back, server_side=True)
    for end in (front, owner, front, owner):
        with suppress(ssl.SSLWantReadError):
            end.do_handshake()


def _make(path: Path, names: list[str]) -> None:
    """Write a new key and a self-signed certificate, or raise ``BadCertificate``."""
    try:
        from cryptography import x509  # takes 90 ms, and is needed once in the life of a server
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        raise BadCertificate(
            "making a self-signed certificate needs a package that is not installed: pip install "
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
        .not_valid_before(now - timedelta(days=1))  # for clients whose clocks are slow
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
    try:
        make_folder(path.parent)
        replace_file(path, secret + certificate.public_bytes(serialization.Encoding.PEM))
    except OSError as error:
        raise BadCertificate(f"{path}: cannot be written: {error.strerror}") from None


def own_names() -> list[str]:
    """Return the names of this machine that can be in a certificate."""
    name = socket.gethostname()
    return [name] if name.isascii() and name != "localhost" else []
