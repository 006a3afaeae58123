"""What friends have to type to connect: the lines that a server prints at startup.

On a terminal, the invitation is a whole screen; in a log or a pipe, it is a few lines, the first of which
programs can parse. A QR code is shown only if a phone can reach the address in it.
"""

import contextlib
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from golfnet.protocol.address import Address
from golfnet.protocol.text.typeset import bold, display_width, padded, painted, red, unpainted, white_on_black
from golfnet.server.budget import is_this_machine
from golfnet.server.net.listeners import PortKind
from golfnet.server.operations.lan import local_addresses

Firewall = Literal["ufw", "firewalld", "nftables", "macOS", "Windows"]


def find_firewall(root: Path = Path("/"), platform: str = sys.platform) -> Firewall | None:
    """Return the active firewall, or None if none is found."""
    if platform in ("darwin", "win32"):
        return "macOS" if platform == "darwin" else "Windows"
    with contextlib.suppress(OSError):
        if "ENABLED=yes" in (root / "etc/ufw/ufw.conf").read_text("utf-8", "replace").splitlines():
            return "ufw"
    if _is_active(root, "firewalld"):
        return "firewalld"
    return "nftables" if _is_active(root, "nftables") else None


def advice(firewall: Firewall | None, ports: Iterable[int]) -> list[str]:
    """Return what to do if friends cannot connect: a sentence, and then, for some firewalls, an indented command."""
    spans = list(_spans(sorted(set(ports))))
    match firewall:
        case None:
            return ["If they cannot connect: are they on the same network, not on guest Wi-Fi?"]
        case "macOS":
            return ["If macOS asks whether Python may accept incoming connections, choose Allow."]
        case "Windows":
            return ["If Windows asks about Python and networks, allow private networks."]
        case "ufw":
            command = f"sudo ufw allow {','.join(spans).replace('-', ':')}/tcp"
        case "firewalld":
            command = f"sudo firewall-cmd {' '.join([f'--add-port={span}/tcp' for span in spans])}"
        case "nftables":
            command = f"sudo nft insert rule inet filter input tcp dport {{ {', '.join(spans)} }} accept"
    return [f"If they cannot connect, the firewall ({firewall}) has to let them in:", f"  {command}"]


def _spans(ports: list[int]) -> Iterator[str]:
    for _, consecutive in groupby(enumerate(ports), lambda numbered: numbered[1] - numbered[0]):
        (_, first), *more = consecutive
        yield f"{first}-{more[-1][1]}" if more else f"{first}"


def _is_active(root: Path, service: str) -> bool:
    return (root / f"run/systemd/units/invocation:{service}.service").is_symlink()


Places = Sequence[tuple[str, int]]

_QUIET_ZONE: Final = 2
"""Empty modules (squares) around a QR code. The standard (ISO/IEC 18004) demands four, but two suffice for cameras."""

_OTHERS: Final = 3
"""How many addresses to show after the first; a machine with containers has a dozen useless ones."""


class Invitation(Struct, frozen=True, kw_only=True):
    """The data for an invitation; ``ports`` has the reachable addresses and ports of each kind.

    ``is_kept`` is whether matches survive a restart; ``node`` is the number and link address of a node in a cluster.
    """

    ports: Mapping[PortKind, Places]
    fingerprint: str = ""
    is_lan: bool = False
    is_kept: bool = True
    node: tuple[int, str] | None = None
    wants_qr: bool = False
    has_web_tls: bool = False
    firewall: Firewall | None = None

    def places(self, kind: PortKind) -> Places:
        """Return the addresses and ports of one kind."""
        return self.ports.get(kind, ())

    @property
    def is_local(self) -> bool:
        """Whether only this computer can connect."""
        return all(is_this_machine(address) for address, _ in self.places(PortKind.PLAIN))

    @property
    def ways(self) -> list[tuple[str, str]]:
        """Pairs of a friend's system or program (empty if only this computer can connect) and what to type in it."""
        address, port = self.places(PortKind.PLAIN)[0]
        telnet = [f"{host} {number}" for host, number in self.places(PortKind.TELNET)[:1]]
        page = [self.page] if self.page else []
        secure = self.places(PortKind.TLS)
        host, number = secure[0] if secure else (address, port)
        client = f"golfnet-client {Address(host=host, port=number, tls=bool(secure)).short}"
        nc = f"nc {address} {port}"
        if self.is_local:
            return [
                ("", nc),
                *[("", f"telnet {each}") for each in telnet],
                ("", client),
                *[("", f"{each} in a browser") for each in page],
            ]
        windows = f"telnet {telnet[0]}" if telnet else f"PuTTY, Raw: {address} {port}"
        phone = [("phone", each) for each in page or [f"telnet app: {each}" for each in telnet]]
        return [("Linux, Mac", nc), ("Windows", windows), *phone, ("golfnet", client)]

    @property
    def page(self) -> str:
        """The address of the phone page, if any: an IPv4 address if possible, since every phone supports IPv4."""
        scheme = "https" if self.has_web_tls else "http"
        return next((f"{scheme}://{bracketed(host)}:{port}" for host, port in self.places(PortKind.WEB)), "")

    @property
    def link(self) -> str:
        """The address in the QR code: that of the phone page, or else one for a phone's telnet app."""
        if self.page:
            return self.page
        address, port = (self.places(PortKind.TELNET) or self.places(PortKind.PLAIN))[0]
        return f"telnet://{bracketed(address)}:{port}"


def short_lines(invitation: Invitation) -> Iterator[str]:
    """Yield the invitation for a log: every address for plain text, and one for each other kind of port."""
    secure = invitation.places(PortKind.TLS)[:1]
    ways = [
        *[f"nc {address} {port}" for address, port in invitation.places(PortKind.PLAIN)],
        *[f"telnet {address} {port}" for address, port in invitation.places(PortKind.TELNET)[:1]],
        *[f"golfnet-client tls://{bracketed(address)}:{port}" for address, port in secure],
        *([f"{invitation.page} in any browser"] if invitation.page else []),
    ]
    for number, way in enumerate(ways):
        yield f"golfnet is open: {way}" if not number else f"            or: {way}"
    if secure and invitation.fingerprint:
        yield f"     public key: SHA-256 {invitation.fingerprint}"
    if invitation.node is not None:
        yield f"        as node: {invitation.node[0]}, reached by other nodes at {invitation.node[1]}"
    if invitation.wants_qr:
        if not invitation.is_local:
            yield from qr_code(invitation.link)
        yield invitation.link


def first_screen(
    invitation: Invitation,
    *,
    size: tuple[int, int] = (80, 24),
    has_colors: bool = False,
    has_unicode: bool = True,
) -> list[str]:
    """Return as much of the invitation as fits on a terminal of the given size.

    The last row stays free. A QR code is put on the right if there is room for it.
    """
    columns, rows = size
    below = [*_below(invitation)]
    above = _above(invitation)
    if has_unicode:
        above[0] = f"{red('♥')} {above[0]}"
    if invitation.wants_qr and not invitation.is_local and has_unicode:
        above = _with_code(above, qr_code(invitation.link), columns, rows - len(below) - 1)
    lines = [*above, *([""] if len(above) + len(below) + 1 < rows else []), *below]
    return painted(lines) if has_colors else [unpainted(line) for line in lines]


def reachable(
    places: Places, addresses: Callable[[], Sequence[str]] = local_addresses
) -> list[tuple[str, int]]:
    """Return addresses and ports that can be typed: a wildcard becomes this machine's own addresses."""
    hosts = [host for host, _ in places]
    found: dict[tuple[str, int], None] = {}
    for host, port in places:
        if host not in ("0.0.0.0", "::"):
            found[host, port] = None
            continue
        for address in addresses():
            # A socket on :: from a service manager accepts IPv4 as well; golfnet opens one socket for each kind.
            if (":" in address) == (host == "::") or "0.0.0.0" not in hosts:
                found[address, port] = None
    if not found:  # 0.0.0.0 on a machine whose only other addresses are IPv6
        found = {("127.0.0.1", port): None for _, port in places}
    return sorted(found, key=lambda place: ":" in place[0])


def qr_code(text: str) -> list[str]:
    """Return the rows of a QR code, drawn with block characters."""
    import segno  # takes 60 ms to load, and is rarely needed

    drawn = io.StringIO()
    segno.make(text, micro=False).terminal(drawn, compact=True, border=_QUIET_ZONE)
    return drawn.getvalue().rstrip("\n").split("\n")


def bracketed(address: str) -> str:
    """Return an address as written before a port, with brackets for IPv6."""
    return f"[{address}]" if ":" in address else address


def _above(invitation: Invitation) -> list[str]:
    """Return what friends type, in lines that leave room for a QR code next to them."""
    others: Places = ()
    if invitation.is_local:
        where, next_step = "on this computer", "Give a name"
        who = "Play from another terminal, each player from one of their own:"
    else:
        where, next_step = "on your network" if invitation.is_lan else "to others", "Then a name"
        who, others = "Friends type, in a terminal:", invitation.places(PortKind.PLAIN)[1:]
    return [
        f"{bold('golfnet')} is open {where}.",
        "",
        who,
        "",
        *_rows(invitation.ways),
        "",
        f"{next_step} (name Ann); help explains the rest.",
        *_also(others),
    ]


def _below(invitation: Invitation) -> Iterator[str]:
    """Yield advice for friends who cannot connect, and how to stop, in lines of up to 79 columns."""
    kept = "matches continue at the next start" if invitation.is_kept else "nothing is kept (--memory)"
    if invitation.node is not None:
        yield "This is node {} of a cluster; other nodes reach it at {}.".format(*invitation.node)
        kept = "matches continue on the other nodes"
    elif invitation.is_local:
        yield "To open it to friends on your network: golfnet serve --lan"
    if not invitation.is_local:
        yield from _help(invitation)
    yield f"Stop with Ctrl-C or by closing this window; {kept}."


def _help(invitation: Invitation) -> Iterator[str]:
    if invitation.places(PortKind.TELNET):
        yield 'Windows: run optionalfeatures once and tick "Telnet Client", or use PuTTY.'
        if not invitation.page:
            yield "Phones: ConnectBot (Android) or Termius (Android, iPhone); choose Telnet."
    if invitation.page:
        yield "Phones: same Wi-Fi, no guest network or VPN; open the link in Safari or Chrome."
    if invitation.fingerprint and invitation.places(PortKind.TLS):
        yield from ("Clients remember the server's public key, SHA-256:", f"  {invitation.fingerprint}")
    yield from advice(
        invitation.firewall, (port for places in invitation.ports.values() for _, port in places)
    )


def _rows(ways: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(label) for label, _ in ways)
    return [f"  {padded(label, width)}{'  ' * bool(width)}{bold(command)}" for label, command in ways]


def _also(others: Places) -> list[str]:
    if not others:
        return []
    more = f" and {len(others) - _OTHERS} more" if len(others) > _OTHERS else ""
    return ["", "Other addresses of this computer:"] + [
        f"  {address}{more if number == _OTHERS else ''}"
        for number, (address, _) in enumerate(others[:_OTHERS], 1)
    ]


def _with_code(lines: list[str], code: list[str], columns: int, rows: int) -> list[str]:
    """Return lines with a QR code to their right, or with a note below if it does not fit.

    With colours, the code is white on black on any terminal, since not every camera reads an inverted code.
    """
    width = columns - len(code[0])
    if max(map(display_width, lines)) >= width or len(code) > rows:
        return [*lines, "", "This window is too small for the QR code."]
    return [
        f"{padded(line, width)}{row}" if row else line
        for line, row in zip_longest(lines, map(white_on_black, code), fillvalue="")
    ]
