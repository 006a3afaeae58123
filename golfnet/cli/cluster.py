"""``golfnet cluster``: all nodes of a PostgreSQL database at a glance, and what is wrong with them.

It reads only the database, so it works even if every node is down.
"""

import argparse
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Final

from msgspec import Struct, json, structs

from golfnet.cli.config import add_flags, settings_of
from golfnet.cli.output import Failed, complain, redraw, show
from golfnet.engine.forms import listed
from golfnet.protocol.text.words import counted
from golfnet.storage.directory import ClusterReport, NodeReport
from golfnet.storage.faults import StoreError
from golfnet.storage.postgres import LOOK_SECONDS, open_reads

WIDTH: Final = 80
_COLUMNS: Final = "{:>5}  {:<8} {:>7} {:>10} {:>7} {:>11} {:>8}  {}"


def screen(report: ClusterReport, found: "Sequence[Problem]", place: str) -> Iterator[str]:
    """Yield the lines of a report; ``place`` is the database's URL without its password."""
    at = time.strftime("%H:%M:%S", time.localtime(report.at))
    left = f"golfnet cluster: {counted(len(found), 'problem') if found else 'all is well'}"
    room = WIDTH - len(left) - len(at) - 4
    yield f"{left}{_cut(place.removeprefix('postgresql://'), room):>{room + 2}}  {at}"
    for problem in found:
        yield ""
        yield from _wrapped(problem.what, "!! ")
        yield from _wrapped(problem.to_do, "   ")
    if report.nodes:
        yield ""
        yield from _node_lines(report)
    if report.ended:
        yield ""
        yield "Stopped in the last day"
        for node in report.ended:
            how = "gracefully" if node.has_stopped else "unexpectedly"
            yield _cut(f"{node.node:>5}  {duration(node.ago)} ago, {how}: {node.name}")
    yield ""
    yield (
        f"Tables without a node: {report.unowned}   set aside after a fault: {report.aside}   "
        f"bans: {report.bans}   mutes: {report.mutes}"
    )


def unreadable(why: str) -> Iterator[str]:
    """Yield the lines for a database that cannot be read."""
    yield f"golfnet cluster: the database cannot be read{time.strftime('%H:%M:%S'):>36}"
    yield ""
    yield from _wrapped(why, "!! ")


def _node_lines(report: ClusterReport) -> Iterator[str]:
    yield _COLUMNS.format("NODE", "STATE", "TABLES", "CONNECTED", "SEATED", "LAST WRITE", "UP", "VERSION")
    for node in report.nodes:
        state = "SILENT" if node.is_silent else "draining" if node.is_draining else "serving"
        numbers = (node.tables, node.connected, node.seated)
        up = "-" if node.up is None else duration(node.up)
        yield _COLUMNS.format(
            node.node, state, *numbers, f"{duration(node.silent)} ago", up, node.version
        ).rstrip()
        links = f", links at {node.link}" if node.link else ", alone"
        yield _cut(f"{'':>7}{node.name}{links}")
    if len(report.nodes) > 1:
        sums = [
            sum(getattr(node, name) for node in report.nodes) for name in ("tables", "connected", "seated")
        ]
        of = f"{len(well(report))} of {len(report.nodes)}"
        yield _COLUMNS.format("all", of, *sums, "", "", "").rstrip()


def _wrapped(text: str, mark: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark), break_on_hyphens=False
    )


def _cut(line: str, width: int = WIDTH) -> str:
    return line if len(line) <= width else f"{line[: width - 3]}..."


MISSED_SECONDS: Final = 3600.0
"""Seconds for which a node that stopped unexpectedly is reported; after that, it is considered removed on purpose."""


class Problem(Struct, frozen=True, kw_only=True):
    """Something that is wrong: a code for programs, and a description and advice for people."""

    code: str
    what: str
    to_do: str


def problems(report: ClusterReport) -> list[Problem]:
    """Return everything that is wrong."""
    return [*_of_nodes(report), *_lost(report), *_of_links(report), *_unowned(report), *_versions(report)]


def well(report: ClusterReport) -> list[NodeReport]:
    """Return the nodes that are not silent."""
    return [node for node in report.nodes if not node.is_silent]


def duration(seconds: float) -> str:
    """Return a duration in two or three digits: ``0.4 s``, ``14 s``, ``12 min``, ``3 h``, ``2 d``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    for unit, size, most in (("s", 1, 100), ("min", 60, 100), ("h", 3600, 48)):
        if seconds < size * most:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} d"


def _of_nodes(report: ClusterReport) -> Iterator[Problem]:
    """Yield what is wrong if no node is running, if nodes are silent, or if all others are draining."""
    if not report.nodes:
        waits = ""
        if report.unowned:
            tables, players = counted(report.unowned, "table"), counted(report.waiting, "player")
            waits = f" {tables} and {players} are waiting for one."
        yield Problem(
            code="no_node",
            what=f"No node is running.{waits}",
            to_do="Start one: systemctl start golfnet@1, or as you started the last one. It continues all tables; "
            "players reconnect with their tokens.",
        )
    silent, writing = [node for node in report.nodes if node.is_silent], well(report)
    if len(silent) > 1 and not writing:
        since = listed([f"node {node.node} for {duration(node.silent)}" for node in silent])
        yield Problem(
            code="all_silent",
            what=f"All nodes are silent: {since}.{_standing(silent)}",
            to_do="Check whether their machines are running and can reach the database. Start a node that has stopped, "
            "or kill one that hangs and start it again: it continues all tables after a few seconds.",
        )
        return
    for node in silent:
        yield Problem(
            code="silent",
            what=f"Node {node.node} ({node.name}) has given no sign of life for {duration(node.silent)}; its lease is "
            f"{node.lease:g} s.{_standing([node])}",
            to_do=_OTHERS_TAKE_OVER if node.link and writing else _NOBODY_TAKES_OVER,
        )
    if writing and all(node.is_draining for node in writing):
        yield Problem(
            code="all_drain",
            what="Every node is draining: no table can be opened, and no node takes over when one stops.",
            to_do="Start another node before you stop these.",
        )


_OTHERS_TAKE_OVER: Final = (
    "The other nodes declare it gone and take over its tables. Check whether its machine is running and can reach the "
    "database; if the process hangs, you can kill it."
)
_NOBODY_TAKES_OVER: Final = (
    "There is no other node to take over. Check whether its machine is running and can reach the database. If the "
    "process hangs, kill it and start it again: it continues all tables."
)


def _standing(silent: Iterable[NodeReport]) -> str:
    """Return a sentence that says how many tables are paused because their nodes are silent."""
    tables = sum(node.tables for node in silent)
    return f" {counted(tables, 'table')} {'is' if tables == 1 else 'are'} paused." if tables else ""


def _lost(report: ClusterReport) -> Iterator[Problem]:
    serving = [node.up for node in report.nodes if node.up is not None]
    started = sorted([*serving, *[node.began for node in report.ended]])
    for ended in report.ended:
        if not report.nodes or ended.has_stopped or ended.ago > MISSED_SECONDS:
            continue
        if started and started[0] < ended.ago:  # a node that has started since then replaces it
            del started[0]
            continue
        yield Problem(
            code="lost",
            what=f"Node {ended.node} ({ended.name}) stopped unexpectedly {duration(ended.ago)} ago, and none has "
            "started since.",
            to_do="The other nodes have its tables. Check whether its machine is running and can reach the database, "
            "and start it again; its log says why it stopped.",
        )


def _of_links(report: ClusterReport) -> Iterator[Problem]:
    linked = [node for node in well(report) if node.link]
    plain, encrypted = (
        [node for node in linked if node.link.startswith("tls://") is is_tls] for is_tls in (False, True)
    )
    if plain and encrypted:
        with_tls, without = (_nodes(node.node for node in same) for same in (encrypted, plain))
        yield Problem(
            code="tls",
            what=f"Links use TLS on {with_tls} but not on {without}. Players cannot reach tables on nodes of the other "
            "kind.",
            to_do="Set cluster_tls on all nodes or on none, and restart those you change.",
        )
    failures = [
        f"node {node.node} cannot reach {_nodes(others)}"
        for same in (plain, encrypted)
        for node in same
        if (others := sorted({each.node for each in same}.intersection(node.unreached)))
    ]
    if failures:
        yield Problem(
            code="apart",
            what=f"Links between nodes fail: {'; '.join(failures)}. Players cannot reach tables across these "
            "links.",
            to_do="Check whether cluster_secret is the same on all nodes, and whether firewalls let each node reach "
            "the others' link addresses. The nodes' logs say why.",
        )


def _unowned(report: ClusterReport) -> Iterator[Problem]:
    if report.unowned and report.nodes:
        wait = f"; players waiting there: {report.waiting}" if report.waiting else ""
        yield Problem(
            code="unowned",
            what=f"{counted(report.unowned, 'table')} {'belongs' if report.unowned == 1 else 'belong'} to no "
            f"node{wait}.",
            to_do="A node should take them over within seconds. If none does, the nodes' logs say why; a node "
            "that you start takes them in any case.",
        )


def _versions(report: ClusterReport) -> Iterator[Problem]:
    versions: dict[str, list[int]] = {}
    for node in report.nodes:
        versions.setdefault(node.version, []).append(node.node)
    if len(versions) > 1:
        found = [f"{version} ({_nodes(nodes)})" for version, nodes in versions.items()]
        yield Problem(
            code="versions",
            what=f"The nodes have different versions: {listed(found)}.",
            to_do="That is normal for a few minutes during an upgrade. Otherwise restart the nodes that are behind, "
            "one at a time.",
        )


def _nodes(numbers: Iterable[int]) -> str:
    given = list(numbers)
    return f"node{'' if len(given) == 1 else 's'} {listed(given)}"


WELL, WRONG = 0, 1

EVERY_SECONDS: Final = 1.0

DESCRIPTION = """\
List the nodes that share a PostgreSQL database, with their tables and players, and say what is wrong and what to do
about it. It asks only the database, so it works even if every node is down, and from any machine that can reach it."""

EPILOG = """\
LAST WRITE is when a node last wrote to the database. Once a node is silent for longer than its lease, others declare
it gone and take over its tables. CONNECTED and SEATED count the players at the node; players connected to one node and
playing at another count where they play.

examples:
  golfnet cluster --config /etc/golfnet/cluster.toml
  golfnet cluster --database postgresql://golfnet@db.example.org/golfnet --watch

Exit status: 0 all is well, 1 something is wrong, 2 a setting cannot be used, or the database cannot be read."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: which database, and how to show it."""
    parser.add_argument("--watch", action="store_true", help="refresh every second, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="print it as JSON, on one line")
    add_flags(parser, ("database",))


def run(args: argparse.Namespace) -> int:
    """Show the nodes, or keep showing them until interrupted; return the exit status."""
    config, _ = settings_of(args)
    if not config.database:
        raise Failed("name the PostgreSQL database: --database URL, or --config FILE with one")
    is_drawn = args.watch and not args.json and sys.stdout.isatty()
    while True:
        try:
            with closing(open_reads(config.database, LOOK_SECONDS)) as reads:
                while True:
                    lines, status = _look(reads.cluster(), reads.place, as_json=args.json)
                    _show(lines, is_drawn=is_drawn)
                    if not args.watch:
                        return status
                    time.sleep(EVERY_SECONDS)
        except StoreError as error:  # with --watch, it keeps trying
            if not args.watch:
                raise Failed(error) from None
            if is_drawn:
                _show([*unreadable(f"{error}")], is_drawn=True)
            else:
                complain("cluster", f"{error}")
        time.sleep(EVERY_SECONDS)


def _show(lines: list[str], *, is_drawn: bool) -> None:
    if is_drawn:
        redraw(lines[: shutil.get_terminal_size().lines - 1])
    else:
        show(*lines)


def _look(report: ClusterReport, place: str, *, as_json: bool) -> tuple[list[str], int]:
    found = problems(report)
    if as_json:
        lines = [json.encode({**structs.asdict(report), "problems": found}).decode()]
    else:
        lines = list(screen(report, found, place))
    return lines, WRONG if found else WELL
