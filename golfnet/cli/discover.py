"""``golfnet discover``: the servers on the local network."""

import argparse
import json

from msgspec import structs

from golfnet.cli.output import Failed, show
from golfnet.engine.forms import count
from golfnet.protocol.address import Address, Announcement, announcement_of
from golfnet.protocol.lines import clean_text
from golfnet.server.operations.invitation import bracketed
from golfnet.server.operations.lan import BROWSE_SECONDS, Found, discover

DESCRIPTION = """\
List the servers that announce themselves on the local network (golfnet serve --lan), how many players are there, and
what to type to connect with nc, telnet or golfnet-client."""

EPILOG = """\
If a server is missing that should be there: both computers have to be on the same network, not on guest Wi-Fi, and
the server's firewall has to let in UDP port 5353.

Exit status: 0 at least one was found, 1 none, 2 there is no network to search."""

NONE, NO_NETWORK = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: how long to wait, and how to print."""
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=BROWSE_SECONDS,
        metavar="N",
        help=f"how long to wait for answers (default {BROWSE_SECONDS:g})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per server")


def run(args: argparse.Namespace) -> None:
    """Ask, wait and print."""
    try:
        servers = discover(args.seconds)
    except OSError as error:
        raise Failed(f"there is no network to search: {error.strerror}", NO_NETWORK) from None
    for server in servers:
        show(*([json.dumps(structs.asdict(server))] if args.json else server_lines(server)))
    if not servers:
        raise Failed("no server answered. To start one: golfnet serve --lan", NONE)


def server_lines(server: Found) -> list[str]:
    """Return the lines for a server: its name and how full it is, then what to type."""
    known = announcement_of(server.properties)
    ways = [f"nc {address} {server.port}" for address in server.addresses]
    for address in server.addresses[:1]:
        if known.telnet_port is not None:
            ways.append(f"telnet {address} {known.telnet_port}")
        port = known.tls_port or server.port
        ways.append(
            f"golfnet-client {Address(host=address, port=port, tls=known.tls_port is not None).short}"
        )
    if known.web_port is not None and server.addresses:
        ways.append(f"http://{bracketed(server.addresses[0])}:{known.web_port} in a browser")
    return [f"{clean_text(server.name)}{_occupancy(known)}", *(f"    {way}" for way in ways)]


def _occupancy(known: Announcement) -> str:
    """Return in words how many players are there and how many tables they can join, or ``""`` if that is not known."""
    if known.players is None:
        return ""
    tables = f", {count(known.open_tables, 'table')} to join" if known.open_tables else ""
    return f": {count(known.players, 'player')}{tables}" if known.players else ": nobody there yet"


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 60:
        raise argparse.ArgumentTypeError("expected more than 0 and at most 60 seconds")
    return seconds
