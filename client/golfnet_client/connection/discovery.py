"""Servers on the local network, as they announce themselves, and how each is reached.

A server that speaks TLS is offered by its TLS port alone: what nobody can listen in on costs nothing more here.
"""

from __future__ import annotations

from typing import Final

import trio

from golfnet.protocol.address import Address
from golfnet.protocol.announcement import ways_in
from golfnet.protocol.clean import clean_text
from golfnet.server.operations.lan import Found, discover

SECONDS: Final = 1.5
"""How long answers are waited for: somebody looks at the screen meanwhile."""


async def servers_nearby() -> list[tuple[str, Address]]:
    """Return what answers on the local network within a moment, each with its announced name."""
    try:
        found = await trio.to_thread.run_sync(discover, SECONDS, abandon_on_cancel=True)
    except OSError:  # no network at all
        return []
    return [(clean_text(server.name), _address(server)) for server in found if server.addresses]


def _address(server: Found) -> Address:
    tls_port = ways_in(server.properties).tls_port
    return Address(host=server.addresses[0], port=tls_port or server.port, tls=tls_port is not None)
