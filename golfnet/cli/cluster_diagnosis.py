"""What is wrong with a cluster, in words, and what to do about it: worst first, nothing where all is well."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from golfnet.engine.wording import listed
from golfnet.protocol.text.words import counted
from golfnet.storage.cluster_report import ClusterReport, NodeReport

CHECKED_LATE: Final = 1.0
"""Seconds beyond its lease after which a node counts as silent: it may be just about to write."""


class Problem(Struct, frozen=True, kw_only=True):
    """Something that is wrong: a word for programs, and for people what it is and what to do."""

    code: str
    what: str
    to_do: str


def problems(report: ClusterReport) -> list[Problem]:
    """Return all that is wrong."""
    return [
        *_nobody(report),
        *_silent(report),
        *_all_drain(report),
        *_unowned(report),
        *_versions(report),
    ]


def is_silent(node: NodeReport) -> bool:
    """Tell whether a node has written nothing for longer than others wait for it."""
    return node.silent > node.lease + CHECKED_LATE


def well(report: ClusterReport) -> list[NodeReport]:
    """Return the nodes that write."""
    return [node for node in report.nodes if not is_silent(node)]


def duration(seconds: float) -> str:
    """Return how long something lasts, in two digits or three: ``0.4 s``, ``14 s``, ``12 min``, ``3 h``, ``2 d``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    for unit, size, most in (("s", 1, 100), ("min", 60, 100), ("h", 3600, 48)):
        if seconds < size * most:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} d"


def _nobody(report: ClusterReport) -> Iterator[Problem]:
    if report.nodes:
        return
    waits = ""
    if report.unowned:
        waits = f" {_tables(report.unowned)} and {counted(report.waiting, 'player')} wait for one."
    yield Problem(
        code="no_node",
        what=f"No node is running.{waits}",
        to_do="Start one: systemctl start golfnet@1, or as you started the last. It goes on with all tables; players "
        "come back with their tokens.",
    )


def _silent(report: ClusterReport) -> Iterator[Problem]:
    silent = [node for node in report.nodes if is_silent(node)]
    if len(silent) > 1 and not well(report):
        told = listed([f"node {node.node} for {duration(node.silent)}" for node in silent])
        yield Problem(
            code="all_silent",
            what=f"No node gives a sign of life: {told}.{_standing(silent)}",
            to_do="See whether their machines run and reach the database. Start one that has ended, or kill one that "
            "hangs and start it again: it goes on with all tables after some seconds.",
        )
        return
    for node in silent:
        yield Problem(
            code="silent",
            what=f"Node {node.node} ({node.name}) has given no sign of life for {duration(node.silent)}; its lease is "
            f"{node.lease:g} s.{_standing([node])}",
            to_do=_OTHERS_TAKE_OVER if node.link and well(report) else _NOBODY_TAKES_OVER,
        )


_OTHERS_TAKE_OVER: Final = (
    "The other nodes declare it gone and take over what it has. See whether its machine runs and reaches the database; "
    "a process that hangs may be killed."
)
_NOBODY_TAKES_OVER: Final = (
    "There is no other node to take over. See whether its machine runs and reaches the database. If it hangs, kill it "
    "and start it again: it goes on with all tables."
)


def _standing(silent: Iterable[NodeReport]) -> str:
    """Return what stands still with some nodes."""
    tables = sum(node.tables for node in silent)
    return f" {_tables(tables)} {_verb(tables, 'stands', 'stand')} still." if tables else ""


def _all_drain(report: ClusterReport) -> Iterator[Problem]:
    writing = well(report)
    if writing and all(node.is_draining for node in writing):
        yield Problem(
            code="all_drain",
            what="Every node drains: no table can be opened, and nobody takes over when one ends.",
            to_do="Start a node that stays before you stop these.",
        )


def _unowned(report: ClusterReport) -> Iterator[Problem]:
    if report.unowned and report.nodes:
        wait = f", and {counted(report.waiting, 'player')} wait there" if report.waiting else ""
        yield Problem(
            code="unowned",
            what=f"{_tables(report.unowned)} {_verb(report.unowned, 'belongs', 'belong')} to no node{wait}.",
            to_do="A node takes them over within seconds. If this stays, the logs of the nodes say why; a node that is "
            "started takes them in any case.",
        )


def _versions(report: ClusterReport) -> Iterator[Problem]:
    versions: dict[str, list[int]] = {}
    for node in report.nodes:
        versions.setdefault(node.version, []).append(node.node)
    if len(versions) > 1:
        told = [f"{version} ({_nodes(nodes)})" for version, nodes in versions.items()]
        yield Problem(
            code="versions",
            what=f"The nodes have different versions: {listed(told)}.",
            to_do="That is right during an upgrade, for minutes. Else restart the nodes that are behind, one after the "
            "other.",
        )


def _nodes(numbers: Iterable[int]) -> str:
    given = list(numbers)
    return f"node{'' if len(given) == 1 else 's'} {listed(given)}"


def _tables(number: int) -> str:
    return counted(number, "table")


def _verb(number: int, one: str, more: str) -> str:
    return one if number == 1 else more
