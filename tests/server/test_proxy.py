import ipaddress
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.server.proxy import PREAMBLE, SIGNATURE, BadProxyHeader, Source, length_of_rest, parse

ADDRESSES = st.ip_addresses()
PORTS = st.integers(0, 65535)


def header(command: int, family: int, payload: bytes, *, version: int = 2, transport: int = 1) -> bytes:
    kind = bytes([version << 4 | command, family << 4 | transport])
    return SIGNATURE + kind + struct.pack("!H", len(payload)) + payload


def pair(source: str, port: int, destination: str = "") -> tuple[int, bytes]:
    address = ipaddress.ip_address(source)
    other = ipaddress.ip_address(destination) if destination else address
    return (1 if address.version == 4 else 2), address.packed + other.packed + struct.pack("!HH", port, 7777)


def parsed(data: bytes) -> Source | None:
    return parse(data[:PREAMBLE], data[PREAMBLE:])


@given(ADDRESSES, PORTS, st.binary(max_size=300))
def test_who_is_there_is_understood_whatever_else_the_proxy_tells(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, port: int, more: bytes
) -> None:
    family, payload = pair(str(address), port)
    data = header(1, family, payload + more)
    assert length_of_rest(data[:PREAMBLE]) == len(data) - PREAMBLE
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    assert parsed(data) == Source(str(mapped or address), port)


def test_a_header_written_out_byte_by_byte_is_understood() -> None:
    # 203.0.113.7:51324 to 198.51.100.2:7780, then a TLV of type 3 with four bytes.
    data = bytes.fromhex("0d0a0d0a000d0a515549540a 2111 0013 cb007107 c6336402 c87c 1e64 030004 7c2e9a01")
    assert parsed(data) == Source("203.0.113.7", 51324)


@given(st.binary(max_size=60))
def test_a_proxy_that_speaks_for_itself_or_of_no_network_names_nobody(payload: bytes) -> None:
    assert parsed(header(0, 1, payload)) is None
    assert parsed(header(1, 0, payload, transport=0)) is None
    assert parsed(header(1, 3, payload)) is None  # unix sockets


@given(st.binary(min_size=PREAMBLE, max_size=PREAMBLE), st.binary(max_size=60))
def test_other_bytes_are_refused_and_never_fail_otherwise(preamble: bytes, rest: bytes) -> None:
    if preamble.startswith(SIGNATURE):
        return
    with pytest.raises(BadProxyHeader):
        parse(preamble, rest)


@given(st.integers(0, 255), st.integers(0, 255), st.binary(max_size=60))
def test_after_the_signature_all_is_understood_or_refused(command: int, family: int, payload: bytes) -> None:
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
        (header(1, 1, b"12345678", version=1), "expected version 2, not 1"),
        (header(7, 1, b"12345678"), "expected the command LOCAL or PROXY, not 7"),
        (header(1, 1, b"1234567"), "expected at least 12 bytes of addresses, not 7"),
        (header(1, 2, b"1" * 35), "expected at least 36 bytes of addresses, not 35"),
        (header(1, 1, b"1" * 12, transport=2), "expected a stream"),
        (header(1, 1, b"1" * 12)[:-1], "expected as many bytes as announced"),
        (b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", "expected the signature of the PROXY protocol v2"),
    ],
)
def test_a_bad_header_is_refused_with_what_was_expected(data: bytes, complaint: str) -> None:
    with pytest.raises(BadProxyHeader, match=complaint):
        parsed(data)
