"""Runs one server, from opening its ports to closing its last connection.

There are two nurseries, one for the server's work and one for its connections, so that at a graceful stop the work can
continue until the connections have ended, or a deadline has passed. ``serve`` returns when the server has stopped.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct

from golfnet.server.accounts.claims import keep_forgetting, renew_skeletons
from golfnet.server.accounts.sanctions import Sanctions, SharedSanctions
from golfnet.server.budget import Addresses
from golfnet.server.clock import Timers
from golfnet.server.commands.dispatch import Dispatcher, LobbyAcceptor
from golfnet.server.faults import fault_boundary
from golfnet.server.journal.journal import RETRY_SECONDS, DurabilityGate, Journal
from golfnet.server.lobby import Lobby
from golfnet.server.net.entrance import PortOpener, serve_proxied, serve_tls
from golfnet.server.net.hub import Hub
from golfnet.server.net.kernel import may_keep
from golfnet.server.net.listeners import Listeners, PortKind, open_all, where
from golfnet.server.net.transport import LINGER_SECONDS
from golfnet.server.nodes import Lease, Nodes
from golfnet.server.operations.status import keep_inspecting
from golfnet.server.table.turns import thread_executor
from golfnet.storage import results
from golfnet.storage.faults import StoreError, StoreReason

if TYPE_CHECKING:
    import socket

    from golfnet.engine.rules import RuleSet
    from golfnet.server.config import Config
    from golfnet.server.joining import NodeSetup
    from golfnet.server.net.tls import Certificate
    from golfnet.storage.store import Store

LAST_WRITES_SECONDS: Final = 2.5
"""How long goodbyes and the last writes may take after ``drain_time``. With the waits for the journal's thread and for
closing the database, a stop waits less than five seconds for a disk. Events that are not stored by then have not been
shown to any player."""

GIVE_SECONDS: Final = 20.0
"""How long a stopping node may take to hand over its tables; other nodes take the remaining ones when it is gone."""

LOAD_SECONDS: Final = 1.0
"""How many seconds after startup to load libraries that only the end of a match or a big screen needs."""

log = logging.getLogger(__name__)


class Running(Struct, frozen=True, kw_only=True):
    """A server that accepts connections: its lobby, its journal, and the addresses it listens on."""

    lobby: Lobby
    journal: Journal
    addresses: Mapping[PortKind, tuple[tuple[str, int], ...]]
    stop: trio.Event
    """Setting this event stops the server gracefully."""
    over: trio.Event
    """Set when the server has stopped."""

    @property
    def plain(self) -> tuple[tuple[str, int], ...]:
        """The addresses for plain text."""
        return self.addresses[PortKind.PLAIN]


async def serve(
    config: Config,
    *,
    store: Store,
    catalogue: Mapping[str, RuleSet],
    certificate: Certificate | None = None,
    sanctions: Sanctions | None = None,
    node: NodeSetup | None = None,
    handed: Mapping[str, Sequence[socket.socket]] = MappingProxyType({}),
    task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED,
    handle_signals: bool = False,
) -> None:
    """Serve until stopped, or raise ``CannotListen``.

    ``handed`` are sockets from a service manager; ``node`` makes this server one of several nodes.
    """
    listeners = await open_all(config, handed)
    renew_skeletons(store)
    async with trio.open_nursery() as work:
        stop = trio.Event()
        retry_seconds: tuple[float, ...] = RETRY_SECONDS
        if node is not None:  # after an outage, a node must not wait so long that it is declared gone
            retry_seconds = tuple([seconds for seconds in RETRY_SECONDS if seconds < node.lease / 4])
        journal = Journal(store, retry_seconds=retry_seconds)
        await work.start(journal.run)
        lease = None if node is None else Lease(partial(journal.submit, ()), node.lease)
        timers = Timers()
        work.start_soon(timers.run)

        nodes = None
        if node is not None:
            nodes = Nodes(work.start_soon, directory=node.directory, bus=node.bus)
            await nodes.prepare()
            sanctions = shared = SharedSanctions(nodes)
            await shared.read()
        lobby = Lobby(
            config=config,
            store=store,
            gate=DurabilityGate(journal.submit, None if lease is None else lease.is_sure),
            timers=timers,
            catalogue=catalogue,
            spawn=work.start_soon,
            sanctions=sanctions,
            executor=thread_executor(work.start_soon),
            nodes=nodes,
            lease=lease,
        )

        def failed(error: StoreError) -> None:
            if error.reason is StoreReason.FENCED:
                lobby.lose(error.sentence)
                stop.set()
            else:
                lobby.pause(error.sentence)
                if lease is not None:
                    lease.lapse()

        journal.on_failure, journal.on_recovery = failed, lobby.resume
        if journal.failed is not None:
            failed(journal.failed)
        if lease is None:
            lobby.tables.restore()
        else:
            timers.before_calls = lease.is_sure
            lease.on_lapse, lease.on_renewal = lobby.lapse, lobby.renew
            work.start_soon(lease.keep)
        work.start_soon(keep_forgetting, lobby.accounts)
        if not store.immediate:
            work.start_soon(keep_inspecting, lobby)
        running = Running(
            lobby=lobby,
            journal=journal,
            addresses={kind: where(opened) for kind, opened in listeners.items()},
            stop=stop,
            over=trio.Event(),
        )
        async with trio.open_nursery() as connections:
            hub = Hub(timers, outbox=config.outbox, around=journal) if Hub.is_supported() else None
            if hub is not None:
                journal.around_callbacks = hub
            dispatcher = Dispatcher(lobby)
            opener = PortOpener(
                connections, partial(may_keep, lobby.counters.turned_away), hub, config.outbox
            )
            if node is not None and lease is not None:
                from golfnet.server.joining import join  # few servers need it

                await join(node, lease, dispatcher, opener, work)
            _start_accepting(listeners, dispatcher, opener, certificate)
            if handle_signals:
                # Signals are handled before anyone learns that the server is open, since they may stop it at once.
                await work.start(_handle_signals, running.stop, work.cancel_scope)
            task_status.started(running)
            work.start_soon(_load_ratings)
            await running.stop.wait()
            await _drain(lobby, config.drain_time)
            opener.close()
            lobby.stop()
            deadline = trio.current_time() + LAST_WRITES_SECONDS
            connections.cancel_scope.deadline = trio.current_time() + LINGER_SECONDS
        with trio.move_on_at(deadline):
            await journal.aclose()
        work.cancel_scope.cancel()
    running.over.set()  # reached even if a second signal has cancelled the work


def _start_accepting(
    listeners: Listeners, dispatcher: Dispatcher, opener: PortOpener, certificate: Certificate | None
) -> None:
    config = dispatcher.lobby.config
    addresses = Addresses(config.connections_per_address)
    plain = LobbyAcceptor(dispatcher, addresses)
    opener.open_plain(listeners[PortKind.PLAIN], plain)
    opener.open_plain(listeners[PortKind.TELNET], LobbyAcceptor(dispatcher, addresses, telnet=True))
    if certificate is not None:
        opener.open(listeners[PortKind.TLS], partial(serve_tls, plain, config.outbox, certificate.context))
    opener.open(
        listeners[PortKind.PROXY],
        partial(serve_proxied, plain, config.outbox, config.proxy_from, config.proxy_rtt_type),
    )
    if listeners[PortKind.WEB]:
        from golfnet.server.web import WebEntrance  # takes 0.1 s to import, and few servers need it

        context = certificate.context if certificate is not None and config.tls_cert else None
        web = WebEntrance(plain, config.outbox, config.web_names, context)
        opener.open(listeners[PortKind.WEB], web.serve)
    if opener.hub is not None:
        opener.connections.start_soon(opener.hub.run)


async def _drain(lobby: Lobby, seconds: float) -> None:
    """Open no more tables, hand existing ones over to other nodes, and give players some time to finish."""
    lobby.drain()
    if not lobby.nodes.is_alone:
        with trio.move_on_after(GIVE_SECONDS):
            await lobby.given_away.wait()
    with trio.move_on_after(seconds):
        await lobby.emptied.wait()


async def _load_ratings() -> None:
    """Load the library for ratings early, since descriptors may have run out when the first rated match ends."""
    await trio.sleep(LOAD_SECONDS)
    with fault_boundary(log, "could not load the rating library yet"):
        await trio.to_thread.run_sync(results.rating_model, abandon_on_cancel=True)


async def _handle_signals(
    stop: trio.Event,
    everything: trio.CancelScope,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Stop gracefully on the first signal, at once on the second."""
    stops = [signal.SIGTERM, signal.SIGINT]
    if hasattr(signal, "SIGBREAK"):  # Windows: Ctrl-Break, or the window was closed
        stops.append(signal.SIGBREAK)
    with trio.open_signal_receiver(*stops) as signals:
        task_status.started()
        async for _ in signals:
            if stop.is_set():
                everything.cancel()
            stop.set()
