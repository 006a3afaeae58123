"""What is measured of a server: each metric with its name and its meaning, from one copy of its numbers.

A copy is taken in the trio thread, in one piece; the rest may be done in any other.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from golfnet.server.counters import Buckets, Counters, SlamTotals
from golfnet.server.operations.status import Status, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prometheus_client.metrics_core import Metric

    from golfnet.server.lease import Lease
    from golfnet.server.lobby import Lobby


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeNumbers:
    """One node of several at one moment: its lease, its relays, and times in seconds.

    ``fronts`` are players relayed from here, ``owners`` sessions here that come by a link.
    """

    is_sure: bool
    beat_age: float

    fronts: int
    owners: int
    bus_lag: float | None
    directory: Buckets


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A server at one moment."""

    status: Status
    counters: Counters
    journal: Buckets
    slams: SlamTotals
    node: NodeNumbers | None
    """What there is of a node of several, None for a server that is alone."""


def snapshot(lobby: Lobby) -> Snapshot:
    """Copy what is told about a server."""
    return Snapshot(
        status=status_of(lobby),
        counters=deepcopy(lobby.counters),
        journal=deepcopy(lobby.gate.waits),
        slams=deepcopy(lobby.tables.services.slams),
        node=None if lobby.lease is None else _node_numbers(lobby, lobby.lease),
    )


def _node_numbers(lobby: Lobby, lease: Lease) -> NodeNumbers:
    links, nodes = lobby.links, lobby.nodes
    return NodeNumbers(
        is_sure=lease.is_sure(),
        beat_age=lease.age,
        fronts=0 if links is None else len(links.relays),
        owners=0 if links is None else links.taken,
        bus_lag=nodes.bus_lag.seconds(trio.current_time()),
        directory=deepcopy(nodes.waits),
    )


class Measures:
    """All metrics, as they are when they are asked for."""

    def __init__(self, look: Callable[[], Snapshot]) -> None:
        self._look = look

    def collect(self) -> Iterator[Metric]:
        """Yield each metric with its values."""
        taken = self._look()
        yield from _now(taken.status)
        yield from _so_far(taken.counters, taken.journal)
        yield from _slams(taken.slams)
        if taken.node is not None:
            yield from _of_node(taken.node, taken.counters)


def _now(status: Status) -> Iterator[Metric]:
    yield GaugeMetricFamily("golfnet_connections", "Connections that are open.", status.connections)
    yield GaugeMetricFamily("golfnet_players", "Connections whose player has a name.", status.players)
    tables = GaugeMetricFamily("golfnet_tables", "Tables, by state.", labels=["state"])
    for state, count in status.tables.items():
        tables.add_metric([state], count)
    yield tables
    yield GaugeMetricFamily("golfnet_watchers", "Players who watch a table.", status.watchers)
    yield GaugeMetricFamily("golfnet_ready", "Whether new players should come here.", not status.not_ready)
    yield GaugeMetricFamily(
        "golfnet_journal_waiting", "Submissions that are not durable yet.", status.journal_waiting
    )
    yield GaugeMetricFamily(
        "golfnet_paused",
        "Whether play is paused because nothing can be saved.",
        bool(status.pause_reason),
    )
    yield GaugeMetricFamily(
        "golfnet_database_damaged",
        "Whether the last look for damage found some; golfnet admin status says what.",
        bool(status.damage),
    )
    if status.inspected_at is not None:
        yield GaugeMetricFamily(
            "golfnet_database_inspected_timestamp_seconds",
            "When the last look for damage found none.",
            status.inspected_at,
        )


def _so_far(counters: Counters, journal: Buckets) -> Iterator[Metric]:
    yield _counter("golfnet_accepted", "Connections that were let in.", counters.connections)
    yield _counters(
        "golfnet_turned_away", "Connections that were not let in.", "reason", counters.turned_away
    )
    yield _counters(
        "golfnet_sessions_ended",
        "Sessions that are over; slow: the outbox was full.",
        "cause",
        {"slow": 0, **counters.ended},
    )
    yield _counters(
        "golfnet_refusals",
        "Commands that were refused; RATE_LIMITED: too fast.",
        "code",
        {"RATE_LIMITED": 0, **counters.refusals},
    )
    yield _counter("golfnet_pauses", "Times play was paused because nothing could be saved.", counters.pauses)
    yield _counter("golfnet_matches_finished", "Matches that are over.", counters.matches_finished)
    latency = HistogramMetricFamily(
        "golfnet_command_seconds",
        "From the arrival of a command until it is carried out, before the journal.",
        labels=["verb"],
    )
    for verb, buckets in counters.latency.items():
        latency.add_metric([verb], _cumulated(buckets.bounds, buckets.counts), buckets.total)
    yield latency
    waits = HistogramMetricFamily(
        "golfnet_journal_wait_seconds", "From handing something to the journal until it is durable."
    )
    waits.add_metric([], _cumulated(journal.bounds, journal.counts), journal.total)
    yield waits


def _of_node(node: NodeNumbers, counters: Counters) -> Iterator[Metric]:
    """Yield what only a node of several tells."""
    yield GaugeMetricFamily(
        "golfnet_node_sure", "Whether the node knows that its tables are still its own.", node.is_sure
    )
    yield GaugeMetricFamily(
        "golfnet_beat_seconds",
        "How long ago the last beat was submitted that the database has stored.",
        node.beat_age,
    )
    yield _counter(
        "golfnet_takeovers", "Tables that were taken over from nodes that are gone.", counters.tables_taken
    )
    yield _counter(
        "golfnet_tables_given", "Tables that were given to other nodes before a stop.", counters.tables_given
    )
    relays = GaugeMetricFamily(
        "golfnet_relays",
        "Players who are connected at one node and play at another; front: connected here, owner: playing here.",
        labels=["role"],
    )
    relays.add_metric(["front"], node.fronts)
    relays.add_metric(["owner"], node.owners)
    yield relays
    yield _counters(
        "golfnet_handovers",
        "Sessions that were given to another node, taken from one, or refused by the one that was asked.",
        "how",
        {"given": 0, "taken": 0, "refused": 0, **counters.handovers},
    )
    yield _counter(
        "golfnet_fenced",
        "Nodes that this one has declared gone: they were killed, hung, or lost the database.",
        counters.nodes_declared_gone,
    )
    if node.bus_lag is not None:
        yield GaugeMetricFamily(
            "golfnet_bus_lag_seconds",
            "How long a word takes over the bus; it grows while none arrives.",
            node.bus_lag,
        )
    asked = HistogramMetricFamily(
        "golfnet_directory_seconds", "From a question to the directory of all nodes until it is answered."
    )
    asked.add_metric([], _cumulated(node.directory.bounds, node.directory.counts), node.directory.total)
    yield asked


def _slams(slams: SlamTotals) -> Iterator[Metric]:
    yield _counter("golfnet_slam_windows", "Slam windows that were judged.", slams.windows)
    yield _counters("golfnet_slams", "Claims in slam windows, by how they ended.", "result", slams.results)
    yield _counter("golfnet_slams_drawn", "Slams that were won by lot.", slams.drawn)
    yield _counter("golfnet_slams_overtaken", "Slams that came in later than one they beat.", slams.overtaken)
    for name, meaning, histogram in (
        ("margin", "By how much the fastest slam was faster than the next.", slams.margins),
        ("claim_round_trip", "Measured round trips of those who slammed.", slams.claims),
        ("win_round_trip", "Measured round trips of those who slammed and won.", slams.wins),
    ):
        yield _in_seconds(f"golfnet_slam_{name}_seconds", meaning, histogram)


def _in_seconds(name: str, meaning: str, histogram: Buckets) -> Metric:
    """Return a histogram that was counted in milliseconds."""
    family = HistogramMetricFamily(name, meaning)
    bounds = tuple(bound / 1000 for bound in histogram.bounds)
    family.add_metric([], _cumulated(bounds, histogram.counts), histogram.total / 1000)
    return family


def _counter(name: str, meaning: str, value: float) -> Metric:
    return CounterMetricFamily(name, meaning, value)


def _counters(name: str, meaning: str, label: str, values: dict[str, int]) -> Metric:
    family = CounterMetricFamily(name, meaning, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _cumulated(bounds: Iterable[float], counts: list[int]) -> list[tuple[str, float]]:
    """Return buckets as Prometheus wants them: each with all that are smaller."""
    total = 0
    cumulated = []
    for bound, count in zip((*bounds, float("inf")), counts, strict=True):
        total += count
        cumulated.append(("+Inf" if bound == float("inf") else repr(float(bound)), float(total)))
    return cumulated
