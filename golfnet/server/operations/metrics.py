"""Metrics and health over HTTP, only for this machine and under its own name: ``/metrics``, ``/healthz``, ``/readyz``.

Requests are answered in separate threads, but each copies all metrics at once in the trio thread. So metrics need no
counters of their own, a table never waits for a scraper, and an answer shows that the event loop is running.
"""

import logging
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from itertools import accumulate
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Final, NamedTuple
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import trio
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import make_wsgi_app
from prometheus_client.metrics_core import Metric
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from golfnet.server.budget import Buckets, Counters, SlamTotals, is_this_machine
from golfnet.server.faults import fault_boundary
from golfnet.server.lobby import Lobby
from golfnet.server.net.listeners import CannotListen
from golfnet.server.nodes import Lease
from golfnet.server.operations.status import Status, status_of

Snapshot = tuple[str, list[Metric]]
"""A server at one moment: why it should get no new players (empty if it may get some), and its metrics."""


def snapshot(lobby: Lobby) -> Snapshot:
    """Copy a server's metrics."""
    status = status_of(lobby)
    metrics = [*_now(status), *_so_far(lobby.counters, lobby.gate.waits), *_slams(lobby.tables.slams)]
    if lobby.lease is not None:
        metrics += _of_node(lobby, lobby.lease)
    return status.not_ready, metrics


def _now(status: Status) -> list[Metric]:
    metrics = [
        _gauge("connections", "Open connections.", status.connections),
        _gauge("players", "Connections whose player has logged in.", status.players),
        _gauge("tables", "Tables, by state.", status.tables, "state"),
        _gauge("watchers", "Players watching a table.", status.watchers),
        _gauge("ready", "Whether new players should be sent here.", not status.not_ready),
        _gauge("journal_waiting", "Submissions that are not durable yet.", status.journal_waiting),
        _gauge("paused", "Whether play is paused because nothing can be saved.", bool(status.pause_reason)),
        _gauge(
            "database_damaged",
            "Whether the last inspection found damage; golfnet admin status says what.",
            bool(status.damage),
        ),
    ]
    if status.inspected_at is not None:
        metrics.append(
            _gauge(
                "database_inspected_timestamp_seconds",
                "When the last inspection without damage took place.",
                status.inspected_at,
            )
        )
    return metrics


def _so_far(counters: Counters, journal: Buckets) -> list[Metric]:
    return [
        _counter("accepted", "Accepted connections.", counters.connections),
        _counter("turned_away", "Refused connections.", counters.turned_away, "reason"),
        _counter("sessions_ended", "Ended sessions; slow: the outbox was full.", counters.ended, "cause"),
        _counter(
            "refusals",
            "Refused commands; RATE_LIMITED means that they came too fast.",
            counters.refusals,
            "code",
        ),
        _counter("pauses", "Times play was paused because nothing could be saved.", counters.pauses),
        _counter("matches_finished", "Finished matches.", counters.matches_finished),
        _histogram(
            "command_seconds",
            "Time from the arrival of a command until it has been handled, excluding the journal.",
            counters.latency,
            "verb",
        ),
        _histogram(
            "journal_wait_seconds",
            "Time from submitting something to the journal until it is durable.",
            journal,
        ),
    ]


def _of_node(lobby: Lobby, lease: Lease) -> list[Metric]:
    counters, links = lobby.counters, lobby.links
    return [
        _gauge("node_sure", "Whether the node knows that its tables are still its own.", lease.is_sure()),
        _gauge("beat_seconds", "How long ago the last stored heartbeat was submitted.", lease.age),
        _counter("takeovers", "Tables taken over from nodes that are gone.", counters.tables_taken),
        _counter("tables_given", "Tables handed over to other nodes before a stop.", counters.tables_given),
        _gauge(
            "relays",
            "Players connected to one node and playing on another; front: connected here, owner: playing here.",
            {} if links is None else {"front": len(links.relays), "owner": links.taken},
            "role",
        ),
        _counter(
            "handovers",
            "Players handed over to another node, taken over from one, or refused by the node that was asked.",
            counters.handovers,
            "how",
        ),
        _counter(
            "fenced",
            "Nodes that this one has declared gone: they were killed, hung, or lost the database.",
            counters.nodes_declared_gone,
        ),
        _histogram(
            "directory_seconds",
            "How long the directory of all nodes takes to answer a query.",
            lobby.nodes.waits,
        ),
    ]


def _slams(slams: SlamTotals) -> list[Metric]:
    return [
        _counter("slam_windows", "Slam windows judged.", slams.windows),
        _counter("slams", "Claims in slam windows, by result.", slams.results, "result"),
        _counter("slams_drawn", "Slams won by lot.", slams.drawn),
        _counter("slams_overtaken", "Slams that won although a slower one arrived first.", slams.overtaken),
        *[
            _histogram(f"slam_{name}_seconds", meaning, in_ms, seconds=0.001)
            for name, meaning, in_ms in (
                ("margin", "How much faster the fastest slam was than the next.", slams.margins),
                ("claim_round_trip", "Measured round trips of players who slammed.", slams.claims),
                ("win_round_trip", "Measured round trips of players who slammed and won.", slams.wins),
            )
        ],
    ]


def _metric(
    kind: type[GaugeMetricFamily | CounterMetricFamily],
    name: str,
    meaning: str,
    values: float | Mapping[str, float],
    *labels: str,
) -> Metric:
    family = kind(f"golfnet_{name}", meaning, labels=labels)
    for key, value in _by_label(values):
        family.add_metric(key, value)
    return family


_gauge: Final = partial(_metric, GaugeMetricFamily)
_counter: Final = partial(_metric, CounterMetricFamily)


def _histogram(
    name: str, meaning: str, values: Buckets | Mapping[str, Buckets], *labels: str, seconds: float = 1.0
) -> Metric:
    """Return buckets as a Prometheus histogram in seconds; ``seconds`` is one unit of the buckets."""
    family = HistogramMetricFamily(f"golfnet_{name}", meaning, labels=labels)
    for key, buckets in _by_label(values):
        bounds = [*[repr(round(bound * seconds, 6)) for bound in buckets.bounds], "+Inf"]
        cumulated = zip(bounds, map(float, accumulate(buckets.counts)), strict=True)
        family.add_metric(key, list(cumulated), buckets.total * seconds)
    return family


def _by_label(values: Any) -> list[tuple[list[str], Any]]:
    """Return each value with its label; a value that is not in a mapping has none."""
    return [([key], each) for key, each in values.items()] if isinstance(values, Mapping) else [([], values)]


class _Collector(NamedTuple):
    collect: Callable[[], list[Metric]]


log = logging.getLogger(__name__)

HOST: Final = "127.0.0.1"
AT_ONCE: Final = 8
"""Maximum number of concurrent requests; each has a socket and a thread, and scrapers send one at a time."""
ANSWER_SECONDS: Final = 2.0
"""How long the trio thread may take before a health check fails; tables take only milliseconds."""

StartResponse = Callable[[str, list[tuple[str, str]]], Any]


async def serve_metrics(
    lobby: Lobby, port: int, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer HTTP on a loopback port until cancelled; report the port. Raise ``CannotListen``."""
    token = trio.lowlevel.current_trio_token()
    try:
        server = _MetricsServer((HOST, port), _QuietHandler)
    except OSError as error:
        raise CannotListen(f"{HOST}, port {port}", error, "--metrics-port") from None
    server.set_app(application(partial(_ask, token, lobby)))
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    task_status.started(server.server_port)
    try:
        await trio.sleep_forever()
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(server.shutdown)
        server.server_close()


def application(look: Callable[[], Snapshot]) -> Callable[[dict[str, Any], StartResponse], Iterable[bytes]]:
    """Return the WSGI application; ``look`` may raise ``TimeoutError`` or ``trio.RunFinishedError``."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(lambda: look()[1]))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    metrics = make_wsgi_app(registry)

    def answer(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if not is_own_name(environ.get("HTTP_HOST", "")):
            return _plain(start_response, "403 Forbidden", f"expected the host name {HOST} or localhost")
        if environ.get("REQUEST_METHOD") not in ("GET", "HEAD"):
            return _plain(start_response, "405 Method Not Allowed", "expected GET")
        try:
            if path == "/metrics":
                return metrics(environ, start_response)  # type: ignore[no-any-return]
            if path not in ("/healthz", "/readyz"):
                return _plain(start_response, "404 Not Found", "expected /metrics, /healthz or /readyz")
            not_ready, _ = look()
        except (TimeoutError, trio.RunFinishedError):
            return _plain(start_response, "503 Service Unavailable", "the server did not answer in time")
        if not_ready and path == "/readyz":
            return _plain(start_response, "503 Service Unavailable", not_ready)
        return _plain(start_response, "200 OK", "ok")

    return answer


def is_own_name(host: str) -> bool:
    """Return whether the ``Host`` of a request names this machine: localhost or a loopback address.

    This stops web pages that reach this machine by DNS rebinding, since a browser sends the name in its address bar. A
    request without a ``Host`` does not come from a browser.
    """
    name = host.rpartition("]")[0][1:] if host.startswith("[") else host.partition(":")[0]
    return not host or name.lower().rstrip(".") == "localhost" or is_this_machine(name)


def _ask(token: trio.lowlevel.TrioToken, lobby: Lobby) -> Snapshot:
    """Copy a server's metrics in the trio thread, or raise ``TimeoutError`` or ``trio.RunFinishedError``."""
    answered = Future[Snapshot]()

    def answer() -> None:
        # An exception here would stop the server, since trio calls this function directly.
        failed = partial(answered.set_exception, TimeoutError())
        with fault_boundary(log, "could not collect the metrics", on_fault=failed):
            answered.set_result(snapshot(lobby))

    token.run_sync_soon(answer)
    return answered.result(ANSWER_SECONDS)


def _plain(start_response: StartResponse, status: str, text: str) -> Iterable[bytes]:
    start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
    return [text.encode() + b"\n"]


class _MetricsServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    allow_reuse_port = False  # some versions of Python would share a port that another server uses

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._free = threading.BoundedSemaphore(AT_ONCE)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Return whether to answer a request; if not, since there are too many, its connection is closed."""
        return self._free.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, then release the slot for the next request."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log the error of a request at level INFO only, since the peer may simply have disconnected."""
        log.info("could not answer a request for metrics: %s", sys.exc_info()[1])

    def server_bind(self) -> None:
        """Bind without a reverse lookup of the address, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]
        self.setup_environ()


class _QuietHandler(WSGIRequestHandler):
    timeout = 10

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: scrapers send requests every few seconds."""
