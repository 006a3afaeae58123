"""Being found on the local network, and finding others: DNS-SD (RFC 6763) under ``_golfnet._tcp``.

zeroconf has threads of its own and takes a second to say hello: it is imported and called in worker threads, and only
where somebody asks for it. A network that cannot be announced on is logged and stops nothing.
"""

import ipaddress
import logging
import socket
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.protocol.announcement import SERVICE

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

BROWSE_SECONDS: Final = 2.0
"""How long answers are waited for: two rounds of questions."""

_RESOLVE_MS: Final = 1000
_LONGEST_NAME: Final = 63
"""Bytes of a DNS label (RFC 1035)."""

log = logging.getLogger(__name__)


class Found(NamedTuple):
    """A server nearby: its name, addresses, port for plain lines, and what else it says of itself."""

    name: str
    addresses: tuple[str, ...]
    port: int
    properties: dict[str, str]


def local_addresses() -> list[str]:
    """Return the addresses by which others reach this machine, IPv4 first; those of itself where there is no other."""
    import ifaddr  # 10 ms, and needed for wildcard addresses only

    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:  # a sandbox without netlink
        return [socket.gethostname()]
    found = [
        address.ip if isinstance(address.ip, str) else address.ip[0]
        for adapter in adapters
        for address in adapter.ips
    ]
    parsed = [ipaddress.ip_address(each.partition("%")[0]) for each in dict.fromkeys(found)]
    others = [each for each in parsed if not each.is_loopback and not each.is_link_local]
    usable = others or [each for each in parsed if each.is_loopback]
    return [str(each) for each in sorted(usable, key=lambda each: (each.version, not each.is_private))]


async def announce(name: str, port: int, properties: Mapping[str, str]) -> None:
    """Be found until cancelled, and take leave then; the name gets a number where another server has it."""
    announcement = await trio.to_thread.run_sync(_register, name or _own_name(), port, properties)
    if announcement is None:
        return
    try:
        await trio.sleep_forever()
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(_unregister, *announcement)


def discover(seconds: float = BROWSE_SECONDS) -> list[Found]:
    """Return the servers that answer on the local network within some seconds, by name; blocks that long."""
    from zeroconf import ServiceBrowser, ServiceStateChange

    zeroconf = _zeroconf()
    names: set[str] = set()

    def changed(*, name: str, state_change: ServiceStateChange, **_: object) -> None:
        (names.discard if state_change is ServiceStateChange.Removed else names.add)(name)

    try:
        ServiceBrowser(zeroconf, SERVICE, handlers=[changed])
        time.sleep(seconds)
        infos = [zeroconf.get_service_info(SERVICE, name, _RESOLVE_MS) for name in sorted(names)]
    finally:
        zeroconf.close()
    return [_found(info) for info in infos if info is not None and info.port]


def service(name: str, port: int, properties: Mapping[str, str]) -> "ServiceInfo":
    """Return the service that is announced: this machine's addresses under a name, with a port and properties."""
    from zeroconf import ServiceInfo

    label = name.encode()[: _LONGEST_NAME - 4].decode("utf-8", "ignore").replace(".", " ")
    return ServiceInfo(
        SERVICE,
        f"{label}.{SERVICE}",
        addresses=[ipaddress.ip_address(address).packed for address in local_addresses()],
        port=port,
        properties=dict(properties),
        server=f"{_own_host()}.local.",
    )


def _register(name: str, port: int, properties: Mapping[str, str]) -> "tuple[Zeroconf, ServiceInfo] | None":
    from zeroconf import Error

    info = service(name, port, properties)
    try:
        zeroconf = _zeroconf()
        zeroconf.register_service(info, allow_name_change=True)
    except (OSError, Error) as error:
        log.warning("the server is not announced on the local network: %s", error)
        return None
    return zeroconf, info


def _unregister(zeroconf: "Zeroconf", info: "ServiceInfo") -> None:
    try:
        zeroconf.unregister_service(info)
    finally:
        zeroconf.close()


def _zeroconf() -> "Zeroconf":
    """Return a zeroconf on all networks, on this machine alone where there is none; raises ``OSError``."""
    import ifaddr
    from zeroconf import IPVersion, Zeroconf

    networks: dict[int, None] = {}
    for adapter in ifaddr.get_adapters():
        addresses = [ip.ip if isinstance(ip.ip, str) else ip.ip[0] for ip in adapter.ips]
        if adapter.index is not None and not all(_is_loopback(address) for address in addresses):
            networks[adapter.index] = None
    if not networks:
        return Zeroconf(["127.0.0.1"], ip_version=IPVersion.V4Only)
    try:
        return Zeroconf(list(networks), ip_version=IPVersion.All)
    except OSError:  # no IPv6 here
        return Zeroconf(list(networks), ip_version=IPVersion.V4Only)


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback


def _found(info: "ServiceInfo") -> Found:
    properties = {key: value or "" for key, value in info.decoded_properties.items()}
    addresses: Sequence[str] = info.parsed_addresses()
    return Found(info.name.removesuffix(f".{SERVICE}"), tuple(addresses), info.port or 0, properties)


def _own_name() -> str:
    return f"golfnet on {socket.gethostname()}"


def _own_host() -> str:
    return socket.gethostname().partition(".")[0] or "golfnet"
