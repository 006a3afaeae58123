"""Addresses and announcements survive being written and read, and malformed ones are refused or ignored."""

import datetime
import hashlib

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings, strategies as st

from golfnet import __version__
from golfnet.protocol.address import (
    PORT,
    TLS_PORT,
    Address,
    Announcement,
    BadAddress,
    NoCertificate,
    announcement_of,
    key_fingerprint,
    parse_address,
    properties,
    reason_of,
)
from golfnet.server.config import Config


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("golf.example.org", Address(host="golf.example.org")),
        ("golf.example.org:99", Address(host="golf.example.org", port=99)),
        ("golf.example.org:", Address(host="golf.example.org")),
        ("tls://golf.example.org", Address(host="golf.example.org", port=7779, tls=True)),
        ("tls://golf.example.org:7777", Address(host="golf.example.org", tls=True)),
        ("[::1]:99", Address(host="::1", port=99)),
        ("::1", Address(host="::1")),
        ("192.0.2.5:7779", Address(host="192.0.2.5", port=7779)),
        ("tls://[fd00::5]:80", Address(host="fd00::5", port=80, tls=True)),
    ],
)
def test_addresses_are_parsed_with_the_default_ports_of_a_server(text: str, address: Address) -> None:
    assert (Config().port, Config().tls_port) == (PORT, TLS_PORT)
    assert parse_address(text) == address
    assert parse_address(str(address)) == parse_address(address.short) == address
    assert len(address.short) <= len(str(address))
    assert parse_address(text.removeprefix("tls://"), tls=address.tls) == address


@pytest.mark.parametrize("text", ["", ":", "host:port", "host:0", "host:70000", ":7777", "a..b", "a" * 64])
def test_malformed_addresses_are_refused(text: str) -> None:
    with pytest.raises(BadAddress, match="a server such as"):
        parse_address(text)


def test_a_connection_failure_is_explained_in_words_for_the_last_address_tried() -> None:
    assert reason_of(ConnectionRefusedError(111, "Connection refused")) == "connection refused"
    problem = OSError("all attempts failed")
    tried = [OSError(1, "Not permitted"), OSError(113, "No route to host")]
    problem.__cause__ = ExceptionGroup("tried", tried)
    assert reason_of(problem) == "no route to host"
    assert reason_of(TimeoutError()) == "no answer"


BEGAN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
KEYS: tuple[Key, ...] = (ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048))


def certificate_of(key: Key, name: str, serial: int) -> bytes:
    """Return a self-signed certificate for a key."""
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    until, public = BEGAN + datetime.timedelta(days=90), key.public_key()
    builder = x509.CertificateBuilder(subject, subject, public, serial, BEGAN, until)
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


@given(st.sampled_from(KEYS), st.text("ab ", min_size=1, max_size=60), st.integers(1, 2**159 - 1))
def test_a_key_fingerprint_is_read_from_a_certificate_and_stays_the_same_if_it_is_renewed(
    key: Key, name: str, serial: int
) -> None:
    certificate = certificate_of(key, name, serial)
    whole = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert key_fingerprint(certificate) == hashlib.sha256(whole).hexdigest()
    assert key_fingerprint(certificate_of(key, "other", 1)) == key_fingerprint(certificate)


@settings(max_examples=settings().max_examples // 5)
@given(st.binary(max_size=40))
def test_malformed_certificates_are_refused(data: bytes) -> None:
    certificate = certificate_of(KEYS[0], "golf", 7)
    for malformed in (data, *(certificate[:length] for length in range(len(certificate)))):
        with pytest.raises(NoCertificate):
            key_fingerprint(malformed)


PORTS = st.none() | st.integers(1, 65535)
COUNTS = st.none() | st.integers(0, 999_999)


def test_a_server_announces_its_version_protocol_and_ports() -> None:
    announced = {"version": __version__, "protocol": "1", "tls_port": "7779"}
    assert properties(Announcement(tls_port=7779)) == announced


@given(telnet=PORTS, tls=PORTS, players=COUNTS, tables=COUNTS)
def test_announcements_survive_being_written_and_read(
    telnet: int | None, tls: int | None, players: int | None, tables: int | None
) -> None:
    announced = Announcement(telnet_port=telnet, tls_port=tls, players=players, open_tables=tables)
    told = properties(announced)
    assert announcement_of(told) == announced
    assert sum(len(f"{key}={value}") + 1 for key, value in told.items()) < 200, "it fits into one packet"


@pytest.mark.parametrize("text", [None, "", "-1", "many", "²", "٣", "1 ", "9" * 5000])
def test_malformed_numbers_are_ignored(text: str | None) -> None:
    assert announcement_of({"players": text, "open_tables": text}) == Announcement()
    for port in (text, "0", "65536"):
        assert announcement_of({"tls_port": port, "tls": "1"}) == Announcement()
