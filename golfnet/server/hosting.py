"""A server with all that is around it: the announcement, the operator's socket, metrics, and the service manager.

What is around the server ends with it. A part that cannot start stops the server before it says that it is open; later
nothing around it stops the tables.
"""

import gc
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from golfnet.engine.rules import RuleSet
from golfnet.protocol.announcement import WaysIn, properties
from golfnet.server.accounts.sanctions import Sanctions
from golfnet.server.config import NO_PORT, Config
from golfnet.server.operations.admin import serve_admin
from golfnet.server.operations.audit import AuditLog
from golfnet.server.operations.invitation import invitation, reachable, telephone
from golfnet.server.operations.lan import announce
from golfnet.server.serve import Running, serve
from golfnet.server.transport.listeners import PortKind
from golfnet.server.transport.systemd import Notifier
from golfnet.server.transport.tls import BadCertificate, Certificate
from golfnet.storage.store import Store

COLLECTED_AFTER: Final = 20_000, 20, 100
"""How seldom Python looks for circles of dead objects: new objects before the youngest are looked at, then such looks
before the older and the oldest are. Everything here dies with its last reference, tables and connections too, but for
eight small objects of the rating library in each rated match, which die young. A look at the 20,000 youngest takes
0.5 ms, and there were five in 5,000 matches (``tests.benchmarks memory``); a look at all, with 1,000 tables of four,
takes 250 ms in which everybody waits: a safety net that a server comes to once in a million matches."""

log = logging.getLogger(__name__)


class Hosting(Struct, frozen=True, kw_only=True):
    """All that a server is to be run with; ``tell`` prints lines for whoever started it."""

    config: Config
    catalogue: Mapping[str, RuleSet]
    certificate: Certificate | None
    sanctions: Sanctions
    handed: Mapping[str, Sequence[socket.socket]]
    admin_socket: Path | None
    audit_log: Path | None
    environ: Mapping[str, str]
    tell: Callable[[str], None]


async def host(hosting: Hosting, store: Store) -> int:
    """Run a server until it is told to stop; return how many submissions the stop gave up. Raises ``CannotListen``."""
    gc.set_threshold(*COLLECTED_AFTER)
    notifier = Notifier(hosting.environ, os.getpid())
    start = partial(
        serve,
        hosting.config,
        store=store,
        catalogue=hosting.catalogue,
        certificate=hosting.certificate,
        sanctions=hosting.sanctions,
        handed=hosting.handed,
        handle_signals=True,
    )
    async with trio.open_nursery() as server:
        running: Running = await server.start(start)
        # Heard before the server says that it is open: a hangup that nobody hears ends a process.
        with trio.open_signal_receiver(signal.SIGHUP) as hangups:
            async with trio.open_nursery() as around:
                around.start_soon(_renew, hosting.certificate, hangups)
                await surround(hosting, running, around)
                around.start_soon(notifier.keep_alive)
                around.start_soon(_tell_of_stop, running, notifier)
                _greet(hosting, running)
                notifier.ready(f"open on port {running.plain[0][1]}")
                await running.over.wait()
                around.cancel_scope.cancel()
    return running.journal.unstored


async def surround(hosting: Hosting, running: Running, around: trio.Nursery) -> None:
    """Start what the configuration asks for."""
    config, lobby = hosting.config, running.lobby
    if hosting.admin_socket is not None:
        await around.start(serve_admin, lobby, hosting.admin_socket, AuditLog(hosting.audit_log))
    if config.metrics_port != NO_PORT:
        from golfnet.server.operations.metrics import serve_metrics  # prometheus_client takes 80 ms

        port = await around.start(serve_metrics, lobby, config.metrics_port)
        hosting.tell(f"        metrics: http://127.0.0.1:{port}/metrics")
    if config.lan:
        addresses = [address for address, _ in reachable(running.plain)]
        around.start_soon(announce, config.lan_name, running.plain[0][1], announced(running), addresses)
    around.start_soon(_stop_when_drained, running)


def _greet(hosting: Hosting, running: Running) -> None:
    """Print what friends have to type."""
    fingerprint = hosting.certificate.fingerprint if hosting.certificate is not None else ""
    lines = [*invitation(running.addresses, fingerprint)]
    if hosting.config.qr:
        lines.append(telephone(running.addresses))
    hosting.tell("\n".join(lines))  # in one piece, for those who wait for it


def announced(running: Running) -> dict[str, str]:
    """Return what the announcement on the local network says beside the port for plain lines."""

    def port(kind: PortKind) -> int | None:
        places = running.addresses[kind]
        return places[0][1] if places else None

    return properties(WaysIn(telnet_port=port(PortKind.TELNET), tls_port=port(PortKind.TLS)))


async def _stop_when_drained(running: Running) -> None:
    """Stop once the operator has drained the server and the last has gone."""
    await running.lobby.emptied.wait()
    running.stop.set()


async def _tell_of_stop(running: Running, notifier: Notifier) -> None:
    await running.stop.wait()
    notifier.stopping()


async def _renew(certificate: Certificate | None, hangups: AsyncIterator[int]) -> None:
    """Read the certificate again at every SIGHUP; a server without one goes on."""
    async for _ in hangups:
        if certificate is None:
            continue
        try:
            certificate.reload()
        except BadCertificate as error:
            log.error("the old certificate stays: %s", error)
        else:
            log.info("the certificate was read again; its public key: SHA-256 %s", certificate.fingerprint)
