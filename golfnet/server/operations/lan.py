"""Being found on the local network, and finding others: DNS-SD (RFC 6763) under ``_golfnet._tcp``.

zeroconf has threads of its own and takes a second to say hello: it is imported and called in worker threads, and only
where somebody asks for it. A network that cannot be announced on is logged and stops nothing. Strangers can announce
what they like: how many names are looked at, and for how long, is bounded.
"""

import contextlib
import ipaddress
import logging
import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from golfnet.protocol.announcement import SERVICE

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

BROWSE_SECONDS: Final = 2.0
"""How long answers are waited for: two rounds of questions."""

ANNOUNCE_SECONDS: Final = 10.0
"""How often changes are looked for: a service is announced anew ten times a minute at the most (RFC 6762, 8.3)."""

_RESOLVE_MS: Final = 1000
_MOST_NAMES: Final = 256
_MOST_ASKED: Final = 64
"""Announced names that are looked at, and those that are asked for because what came with the name was not enough.
Real servers send all with their name; a list of hundreds would help nobody."""

_LOOPBACK: Final = "127.0.0.1"
_FAR_AWAY: Final = ("192.0.2.1", "2001:db8::1")
"""Addresses on no network (RFC 5737, RFC 3849): the way to them is the way to everybody."""

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
    parsed = [ipaddress.ip_address(each) for each in dict.fromkeys(chain(*_networks()))]
    others = [each for each in parsed if not each.is_loopback and not each.is_link_local]
    usable = others or [each for each in parsed if each.is_loopback]
    return [str(each) for each in sorted(usable, key=lambda each: (each.version, not each.is_private))]


async def announce(
    name: str, port: int, properties: Callable[[], Mapping[str, str]], addresses: Sequence[str]
) -> None:
    """Announce a server that listens on some addresses, on the networks of these alone, until cancelled.

    What the properties are then is asked again and again, and announced anew where it has changed. The name gets a
    number where another server has it. What cannot be announced is logged.
    """
    told = properties()
    announcement = await trio.to_thread.run_sync(_register, name or _own_name(), port, told, addresses)
    if announcement is None:
        return
    zeroconf, info = announcement
    try:
        while True:
            await trio.sleep(ANNOUNCE_SECONDS)
            if (changed := properties()) != told:
                told = changed
                info = await trio.to_thread.run_sync(_update, zeroconf, info, told)
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(_unregister, zeroconf, info)


def discover(seconds: float = BROWSE_SECONDS) -> list[Found]:
    """Return the servers that answer on the local network, by name; blocks for ``seconds`` and one more at most.

    Names that somebody announces without a server behind them cost that one second together, however many they are.
    """
    from zeroconf import ServiceBrowser, ServiceStateChange

    zeroconf = _zeroconf(_interfaces(None))
    names: dict[str, None] = {}

    def changed(*, name: str, state_change: ServiceStateChange, **_: object) -> None:
        if state_change is ServiceStateChange.Removed:
            names.pop(name, None)
        elif len(names) < _MOST_NAMES:
            names[name] = None

    try:
        ServiceBrowser(zeroconf, SERVICE, handlers=[changed])
        time.sleep(seconds)
        infos = _resolve(zeroconf, list(names))
    finally:
        zeroconf.close()
    return sorted((_found(info) for info in infos if info.port), key=lambda found: found.name)


def service(name: str, port: int, properties: Mapping[str, str], addresses: Sequence[str]) -> "ServiceInfo":
    """Return the service that is announced: a name, a port and properties; of the addresses those that are some."""
    from zeroconf import ServiceInfo

    label = name.encode()[: _LONGEST_NAME - 4].decode("utf-8", "ignore").replace(".", " ")
    return ServiceInfo(
        SERVICE,
        f"{label}.{SERVICE}",
        addresses=[ipaddress.ip_address(address).packed for address in addresses if _is_address(address)],
        port=port,
        properties=dict(properties),
        server=f"{_own_host()}.local.",
    )


def _register(
    name: str, port: int, properties: Mapping[str, str], addresses: Sequence[str]
) -> "tuple[Zeroconf, ServiceInfo] | None":
    from zeroconf import Error

    zeroconf = None
    try:
        info = service(name, port, properties, addresses)
        zeroconf = _zeroconf(_interfaces(addresses))
        zeroconf.register_service(info, allow_name_change=True)
    except (OSError, RuntimeError, ValueError, Error) as error:  # zeroconf raises all of them
        log.warning(
            "the server is not announced on the local network: %s", str(error) or type(error).__name__
        )
        if zeroconf is not None:
            zeroconf.close()
        return None
    return zeroconf, info


def _update(zeroconf: "Zeroconf", info: "ServiceInfo", properties: Mapping[str, str]) -> "ServiceInfo":
    """Announce other properties of a service, and return the service with them."""
    from zeroconf import Error, ServiceInfo

    changed = ServiceInfo(
        SERVICE,
        info.name,
        addresses=info.addresses,
        port=info.port,
        properties=dict(properties),
        server=info.server,
    )
    with contextlib.suppress(OSError, RuntimeError, Error):  # the next change tries again
        zeroconf.update_service(changed)
    return changed


def _unregister(zeroconf: "Zeroconf", info: "ServiceInfo") -> None:
    try:
        zeroconf.unregister_service(info)
    finally:
        zeroconf.close()


def _resolve(zeroconf: "Zeroconf", names: Sequence[str]) -> "list[ServiceInfo]":
    """Return what is known of services, after asking at the same time for all of which too little is known."""
    import asyncio  # with zeroconf, for a server that nobody looks for does without both

    from zeroconf import Error, ServiceInfo

    infos: list[ServiceInfo] = []
    for name in names:
        with contextlib.suppress(Error):  # what strangers announce may be no name at all
            infos.append(ServiceInfo(SERVICE, name))
    complete = [info for info in infos if info.load_from_cache(zeroconf)]
    unknown = [info for info in infos if info not in complete][:_MOST_ASKED]
    if not unknown or zeroconf.loop is None:
        return complete

    async def ask() -> list[bool]:
        return await asyncio.gather(*(info.async_request(zeroconf, _RESOLVE_MS) for info in unknown))

    answered = asyncio.run_coroutine_threadsafe(ask(), zeroconf.loop).result()
    return complete + [info for info, is_complete in zip(unknown, answered, strict=True) if is_complete]


def _zeroconf(interfaces: list[str]) -> "Zeroconf":
    """Return a zeroconf on the networks of some addresses; raises ``OSError`` or ``RuntimeError``."""
    from zeroconf import IPVersion, Zeroconf

    v4 = [each for each in interfaces if ":" not in each]
    if v4 == interfaces:
        return Zeroconf(v4, ip_version=IPVersion.V4Only)
    try:
        return Zeroconf(interfaces, ip_version=IPVersion.All if v4 else IPVersion.V6Only)
    except (OSError, RuntimeError):  # IPv6 cannot be used here
        if not v4:
            raise
        return Zeroconf(v4, ip_version=IPVersion.V4Only)


def _interfaces(addresses: Collection[str] | None) -> list[str]:
    """Return an address of each kind for each network to be spoken on.

    With ``addresses`` these are the networks that have one of them; without, all but loopback, or loopback alone.
    """
    networks = _networks()
    if addresses is None:
        others = [network for network in networks if not all(map(is_loopback, network))]
        networks = others or [[_LOOPBACK]]
    wanted = [[each for each in network if addresses is None or each in addresses] for network in networks]
    return [
        address
        for network in wanted
        for of_kind in (
            [each for each in network if ":" not in each],
            [each for each in network if ":" in each][:1],  # multicast of IPv6 is by network, not by address
        )
        for address in of_kind
    ]


def _networks() -> list[list[str]]:
    """Return this machine's addresses, without their zones, in a list for each network adapter."""
    import ifaddr  # 10 ms, and needed for wildcard addresses only

    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:  # a sandbox without netlink
        return [[address] for address in (*filter(None, map(_own_address, _FAR_AWAY)), _LOOPBACK)]
    return [
        [(each.ip if isinstance(each.ip, str) else each.ip[0]).partition("%")[0] for each in adapter.ips]
        for adapter in adapters
    ]


def _own_address(far_away: str) -> str | None:
    """Return the address with which this machine would speak to another; asks the kernel, sends nothing."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in far_away else socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.connect((far_away, 9))
            return str(sock.getsockname()[0]).partition("%")[0]
    except OSError:  # no way there
        return None


def is_loopback(address: str) -> bool:
    """Tell whether an address is one of a machine itself; a name is none."""
    return _is_address(address) and ipaddress.ip_address(address).is_loopback


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _found(info: "ServiceInfo") -> Found:
    properties = {key: value or "" for key, value in info.decoded_properties.items()}
    addresses: Sequence[str] = info.parsed_addresses()
    return Found(info.name.removesuffix(f".{SERVICE}"), tuple(addresses), info.port or 0, properties)


def _own_name() -> str:
    return f"golfnet on {socket.gethostname()}"


def _own_host() -> str:
    return socket.gethostname().partition(".")[0] or "golfnet"
