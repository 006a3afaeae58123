"""One server from its first listening socket to its last goodbye.

Two nurseries: one for what the server does, one for its connections, so that a graceful stop can let the second run
out under a deadline while the first still works. ``serve`` returns when the server has stopped.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from golfnet.server.clock import Timers
from golfnet.server.door import TOO_MANY, Door, greet
from golfnet.server.gate import Gate
from golfnet.server.hub import Hub
from golfnet.server.journal import Journal
from golfnet.server.lobby import Lobby
from golfnet.server.stream import StreamTransport
from golfnet.server.throttle import Addresses
from golfnet.server.transport import LINGER_SECONDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from golfnet.engine.rules import RuleSet
    from golfnet.server.config import Config
    from golfnet.storage.store import Store

_JOURNAL_SECONDS: Final = 10.0
"""How long the last writes may take: longer than a slow disk, shorter than service managers wait."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server that accepts connections: its lobby, and the addresses it listens on."""

    lobby: Lobby
    plain: tuple[tuple[str, int], ...]
    telnet: tuple[tuple[str, int], ...]
    stop: trio.Event
    """Set it to stop gracefully."""


async def serve(
    config: Config,
    *,
    store: Store,
    catalogue: Mapping[str, RuleSet],
    task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED,
    handle_signals: bool = False,
) -> None:
    """Serve until stopped; raises ``OSError`` where an address cannot be listened on."""
    plain = await trio.open_tcp_listeners(config.port, host=config.host)
    telnet = (
        await trio.open_tcp_listeners(config.telnet_port, host=config.host) if config.telnet_port >= 0 else []
    )
    async with trio.open_nursery() as work:
        journal = Journal(
            store, on_failure=lambda error: lobby.pause(error.sentence), on_recovery=lambda: lobby.go_on()
        )
        await work.start(journal.run)
        timers = Timers()
        work.start_soon(timers.run)

        def spawn(task: Callable[[], Awaitable[None]]) -> None:
            work.start_soon(task)

        lobby = Lobby(
            config=config, store=store, gate=Gate(journal), timers=timers, catalogue=catalogue, spawn=spawn
        )
        lobby.restore()
        addresses = Addresses(config.connections_per_address)
        doors = (
            (plain, Door(lobby, addresses)),
            (telnet, Door(lobby, addresses, telnet=True)),
        )
        running = Running(lobby=lobby, plain=_addresses(plain), telnet=_addresses(telnet), stop=trio.Event())
        async with trio.open_nursery() as connections:
            close_doors = _open_doors(doors, lobby, timers, connections)
            if handle_signals:
                work.start_soon(_hear_signals, running.stop, work.cancel_scope)
            task_status.started(running)
            await running.stop.wait()
            await _drain(lobby, config.drain_time)
            close_doors()
            lobby.stop()
            connections.cancel_scope.deadline = trio.current_time() + LINGER_SECONDS
        with trio.move_on_after(_JOURNAL_SECONDS):
            await journal.aclose()
        work.cancel_scope.cancel()


async def serve_stream(lobby: Lobby, stream: trio.abc.Stream, address: str, *, telnet: bool = False) -> None:
    """Carry one connection over any stream until it ends."""
    transport = StreamTransport(stream, address, lobby.config.outbox)
    await transport.run(partial(greet, lobby, telnet=telnet))


def _open_doors(
    doors: Iterable[tuple[list[trio.SocketListener], Door]],
    lobby: Lobby,
    timers: Timers,
    connections: trio.Nursery,
) -> Callable[[], None]:
    """Let connections in; return what closes the doors behind those who are here."""
    if Hub.is_supported():
        hub = Hub(timers, outbox=lobby.config.outbox)
        for listeners, door in doors:
            for listener in listeners:
                hub.listen(socket.socket(fileno=listener.socket.detach()), door, turned_away=TOO_MANY)
        connections.start_soon(hub.run)
        return hub.stop
    scope = trio.CancelScope()

    async def accept(listeners: list[trio.SocketListener], door: Door) -> None:
        with scope:
            await trio.serve_listeners(
                partial(_serve_socket, lobby, door), listeners, handler_nursery=connections
            )

    for listeners, door in doors:
        connections.start_soon(accept, listeners, door)
    return scope.cancel


async def _serve_socket(lobby: Lobby, door: Door, stream: trio.SocketStream) -> None:
    """Serve one connection where there is no hub; whatever goes wrong in it ends with it."""
    try:
        address = str(stream.socket.getpeername()[0])
    except OSError:  # gone before it was let in
        await trio.aclose_forcefully(stream)
        return
    if not door.admit(address):
        with trio.move_on_after(1), contextlib.suppress(trio.BrokenResourceError):
            await stream.send_all(TOO_MANY)
        await trio.aclose_forcefully(stream)
        return
    try:
        await StreamTransport(stream, address, lobby.config.outbox).run(door.welcome)
    except Exception:
        log.exception("a connection from %s ended with a fault in the server", address)
    finally:
        door.gone(address)


async def _drain(lobby: Lobby, seconds: float) -> None:
    """Open no tables any more, and give those who are here a while to end what they are doing."""
    lobby.drain()
    with trio.move_on_after(seconds):
        await lobby.emptied.wait()


async def _hear_signals(stop: trio.Event, everything: trio.CancelScope) -> None:
    """Stop gracefully at the first signal, at once at the second."""
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            if stop.is_set():
                everything.cancel()
                return
            stop.set()


def _addresses(listeners: list[trio.SocketListener]) -> tuple[tuple[str, int], ...]:
    return tuple((name[0], name[1]) for name in (listener.socket.getsockname() for listener in listeners))
