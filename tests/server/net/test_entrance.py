import ipaddress
import socket
import ssl
import struct

import pytest
import trio
import trustme
from hypothesis import given, strategies as st

from golfnet.server.commands.dispatch import LobbyAcceptor
from golfnet.server.net.entrance import (
    PREAMBLE,
    SIGNATURE,
    BadProxyHeader,
    Source,
    length_of_rest,
    parse,
    peer_address,
)
from golfnet.server.net.kernel import ProxyRoundTrip
from golfnet.server.net.listeners import PortKind
from golfnet.server.net.tls import Certificate
from golfnet.server.net.transport import Carrier
from golfnet.server.serve import Running
from golfnet.storage.directory import Sanction, SanctionKind
from tests.server.test_serve import Caller, served


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def certificate(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    path = tmp_path_factory.mktemp("tls") / "golf.pem"
    authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(path)
    return Certificate(path, path)


async def call(server: Running, kind: PortKind, data: bytes = b"") -> Caller:
    """Connect to a port, and send the data."""
    caller = Caller(await trio.open_tcp_stream(*server.addresses[kind][0]))
    await caller.send(data)
    return caller


def header(command: int, family: int, payload: bytes, *, version: int = 2, transport: int = 1) -> bytes:
    kind = bytes([version << 4 | command, family << 4 | transport])
    return SIGNATURE + kind + struct.pack("!H", len(payload)) + payload


def proxied(source: bytes, port: int = 51324, *, command: int = 1, more: bytes = b"") -> bytes:
    """Return the header for a player's address."""
    family = 1 if len(source) == 4 else 2
    return header(command, family, source + source + struct.pack("!HH", port, 7780) + more)


SOMEBODY = bytes([203, 0, 113, 7])


async def test_the_game_works_the_same_with_tls(authority: trustme.CA, certificate: Certificate) -> None:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    async with served(certificate=certificate, tls_port=0, tls_self_signed=True) as server:
        raw = await trio.open_tcp_stream(*server.addresses[PortKind.TLS][0])
        ann = Caller(trio.SSLStream(raw, context, server_hostname="localhost", https_compatible=True))
        await ann.send(b"name Ann\n")
        await ann.until(b"= You are Ann.")
        (session,) = server.lobby.sessions
        assert session.transport.address == "127.0.0.1"
        assert session.transport.carrier is Carrier.TLS
        assert session.transport.round_trip() is not None  # measured by the kernel, even through TLS
        await ann.send(b"quit\n")
        assert b"Goodbye" in await ann.rest()


@pytest.mark.parametrize("sent", [b"", b"name Ann\n" * 10], ids=["silent", "without TLS"])
async def test_peers_without_a_handshake_are_cut_off_and_no_longer_counted(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    gone: list[str] = []
    monkeypatch.setattr(LobbyAcceptor, "gone", lambda acceptor, address: gone.append(address))
    if not sent:
        monkeypatch.setattr("golfnet.server.net.entrance.HANDSHAKE_SECONDS", 0.05)
    async with served(certificate=certificate, tls_port=0, tls_self_signed=True) as server:
        assert b"golfnet" not in await (await call(server, PortKind.TLS, sent)).rest()
        assert not server.lobby.sessions
        assert gone == ["127.0.0.1"]


@pytest.mark.parametrize(("rtt_type", "told"), [(0xE4, ProxyRoundTrip(0.048211)), (5, None)])
async def test_a_proxy_reports_address_and_round_trip(rtt_type: int, told: ProxyRoundTrip | None) -> None:
    """If the proxy reports no round trip, none is known: the kernel would measure only the round trip to the proxy."""
    announced = proxied(SOMEBODY, more=b"\x03\0\x04abcd" + b"\xe4\0\x0548211")
    async with served(proxy_port=0, proxy_from=("127.0.0.0/8",), proxy_rtt_type=rtt_type) as server:
        ann = await call(server, PortKind.PROXY, announced[:5])
        for piece in (announced[5:20], announced[20:] + b"name Ann\n"):
            await ann.send(piece)
        await ann.until(b"= You are Ann.")
        (session,) = server.lobby.sessions
        assert session.transport.address == "203.0.113.7"
        assert session.transport.carrier is Carrier.PROXY
        assert session.transport.round_trip() == told
        await ann.stream.aclose()


async def test_a_guest_can_reclaim_a_name_from_their_address_but_not_from_the_proxys() -> None:
    async with served(proxy_port=0, proxy_from=("127.0.0.1",)) as server:

        async def named(name: str, source: bytes, *, command: int = 1) -> bytes:
            lines = f"hello 1\nname {name}\n".encode()
            guest = await call(server, PortKind.PROXY, proxied(source, command=command) + lines)
            assert isinstance(guest.stream, trio.SocketStream)
            await guest.stream.send_eof()
            return await guest.rest()

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
        (("10.0.0.0/8", "::1"), proxied(SOMEBODY)),
        (("127.0.0.1",), b"name Ann\nname Ann\nname Ann\n"),
        (("127.0.0.1",), b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"),
        (("127.0.0.1",), SIGNATURE),
    ],
    ids=["a stranger", "no header", "version 1", "unfinished"],
)
async def test_only_the_proxy_can_connect_to_the_proxys_port(
    monkeypatch: pytest.MonkeyPatch, trusted: tuple[str, ...], sent: bytes
) -> None:
    if sent == SIGNATURE:
        monkeypatch.setattr("golfnet.server.net.entrance.PROXY_SECONDS", 0.05)
    async with served(proxy_port=0, proxy_from=trusted) as server:
        assert await (await call(server, PortKind.PROXY, sent)).rest() == b""
        assert not server.lobby.sessions


async def test_limits_and_bans_apply_to_the_person_behind_the_proxy() -> None:
    async with served(proxy_port=0, proxy_from=("127.0.0.1",), connections_per_address=1) as server:
        public = proxied(bytes([8, 8, 8, 8]))
        first = await call(server, PortKind.PROXY, public)
        await first.until(b"! golfnet")
        server.lobby.sanctions.add(SanctionKind.BAN, Sanction(whom="9.9.9.0/24"))
        for announced in (public, proxied(bytes([9, 9, 9, 9]))):
            assert (await (await call(server, PortKind.PROXY, announced)).rest()).startswith(b"! TOO_MANY")
        assert server.lobby.counters.turned_away == {"address": 1, "banned": 1}
        await first.stream.aclose()


async def test_the_address_of_a_closed_socket_is_unknown() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stream = await trio.open_tcp_stream(*listener.getsockname())
        assert peer_address(stream) == "127.0.0.1"
        await stream.aclose()
        assert peer_address(stream) is None


# --- the header of the PROXY protocol


def parsed(data: bytes, rtt_type: int = 0) -> Source | None:
    assert length_of_rest(data[:PREAMBLE]) == len(data) - PREAMBLE
    return parse(data[:PREAMBLE], data[PREAMBLE:], rtt_type)


@given(st.ip_addresses(), st.integers(0, 65535), st.binary(max_size=300), st.integers(0, 255))
def test_the_source_address_is_read_whatever_else_the_header_contains(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, port: int, more: bytes, rtt_type: int
) -> None:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    source = parsed(proxied(address.packed, port, more=more), rtt_type)
    assert source is not None
    assert source.address == str(mapped or address)
    assert source.round_trip is None or 0 < source.round_trip.smallest < 100


def test_a_header_written_out_byte_by_byte_is_parsed() -> None:
    # 203.0.113.7:51324 to 198.51.100.2:7780, then a TLV of type 3 with four bytes.
    data = bytes.fromhex("0d0a0d0a000d0a515549540a 2111 0013 cb007107 c6336402 c87c 1e64 030004 7c2e9a01")
    assert parsed(data) == Source("203.0.113.7")


@given(st.binary(max_size=60))
def test_headers_of_local_and_non_network_connections_contain_no_address(payload: bytes) -> None:
    for command, family, transport in ((0, 1, 1), (1, 0, 0), (1, 3, 1)):  # the last one is for unix sockets
        assert parsed(header(command, family, payload, transport=transport)) is None


@given(st.integers(0, 255), st.integers(0, 255), st.binary(max_size=60))
def test_bytes_after_the_signature_are_parsed_or_refused(command: int, family: int, payload: bytes) -> None:
    data = SIGNATURE + bytes([command, family]) + struct.pack("!H", len(payload)) + payload
    try:
        source = parsed(data)
    except BadProxyHeader:
        return
    assert command in (0x20, 0x21)
    length = 4 if family >> 4 == 1 else 16
    assert source is None or ipaddress.ip_address(source.address).packed == payload[:length]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (header(1, 1, b"12345678", version=1), "expected the PROXY protocol v2"),
        (header(7, 1, b"12345678"), "expected the PROXY protocol v2, with the command LOCAL or PROXY"),
        (header(1, 1, b"1234567"), "expected at least 12 bytes of addresses, not 7"),
        (header(1, 2, b"1" * 35), "expected at least 36 bytes of addresses, not 35"),
        (header(1, 1, b"1" * 12, transport=2), "expected a stream"),
        (b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", "expected the PROXY protocol v2"),
    ],
)
def test_the_refusal_of_a_bad_header_says_what_was_expected(data: bytes, complaint: str) -> None:
    with pytest.raises(BadProxyHeader, match=complaint):
        parsed(data)


# --- the proxy's own round trip

RTT = 0xE4


def tlv(kind: int, value: bytes, *, length: int | None = None) -> bytes:
    return struct.pack("!BH", kind, len(value) if length is None else length) + value


def told(tlvs: bytes, rtt_type: int = RTT) -> float | None:
    """Return the round trip that a header with these TLVs reports, after checking its address."""
    source = parsed(proxied(SOMEBODY, more=tlvs), rtt_type)
    assert source is not None
    assert source.address == "203.0.113.7"
    return None if source.round_trip is None else source.round_trip.smallest


OTHERS = st.lists(
    st.builds(tlv, st.integers(0, 255).filter(lambda kind: kind != RTT), st.binary(max_size=40)), max_size=4
).map(b"".join)


@given(micros=st.integers(1, 99_999_999), before=OTHERS, after=OTHERS)
def test_a_round_trip_is_found_among_other_fields(micros: int, before: bytes, after: bytes) -> None:
    tlvs = before + tlv(RTT, str(micros).encode()) + after
    assert told(tlvs) == micros / 1e6
    assert told(tlvs, 0) is None, "nothing is read without a type"


UNREADABLE = (b"", b"0", b"-1", b"+1", b" 1", b"48.2", b"1e9", b"1_0", "\u0661\u0662".encode(), b"123456789")
GOOD = tlv(RTT, b"48211")


@pytest.mark.parametrize(
    "tlvs",
    [
        *(b"", tlv(0xE5, b"48211"), *[tlv(RTT, value) for value in UNREADABLE], tlv(RTT, b"9" * 60_000)),
        *(GOOD * 2, GOOD[:-1], GOOD + b"\x03", GOOD + tlv(3, b"abc", length=4), tlv(RTT, b"48211", length=6)),
    ],
)
def test_a_malformed_round_trip_is_ignored(tlvs: bytes) -> None:
    assert told(tlvs) is None
