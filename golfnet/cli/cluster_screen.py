"""The screen of ``golfnet cluster``: how it is, what is wrong with what to do, then node by node; 80 columns wide.

The verdict comes first, so that it is seen though the rest does not fit.
"""

import textwrap
import time
from collections.abc import Iterator, Sequence
from typing import Final

from golfnet.cli.cluster_diagnosis import Problem, duration, is_silent, well
from golfnet.protocol.text.words import counted
from golfnet.storage.cluster_report import ClusterReport, NodeReport

WIDTH: Final = 80
_COLUMNS: Final = "{:>5}  {:<8} {:>7} {:>10} {:>7} {:>11} {:>8}  {}"


def screen(report: ClusterReport, found: Sequence[Problem], place: str) -> Iterator[str]:
    """Yield the lines; ``place`` is the database as people may see it."""
    yield from _head(report, found, place)
    for problem in found:
        yield ""
        yield from _wrapped(problem.what, "!! ")
        yield from _wrapped(problem.to_do, "   ")
    if report.nodes:
        yield ""
        yield from _nodes(report)
    if report.ended:
        yield ""
        yield "Ended in the last day"
        for node in report.ended:
            how = "stopped" if node.has_stopped else "declared gone, without a word"
            yield _cut(f"{node.node:>5}  {duration(node.ago)} ago, {how}: {node.name}")
    yield ""
    yield _sums(report)


def unreadable(why: str) -> Iterator[str]:
    """Yield the lines where the database cannot be read."""
    yield f"golfnet cluster: the database cannot be read{time.strftime('%H:%M:%S'):>36}"
    yield ""
    yield from _wrapped(why, "!! ")


def _head(report: ClusterReport, found: Sequence[Problem], place: str) -> Iterator[str]:
    verdict = f"{counted(len(found), 'problem')}" if found else "all is well"
    at = time.strftime("%H:%M:%S", time.localtime(report.at))
    left = f"golfnet cluster: {verdict}"
    room = WIDTH - len(left) - len(at) - 4
    short = place.removeprefix("postgresql://")
    shown = short if len(short) <= room else f"{short[: max(0, room - 3)]}..."
    yield f"{left}{shown:>{room + 2}}  {at}"


def _nodes(report: ClusterReport) -> Iterator[str]:
    """Yield the table of the nodes: a line of numbers, and where each is, for all."""
    yield _COLUMNS.format("NODE", "STATE", "TABLES", "CONNECTED", "SEATED", "LAST WRITE", "UP", "VERSION")
    for node in report.nodes:
        numbers = (node.tables, node.connected, node.seated)
        up = "-" if node.up is None else duration(node.up)
        yield _COLUMNS.format(
            node.node, _state(node), *numbers, f"{duration(node.silent)} ago", up, node.version
        ).rstrip()
        links = f", links at {node.link}" if node.link else ", alone"
        yield _cut(f"{'':>7}{node.name}{links}")
    if len(report.nodes) > 1:
        sums = [
            sum(getattr(node, name) for node in report.nodes) for name in ("tables", "connected", "seated")
        ]
        of = f"{len(well(report))} of {len(report.nodes)}"
        yield _COLUMNS.format("all", of, *sums, "", "", "").rstrip()


def _state(node: NodeReport) -> str:
    if is_silent(node):
        return "SILENT"
    return "drains" if node.is_draining else "serves"


def _sums(report: ClusterReport) -> str:
    return (
        f"Tables without a node: {report.unowned}   set aside after a fault: {report.aside}   "
        f"bans: {report.bans}   mutes: {report.mutes}"
    )


def _wrapped(text: str, mark: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark), break_on_hyphens=False
    )


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."
