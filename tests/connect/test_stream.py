"""Trust in a server: a certificate authority vouches for it, or its first key is remembered; on real sockets."""

import contextlib
import hashlib
import ssl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import trio
import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from golfnet.connect import AUTHORITY, KEY, Trust, Untrusted, open_stream
from golfnet.protocol.address import Address, key_fingerprint
from tests.protocol.test_address import certificate_of


class Server:
    """A server that speaks TLS only if it has a ``context``; with another context, it stands for another server."""

    def __init__(self, context: ssl.SSLContext | None, port: int) -> None:
        self.context = context
        self.address = Address(host="localhost", port=port, tls=True)
        self.heard = b""
        """What clients have sent after their handshakes."""

    async def greet(self, stream: trio.SocketStream) -> None:
        """Do the TLS handshake, send a greeting, and record what the client sends."""
        line: trio.abc.Stream = stream
        if self.context is not None:
            line = trio.SSLStream(stream, self.context, server_side=True, https_compatible=True)
        with contextlib.suppress(trio.BrokenResourceError):
            await line.send_all(b"hello")
            async for data in line:
                self.heard += bytes(data)
        await trio.aclose_forcefully(line)


@contextlib.asynccontextmanager
async def listening(context: ssl.SSLContext | None) -> AsyncIterator[Server]:
    """Run a server until the block ends."""
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        server = Server(context, listeners[0].socket.getsockname()[1])
        await nursery.start(trio.serve_listeners, server.greet, listeners)
        yield server
        nursery.cancel_scope.cancel()


async def visit(server: Server, trust: Trust) -> None:
    stream = await open_stream(server.address, trust)
    assert await stream.receive_some() == b"hello"
    await trio.aclose_forcefully(stream)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def vouching(authority: trustme.CA, monkeypatch: pytest.MonkeyPatch) -> Iterator[trustme.CA]:
    """Make this system trust an authority."""
    with authority.cert_pem.tempfile() as path:
        monkeypatch.setenv("SSL_CERT_FILE", path)
        yield authority


@pytest.fixture(autouse=True)
def no_authorities(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make this system trust no authority unless the test adds one."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))


def issued(authority: trustme.CA, name: str = "localhost") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def self_signed(folder: Path, key: ec.EllipticCurvePrivateKey, serial: int) -> ssl.SSLContext:
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    certificate = ssl.DER_cert_to_PEM_cert(certificate_of(key, "golf", serial))
    path = folder / f"{serial}.pem"
    path.write_bytes(secret + certificate.encode())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


async def test_without_a_known_key_an_authority_has_to_vouch_for_a_server(vouching: trustme.CA) -> None:
    kept: list[str] = []
    trust = Trust(keep=kept.append)
    async with listening(issued(vouching)) as server:
        await visit(server, trust)
        server.context = issued(vouching)  # renewed, with another key
        await visit(server, trust)
        for impostor in (issued(trustme.CA()), issued(vouching, "evil.example.org")):
            server.context = impostor
            with pytest.raises(
                Untrusted, match="is not the same server: expected verification by an authority, found"
            ):
                await open_stream(server.address, trust)
        assert kept == [AUTHORITY]
        assert not server.heard


async def test_only_the_first_key_is_trusted(tmp_path: Path) -> None:
    kept: list[str] = []
    trust = Trust(keep=kept.append)
    key = ec.generate_private_key(ec.SECP256R1())
    async with listening(self_signed(tmp_path, key, 1)) as server:
        await visit(server, trust)
        (first,) = kept
        assert first == KEY + key_fingerprint(certificate_of(key, "golf", 1))
        server.context = self_signed(tmp_path, key, 2)  # renewed, with the same key
        await visit(server, trust)
        other = ec.generate_private_key(ec.SECP256R1())
        server.context = self_signed(tmp_path, other, 3)
        for _ in range(2):  # showing a key twice does not make it trusted
            with pytest.raises(Untrusted, match=f"expected the key {first[4:20]}, found the key ") as refused:
                await open_stream(server.address, trust)
        assert not server.heard
        assert kept == [first]
        trust.known = refused.value.shown
        await visit(server, trust)


async def test_a_stored_certificate_fingerprint_becomes_a_key_unless_it_differs(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    context = self_signed(tmp_path, key, 1)
    text = (tmp_path / "1.pem").read_text()
    certificate = ssl.PEM_cert_to_DER_cert(text[text.index(ssl.PEM_HEADER) :])
    kept: list[str] = []
    trust = Trust(hashlib.sha256(certificate).hexdigest(), keep=kept.append)
    async with listening(context) as server:
        await visit(server, trust)
        server.context = self_signed(tmp_path, key, 2)
        await visit(server, trust)
        with pytest.raises(Untrusted, match="expected the key 0000000000000000, found"):
            await open_stream(server.address, Trust("0" * 64))
    assert kept == [KEY + key_fingerprint(certificate)]


async def test_a_requested_fingerprint_overrides_authorities(vouching: trustme.CA) -> None:
    async with listening(issued(vouching)) as server:
        with pytest.raises(Untrusted):
            await open_stream(server.address, Trust(only="0" * 64))
        met = Trust()
        await visit(server, met)
        shown: list[str] = []
        with pytest.raises(Untrusted) as refused:
            await open_stream(server.address, Trust("0" * 64, only="1" * 64, keep=shown.append))
        await visit(server, Trust(only=refused.value.shown.removeprefix(KEY), keep=shown.append))
        assert not shown


async def test_a_server_without_tls_is_reported() -> None:
    async with listening(None) as server:
        with pytest.raises(OSError, match="does not speak TLS"):
            await open_stream(server.address, Trust())
