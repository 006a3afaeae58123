"""How a server announces itself on the local network: its DNS-SD service (RFC 6763) and the TXT keys of that service.

The announced port is the one for plain lines; TXT keys give the other ports. Two more keys say how full the server is,
in numbers and without names, because everybody on the network can read them. Unknown keys, and values that are not
ports or numbers, are ignored.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from golfnet import __version__
from golfnet.protocol.replies.replies import PROTOCOL

SERVICE: Final = "_golfnet._tcp.local."


class WaysIn(Struct, frozen=True, kw_only=True):
    """A server's other ports, each None if the server does not have it; the field names are TXT keys."""

    telnet_port: int | None = None
    tls_port: int | None = None
    web_port: int | None = None


class Occupancy(Struct, frozen=True, kw_only=True):
    """How full a server is, as far as is known; the field names are TXT keys."""

    players: int | None = None
    """How many players are connected."""
    open_tables: int | None = None
    """How many tables anybody may still join."""


NO_OCCUPANCY: Final = Occupancy()
_MOST_DIGITS: Final = 6


def properties(ways: WaysIn, occupancy: Occupancy = NO_OCCUPANCY) -> dict[str, str]:
    """Return the TXT record of this server: version, protocol, other ports, and how full it is."""
    known = asdict(ways) | asdict(occupancy)
    texts = {key: str(number) for key, number in known.items() if number is not None}
    return {"version": __version__, "protocol": str(PROTOCOL), **texts}


def ways_in(txt: Mapping[str, str | None]) -> WaysIn:
    """Return the ports in a TXT record."""
    return WaysIn(**{key: _port(txt.get(key)) for key in WaysIn.__struct_fields__})


def occupancy_of(txt: Mapping[str, str | None]) -> Occupancy:
    """Return how full a server is, from its TXT record."""
    return Occupancy(**{key: _count(txt.get(key)) for key in Occupancy.__struct_fields__})


def _port(text: str | None) -> int | None:
    number = _count(text)
    return number if number is not None and 0 < number < 65536 else None


def _count(text: str | None) -> int | None:
    is_count = text is not None and text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if text is not None and is_count else None
