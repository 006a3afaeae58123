"""Metrics and health over HTTP, for this machine only and under its own name: ``/metrics``, ``/healthz``, ``/readyz``.

Requests are answered in threads of their own; what they tell is copied in the trio thread, in one piece, when they
ask. So nothing is counted twice for them, a table never waits for them, and an answer is a sign that tasks are run.
"""

import ipaddress
import logging
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import trio
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import make_wsgi_app
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from golfnet.server.faults import fault_boundary
from golfnet.server.operations.measures import Measures, Snapshot, snapshot
from golfnet.server.operations.status import Status
from golfnet.server.transport.listeners import CannotListen

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby

log = logging.getLogger(__name__)

HOST: Final = "127.0.0.1"
AT_ONCE: Final = 8
"""Requests that are answered at once; each has a file and a thread, and scrapers send one after the other."""
ANSWER_SECONDS: Final = 2.0
"""How long the trio thread may take before a health check calls the server ill; tables need milliseconds."""

StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class NoAnswer(Exception):
    """The trio thread did not answer in time."""


async def serve_metrics(
    lobby: "Lobby", port: int, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer HTTP on a loopback port until cancelled; tells the port. Raises ``CannotListen``."""
    token = trio.lowlevel.current_trio_token()

    def look() -> Snapshot:
        return _ask(token, lambda: snapshot(lobby))

    try:
        server = _MetricsServer((HOST, port), _QuietHandler)
    except OSError as error:
        raise CannotListen(f"{HOST}, port {port}", error, "--metrics-port") from None
    server.set_app(application(look))
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    task_status.started(server.server_port)
    try:
        await trio.sleep_forever()
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(server.shutdown)
        server.server_close()


def application(look: Callable[[], Snapshot]) -> Callable[[dict[str, Any], StartResponse], Iterable[bytes]]:
    """Return the WSGI application; ``look`` may raise ``NoAnswer``."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Measures(look))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    metrics = make_wsgi_app(registry)

    def health(_: Status) -> str:
        return ""

    def readiness(status: Status) -> str:
        return status.not_ready

    checks = {"/healthz": health, "/readyz": readiness}

    def answer(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if not is_own_name(environ.get("HTTP_HOST", "")):
            return _plain(
                start_response, "403 Forbidden", f"expected to be asked by the name {HOST} or localhost"
            )
        if environ.get("REQUEST_METHOD") not in ("GET", "HEAD"):
            return _plain(start_response, "405 Method Not Allowed", "expected GET")
        if path == "/metrics":
            try:
                return metrics(environ, start_response)  # type: ignore[no-any-return]
            except NoAnswer:
                return _plain(start_response, "503 Service Unavailable", "the server does not answer in time")
        if path not in checks:
            return _plain(start_response, "404 Not Found", f"expected /metrics, {' or '.join(checks)}")
        try:
            reason = checks[path](look().status)
        except NoAnswer:
            reason = "the server does not answer in time"
        return _plain(start_response, "503 Service Unavailable" if reason else "200 OK", reason or "ok")

    return answer


def is_own_name(host: str) -> bool:
    """Tell whether the ``Host`` of a request means this machine: the name localhost, or a loopback address.

    A browser sends the name in its address line, also where that leads here by a trick (DNS rebinding); a request
    without any is no browser's.
    """
    name = host.rpartition("]")[0][1:] if host.startswith("[") else host.partition(":")[0]
    if not host or name.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _ask(token: trio.lowlevel.TrioToken, question: Callable[[], Snapshot]) -> Snapshot:
    """Ask the trio thread something; raises ``NoAnswer``."""
    answered = threading.Event()
    answers: list[Snapshot] = []

    def answer() -> None:
        # An exception would end the server: trio takes none here.
        with fault_boundary(log, "the server could not be looked at"):
            answers.append(question())
        answered.set()

    try:
        token.run_sync_soon(answer)
    except trio.RunFinishedError:
        raise NoAnswer from None
    if not answered.wait(ANSWER_SECONDS) or not answers:
        raise NoAnswer
    return answers[0]


def _plain(start_response: StartResponse, status: str, text: str) -> Iterable[bytes]:
    start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
    return [text.encode() + b"\n"]


class _MetricsServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._free = threading.BoundedSemaphore(AT_ONCE)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, or hang up where too many are answered already."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room for the next."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what went wrong with a request; its peer may just have hung up."""
        log.info("a request for metrics was not answered: %s", sys.exc_info()[1])

    def server_bind(self) -> None:
        """Bind without looking up a name for the address, which may take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = HOST, self.server_address[1]
        self.setup_environ()


class _QuietHandler(WSGIRequestHandler):
    timeout = 10

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: scrapers ask every few seconds."""
