"""How a server announces itself on the local network: the DNS-SD service (RFC 6763) and its TXT keys, both ways.

The port of the service is the one for plain lines. Every other port is a TXT key; a server without it omits the key.
Two more keys say how full the server is, in numbers and without names: everybody on the network can read them.
Unknown keys, and values that are not ports or numbers, are ignored.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from golfnet import __version__
from golfnet.protocol.replies.replies import PROTOCOL

SERVICE: Final = "_golfnet._tcp.local."


class WaysIn(Struct, frozen=True, kw_only=True):
    """The ports besides the one for plain lines, None for one that is not offered; fields are TXT keys."""

    telnet_port: int | None = None
    tls_port: int | None = None
    web_port: int | None = None


class Occupancy(Struct, frozen=True, kw_only=True):
    """How full a server is, None where it does not say; fields are TXT keys."""

    players: int | None = None
    """Players who are connected."""
    open_tables: int | None = None
    """Tables at which anybody may still sit down."""


NO_OCCUPANCY: Final = Occupancy()
_MOST_DIGITS: Final = 6


def properties(ways: WaysIn, occupancy: Occupancy = NO_OCCUPANCY) -> dict[str, str]:
    """Return the TXT record of this server: version, protocol, ports of other ways in, and how full it is."""
    known = asdict(ways) | asdict(occupancy)
    told = {key: str(number) for key, number in known.items() if number is not None}
    return {"version": __version__, "protocol": str(PROTOCOL), **told}


def ways_in(told: Mapping[str, str | None]) -> WaysIn:
    """Return the ports in a TXT record."""
    return WaysIn(**{key: _port(told.get(key)) for key in WaysIn.__struct_fields__})


def occupancy_of(told: Mapping[str, str | None]) -> Occupancy:
    """Return how full a server is by its TXT record."""
    return Occupancy(**{key: _count(told.get(key)) for key in Occupancy.__struct_fields__})


def _port(text: str | None) -> int | None:
    number = _count(text)
    return number if number is not None and 0 < number < 65536 else None


def _count(text: str | None) -> int | None:
    is_count = text is not None and text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if text is not None and is_count else None
