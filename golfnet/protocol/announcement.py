"""What a server says of itself on the local network: the DNS-SD service (RFC 6763) and its TXT keys, both ways.

The service's own port is the one for plain lines. Another way in is a key with its port; a server that does not offer
it leaves the key out. Keys that are not known here, and values that are no ports, say nothing.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from golfnet import __version__
from golfnet.protocol.replies.replies import PROTOCOL

SERVICE: Final = "_golfnet._tcp.local."


class WaysIn(Struct, frozen=True, kw_only=True):
    """The ports beside the one for plain lines, None where there is no such way in; fields are TXT keys."""

    telnet_port: int | None = None
    tls_port: int | None = None


def properties(ways: WaysIn) -> dict[str, str]:
    """Return the TXT record of this server: its version, its protocol, and the ports of its other ways in."""
    told = {key: str(port) for key, port in asdict(ways).items() if port is not None}
    return {"version": __version__, "protocol": str(PROTOCOL), **told}


def ways_in(told: Mapping[str, str | None]) -> WaysIn:
    """Return the ways in that a TXT record tells of."""
    return WaysIn(**{key: _port(told.get(key)) for key in WaysIn.__struct_fields__})


def _port(text: str | None) -> int | None:
    is_port = text is not None and text.isascii() and text.isdecimal() and len(text) <= 5
    return int(text) if text is not None and is_port and 0 < int(text) < 65536 else None
