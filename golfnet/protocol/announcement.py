"""How a server announces itself on the local network: the DNS-SD service (RFC 6763) and its TXT keys, both ways.

The port of the service is the one for plain lines. Every other port is a TXT key; a server without it omits the key.
Unknown keys, and values that are not ports, are ignored.
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


def properties(ways: WaysIn) -> dict[str, str]:
    """Return the TXT record of this server: its version, its protocol, and its other ports."""
    told = {key: str(port) for key, port in asdict(ways).items() if port is not None}
    return {"version": __version__, "protocol": str(PROTOCOL), **told}


def ways_in(told: Mapping[str, str | None]) -> WaysIn:
    """Return the ports in a TXT record."""
    return WaysIn(**{key: _port(told.get(key)) for key in WaysIn.__struct_fields__})


def _port(text: str | None) -> int | None:
    is_port = text is not None and text.isascii() and text.isdecimal() and len(text) <= 5
    return int(text) if text is not None and is_port and 0 < int(text) < 65536 else None
