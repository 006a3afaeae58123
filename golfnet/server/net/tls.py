"""TLS: the server's certificate, a given one or one of its own that is made once and kept; that of a node for links.

A certificate of one's own proves nothing by itself: clients remember its public key when they first see it, so it is
kept through restarts and lasts long. Private keys are readable by their owner only.
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
        # Tried apart first: a context that has taken half of a pair would be of no use.
        for context in (ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), self.context):
            _load(context, self._chain, self._key)
        self.fingerprint = _fingerprint(self._chain, self._key)


class NodeCertificate:
    """The certificate of a node for links: ``accepting`` and ``dialling`` want one of the other end, too.

    It has to be signed by a certificate in ``authority``. Names are not compared: nodes know each other by address.
    """

    def __init__(self, chain: Path, key: Path, authority: Path) -> None:
        self._chain, self._key, self._authority = chain, key, authority
        self.accepting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.dialling = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.fingerprint = ""
        """SHA-256 of the public key, in hex."""
        self.reload()

    def reload(self) -> None:
        """Read the files again, for links from now on; raises ``BadCertificate``.

        Where they cannot be used, the old certificate stays. Who was trusted before is trusted until the restart.
        """
        accepting, dialling = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._prepare(accepting)
        self._prepare(dialling)
        try:
            _shake_hands(accepting, dialling)
        except ssl.SSLError as error:
            raise BadCertificate(
                f"{self._chain}: expected a certificate that one in {self._authority} has signed, for a server and "
                f"a client alike ({getattr(error, 'verify_message', None) or error.reason})"
            ) from None
        self._prepare(self.accepting)
        self._prepare(self.dialling)
        self.fingerprint = _fingerprint(self._chain, self._key)

    def _prepare(self, context: ssl.SSLContext) -> None:
        _load(context, self._chain, self._key)
        if others_may_read(self._key, self._key.stat().st_mode):
            raise BadCertificate(
                f"{self._key}: expected a key that nobody else can read: chmod 600 {shlex.quote(str(self._key))}, "
                "with a new key if somebody may have read it"
            )
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        _need_readable(self._authority)
        try:
            context.load_verify_locations(self._authority)
        except ssl.SSLError as error:
            raise BadCertificate(
                f"{self._authority}: expected the certificate of the authority that signs those of all nodes, in PEM "
                f"({error.reason})"
            ) from None


def others_may_read(path: Path, mode: int) -> bool:
    """Tell whether others than its owner may read a file of some mode."""
    # systemd lets a service alone into the folder of its credentials, by a list of access that looks like a mode.
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    return os.name == "posix" and bool(mode & 0o077) and os.path.dirname(path) != folder


def own_certificate(path: Path, names: Iterable[str] = ()) -> Certificate:
    """Return the certificate kept in a file, made for some names if there is none; raises ``BadCertificate``."""
    if not path.exists():
        _make(path, [*names])
    return Certificate(path, path)


def _load(context: ssl.SSLContext, chain: Path, key: Path) -> None:
    """Give a context its certificate; raises ``BadCertificate``."""
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
    """Return the SHA-256 of the public key in the first certificate of a PEM file; raises ``BadCertificate``."""
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
    """Let two contexts meet in memory; raises ``ssl.SSLError`` where one refuses the other."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    front, owner = dialling.wrap_bio(back, there), accepting.wrap_bio(there, back, server_side=True)
    for end in (front, owner, front, owner):
        with suppress(ssl.SSLWantReadError):
            end.do_handshake()


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
