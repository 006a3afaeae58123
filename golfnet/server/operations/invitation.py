"""What friends have to type: the lines that a server prints when it is open, and a QR code for telephones."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from golfnet.server.operations.lan import local_addresses
from golfnet.server.transport.listeners import PortKind

Places = Sequence[tuple[str, int]]

_WILDCARDS: Final = ("0.0.0.0", "::")


def invitation(
    doors: Mapping[PortKind, Places],
    fingerprint: str = "",
    *,
    addresses: Callable[[], Sequence[str]] = local_addresses,
) -> Iterator[str]:
    """Yield the lines: every address for plain lines, one for each other way in."""
    ways = [f"nc {address} {port}" for address, port in reachable(doors.get(PortKind.PLAIN, ()), addresses)]
    for address, port in reachable(doors.get(PortKind.TELNET, ()), addresses)[:1]:
        ways.append(f"telnet {address} {port}")
    for address, port in reachable(doors.get(PortKind.TLS, ()), addresses)[:1]:
        ways.append(f"golfnet-client tls://{bracketed(address)}:{port}")
    for number, way in enumerate(ways):
        yield f"golfnet is open: {way}" if not number else f"            or: {way}"
    if doors.get(PortKind.TLS) and fingerprint:
        yield f"     public key: SHA-256 {fingerprint}"


def reachable(
    places: Places, addresses: Callable[[], Sequence[str]] = local_addresses
) -> list[tuple[str, int]]:
    """Return addresses and ports that can be typed: in place of a wildcard those that this machine has."""
    hosts = [host for host, _ in places]
    found: dict[tuple[str, int], None] = {}
    for host, port in places:
        if host not in _WILDCARDS:
            found[host, port] = None
            continue
        for address in addresses():
            # A socket on :: that a service manager opened takes IPv4 as well; ours are one for each.
            if (":" in address) == (host == "::") or "0.0.0.0" not in hosts:
                found[address, port] = None
    return sorted(found, key=lambda place: ":" in place[0])


def telephone(doors: Mapping[PortKind, Places]) -> str:
    """Return a QR code with the address for a telephone's telnet program, drawn with block characters."""
    import segno  # 60 ms, and needed on request only

    places = reachable(doors.get(PortKind.TELNET) or doors[PortKind.PLAIN])
    address, port = places[0]
    drawn = io.StringIO()
    link = f"telnet://{bracketed(address)}:{port}"
    segno.make(link, micro=False).terminal(drawn, compact=True)
    return f"{drawn.getvalue().rstrip()}\n{link}"


def bracketed(address: str) -> str:
    """Return an address as it stands before a port."""
    return f"[{address}]" if ":" in address else address
