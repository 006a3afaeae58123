"""Servers on the local network, as they announce themselves by DNS-SD under ``_golfnet._tcp``.

zeroconf has threads of its own and takes a second to answer: it is imported and run in a worker thread, only when a
list of servers is shown.
"""

from __future__ import annotations

import time
from typing import Final

import trio

from golfnet_client.address import Address

SERVICE: Final = "_golfnet._tcp.local."
SECONDS: Final = 1.5


async def servers_nearby() -> list[tuple[str, Address]]:
    """Return what answers on the local network within a moment, each with its announced name."""
    return await trio.to_thread.run_sync(_browse, abandon_on_cancel=True)


def _browse() -> list[tuple[str, Address]]:
    from zeroconf import ServiceBrowser, ServiceStateChange, Zeroconf

    names: set[str] = set()

    def changed(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if state_change is not ServiceStateChange.Removed:
            names.add(name)

    try:
        zeroconf = Zeroconf()
    except OSError:  # no network at all
        return []
    try:
        ServiceBrowser(zeroconf, SERVICE, handlers=[changed])
        time.sleep(SECONDS)
        found = []
        for name in sorted(names):
            info = zeroconf.get_service_info(SERVICE, name, timeout=500)
            addresses = info.parsed_addresses() if info is not None else []
            if info is not None and addresses and info.port:
                tls = (info.properties or {}).get(b"tls") == b"1"
                found.append(
                    (name.removesuffix(f".{SERVICE}"), Address(host=addresses[0], port=info.port, tls=tls))
                )
        return found
    finally:
        zeroconf.close()
