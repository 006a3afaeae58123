import hashlib
import re
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from golfnet.protocol.address import key_fingerprint
from golfnet.server.net.tls import BadCertificate, Certificate, own_certificate, own_names
from tests.e2e.service import service


def write(folder: Path, name: str) -> trustme.LeafCert:
    issued = trustme.CA().issue_cert(name)
    issued.private_key_pem.write_to_path(folder / "key.pem")
    issued.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    return issued


def der(pem: bytes) -> bytes:
    return ssl.PEM_cert_to_DER_cert(pem.decode())


def test_a_certificate_of_ones_own_is_made_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "state" / "golfnet.tls.pem"
    made = own_certificate(path, ["golf.example.org"])
    assert path.stat().st_mode & 0o777 == 0o600
    assert re.fullmatch("[0-9a-f]{64}", made.fingerprint)
    before = path.read_bytes()
    assert own_certificate(path).fingerprint == made.fingerprint
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_openssl_finds_nothing_wrong_with_it(tmp_path: Path, needs_tool: Callable[[str], str]) -> None:
    path = tmp_path / "golfnet.tls.pem"
    made = own_certificate(path, ["golf.example.org"])
    shown = subprocess.run(
        [needs_tool("openssl"), "x509", "-in", path, "-noout", "-text"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    written = f"openssl x509 -in '{path}' -noout -pubkey | openssl pkey -pubin -outform DER"
    key = subprocess.run(written, shell=True, check=True, capture_output=True).stdout
    assert made.fingerprint == hashlib.sha256(key).hexdigest()
    assert "DNS:localhost, DNS:golf.example.org" in shown
    assert "CA:FALSE" in shown
    assert "prime256v1" in shown


def test_a_renewed_certificate_is_taken_and_a_broken_one_is_not(tmp_path: Path) -> None:
    first = write(tmp_path, "localhost")
    certificate = Certificate(tmp_path / "cert.pem", tmp_path / "key.pem")
    assert certificate.fingerprint == key_fingerprint(der(first.cert_chain_pems[0].bytes()))
    context = certificate.context
    second = write(tmp_path, "localhost")
    certificate.reload()
    renewed = key_fingerprint(der(second.cert_chain_pems[0].bytes()))
    assert certificate.fingerprint == renewed
    trustme.CA().issue_cert("other").private_key_pem.write_to_path(tmp_path / "key.pem")
    with pytest.raises(BadCertificate, match="expected a certificate and its key"):
        certificate.reload()
    assert certificate.fingerprint == renewed
    assert certificate.context is context


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_other_files_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.pem").write_bytes(content)
    with pytest.raises(BadCertificate, match=r"x\.pem"):
        Certificate(tmp_path / "x.pem", tmp_path / "x.pem")


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadCertificate, match=r"none\.pem: expected a PEM file that this server may read"):
        Certificate(tmp_path / "none.pem", tmp_path / "none.pem")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadCertificate, match="cannot be written"):
        own_certificate(tmp_path / "file" / "golfnet.tls.pem")


def test_names_that_no_certificate_can_carry_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, carried in (("den", ["den"]), ("localhost", []), ("höhle", [])):
        monkeypatch.setattr("socket.gethostname", lambda name=name: name)
        assert own_names() == carried


def test_openssl_s_client_plays_over_tls(
    tmp_path: Path, needs_tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    openssl = needs_tool("openssl")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with service("--tls-port", "0", "--tls-self-signed") as running:
        found = re.search(
            r"golfnet-client tls://127\.0\.0\.1:(\d+)\s+public key: SHA-256 (\w+)", running.printed
        )
        assert found is not None
        port, fingerprint = found.groups()
        assert own_certificate(tmp_path / "golfnet" / "golfnet.tls.pem").fingerprint == fingerprint
        talk = subprocess.run(
            [openssl, "s_client", "-connect", f"127.0.0.1:{port}", "-quiet", "-tls1_3"],
            input=b"name Ann\nvariants\nquit\n",
            capture_output=True,
            timeout=60,
        )
        assert b"= You are Ann." in talk.stdout
        assert b"cactus" in talk.stdout
        assert b"Goodbye." in talk.stdout
        old = subprocess.run(
            [openssl, "s_client", "-connect", f"127.0.0.1:{port}", "-tls1_1"],
            input=b"",
            capture_output=True,
            timeout=60,
        )
        assert old.returncode != 0
