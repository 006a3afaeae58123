import hashlib
import os
import re
import ssl
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from golfnet.protocol.address import key_fingerprint
from golfnet.server.net.tls import (
    BadCertificate,
    Certificate,
    NodeCertificate,
    _shake_hands,
    own_certificate,
    own_names,
)
from tests.e2e.service import service


def node_files(
    folder: Path, authority: trustme.CA, *, until: datetime | None = None
) -> tuple[Path, Path, Path]:
    """Write a node's certificate and key and the authority's certificate; return their paths."""
    folder.mkdir(exist_ok=True)
    files = folder / "node.pem", folder / "node.key", folder / "ca.pem"
    issued = authority.issue_cert("somewhere.invalid", not_after=until)
    for path, blob in zip(
        files, (issued.cert_chain_pems[0], issued.private_key_pem, authority.cert_pem), strict=True
    ):
        path.touch(mode=0o600)
        blob.write_to_path(path)
    return files


def test_a_self_signed_certificate_is_made_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "state" / "golfnet.tls.pem"
    made = own_certificate(path, ["golf.example.org"])
    assert path.stat().st_mode & 0o777 == 0o600
    assert re.fullmatch("[0-9a-f]{64}", made.fingerprint)
    before = path.read_bytes()
    assert own_certificate(path).fingerprint == made.fingerprint
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_openssl_reads_the_self_signed_certificate(tmp_path: Path, needs_tool: Callable[[str], str]) -> None:
    needs_tool("openssl")
    path = tmp_path / "golfnet.tls.pem"
    made = own_certificate(path, ["golf.example.org"])

    def shell(line: str) -> bytes:
        return subprocess.run(line, shell=True, check=True, capture_output=True).stdout

    shown = shell(f"openssl x509 -in '{path}' -noout -text").decode()
    key = shell(f"openssl x509 -in '{path}' -noout -pubkey | openssl pkey -pubin -outform DER")
    assert made.fingerprint == hashlib.sha256(key).hexdigest()
    for part in ("DNS:localhost, DNS:golf.example.org", "CA:FALSE", "prime256v1"):
        assert part in shown


@pytest.mark.parametrize("kind", [Certificate, NodeCertificate])
def test_a_renewed_certificate_is_loaded_and_a_broken_one_is_not(
    tmp_path: Path, kind: type[Certificate | NodeCertificate]
) -> None:
    files = node_files(tmp_path, authority := trustme.CA())[: 2 if kind is Certificate else 3]
    certificate = kind(*files)
    for _ in range(2):
        node_files(tmp_path, authority)
        certificate.reload()
        renewed = key_fingerprint(ssl.PEM_cert_to_DER_cert(files[0].read_text()))
        assert certificate.fingerprint == renewed
    before = vars(certificate).copy()
    node_files(tmp_path / "other", authority)[0].replace(files[0])  # for another key
    with pytest.raises(BadCertificate, match="expected a certificate and its key"):
        certificate.reload()
    assert vars(certificate) == before
    # The old certificate still works.
    if isinstance(certificate, Certificate):
        client = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())
        client.check_hostname = False
        _shake_hands(certificate.context, client)
    else:
        _shake_hands(certificate.accepting, certificate.dialling)


def test_an_unwritable_path_is_named_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadCertificate, match="cannot be written"):
        own_certificate(tmp_path / "file" / "golfnet.tls.pem")


def test_names_that_no_certificate_can_contain_are_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, carried in (("den", ["den"]), ("localhost", []), ("höhle", [])):
        monkeypatch.setattr("socket.gethostname", lambda name=name: name)
        assert own_names() == carried


READABLE = "expected a PEM file that this server may read"
AUTHORITY = "expected, in PEM, the certificate of the authority that signs the certificates of all nodes"
PAIR = "expected a certificate and its key without a password, in PEM"


@pytest.mark.parametrize(
    ("wrong", "content", "complaint"),
    [
        (0, None, f"node.pem: {READABLE}"),
        (1, None, f"node.key: {READABLE}"),
        (2, None, f"ca.pem: {READABLE}"),
        (0, "nonsense", f"node.pem and .*node.key: {PAIR}"),
        (2, "nonsense", f"ca.pem: {AUTHORITY}"),
        (2, "", f"ca.pem: {AUTHORITY}"),
    ],
)
def test_an_unusable_node_file_is_refused_saying_what_was_expected(
    tmp_path: Path, wrong: int, content: str | None, complaint: str
) -> None:
    files = node_files(tmp_path, trustme.CA())
    files[wrong].unlink()
    if content is not None:
        files[wrong].write_text(content)
    with pytest.raises(BadCertificate, match=rf"^{re.escape(str(tmp_path))}/{complaint}"):
        NodeCertificate(*files)


@pytest.mark.skipif(os.name != "posix", reason="no file modes here")
def test_a_node_key_readable_by_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = node_files(tmp_path, trustme.CA())
    files[1].chmod(0o640)
    with pytest.raises(
        BadCertificate, match=r"node\.key: expected a key that nobody else can read: chmod 600 /"
    ):
        NodeCertificate(*files)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))  # systemd lets nobody else into this directory
    assert NodeCertificate(*files).fingerprint


def test_a_node_certificate_that_other_nodes_would_refuse_is_refused_at_once(tmp_path: Path) -> None:
    authority = trustme.CA()
    one, other = node_files(tmp_path / "1", authority), node_files(tmp_path / "2", trustme.CA())
    with pytest.raises(BadCertificate, match="expected a certificate and its key"):
        NodeCertificate(one[0], other[1], one[2])
    wanted = "node.pem: expected a certificate signed by one in .*ca.pem, for both server and client"
    with pytest.raises(BadCertificate, match=wanted):
        NodeCertificate(*one[:2], other[2])
    late = node_files(tmp_path / "3", authority, until=datetime(2020, 1, 1, tzinfo=UTC))
    with pytest.raises(BadCertificate, match=rf"{wanted} \(certificate has expired\)"):
        NodeCertificate(*late)


def test_certificates_made_as_the_guide_says_work(tmp_path: Path, needs_tool: Callable[[str], str]) -> None:
    needs_tool("openssl")
    guide = (Path(__file__).parents[3] / "deploy" / "README.md").read_text()
    typed = re.search(r"\n\n((?:    .*\n)+)", guide.partition("\n### TLS between nodes\n")[2])
    assert typed is not None
    subprocess.run(["sh", "-ec", typed.group(1)], cwd=tmp_path, check=True, capture_output=True)
    chain, key, authority = (tmp_path / name for name in ("node.pem", "node.key", "nodes-ca.pem"))
    assert NodeCertificate(chain, key, authority).fingerprint


def test_openssl_s_client_can_play_over_tls(
    tmp_path: Path, needs_tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    openssl = needs_tool("openssl")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def talk(port: str, version: str, *more: str) -> subprocess.CompletedProcess[bytes]:
        command = [openssl, "s_client", "-connect", f"127.0.0.1:{port}", version, *more]
        return subprocess.run(command, input=b"name Ann\nvariants\nquit\n", capture_output=True, timeout=60)

    with service("--tls-port", "0", "--tls-self-signed") as running:
        port, fingerprint = running.wait_for(
            r"golfnet-client tls://127\.0\.0\.1:(\d+)\s+public key: SHA-256 (\w+)"
        )
        assert own_certificate(tmp_path / "golfnet" / "golfnet.tls.pem").fingerprint == fingerprint
        told = talk(port, "-tls1_3", "-quiet").stdout
        assert all(each in told for each in (b"= You are Ann.", b"cactus", b"Goodbye."))
        assert talk(port, "-tls1_1").returncode != 0
