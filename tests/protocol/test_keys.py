"""The public key is found in any certificate, as a library of its own finds it; nothing else is taken for one."""

import datetime
import hashlib
import ssl

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol.keys import NoCertificate, key_fingerprint

BEGAN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
Key = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey


def expected(certificate: bytes) -> str:
    """Return the same by another way."""
    key = x509.load_der_x509_certificate(certificate).public_key()
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def certificate_of(key: Key, name: str, serial: int) -> bytes:
    """Return a certificate that a key has signed for itself."""
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(BEGAN)
        .not_valid_after(BEGAN + datetime.timedelta(days=90))
    )
    algorithm = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    return builder.sign(key, algorithm).public_bytes(Encoding.DER)


@pytest.mark.parametrize("kind", trustme.KeyType)
def test_the_key_of_an_issued_certificate(kind: trustme.KeyType) -> None:
    issued = trustme.CA(key_type=kind).issue_cert("golf.example.org", "192.0.2.1", key_type=kind)
    for pem in issued.cert_chain_pems:
        certificate = ssl.PEM_cert_to_DER_cert(pem.bytes().decode())
        assert key_fingerprint(certificate) == expected(certificate)


KEYS = (ec.generate_private_key(ec.SECP256R1()), ed25519.Ed25519PrivateKey.generate())


@given(st.sampled_from(KEYS), st.text("ab ", min_size=1, max_size=60), st.integers(1, 2**159 - 1))
def test_a_renewed_certificate_has_the_same_key(key: Key, name: str, serial: int) -> None:
    certificate = certificate_of(key, name, serial)
    assert key_fingerprint(certificate) == expected(certificate)
    assert key_fingerprint(certificate_of(key, "other", 1)) == key_fingerprint(certificate)


@given(st.binary(max_size=40))
def test_what_is_no_certificate_is_refused(data: bytes) -> None:
    with pytest.raises(NoCertificate):
        key_fingerprint(data)


def test_a_certificate_that_is_cut_off_is_refused() -> None:
    certificate = certificate_of(KEYS[0], "golf", 7)
    for length in range(len(certificate)):
        with pytest.raises(NoCertificate):
            key_fingerprint(certificate[:length])
