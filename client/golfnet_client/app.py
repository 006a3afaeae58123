"""The command line of ``golfnet-client``.

The terminal is always restored. If the client fails, it prints one line that names a log file.
"""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from golfnet import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from golfnet.protocol.address import Address
    from golfnet_client.model.remembered import Remembered

OK: Final = 0
FAULT: Final = 1
USAGE: Final = 2
CHEATED: Final = 3
"""The exit status if a deal was not as promised."""
INTERRUPTED: Final = 130

EXAMPLES: Final = """\
examples:
  golfnet-client golf.example.org         play on a server (port 7777 by default)
  golfnet-client tls://golf.example.org   the same over TLS: if your system cannot verify the server's certificate, the
                                          client remembers its key
  golfnet-client                          show a menu: play alone, join a server, learn, watch a replay
  golfnet-client --solo                   play at once against bots, no server needed
  golfnet-client --solo cactus --bots 2   another rule set, two bots
  golfnet-client --plain HOST             line by line, for screen readers
"""


def main(argv: list[str] | None = None) -> int:
    """Run the client; return its exit status."""
    args = _parser().parse_args(argv)
    try:
        return _run(args)
    except KeyboardInterrupt:
        return INTERRUPTED
    except _Usage as problem:
        print(f"golfnet-client: {problem}", file=sys.stderr)
        return USAGE
    except Exception as problem:
        # EIO means that the terminal has been closed, so nobody could read a message.
        if not (isinstance(problem, OSError) and problem.errno == errno.EIO):
            print(f"golfnet-client: something went wrong; see {_write_log()}", file=sys.stderr)
        return FAULT


class _Usage(Exception):
    """An invalid command line; the message says what was expected."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="golfnet-client",
        description="The card game Golf in your terminal.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "server",
        nargs="?",
        metavar="HOST[:PORT]",
        help="the server; put tls:// in front of it for TLS (usual ports 7777 and 7779)",
    )
    parser.add_argument("port", nargs="?", help=argparse.SUPPRESS)  # so that HOST PORT works as with nc
    parser.add_argument("--name", default="", help="the name to use")
    parser.add_argument("--tls", action="store_true", help="connect with TLS")
    parser.add_argument(
        "--trust", action="store_true", help="with TLS: accept the server's current key if it has changed"
    )
    parser.add_argument(
        "--solo",
        nargs="?",
        const="six-card",
        metavar="RULES",
        help="play against bots without a server (default six-card)",
    )
    parser.add_argument(
        "--bots", type=int, default=3, metavar="N", help="with --solo: how many bots (default 3)"
    )
    parser.add_argument(
        "--plain", action="store_true", help="line by line, for screen readers; the default if TERM is dumb"
    )
    parser.add_argument(
        "--theme",
        choices=("auto", "dark", "light", "mono"),
        help="the colours; auto asks the terminal (default: as last time)",
    )
    parser.add_argument(
        "--felt",
        choices=("green", "blue", "burgundy"),
        help="the colour of the table (default: as last time)",
    )
    parser.add_argument(
        "--suits", choices=("two", "four"), help="how many colours the suits have (default: as last time)"
    )
    parser.add_argument(
        "--still", action="store_true", help="no animation, as with NO_MOTION in the environment"
    )
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    parser.add_argument(
        "--bell",
        action=argparse.BooleanOptionalAction,
        help="ring when it is your turn or a slam window opens, even with the window in focus (default: as last time)",
    )
    parser.add_argument(
        "--version", action="store_true", help="print the version, and the commit if it is known"
    )
    return parser


def _run(args: argparse.Namespace) -> int:
    from golfnet.protocol.address import BadAddress, parse_address
    from golfnet_client.model.remembered import Remembered

    if args.version:
        from golfnet.release import version_line

        print(version_line("golfnet-client"))
        return OK
    remembered = Remembered()
    address: Address | None = None
    if args.server is not None:
        server = args.server if args.port is None else f"{args.server}:{args.port}"
        try:
            address = parse_address(f"tls://{server}" if args.tls and "://" not in server else server)
        except BadAddress as problem:
            raise _Usage(f"expected {problem}") from None
    if args.solo is not None:
        _check_solo(args)
    if args.trust:
        _accept_server(address, remembered)
    if args.plain:
        return _run_plain(args, address, remembered)
    if os.environ.get("TERM") == "dumb" and sys.stdin.isatty():
        if address is None and args.solo is None:
            raise _Usage("this terminal (TERM=dumb) can show only lines: give HOST[:PORT] or --solo")
        print(
            "golfnet-client: this terminal (TERM=dumb) can show only lines, as with --plain", file=sys.stderr
        )
        return _run_plain(args, address, remembered)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise _Usage("the screen needs a terminal; --plain works without one")
    return _run_screen(args, address, remembered)


@contextmanager
def _loading() -> Iterator[None]:
    """Turn the garbage collector off while modules load: they are never freed, so scanning them wastes time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _check_solo(args: argparse.Namespace) -> None:
    with _loading():
        from golfnet.rulesets import catalogue

    if args.server is not None:
        raise _Usage("--solo has its own server; leave the address out")
    if not 1 <= args.bots <= 11:
        raise _Usage(f"--bots takes a number from 1 to 11, not {args.bots}")
    if args.solo.lower() not in catalogue():
        raise _Usage(f"--solo takes a rule set ({', '.join(catalogue())}), not {args.solo!r}")


def _accept_server(address: Address | None, remembered: Remembered) -> None:
    """Trust the server's current key. If the server cannot be reached, the client reports that later."""
    if address is None or not address.tls:
        raise _Usage("--trust needs a server and TLS: without TLS there is no key")
    with _loading():
        import trio

        from golfnet.connect import Untrusted, open_stream
    server = str(address)

    async def look() -> None:
        try:
            stream = await open_stream(address, remembered.trust(server))
        except Untrusted as problem:
            remembered.accept(server, problem)
        else:
            await trio.aclose_forcefully(stream)

    with suppress(OSError):
        trio.run(look)


def _run_plain(args: argparse.Namespace, address: Address | None, remembered: Remembered) -> int:
    with _loading():
        import trio

        from golfnet.connect import open_stream
        from golfnet_client.plain import PlainClient, accept_any_bytes, typed_lines

    if address is None and args.solo is None:
        raise _Usage("--plain needs HOST[:PORT] or --solo")
    witness, files = (None, None) if address is None else remembered.witness(str(address))

    async def play() -> int:
        async with trio.open_nursery() as nursery:
            if address is None:
                from golfnet_client.solo import SOLO_NAME, open_solo, opening_lines

                where = await open_solo(nursery)
                first, name = opening_lines(args.solo, args.bots), args.name or SOLO_NAME
            else:
                where, first, name = address, (), args.name
            plain = PlainClient(
                partial(open_stream, where, remembered.trust(str(where))),
                None if address is None else remembered,
                str(where),
                name=name,
                witness=witness,
                first=first,
            )
            await plain.run(typed_lines)
            nursery.cancel_scope.cancel()
        return FAULT if plain.is_refused else OK

    accept_any_bytes()
    try:
        status = trio.run(play)
    except* KeyboardInterrupt:  # trio wraps it in a group
        status = INTERRUPTED
    if witness is None or files is None:
        return status
    return _after_alarms(tuple(witness.problems), witness.left_out, str(files.path or "")) or status


def _run_screen(args: argparse.Namespace, address: Address | None, remembered: Remembered) -> int:
    from golfnet_client.terminal.background import asked_background

    bell = None if args.bell is None else "on" if args.bell else "off"
    remembered.keep_settings(theme=args.theme, felt=args.felt, suits=args.suits, bell=bell)
    kept = remembered.setting("theme", ("dark", "light", "mono")) or "auto"
    theme = "mono" if os.environ.get("NO_COLOR") else kept
    source = sys.stdin.fileno() if theme == "auto" else None
    with _loading(), asked_background(source, sys.stdout.fileno()) as answer:
        import asyncio

        from golfnet_client.model.model import Model
        from golfnet_client.model.pages import Way
        from golfnet_client.play import play
        from golfnet_client.screens.canvas import Look
        from golfnet_client.screens.style import usual_theme
        from golfnet_client.terminal.client import Client
        from golfnet_client.terminal.screen import Terminal

        if theme == "auto":
            is_light = answer()
            if is_light is None:
                theme = usual_theme(os.environ.get("COLORFGBG", ""))
            else:
                theme = "light" if is_light else "dark"
    term = os.environ.get("TERM", "")
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    way = None
    if args.solo is not None:
        way = Way(solo=args.solo.lower(), bots=args.bots)
    elif address is not None:
        way = Way(address=address)
    client = Client(
        Model(),
        remembered,
        now=time.monotonic,
        look=Look(ascii=args.ascii or encoding != "utf8" or term.startswith("vt"), console=term == "linux"),
    )
    client.model.is_still = args.still or bool(os.environ.get("NO_MOTION"))
    goodbye = asyncio.run(play(Terminal(client, theme=theme), way, args.name))
    if goodbye:
        _show(goodbye)
    return _after_alarms(client.model.alarms, client.model.left_out, client.evidence())


def _after_alarms(problems: tuple[str, ...], left_out: Sequence[str], evidence: str) -> int:
    """Print again which deals were not as promised, and which lack the player's text; return the exit status."""
    for sentence in left_out:
        _show(f"golfnet-client: {sentence}", sys.stderr)
    for problem in problems:
        _show(f"golfnet-client: THE DEAL IS NOT WHAT WAS PROMISED. {problem}", sys.stderr)
    if (problems or left_out) and evidence:
        print(f"golfnet-client: what you saw is stored in {evidence}", file=sys.stderr)
    return CHEATED if problems else OK


def _show(line: str, stream: TextIO | None = None) -> None:
    """Print a line without control characters, since its text may come from a server."""
    from golfnet.protocol.lines import clean_line

    print(clean_line(line), file=stream)


def _write_log() -> Path:
    from golfnet.storage.files import state_folder

    text = f"golfnet-client {__version__}, {time.strftime('%Y-%m-%d %H:%M:%S')}\n{traceback.format_exc()}"
    for directory in (state_folder(), Path(tempfile.gettempdir())):
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", dir=directory, prefix="crash-", suffix=".log", delete=False
            ) as file:
                file.write(text)
            return Path(file.name)
        except OSError:
            continue
    return Path(os.devnull)
