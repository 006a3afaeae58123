"""One run of the screen: terminal, client and connection tied together, with the two loops under them."""

from __future__ import annotations

import signal
import time
from functools import partial
from typing import TYPE_CHECKING

import trio

from golfnet import __version__
from golfnet.connect.connection import Connection
from golfnet.connect.stream import open_stream
from golfnet.connect.trust import Trust
from golfnet.protocol.address import Address, BadAddress, parse_address
from golfnet_client.connection.deals import watch_deals
from golfnet_client.model.model import Model, Place
from golfnet_client.model.pages import Pages, another_server
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.desk import ACCEPT
from golfnet_client.terminal.guest import host
from golfnet_client.terminal.screen import Terminal

if TYPE_CHECKING:
    from golfnet.connect.trust import Untrusted
    from golfnet.protocol.replies.replies import AnyReply
    from golfnet_client.model.remembered import Remembered
    from golfnet_client.screens.faces import Look

SOLO_NAME = "Golfer"
"""What the person is called where nobody else is there to be told apart from."""

LOBBY_SECONDS = 2.0
"""How often the lists of the lobby are asked for anew while they are looked at."""


class Play:
    """The screen and everything under it; ``goodbye`` is a line for the terminal after the screen is gone."""

    def __init__(
        self,
        remembered: Remembered,
        *,
        address: Address | None,
        name: str,
        solo: str | None,
        bots: int | None,
        look: Look,
        theme: str,
        bell: bool,
        felt: str = "green",
        still: bool = False,
    ) -> None:
        self.goodbye = ""
        self._remembered = remembered
        self._address = address
        self._name = name
        self._solo = solo
        self._bots = bots
        self._connection: Connection | None = None
        self._trust = Trust()
        self._early: list[str] = []
        self._chosen = trio.Event()
        self._opened = False
        self.client = Client(Model(), send=self._send, now=time.monotonic, look=look)
        self.client.model.is_still = still
        self.client.offers_lesson = solo is None and not remembered.taught
        self.terminal = Terminal(self.client, theme=theme, felt=felt, bell=bell, keep=remembered.keep_setting)

    async def run(self) -> None:
        """Show the screen until the person leaves."""
        await host(self.terminal.app, self._guest)

    # --- what the connection tells

    def on_reply(self, reply: AnyReply) -> None:
        """Show a reply of the server."""
        offered = self.client.offers_lesson
        self.client.heard(reply)
        if offered and not self.client.offers_lesson:
            self._remembered.keep_taught()
        self.terminal.app.invalidate()

    def on_connecting(self) -> None:
        """Show that the server is being called."""
        self._show_connection("connecting")

    def on_connected(self) -> None:
        """Show that the server is there, and remember it."""
        if self._solo is None and self._address is not None:
            self._remembered.visited(str(self._address))
        self._show_connection("connected")

    def on_entered(self) -> None:
        """Do nothing: the server says what it lets the person see."""

    def on_disconnected(self, reason: str, retry_in: float) -> None:
        """Show why there is no connection, and when the next attempt is made."""
        soon = "at once" if retry_in < 1 else f"in {retry_in:.0f} s"
        self._show_connection(
            f"no connection ({reason}); trying again {soon}"
            if reason
            else f"connection lost; coming back {soon}"
        )

    def on_token(self, name: str, token: str) -> None:
        """Keep the token, and begin at once where a table of one's own was asked for."""
        if self._solo is None and self._address is not None:
            self._remembered.keep_player(str(self._address), name, token)
        elif token and not self._opened:
            from golfnet_client.connection.solo import opening_lines

            self._opened = True
            self._teach_solo()
            for line in opening_lines(self._solo or "six-card", self._bots):
                self._send(line)

    def on_untrusted(self, problem: Untrusted) -> None:
        """Explain that another server is there than was, and let the person accept it."""
        model = self.client.model
        model.pages, model.scroll = another_server(str(problem)), 0
        self.client.accept = partial(self._accept, problem)
        self._show_connection(f"another server is there than was; {ACCEPT} accepts it")

    # --- inside

    def _show_connection(self, state: str) -> None:
        self.client.model.link = state
        self.terminal.app.invalidate()

    def _accept(self, problem: Untrusted) -> None:
        """Trust another server, and come in with what it knows the person by."""
        assert self._address is not None
        assert self._connection is not None
        server = str(self._address)
        self._remembered.accept(server, problem)
        self._trust.accept(problem)
        self._connection.accept(self._remembered.player(server)[1])

    def _teach_solo(self) -> None:
        """Say what to know at each point of a first match of six-card, which the lessons are about."""
        self.client.model.lesson = self._solo == "six-card" and not self._remembered.taught
        if self.client.model.lesson:
            self._remembered.keep_taught()

    def _send(self, line: str) -> None:
        if self._connection is not None:
            self._connection.send(line)
        else:
            self._early.append(line)

    async def _guest(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._hear_signals)
            if self._solo is not None:
                from golfnet_client.connection.solo import open_solo

                self._address = await open_solo(nursery)
                self._name = self._name or SOLO_NAME
                self.client.model.server = "solo"
            elif self._address is None:
                await self._choose_server()
            assert self._address is not None
            address = self._address
            if self._solo is None:
                self.client.model.server = str(address)
            kept, token = self._remembered.player(str(address)) if self._solo is None else ("", "")
            if self._name and self._name != kept:
                token = ""
            if self._solo is None:
                self.client.witness, files = watch_deals(self._remembered, str(address))
                self.client.evidence = lambda: str(files.path or "")
            self._trust = self._remembered.trust(str(address))
            self._connection = Connection(
                partial(open_stream, address, self._trust),
                self,
                client=f"golfnet-client/{__version__}",
                name=self._name or kept,
                token=token,
            )
            for line in self._early:
                self._connection.send(line)
            nursery.start_soon(self._keep_lobby)
            await self._connection.run()
            self.goodbye = self._last_words()
            nursery.cancel_scope.cancel()

    def _last_words(self) -> str:
        news = [entry.text for entry in self.client.model.log if entry.kind == "server"]
        return news[-1] if news else ""

    async def _hear_signals(self) -> None:
        """End in good order where the terminal is closed or the process is told to end."""
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as signals:
            async for _ in signals:
                self.client.is_over = True
                self.terminal.settle()
                return

    async def _keep_lobby(self) -> None:
        """Keep the lists of the lobby fresh while they are looked at."""
        while True:
            await trio.sleep(LOBBY_SECONDS)
            model = self.client.model
            if model.place is Place.LOBBY and model.link == "connected" and model.name:
                self._send("tables")
                self._send("who")

    async def _choose_server(self) -> None:
        """Let the person choose a server: of late, nearby, or typed."""
        model = self.client.model
        model.server, model.link = "a server", "type its address, or choose one from the list"
        self.client.connect = self._connect_to
        recent = [(address, address, "of late") for address in self._remembered.recent]
        self._offer(recent, "Looking for servers nearby ...")
        from golfnet_client.connection.discovery import servers_nearby

        async with trio.open_nursery() as nursery:

            async def look_around() -> None:
                found = [(str(address), name, "nearby") for name, address in await servers_nearby()]
                if not self._chosen.is_set():
                    self._offer([*found, *recent], "" if found else "No server was found nearby.")

            nursery.start_soon(look_around)
            await self._chosen.wait()
            nursery.cancel_scope.cancel()
        self.client.connect = None
        model.pages = None

    def _offer(self, servers: list[tuple[str, str, str]], note: str) -> None:
        model = self.client.model
        if servers:
            lines = [
                f"{address:<32}{name if name != address else '':<20}{where}"
                for address, name, where in servers
            ]
            model.pages = Pages(
                title="Servers",
                lines=(f"{'address':<32}{'name':<20}", *lines),
                rows=tuple(f"connect {address}" for address, _, _ in servers),
            )
        elif note:
            model.link = f"{note} Type the address of one"
        self.terminal.app.invalidate()

    def _connect_to(self, text: str) -> None:
        try:
            self._address = parse_address(text)
        except BadAddress as problem:
            self.client.model.tell(f"Expected {problem}.", time.monotonic())
            return
        self._chosen.set()
