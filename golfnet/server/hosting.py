"""Runs a server with its LAN announcement, the operator's socket, metrics, and messages to a service manager.

These parts stop with the server. If a part cannot start, the server stops before it reports that it is open; once the
server is open, a failing part does not affect the tables. ``serve`` handles the signals that stop the server. SIGHUP is
handled here: it stops a server whose terminal has been closed, and makes any other server reload its certificate.
"""

import gc
import logging
import math
import os
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct, structs

from golfnet.engine.rules import RuleSet
from golfnet.protocol.address import Announcement, properties
from golfnet.protocol.text.stage import Joining
from golfnet.server.accounts.sanctions import Sanctions
from golfnet.server.config import NO_PORT, Config
from golfnet.server.faults import fault_boundary
from golfnet.server.journal.journal import Journal
from golfnet.server.lobby import Lobby
from golfnet.server.net.listeners import Notifier, PortKind
from golfnet.server.net.tls import BadCertificate, Certificate, NodeCertificate
from golfnet.server.operations import lan, operations, status
from golfnet.server.operations.console import Console
from golfnet.server.operations.invitation import (
    Invitation,
    find_firewall,
    first_screen,
    qr_code,
    reachable,
    short_lines,
)
from golfnet.server.serve import LOAD_SECONDS, Running, serve
from golfnet.storage.store import Store

if TYPE_CHECKING:
    from golfnet.server.joining import NodeSetup

COLLECTED_AFTER: Final = 20_000, 20, 100
"""The thresholds of the garbage collector. Reference counts free everything in this program, including tables and
connections, except eight small, short-lived objects per rated match in the rating library. A collection of the 20,000
youngest objects takes 0.5 ms, and 5,000 matches needed five of them. A full collection with 1,000 tables of four takes
250 ms, during which everyone waits, but it is needed only once in a million matches."""

OVERVIEW_SECONDS: Final = 1.0
"""Seconds between updates of the status line: an update takes 2 ms for 20,000 players, or for 5,000 tables."""

log = logging.getLogger(__name__)


class Hosting(Struct, frozen=True, kw_only=True):
    """Everything a server needs to run; ``console`` is the output for the person who started it.

    With ``stops_on_hangup``, SIGHUP stops the server, since it means that this person has closed the terminal.
    """

    config: Config
    catalogue: Mapping[str, RuleSet]
    certificate: Certificate | None
    sanctions: Sanctions
    handed: Mapping[str, Sequence[socket.socket]]
    admin_socket: Path | None
    audit_log: Path | None
    environ: Mapping[str, str]
    console: Console
    stops_on_hangup: bool = False


async def host(hosting: Hosting, store: Store, node: "NodeSetup | None" = None) -> Journal:
    """Run a server until it is stopped or another server takes over, and return its journal, which knows what was lost.

    ``node`` makes it a node of a cluster. Raise ``CannotListen``.
    """
    gc.set_threshold(*COLLECTED_AFTER)
    notifier = Notifier(hosting.environ, os.getpid())
    async with trio.open_nursery() as server:
        running: Running = await server.start(
            partial(
                serve,
                hosting.config,
                store=store,
                catalogue=hosting.catalogue,
                certificate=hosting.certificate,
                sanctions=hosting.sanctions,
                handed=hosting.handed,
                node=node,
                handle_signals=True,
            )
        )
        async with trio.open_nursery() as around:
            certificates = hosting.certificate, None if node is None else node.port.tls
            reload = partial(_reload, [each for each in certificates if each is not None])
            # SIGHUP is handled before the server reports that it is open, since otherwise it would kill the process.
            if hasattr(signal, "SIGHUP"):
                await around.start(_handle_hangups, running.stop.set if hosting.stops_on_hangup else reload)
            await start_parts(hosting, running, around)
            around.start_soon(notifier.keep_alive)
            around.start_soon(_report_stop, hosting, running, notifier)
            invitation = greet(
                hosting, running.addresses, None if node is None else (node.directory.node, node.port.address)
            )
            around.start_soon(invite_on_stages, invitation, running.lobby)
            around.start_soon(_show_overview, hosting.console, running)
            notifier.ready(f"open on port {running.plain[0][1]}")
            await running.over.wait()
            around.cancel_scope.cancel()
    _show_end(hosting, running.journal)
    return running.journal


async def start_parts(hosting: Hosting, running: Running, around: trio.Nursery) -> None:
    """Start the parts that are configured."""
    config, lobby = hosting.config, running.lobby
    if hosting.admin_socket is not None:
        await around.start(operations.serve_admin, lobby, hosting.admin_socket, hosting.audit_log)
    if config.metrics_port != NO_PORT:
        from golfnet.server.operations.metrics import serve_metrics  # prometheus_client takes 80 ms to load

        port = await around.start(serve_metrics, lobby, config.metrics_port)
        hosting.console.tell(f"        metrics: http://127.0.0.1:{port}/metrics")
    if config.lan:
        addresses = [address for address, _ in reachable(running.plain)]
        around.start_soon(
            lan.announce, config.lan_name, running.plain[0][1], partial(announced, running), addresses
        )
    around.start_soon(_stop_when_drained, running)


def greet(
    hosting: Hosting,
    addresses: Mapping[PortKind, Sequence[tuple[str, int]]],
    node: tuple[int, str] | None = None,
) -> Invitation:
    """Print what friends have to type to connect; ``node`` is the number and link address of a node."""
    config, console = hosting.config, hosting.console
    invitation = Invitation(
        ports={kind: reachable(places) for kind, places in addresses.items()},
        fingerprint=hosting.certificate.fingerprint if hosting.certificate is not None else "",
        is_lan=config.lan,
        is_kept=not config.memory,
        wants_qr=config.qr,
        has_web_tls=bool(config.tls_cert),
        node=node,
        firewall=find_firewall(),
    )
    if console.is_terminal:
        lines = first_screen(
            invitation, size=console.size, has_colors=console.has_colors, has_unicode=console.has_unicode
        )
    else:
        lines = [*short_lines(invitation)]
    console.tell("\n".join(lines))  # in one piece, since programs wait for it
    return invitation


async def invite_on_stages(invitation: Invitation, lobby: Lobby) -> None:
    """Let big screens show how to connect, with a QR code if other computers can connect."""
    lobby.joining = Joining(ways=tuple(invitation.ways))
    if (invitation.is_lan or invitation.wants_qr) and not invitation.is_local:
        await trio.sleep(LOAD_SECONDS)
        with fault_boundary(log, "could not draw the QR code for big screens"):
            code = await trio.to_thread.run_sync(qr_code, invitation.link, abandon_on_cancel=True)
            lobby.joining = structs.replace(lobby.joining, code=tuple(code))


def announced(running: Running) -> dict[str, str]:
    """Return the properties to announce on the local network: the ports, and how full the server is."""
    ports = {kind: places[0][1] for kind, places in running.addresses.items() if places}
    return properties(
        Announcement(
            telnet_port=ports.get(PortKind.TELNET),
            tls_port=ports.get(PortKind.TLS),
            web_port=ports.get(PortKind.WEB),
            players=status.players_here(running.lobby),
            open_tables=status.open_tables(running.lobby),
        )
    )


async def _stop_when_drained(running: Running) -> None:
    await running.lobby.emptied.wait()
    running.stop.set()


async def _show_overview(console: Console, running: Running) -> None:
    separator = " · " if console.has_unicode else " | "
    standing: status.Standing = {}
    while console.is_live and not running.stop.is_set():
        standing = status.note_moves(running.lobby, standing)
        console.show(status.overview(running.lobby, standing, console.size[0] - 1, separator))
        with trio.move_on_after(OVERVIEW_SECONDS):
            await running.stop.wait()


async def _report_stop(hosting: Hosting, running: Running, notifier: Notifier) -> None:
    """Once the server begins to stop, report whom it is waiting for, and how to stop it at once."""
    await running.stop.wait()
    notifier.stopping()
    lobby, console = running.lobby, hosting.console
    console.show("")
    if not lobby.sessions:
        return
    limit = hosting.config.drain_time
    waiting = f"waiting up to {limit} second{'' if limit == 1 else 's'} for {status.waited_for(lobby)}."
    if not console.is_terminal:
        log.info("stopping: %s", waiting)
        return
    console.tell(f"Stopping: {waiting} Ctrl-C again stops at once.")
    deadline = trio.current_time() + limit
    while lobby.sessions and (seconds := math.ceil(deadline - trio.current_time())) > 0:
        console.show(f"{seconds} s left. {status.who_is_here(lobby, '; ')[0]}")
        await trio.sleep(OVERVIEW_SECONDS)
    console.show("Saying goodbye.")


def _show_end(hosting: Hosting, journal: Journal) -> None:
    """On a terminal, clear the status line and print a last message."""
    hosting.console.show("")
    if not hosting.console.is_terminal:
        return
    if journal.is_fenced:
        where = "; matches continue on the server that has taken over"
    elif hosting.config.memory:
        where = ""
    else:
        where = f"; matches continue {'on the other nodes, or ' if hosting.config.cluster else ''}at the next start"
    hosting.console.tell(f"Stopped{where}.")


async def _handle_hangups(
    react: Callable[[], None], task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    with trio.open_signal_receiver(signal.SIGHUP) as hangups:
        task_status.started()
        async for _ in hangups:
            react()


def _reload(certificates: Sequence[Certificate | NodeCertificate]) -> None:
    for certificate in certificates:
        try:
            certificate.reload()
        except BadCertificate as error:
            log.error("could not reload the certificate; keeping the old one: %s", error)
        else:
            log.info("the certificate was reloaded; its public key: SHA-256 %s", certificate.fingerprint)
