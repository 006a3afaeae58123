"""Find servers on the local network, and create the witness that checks a server's deals.

If a server has a TLS port, only that port is offered: using TLS takes no effort from the player.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.address import Address, announcement_of
from golfnet.protocol.lines import clean_text
from golfnet.protocol.witness import Witness
from golfnet.server.operations.lan import Found, discover
from golfnet.storage.files import SeenFiles

if TYPE_CHECKING:
    from golfnet_client.model.remembered import Remembered

SECONDS: Final = 1.5
"""Seconds to wait for servers to answer."""


async def servers_nearby() -> list[tuple[str, Address]]:
    """Return the servers that answer on the local network, each with its announced name."""
    try:
        found = await trio.to_thread.run_sync(discover, SECONDS, abandon_on_cancel=True)
    except OSError:  # there is no network
        return []
    return [(clean_text(server.name), _address(server)) for server in found if server.addresses]


def _address(server: Found) -> Address:
    tls_port = announcement_of(server.properties).tls_port
    return Address(host=server.addresses[0], port=tls_port or server.port, tls=tls_port is not None)


def watch_deals(remembered: Remembered, server: str) -> tuple[Witness, SeenFiles]:
    """Return a witness for a server's deals, and the files in which the witness records them."""
    files = SeenFiles(remembered.directory / "seen", server)
    return Witness(entropy=secrets.token_bytes, keep=files.keep), files
