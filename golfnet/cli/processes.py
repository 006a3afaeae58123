"""``golfnet serve --processes``: several processes on this machine, each a node of the same server, on shared ports.

Invariant: this process serves nobody itself. It keeps the ports open, restarts a process that has exited, and stops if
one exits again and again; when it exits, for whatever reason, the others stop, because that closes their input.
"""

import contextlib
import json
import logging
import math
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import trio

from golfnet.cli.output import BAD_USAGE, FAILED, Failed
from golfnet.engine.frozen import fields_of, replaced
from golfnet.server.config import LOOPBACK, NO_PORT, Config
from golfnet.server.hosting import Hosting, greet
from golfnet.server.net.listeners import Notifier, PortKind, SharedPorts, can_share, keep_ports

COMMAND: Final = (sys.executable, "-P", "-m", "golfnet.cli.serve")
"""The command that starts a process; ``-P`` keeps Python from importing modules from the current folder."""

HANGING_SECONDS: Final = 30.0
"""Seconds without a sign of life after which a process is killed; a healthy process gives one every ten seconds."""

RESTART_SECONDS: Final = 1.0
"""Seconds before a process that exited is restarted. Each further exit within ``ENDS_SECONDS`` doubles the wait."""

MOST_ENDS: Final = 5
ENDS_SECONDS: Final = 60.0
"""The server stops if a process exits more than ``MOST_ENDS`` times within this time and no other is running."""

STOP_SECONDS: Final = 8.0
"""How many seconds after ``drain_time`` the remaining processes are killed; a graceful stop needs less than five."""

log = logging.getLogger(__name__)


def run_processes(hosting: Hosting) -> int:
    """Serve with several processes until a signal arrives; return the worst of their exit statuses.

    Raise ``Failed`` or ``CannotListen`` if they cannot be started.
    """
    if not can_share():
        raise Failed("this system cannot share a port among processes (SO_REUSEPORT): leave processes at 1")
    return trio.run(_run, hosting)


async def _run(hosting: Hosting) -> int:
    ports = await keep_ports(hosting.config, hosting.handed)
    try:
        with TemporaryDirectory(prefix="golfnet-") as folder:
            return await Supervisor(hosting, ports, Path(folder)).run()
    finally:
        ports.close()


class Supervisor:
    """The parent of the other processes; ``folder`` holds the secret of the cluster and a socket for each process."""

    def __init__(self, hosting: Hosting, ports: SharedPorts, folder: Path) -> None:
        self._hosting = hosting
        self._ports = ports
        self._folder = folder
        self._notifier = Notifier(hosting.environ, os.getpid())
        self._stopping = trio.Event()
        self._running: dict[int, trio.Process] = {}
        self._numbers = range(1, hosting.config.processes + 1)
        self._open = {number: trio.Event() for number in self._numbers}
        self._ready: set[int] = set()
        self._statuses: dict[int, int] = {}

    async def run(self) -> int:
        """Run all processes until a signal arrives or they keep exiting; return the worst status."""
        secret = self._folder / "secret"
        secret.touch(mode=0o600)
        secret.write_text(secrets.token_urlsafe(32))
        async with trio.open_nursery() as around:
            await around.start(self._handle_signals)
            around.start_soon(self._kill_late)
            async with trio.open_nursery() as processes:
                processes.start_soon(self._keep, 1)
                # The others are started once the first is open, so that an invalid setting is reported only once.
                await self._open[1].wait()
                if not self._stopping.is_set():
                    for number in self._numbers[1:]:
                        processes.start_soon(self._keep, number)
                    for number in self._numbers:
                        await self._open[number].wait()
                if not self._stopping.is_set():
                    self._announce()
                    around.start_soon(self._notifier.keep_alive)
            around.cancel_scope.cancel()
        if self._hosting.console.is_terminal:
            self._hosting.console.tell("Stopped; matches continue at the next start.")
        return max(self._statuses.values(), default=0)

    def stop(self) -> None:
        """Stop all processes gracefully; a second call stops them at once."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._notifier.stopping()
            for opened in self._open.values():
                opened.set()
        self._send(signal.SIGTERM)

    # --- one process

    async def _keep(self, number: int) -> None:
        ends: list[float] = []
        while not self._stopping.is_set():
            status = self._statuses[number] = await self._run_once(number)
            if self._stopping.is_set():
                return
            now = trio.current_time()
            ends = [*(end for end in ends if now - end < ENDS_SECONDS), now]
            if status in (FAILED, BAD_USAGE) and not self._open[number].is_set():
                return self.stop()  # the process itself has reported why
            if len(ends) > MOST_ENDS and not self._running:
                log.error(
                    "process %d has exited %d times in a minute; stopping the server", number, len(ends)
                )
                return self.stop()
            seconds = RESTART_SECONDS * 2 ** (min(len(ends), MOST_ENDS) - 1)
            log.warning(
                "process %d has exited with status %d; restarting it in %g s", number, status, seconds
            )
            with trio.move_on_after(seconds):
                await self._stopping.wait()

    async def _run_once(self, number: int) -> int:
        place = self._folder / str(number)
        place.unlink(missing_ok=True)
        with trio.socket.socket(trio.socket.AF_UNIX, trio.socket.SOCK_DGRAM) as reports:
            await reports.bind(str(place))
            process = await self._start(number, place)
            self._running[number] = process
            if self._stopping.is_set():
                process.terminate()
            async with trio.open_nursery() as around:
                around.start_soon(self._listen, number, reports)
                status = await process.wait()
                around.cancel_scope.cancel()
            del self._running[number]
            was_ready = number in self._ready
            self._ready.discard(number)
            if process.stdin is not None:
                await process.stdin.aclose()
        if self._stopping.is_set() and status == -signal.SIGTERM and not was_ready:
            return 0  # the signal came before the process could handle it
        return status if status >= 0 else 128 - status

    async def _start(self, number: int, place: Path) -> trio.Process:
        """Start a process with sockets of its own, which reports to this one as if to a service manager."""
        hosting = self._hosting
        with self._ports.opened() as sockets:
            descriptors = {kind: [sock.fileno() for sock in socks] for kind, socks in sockets.items()}
            process: trio.Process = await trio.lowlevel.open_process(
                COMMAND,
                stdin=subprocess.PIPE,
                pass_fds=[each for several in descriptors.values() for each in several],
                env={
                    **{name: value for name, value in hosting.environ.items() if name != "WATCHDOG_PID"},
                    "NOTIFY_SOCKET": str(place),
                    "WATCHDOG_USEC": str(int(HANGING_SECONDS * 1e6)),
                },
                start_new_session=True,  # so that Ctrl-C reaches only the parent, which passes it on
            )
        config = config_of(hosting.config, number, self._folder / "secret", hosting.admin_socket)
        given = json.dumps({"config": fields_of(config), "sockets": descriptors})
        if process.stdin is not None:
            with contextlib.suppress(trio.BrokenResourceError):  # the process has already exited
                await process.stdin.send_all(f"{given}\n".encode())
        return process

    async def _listen(self, number: int, reports: trio.socket.SocketType) -> None:
        """Receive a process's reports: note when it is open, and kill it if it is silent for too long."""
        while True:
            with trio.move_on_after(HANGING_SECONDS if number in self._ready else math.inf) as waiting:
                if b"READY=1" in await reports.recv(4096):
                    self._ready.add(number)
                    self._open[number].set()
            if waiting.cancelled_caught:
                log.error("process %d is not responding; killing it", number)
                self._running[number].kill()

    # --- all

    async def _handle_signals(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
            task_status.started()
            async for number in signals:
                if number == signal.SIGHUP and not self._hosting.stops_on_hangup:
                    self._send(signal.SIGHUP)
                    continue
                if not self._stopping.is_set() and self._hosting.console.is_terminal:
                    self._hosting.console.tell(
                        f"Stopping: waiting up to {self._hosting.config.drain_time} s for the players. Ctrl-C again "
                        "stops at once."
                    )
                self.stop()

    def _send(self, number: signal.Signals) -> None:
        """Send a signal to all processes, but SIGHUP only to those that are open, since it would kill the others."""
        for each, process in self._running.items():
            if number != signal.SIGHUP or each in self._ready:
                process.send_signal(number)

    async def _kill_late(self) -> None:
        await self._stopping.wait()
        await trio.sleep(self._hosting.config.drain_time + STOP_SECONDS)
        for number, process in self._running.items():
            log.error("process %d has not stopped in time; killing it", number)
            process.kill()

    def _announce(self) -> None:
        config, console = self._hosting.config, self._hosting.console
        greet(self._hosting, self._ports.addresses)
        console.tell(
            f"      processes: {config.processes}; limits on connections, tables and addresses apply to each"
        )
        if config.metrics_port != NO_PORT:
            last = config.metrics_port + config.processes - 1
            console.tell(f"        metrics: http://127.0.0.1:{config.metrics_port}/metrics to port {last}")
        port = self._ports.addresses[PortKind.PLAIN][0][1]
        self._notifier.ready(f"open on port {port} with {config.processes} processes")


def config_of(config: Config, number: int, secret: Path, admin_socket: Path | None) -> Config:
    """Return the configuration for one process of several; the first has the usual admin socket."""
    host = config.link_place[0] if config.cluster else LOOPBACK
    metrics_port = config.metrics_port
    own_socket = (
        "" if admin_socket is None else f"{admin_socket.absolute()}{'' if number == 1 else f'.{number}'}"
    )
    return replaced(
        config,
        processes=1,
        cluster=True,
        cluster_secret=config.cluster_secret if config.cluster else str(secret),
        cluster_link=f"[{host}]:0" if ":" in host else f"{host}:0",
        metrics_port=metrics_port if metrics_port == NO_PORT else metrics_port + number - 1,
        admin_socket=own_socket,
    )
