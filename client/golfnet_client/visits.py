"""Visits: from the start menu to a server (perhaps one in this process) and back, any number of times.

Each visit has its own nursery, so that no task outlives it. This module is loaded once the first picture is on the
screen: importing the network code takes as long as importing all the drawing code.
"""

from __future__ import annotations

import signal
import time
from functools import partial
from typing import TYPE_CHECKING, Final

import trio

from golfnet import __version__
from golfnet.connect import (
    UNREADABLE,
    Connecting,
    Connection,
    ConnectionEvent,
    Disconnected,
    Trust,
    Untrusted,
    open_stream,
)
from golfnet.protocol.address import Address, announcement_of
from golfnet.protocol.conversation import Entered, Greeted, NotUnderstood, TokenIssued
from golfnet.protocol.lines import clean_text
from golfnet_client.model.model import Place
from golfnet_client.model.pages import Way, another_server
from golfnet_client.terminal.client import ACCEPT
from golfnet_client.terminal.menus import lesson_lines, servers_menu

if TYPE_CHECKING:
    from golfnet.server.operations.lan import Found
    from golfnet_client.terminal.screen import Terminal

LOBBY_SECONDS: Final = 2.0
"""Seconds between two requests for the lobby's lists while they are shown."""

NEARBY_SECONDS: Final = 1.5
"""Seconds to wait for servers on the local network to answer."""


class Visits:
    """The connections of one run of the full-screen client, one after another."""

    def __init__(self, terminal: Terminal, name: str, way: Way | None) -> None:
        self.client = terminal.client
        self._terminal = terminal
        self._name = name
        self._way = way or Way()
        """Where the player is, or goes next."""
        self._is_given = way is not None
        """Whether the command line named the server, so that the program exits when the visit ends."""
        self.goodbye = ""
        """The last words of the last server, to print after the screen is closed."""
        self.connection: Connection | None = None
        self._trust = Trust()
        self._chosen = trio.Event()
        self._stay = trio.CancelScope()
        self._looking = trio.CancelScope()
        self._nursery: trio.Nursery | None = None
        self._opened = False
        self.client.ways, self.client.send = self, self._send
        self.client.ask_quietly = partial(self._send, is_quiet=True)

    def _send(self, line: str, *, is_quiet: bool = False) -> None:
        """Send a line to the server, if there is one; if the line is quiet, neither a delay nor a refusal is shown."""
        model = self.client.model
        if not is_quiet and not model.is_connected:
            model.notify("There is no connection: the command waits for one.", time.monotonic(), "coming")
        if self.connection is not None:
            self.connection.send(line, is_quiet=is_quiet)

    def receive(self, event: ConnectionEvent) -> None:
        """Show an event on the connection, and remember what the next visit needs."""
        model, now, address = self.client.model, time.monotonic(), self._way.address
        match event:
            case Connecting():
                model.linked("connecting", now)
            case Greeted():
                if address is not None:
                    self.client.remembered.visited(str(address))
                model.linked("connected", now)
            case Entered():
                pass  # the server's next replies show everything
            case TokenIssued(name=name, token=token):
                if address is not None:
                    self.client.remembered.keep_player(str(address), name, token)
                elif token and not self._opened:
                    self._opened = True
                    self._open_table()
            case NotUnderstood():
                model.notify(UNREADABLE, now)
            case Disconnected(reason=reason, retry_in=seconds):
                model.linked(f"no connection ({reason})" if reason else "connection lost", now, seconds)
            case Untrusted():
                model.pages = another_server(str(event))
                self.client.accept = partial(self._accept, event)
                model.linked(f"the server's key has changed; {ACCEPT} accepts the new one", now)
            case reply:
                self.client.receive(reply)
                self._end_lesson()
        self._terminal.app.invalidate()

    # --- called from menus and keys

    def home(self) -> None:
        """Leave the server, if any, and show the start menu."""
        self._looking.cancel()
        if self.connection is None:
            self.client.show_home()
        else:
            self._stay.cancel()

    def go(self, way: Way) -> None:
        """Go to a server, or play alone."""
        self._way = way
        self._looking.cancel()
        self._chosen.set()

    def look_around(self) -> None:
        """Look for servers nearby, and offer them alongside the recent ones."""
        if self._nursery is not None:
            self._nursery.start_soon(self._offer_servers)

    # --- internals

    def _accept(self, problem: Untrusted) -> None:
        assert self._way.address is not None
        assert self.connection is not None
        server = str(self._way.address)
        self.client.remembered.accept(server, problem)
        self._trust.known = problem.shown
        self.connection.accept(self.client.remembered.player(server, self._name)[1])

    def _open_table(self) -> None:
        """Open a solo table; the first hole is a lesson if the player has not had it yet."""
        from golfnet_client.solo import opening_lines

        way = self._way
        self.client.model.lesson = way.lesson or way.solo not in self.client.remembered.taught
        for line in lesson_lines(way.solo) if way.lesson else opening_lines(way.solo, way.bots):
            self.client.send(line)

    def _end_lesson(self) -> None:
        """When a lesson's hole ends, record that it was completed; its last tip stays until the next deal."""
        model, view = self.client.model, self.client.model.table
        if not model.lesson or view is None or view.you is None or not view.scores:
            return
        if view.variant not in self.client.remembered.taught:
            self.client.remembered.keep_taught(view.variant)
        if view.state == "playing":
            model.lesson = False

    async def run(self) -> None:
        """Visit servers one after another until the player quits."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            nursery.start_soon(self._await_signal)
            nursery.start_soon(self._refresh_lobby)
            while not self.client.is_over:
                if not self._is_given:
                    await self._chosen.wait()
                    self._chosen = trio.Event()
                if await self._visit() and self._is_given:
                    break
                self._is_given = False
                if not self.client.is_over:
                    self.client.show_home(self.goodbye)
                    self._terminal.app.invalidate()
            nursery.cancel_scope.cancel()

    async def _visit(self) -> bool:
        """Stay at a server until the player leaves; return whether the visit ended by itself."""
        self._opened, self.goodbye = False, ""
        self.client.restart(Place.WELCOME)
        with trio.CancelScope() as self._stay:
            async with trio.open_nursery() as nursery:
                self.connection = await self._connection(nursery)
                await self.connection.run()
                nursery.cancel_scope.cancel()
            self.goodbye = self.client.last_words
        self.connection = None
        return not self._stay.cancelled_caught

    async def _connection(self, nursery: trio.Nursery) -> Connection:
        """Return the connection for a visit; the server of a solo match runs in the nursery."""
        client, remembered, address = self.client, self.client.remembered, self._way.address
        if address is None:
            from golfnet_client.solo import SOLO_NAME, open_solo

            client.model.server, client.model.is_solo = "solo", True
            address, self._trust = await open_solo(nursery), Trust()
            name, token = self._name or SOLO_NAME, ""
        else:
            client.model.server = server = str(address)
            client.witness, files = remembered.witness(server)
            client.evidence = lambda: str(files.path or "")
            self._trust = remembered.trust(server)
            name, token = remembered.player(server, self._name)
        connect = partial(open_stream, address, self._trust)
        program = f"golfnet-client/{__version__}"
        return Connection(connect, self.receive, client=program, name=name, token=token)

    async def _await_signal(self) -> None:
        """Quit properly when the terminal is closed or the process receives SIGTERM."""
        ends = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
        with trio.open_signal_receiver(*ends) as signals:
            await anext(signals)
        self.client.is_over = True
        self._terminal.settle()

    async def _refresh_lobby(self) -> None:
        while True:
            await trio.sleep(LOBBY_SECONDS)
            model = self.client.model
            if model.place is Place.LOBBY and model.is_connected and model.name:
                self.client.ask_quietly("tables")
                self.client.ask_quietly("who")

    async def _offer_servers(self) -> None:
        """Offer recent servers at once, and nearby ones as soon as they answer."""
        recent = [(address, "recent") for address in self.client.remembered.recent]
        with trio.CancelScope() as self._looking:
            menu = servers_menu(self.client, recent, "Looking for servers nearby ...")
            self.client.menu = menu
            self._terminal.app.invalidate()
            nearby = [(str(address), f"nearby: {name}") for name, address in await servers_nearby()]
            if self.client.menu is menu:
                note = (
                    "" if nearby else "No server found nearby. Type an address, or press Esc to play alone."
                )
                others = [each for each in recent if each[0] not in dict(nearby)]
                self.client.menu = servers_menu(self.client, [*nearby, *others], note)
                self._terminal.app.invalidate()


async def servers_nearby() -> list[tuple[str, Address]]:
    """Return the servers that answer on the local network, each with its announced name."""
    from golfnet.server.operations import lan

    try:
        found = await trio.to_thread.run_sync(lan.discover, NEARBY_SECONDS, abandon_on_cancel=True)
    except OSError:  # there is no network
        return []
    return [(clean_text(server.name), _address(server)) for server in found if server.addresses]


def _address(server: Found) -> Address:
    """Return where a server can be reached: over TLS if it offers that, which takes no effort from the player."""
    tls_port = announcement_of(server.properties).tls_port
    return Address(host=server.addresses[0], port=tls_port or server.port, tls=tls_port is not None)
