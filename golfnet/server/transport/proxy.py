"""The PROXY protocol, version 2: who is really there, said by a proxy before the first byte of the connection.

Bytes in, values out. Source: haproxy.org, proxy-protocol.txt, section 2.2. Of what follows the addresses (TLVs) one
type may tell the proxy's own round trip to its client, as microseconds in decimal digits; others are passed over. A
header is read to its last byte and no further, so nothing of the connection is lost.
"""

import ipaddress
import struct
from typing import Final, NamedTuple

from golfnet.server.transport.transport import ProxyRoundTrip

SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
PREAMBLE: Final = 16
"""Bytes at the start of every header, which tell how many more there are."""

_VERSION: Final = 2
_LOCAL, _PROXY = 0, 1
_INET: Final = 1
_INET6: Final = 2
_STREAM: Final = 1
_LENGTHS: Final = {_INET: 4, _INET6: 16}
_TLV: Final = struct.Struct("!BH")
"""The beginning of a TLV: its type, and how many bytes follow."""

_MOST_DIGITS: Final = 8
"""Of a round trip in microseconds: 99 seconds are more than a connection survives."""


class BadProxyHeader(Exception):
    """Bytes that are no header of the protocol; says what was expected."""


class Source(NamedTuple):
    """Where a connection comes from, in the proxy's words; ``round_trip`` is None where it tells none.

    ``is_peer`` is whether the address is the peer's, and not the proxy's own.
    """

    address: str
    port: int
    round_trip: ProxyRoundTrip | None = None
    is_peer: bool = True


def length_of_rest(preamble: bytes) -> int:
    """Return how many bytes follow the first ``PREAMBLE`` ones; raises ``BadProxyHeader``."""
    if preamble[: len(SIGNATURE)] != SIGNATURE:
        raise BadProxyHeader("expected the signature of the PROXY protocol v2")
    if preamble[12] >> 4 != _VERSION:
        raise BadProxyHeader(f"expected version 2, not {preamble[12] >> 4}")
    if preamble[12] & 0xF not in (_LOCAL, _PROXY):
        raise BadProxyHeader(f"expected the command LOCAL or PROXY, not {preamble[12] & 0xF}")
    return int(struct.unpack_from("!H", preamble, 14)[0])


def parse(preamble: bytes, rest: bytes, rtt_type: int = 0) -> Source | None:
    """Return who is there, None where the proxy speaks for itself or does not know; raises ``BadProxyHeader``.

    ``rtt_type`` is the type of the TLV with the proxy's round trip, 0 to read none. One that is not as it should be,
    or stands there twice, or among TLVs that do not end where the header ends, is as good as none.
    """
    if len(rest) != length_of_rest(preamble):
        raise BadProxyHeader("expected as many bytes as announced")
    family, transport = preamble[13] >> 4, preamble[13] & 0xF
    if preamble[12] & 0xF == _LOCAL or family not in _LENGTHS:
        return None
    if transport != _STREAM:
        raise BadProxyHeader(f"expected a stream (1), not transport {transport}")
    length = _LENGTHS[family]
    if len(rest) < 2 * length + 4:
        raise BadProxyHeader(f"expected at least {2 * length + 4} bytes of addresses, not {len(rest)}")
    address = ipaddress.ip_address(rest[:length])
    (port,) = struct.unpack_from("!H", rest, 2 * length)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    seconds = _round_trip(rest[2 * length + 4 :], rtt_type) if rtt_type else None
    return Source(str(mapped or address), port, seconds)


def _round_trip(tlvs: bytes, rtt_type: int) -> ProxyRoundTrip | None:
    found = []
    while tlvs:
        if len(tlvs) < _TLV.size:
            return None
        kind, length = _TLV.unpack_from(tlvs)
        value, tlvs = tlvs[_TLV.size : _TLV.size + length], tlvs[_TLV.size + length :]
        if len(value) < length:
            return None
        if kind == rtt_type:
            found.append(value)
    if len(found) != 1 or not found[0].isdigit() or len(found[0]) > _MOST_DIGITS:
        return None
    micros = int(found[0])
    return ProxyRoundTrip(micros / 1e6) if micros else None
