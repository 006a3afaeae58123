"""One server from its first listening socket to its last goodbye.

Two nurseries: one for what the server does, one for its connections, so that a graceful stop can let the second run
out under a deadline while the first still works. ``serve`` returns when the server has stopped.
"""

from __future__ import annotations

import logging
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import trio

from golfnet.server.clock import Timers
from golfnet.server.gate import Gate
from golfnet.server.journal import Journal
from golfnet.server.lobby import Lobby
from golfnet.server.session import Session
from golfnet.server.stream import StreamTransport
from golfnet.server.throttle import Addresses

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from golfnet.engine.rules import RuleSet
    from golfnet.server.config import Config
    from golfnet.storage.store import Store

_GOODBYE_SECONDS: Final = 2.0
"""How long a peer may take to read its last lines."""

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
        door = _Door(lobby, config)
        stop = trio.Event()
        async with trio.open_nursery() as connections:
            async with trio.open_nursery() as doors:
                doors.start_soon(_accept, plain, door.plain, connections)
                doors.start_soon(_accept, telnet, door.telnet, connections)
                if handle_signals:
                    work.start_soon(_hear_signals, stop, work.cancel_scope)
                task_status.started(
                    Running(lobby=lobby, plain=_addresses(plain), telnet=_addresses(telnet), stop=stop)
                )
                await stop.wait()
                await _drain(lobby, config.drain_time)
                doors.cancel_scope.cancel()
            lobby.stop()
            connections.cancel_scope.deadline = trio.current_time() + _GOODBYE_SECONDS
        with trio.move_on_after(_JOURNAL_SECONDS):
            await journal.aclose()
        work.cancel_scope.cancel()


async def serve_stream(lobby: Lobby, stream: trio.abc.Stream, address: str, *, telnet: bool = False) -> None:
    """Carry one connection over any stream until it ends."""
    transport = StreamTransport(stream, address, lobby.config.outbox)

    def greet(transport: StreamTransport) -> Session:
        session = Session(lobby, transport, telnet=telnet)
        lobby.welcome(session)
        return session

    await transport.run(greet)


class _Door:
    """Lets connections in, as many as there may be."""

    def __init__(self, lobby: Lobby, config: Config) -> None:
        self._lobby = lobby
        self._addresses = Addresses(config.connections_per_address)

    async def plain(self, stream: trio.SocketStream) -> None:
        await self._serve(stream, telnet=False)

    async def telnet(self, stream: trio.SocketStream) -> None:
        await self._serve(stream, telnet=True)

    async def _serve(self, stream: trio.SocketStream, *, telnet: bool) -> None:
        """Serve one connection; whatever goes wrong in it ends with it."""
        try:
            address = str(stream.socket.getpeername()[0])
        except OSError:  # gone before it was let in
            await trio.aclose_forcefully(stream)
            return
        full = len(self._lobby.sessions) >= self._lobby.config.connections
        if full or not self._addresses.admit(address):
            with trio.move_on_after(1):
                await stream.send_all(b"! TOO_MANY There are too many connections; try again later.\r\n")
            await trio.aclose_forcefully(stream)
            return
        try:
            await serve_stream(self._lobby, stream, address, telnet=telnet)
        except Exception:
            log.exception("a connection from %s ended with a fault in the server", address)
        finally:
            self._addresses.release(address)


async def _accept(
    listeners: list[trio.SocketListener],
    handler: Callable[[trio.SocketStream], Awaitable[None]],
    connections: trio.Nursery,
) -> None:
    await trio.serve_listeners(handler, listeners, handler_nursery=connections)


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
