import contextlib
import ssl
import struct
from collections.abc import AsyncIterator
from functools import partial

import pytest
import trio
import trustme

from golfnet.rulesets import catalogue
from golfnet.server.accounts.sanctions import Sanction
from golfnet.server.config import Config
from golfnet.server.net.entrance import SIGNATURE, peer_address
from golfnet.server.net.listeners import PortKind
from golfnet.server.net.tls import Certificate
from golfnet.server.net.transport import Carrier, ProxyRoundTrip
from golfnet.server.serve import Running, serve
from golfnet.storage.directory import SanctionKind
from golfnet.storage.sqlite import MemoryStore


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def certificate(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    folder = tmp_path_factory.mktemp("tls")
    issued = authority.issue_cert("localhost")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    for each in issued.cert_chain_pems:
        each.write_to_path(folder / "cert.pem", append=True)
    return Certificate(folder / "cert.pem", folder / "key.pem")


@contextlib.asynccontextmanager
async def running(certificate: Certificate | None = None, **settings: object) -> AsyncIterator[Running]:
    config = Config(port=0, telnet_port=-1, drain_time=0, **settings)  # type: ignore[arg-type]
    async with trio.open_nursery() as nursery:
        start = partial(serve, config, store=MemoryStore(), catalogue=catalogue(), certificate=certificate)
        yield (server := await nursery.start(start))
        server.stop.set()


async def line_with(stream: trio.abc.Stream, wanted: bytes) -> bytes:
    received = b""
    with trio.fail_after(60):
        while wanted not in received:
            data = await stream.receive_some()
            assert data, received
            received += bytes(data)
    return received


async def is_cut_off(stream: trio.abc.Stream) -> bytes:
    received = b""
    with trio.fail_after(60), contextlib.suppress(trio.BrokenResourceError):
        async for data in stream:
            received += bytes(data)
    await stream.aclose()
    return received


async def call(server: Running, kind: PortKind, data: bytes = b"") -> trio.SocketStream:
    """Return a connection to a port, over which the data has been sent."""
    ((host, port),) = server.addresses[kind]
    stream = await trio.open_tcp_stream(host, port)
    await stream.send_all(data)
    return stream


def header(source: bytes, port: int = 51324, *, command: int = 1, more: bytes = b"") -> bytes:
    payload = source + source + struct.pack("!HH", port, 7780) + more
    kind = bytes([0x20 | command, 0x11 if len(source) == 4 else 0x21])
    return SIGNATURE + kind + struct.pack("!H", len(payload)) + payload


SOMEBODY = bytes([203, 0, 113, 7])


async def test_the_game_works_the_same_with_tls(authority: trustme.CA, certificate: Certificate) -> None:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    async with running(certificate, tls_port=0, tls_self_signed=True) as server:
        raw = await call(server, PortKind.TLS)
        stream = trio.SSLStream(raw, context, server_hostname="localhost", https_compatible=True)
        await line_with(stream, b"! golfnet")
        await stream.send_all(b"name Ann\n")
        await line_with(stream, b"= You are Ann.")
        (session,) = server.lobby.sessions
        assert session.transport.address == "127.0.0.1"
        assert session.transport.carrier is Carrier.TLS
        assert session.transport.round_trip() is not None  # measured by the kernel, even through TLS
        await stream.send_all(b"quit\n")
        assert b"Goodbye" in await is_cut_off(stream)


async def test_peers_that_do_not_speak_tls_are_cut_off_and_no_longer_counted(
    certificate: Certificate,
) -> None:
    async with running(certificate, tls_port=0, tls_self_signed=True) as server:
        stream = await call(server, PortKind.TLS, b"name Ann\n" * 10)
        assert b"golfnet" not in await is_cut_off(stream)
        assert not server.lobby.sessions


async def test_a_silent_peer_is_cut_off_during_the_handshake(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("golfnet.server.net.entrance.HANDSHAKE_SECONDS", 0.05)
    async with running(certificate, tls_port=0, tls_self_signed=True) as server:
        stream = await call(server, PortKind.TLS)
        assert await is_cut_off(stream) == b""


@pytest.mark.parametrize(
    ("source", "address"),
    [
        (SOMEBODY, "203.0.113.7"),
        (bytes.fromhex("20010db8000000000000000000000001"), "2001:db8::1"),
        (bytes.fromhex("00000000000000000000ffffcb007107"), "203.0.113.7"),
    ],
)
async def test_a_trusted_proxy_names_the_players_address(source: bytes, address: str) -> None:
    async with running(proxy_port=0, proxy_from=("127.0.0.0/8",)) as server:
        stream = await call(server, PortKind.PROXY)
        everything = header(source) + b"name Ann\n"
        for start in range(0, len(everything), 5):  # in pieces, followed by the player's first line
            await stream.send_all(everything[start : start + 5])
        await line_with(stream, b"= You are Ann.")
        (session,) = server.lobby.sessions
        assert session.transport.address == address
        assert session.transport.carrier is Carrier.PROXY
        assert session.transport.round_trip() is None  # the kernel would measure the proxy
        await stream.aclose()


@pytest.mark.parametrize(("rtt_type", "told"), [(0xE4, ProxyRoundTrip(0.048211)), (5, None), (0, None)])
async def test_the_round_trip_measured_by_a_trusted_proxy_is_used(
    rtt_type: int, told: ProxyRoundTrip | None
) -> None:
    async with running(proxy_port=0, proxy_from=("127.0.0.1",), proxy_rtt_type=rtt_type) as server:
        stream = await call(
            server, PortKind.PROXY, header(SOMEBODY, more=b"\x03\0\x04abcd" + b"\xe4\0\x0548211")
        )
        await line_with(stream, b"! golfnet")
        (session,) = server.lobby.sessions
        assert session.transport.round_trip() == told
        await stream.aclose()


async def test_a_guest_can_reclaim_a_name_from_their_address_but_not_from_the_proxys() -> None:
    async with running(proxy_port=0, proxy_from=("127.0.0.1",)) as server:

        async def named(name: str, source: bytes, *, command: int = 1) -> bytes:
            lines = f"hello 1\n1 name {name}\n".encode()
            stream = await call(server, PortKind.PROXY, header(source, command=command) + lines)
            answer = await line_with(stream, b'"id":1')
            await stream.send_eof()
            await is_cut_off(stream)
            return answer

        elsewhere = bytes([203, 0, 113, 8])
        assert b'"token"' in await named("Ann", SOMEBODY)
        assert b"NAME_TAKEN" in await named("Ann", elsewhere)
        assert b"NAME_TAKEN" in await named("Ann", SOMEBODY, command=0)
        assert b'"token"' in await named("Ann", SOMEBODY)
        assert b'"token"' in await named("Bob", SOMEBODY, command=0)
        assert b"NAME_TAKEN" in await named("Bob", SOMEBODY, command=0)


@pytest.mark.parametrize(
    ("trusted", "sent"),
    [
        (("10.0.0.0/8", "::1"), header(SOMEBODY)),
        (("127.0.0.1",), b"name Ann\nname Ann\nname Ann\n"),
        (("127.0.0.1",), b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"),
    ],
    ids=["a stranger", "no header", "version 1"],
)
async def test_only_the_proxy_can_connect_to_the_proxys_port(trusted: tuple[str, ...], sent: bytes) -> None:
    async with running(proxy_port=0, proxy_from=trusted) as server:
        stream = await call(server, PortKind.PROXY, sent)
        assert await is_cut_off(stream) == b""
        assert not server.lobby.sessions


async def test_a_silent_proxy_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("golfnet.server.net.entrance.PROXY_SECONDS", 0.05)
    async with running(proxy_port=0, proxy_from=("127.0.0.1",)) as server:
        stream = await call(server, PortKind.PROXY, SIGNATURE)
        assert await is_cut_off(stream) == b""


async def test_limits_and_bans_apply_to_the_person_behind_the_proxy() -> None:
    async with running(proxy_port=0, proxy_from=("127.0.0.1",), connections_per_address=1) as server:
        public = header(bytes([8, 8, 8, 8]))
        first = await call(server, PortKind.PROXY, public)
        await line_with(first, b"! golfnet")
        second = await call(server, PortKind.PROXY, public)
        assert (await is_cut_off(second)).startswith(b"! TOO_MANY")
        server.lobby.sanctions.add(SanctionKind.BAN, Sanction(whom="9.9.9.0/24"))
        third = await call(server, PortKind.PROXY, header(bytes([9, 9, 9, 9])))
        assert (await is_cut_off(third)).startswith(b"! TOO_MANY")
        assert server.lobby.counters.turned_away == {"address": 1, "banned": 1}
        await first.aclose()


async def test_the_address_of_a_closed_socket_is_unknown() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    stream = await trio.open_tcp_stream("127.0.0.1", listeners[0].socket.getsockname()[1])
    assert peer_address(stream) == "127.0.0.1"
    await stream.aclose()
    assert peer_address(stream) is None
    await listeners[0].aclose()


async def test_without_a_hub_plain_connections_are_also_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("golfnet.server.net.hub.Hub.is_supported", staticmethod(lambda: False))
    async with running() as server:
        stream = await call(server, PortKind.PLAIN, b"name Ann\n")
        await line_with(stream, b"= You are Ann.")
        await stream.aclose()
