import ipaddress
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.server.net.entrance import PREAMBLE, SIGNATURE, BadProxyHeader, Source, length_of_rest, parse

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
def test_the_source_address_is_read_whatever_else_the_header_contains(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, port: int, more: bytes
) -> None:
    family, payload = pair(str(address), port)
    data = header(1, family, payload + more)
    assert length_of_rest(data[:PREAMBLE]) == len(data) - PREAMBLE
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    assert parsed(data) == Source(str(mapped or address), port)


def test_a_header_written_out_byte_by_byte_is_parsed() -> None:
    # 203.0.113.7:51324 to 198.51.100.2:7780, then a TLV of type 3 with four bytes.
    data = bytes.fromhex("0d0a0d0a000d0a515549540a 2111 0013 cb007107 c6336402 c87c 1e64 030004 7c2e9a01")
    assert parsed(data) == Source("203.0.113.7", 51324)


@given(st.binary(max_size=60))
def test_local_and_non_network_headers_name_no_address(payload: bytes) -> None:
    assert parsed(header(0, 1, payload)) is None
    assert parsed(header(1, 0, payload, transport=0)) is None
    assert parsed(header(1, 3, payload)) is None  # unix sockets


@given(st.binary(min_size=PREAMBLE, max_size=PREAMBLE), st.binary(max_size=60))
def test_other_bytes_are_refused_without_any_other_error(preamble: bytes, rest: bytes) -> None:
    if preamble.startswith(SIGNATURE):
        return
    with pytest.raises(BadProxyHeader):
        parse(preamble, rest)


@given(st.integers(0, 255), st.integers(0, 255), st.binary(max_size=60))
def test_any_bytes_after_the_signature_are_parsed_or_refused(
    command: int, family: int, payload: bytes
) -> None:
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


# --- the proxy's own round trip

RTT = 0xE4


def tlv(kind: int, value: bytes, *, length: int | None = None) -> bytes:
    return struct.pack("!BH", kind, len(value) if length is None else length) + value


def told(tlvs: bytes, rtt_type: int = RTT) -> float | None:
    """Return the round trip that a header with these TLVs reports; it always has an address."""
    family, payload = pair("203.0.113.7", 51324)
    data = header(1, family, payload + tlvs)
    source = parse(data[:PREAMBLE], data[PREAMBLE:], rtt_type)
    assert source is not None
    assert source[:2] == ("203.0.113.7", 51324)
    return None if source.round_trip is None else source.round_trip.seconds


OTHERS = st.lists(
    st.builds(tlv, st.integers(0, 255).filter(lambda kind: kind != RTT), st.binary(max_size=40)), max_size=4
).map(b"".join)


@given(micros=st.integers(1, 99_999_999), before=OTHERS, after=OTHERS)
def test_a_round_trip_in_microseconds_is_found_among_other_fields(
    micros: int, before: bytes, after: bytes
) -> None:
    tlvs = before + tlv(RTT, str(micros).encode()) + after
    assert told(tlvs) == micros / 1e6
    assert told(tlvs, 0) is None, "nothing is read without a type"


@pytest.mark.parametrize(
    "tlvs",
    [
        b"",
        tlv(0xE5, b"48211"),
        tlv(RTT, b""),
        tlv(RTT, b"0"),
        tlv(RTT, b"-1"),
        tlv(RTT, b"+1"),
        tlv(RTT, b" 1"),
        tlv(RTT, b"48.2"),
        tlv(RTT, b"1e9"),
        tlv(RTT, b"1_0"),
        tlv(RTT, "\u0661\u0662".encode()),
        tlv(RTT, b"123456789"),
        tlv(RTT, b"9" * 60_000),
        tlv(RTT, b"48211") * 2,
        tlv(RTT, b"48211", length=6),
        tlv(RTT, b"48211") + b"\x03",
        tlv(RTT, b"48211") + tlv(3, b"abc", length=4),
        tlv(RTT, b"48211")[:-1],
    ],
)
def test_a_malformed_round_trip_is_ignored(tlvs: bytes) -> None:
    assert told(tlvs) is None


@given(st.binary(max_size=200), st.integers(0, 255))
def test_any_bytes_after_the_addresses_are_a_round_trip_or_ignored(tlvs: bytes, rtt_type: int) -> None:
    seconds = told(tlvs, rtt_type)
    assert seconds is None or 0 < seconds < 100
