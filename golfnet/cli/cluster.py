"""``golfnet cluster``: all nodes of a PostgreSQL database at a glance, and what is wrong with them.

It asks nobody but the database, so that it works when every node is down.
"""

import argparse
import shutil
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, NoReturn

import msgspec

from golfnet.cli.cluster_diagnosis import problems
from golfnet.cli.cluster_screen import screen, unreadable
from golfnet.cli.output import complain, redraw, show
from golfnet.cli.settings import BAD_USAGE, BadSettings, add_config_argument, add_flags, settings_of
from golfnet.storage.errors import StoreError
from golfnet.storage.postgres.opening import open_report

if TYPE_CHECKING:
    from golfnet.storage.postgres.reads import PostgresReads

WELL, WRONG = 0, 1

EVERY_SECONDS: Final = 1.0

DESCRIPTION = """\
List the nodes that serve from one PostgreSQL database, with their tables and players, and say what is wrong and what to
do about it. It asks the database alone, so it works when every node is down, and from any machine that reaches it."""

EPILOG = """\
LAST WRITE is when the database last heard of a node. One that is silent for longer than its lease is declared gone by
the others, which take over its tables. CONNECTED and SEATED are players at the node; who plays at another node than it
is connected to counts where it plays.

examples:
  golfnet cluster --config /etc/golfnet/cluster.toml
  golfnet cluster --database postgresql://golfnet@db.example.org/golfnet --watch

Exit status: 0 all is well, 1 something is wrong, 2 a setting cannot be used, or the database cannot be read."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: which database, and how to show it."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("--watch", action="store_true", help="show it anew every second, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="print it as JSON, on one line")
    add_config_argument(parser)
    add_flags(parser, ("database",))


def run(args: argparse.Namespace) -> int:
    """Show the nodes; return the exit status."""
    try:
        config, _ = settings_of(args)
    except BadSettings as error:
        complain("cluster", f"{error}")
        return BAD_USAGE
    if not config.database:
        complain("cluster", "name the PostgreSQL database: --database URL, or --config FILE with one")
        return BAD_USAGE
    if args.watch:
        _watch(config.database, as_json=args.json)
    try:
        with closing(open_report(config.database)) as reads:
            lines, status = _look(reads, as_json=args.json)
    except StoreError as error:
        complain("cluster", f"{error}")
        return BAD_USAGE
    for line in lines:
        show(line)
    return status


def _watch(url: str, *, as_json: bool) -> NoReturn:
    """Show it every second until interrupted; a database that does not answer is waited for."""
    is_drawn = sys.stdout.isatty() and not as_json
    while True:
        try:
            with closing(open_report(url)) as reads:
                while True:
                    _show(_look(reads, as_json=as_json)[0], is_drawn=is_drawn)
                    time.sleep(EVERY_SECONDS)
        except StoreError as error:
            if is_drawn:
                _show([*unreadable(f"{error}")], is_drawn=is_drawn)
            else:
                complain("cluster", f"{error}")
        time.sleep(EVERY_SECONDS)


def _show(lines: list[str], *, is_drawn: bool) -> None:
    if is_drawn:
        redraw(lines[: shutil.get_terminal_size().lines - 1])
        return
    for line in lines:
        show(line)


def _look(reads: "PostgresReads", *, as_json: bool) -> tuple[list[str], int]:
    """Return the lines to show, and the exit status; raises ``StoreError``."""
    report = reads.cluster()
    found = problems(report)
    if as_json:
        told = {**msgspec.structs.asdict(report), "problems": found}
        lines = [msgspec.json.encode(told).decode()]
    else:
        lines = list(screen(report, found, reads.place))
    return lines, WRONG if found else WELL
