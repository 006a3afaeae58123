"""Announces this server on the local network, and finds others: DNS-SD (RFC 6763) under ``_golfnet._tcp``.

zeroconf runs threads of its own and takes a second to start, so it is imported and called in worker threads, and only
on request. If announcing on a network fails, the server only logs it. Strangers can announce anything, so both the
number of names examined and the time spent on them are limited.
"""

import contextlib
import ipaddress
import logging
import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct

from golfnet.protocol.address import SERVICE
from golfnet.server.budget import is_this_machine, parsed_address

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

BROWSE_SECONDS: Final = 2.0
"""How long to wait for answers: two rounds of questions."""

ANNOUNCE_SECONDS: Final = 10.0
"""Seconds between checks for changes: a service is announced at most ten times a minute (RFC 6762, 8.3)."""

_RESOLVE_MS: Final = 1000
_MOST_NAMES: Final = 256
_MOST_ASKED: Final = 64
"""Maximum number of names to examine, and of names to query because their announcement was incomplete. Real servers
announce everything together with their name, and a list of hundreds would help nobody."""

_LOOPBACK: Final = "127.0.0.1"
_FAR_AWAY: Final = ("192.0.2.1", "2001:db8::1")
"""Addresses reserved for documentation (RFC 5737, RFC 3849); the way to them is this machine's default route."""

_LONGEST_NAME: Final = 63
"""Maximum bytes of a DNS label (RFC 1035)."""

log = logging.getLogger(__name__)


class Found(Struct, frozen=True):
    """A server nearby: its name, addresses, port for plain text, and its other properties."""

    name: str
    addresses: tuple[str, ...]
    port: int
    properties: dict[str, str]


def local_addresses() -> list[str]:
    """Return the addresses at which others reach this machine, IPv4 first; loopback if there are no others."""
    parsed = [ipaddress.ip_address(each) for each in dict.fromkeys(chain(*_networks()))]
    usable = [each for each in parsed if not each.is_loopback and not each.is_link_local]
    usable = usable or [each for each in parsed if each.is_loopback]
    return [str(each) for each in sorted(usable, key=lambda each: (each.version, not each.is_private))]


async def announce(
    name: str, port: int, properties: Callable[[], Mapping[str, str]], addresses: Sequence[str]
) -> None:
    """Announce a server on the networks of the addresses it listens on, until cancelled.

    The properties are read repeatedly, and announced again when they have changed. A number is added to the name if
    another server already has it. Failures to announce are logged.
    """
    told = properties()
    longest = (name or f"golfnet on {socket.gethostname()}").encode()[: _LONGEST_NAME - len("-999")]
    label = longest.decode("utf-8", "ignore").replace(".", " ")
    if (announcement := await trio.to_thread.run_sync(_register, label, port, told, addresses)) is None:
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
            await trio.to_thread.run_sync(zeroconf.close)  # this also says that the server is gone


def discover(seconds: float = BROWSE_SECONDS) -> list[Found]:
    """Return the servers that answer on the local network, sorted by name.

    Block for ``seconds``, and for up to one second more if announced names have to be queried.
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


def service(label: str, port: int, properties: Mapping[str, str], addresses: Sequence[str]) -> "ServiceInfo":
    """Return the service to announce; only those ``addresses`` that are IP addresses are included."""
    from zeroconf import ServiceInfo

    return ServiceInfo(
        SERVICE,
        f"{label}.{SERVICE}",
        addresses=[parsed.packed for address in addresses if (parsed := parsed_address(address)) is not None],
        port=port,
        properties=dict(properties),
        server=f"{socket.gethostname().partition('.')[0] or 'golfnet'}.local.",
    )


def _register(
    label: str, port: int, properties: Mapping[str, str], addresses: Sequence[str]
) -> "tuple[Zeroconf, ServiceInfo] | None":
    from zeroconf import Error

    zeroconf = None
    try:
        info = service(label, port, properties, addresses)
        zeroconf = _zeroconf(_interfaces(addresses))
        zeroconf.register_service(info, allow_name_change=True)
    except (OSError, RuntimeError, ValueError, Error) as error:  # zeroconf raises any of these
        log.warning(
            "could not announce the server on the local network: %s", str(error) or type(error).__name__
        )
        if zeroconf is not None:
            zeroconf.close()
        return None
    return zeroconf, info


def _update(zeroconf: "Zeroconf", info: "ServiceInfo", properties: Mapping[str, str]) -> "ServiceInfo":
    """Announce a service's changed properties; return the changed service."""
    from zeroconf import Error

    changed = service(
        info.name.removesuffix(f".{SERVICE}"), info.port or 0, properties, info.parsed_addresses()
    )
    with contextlib.suppress(OSError, RuntimeError, Error):  # the next update announces all properties again
        zeroconf.update_service(changed)
    return changed


def _resolve(zeroconf: "Zeroconf", names: Sequence[str]) -> "list[ServiceInfo]":
    """Return what is known about services, after querying all incomplete ones at once."""
    import asyncio  # most servers need neither asyncio nor zeroconf

    from zeroconf import Error, ServiceInfo

    infos: list[ServiceInfo] = []
    for name in names:
        with contextlib.suppress(Error):  # strangers may announce invalid names
            infos.append(ServiceInfo(SERVICE, name))
    complete = [info for info in infos if info.load_from_cache(zeroconf)]
    unknown = [info for info in infos if info not in complete][:_MOST_ASKED]
    assert zeroconf.loop is not None

    async def ask() -> list[bool]:
        return await asyncio.gather(*(info.async_request(zeroconf, _RESOLVE_MS) for info in unknown))

    answered = asyncio.run_coroutine_threadsafe(ask(), zeroconf.loop).result()
    return complete + [info for info, is_complete in zip(unknown, answered, strict=True) if is_complete]


def _zeroconf(interfaces: list[str]) -> "Zeroconf":
    """Return a zeroconf instance on the networks of the given addresses, or raise ``OSError`` or ``RuntimeError``."""
    from zeroconf import IPVersion, Zeroconf

    v4 = [each for each in interfaces if ":" not in each]
    if v4 != interfaces:
        try:
            return Zeroconf(interfaces, ip_version=IPVersion.All if v4 else IPVersion.V6Only)
        except (OSError, RuntimeError):  # IPv6 cannot be used here
            if not v4:
                raise
    return Zeroconf(v4, ip_version=IPVersion.V4Only)


def _interfaces(addresses: Collection[str] | None) -> list[str]:
    """Return the addresses of the network adapters to use: every IPv4 address, and one IPv6 address per adapter.

    If ``addresses`` is given, use only those. Otherwise use all but loopback, or loopback if there is nothing else.
    """
    networks = _networks()
    if addresses is None:
        networks = [each for each in networks if not all(map(is_this_machine, each))] or [[_LOOPBACK]]
    found: list[str] = []
    for network in networks:
        wanted = [each for each in network if addresses is None or each in addresses]
        found += [each for each in wanted if ":" not in each]
        # IPv6 multicast is by interface, not by address.
        found += [each for each in wanted if ":" in each][:1]
    return found


def _networks() -> list[list[str]]:
    """Return this machine's addresses, without zones, as one list per network adapter."""
    import ifaddr  # takes 10 ms to load, and is needed only for wildcard addresses

    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:  # a sandbox without netlink
        return [[address] for address in (*filter(None, map(_own_address, _FAR_AWAY)), _LOOPBACK)]
    return [
        [(each.ip if isinstance(each.ip, str) else each.ip[0]).partition("%")[0] for each in adapter.ips]
        for adapter in adapters
    ]


def _own_address(far_away: str) -> str | None:
    """Return the address from which this machine would send to another address; nothing is sent."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in far_away else socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.connect((far_away, 9))
            return str(sock.getsockname()[0]).partition("%")[0]
    except OSError:  # no route
        return None


def _found(info: "ServiceInfo") -> Found:
    return Found(
        info.name.removesuffix(f".{SERVICE}"),
        tuple(info.parsed_addresses()),
        info.port or 0,
        {key: value or "" for key, value in info.decoded_properties.items()},
    )
