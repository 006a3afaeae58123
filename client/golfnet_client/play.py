"""One run of the full-screen client: the terminal, the client, and the two event loops beneath them.

The first picture needs no network, so the code that connects to servers is loaded after it is shown.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from golfnet_client.model.model import Model
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.guest import host
from golfnet_client.terminal.screen import Terminal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from golfnet_client.model.pages import Way
    from golfnet_client.model.remembered import Remembered
    from golfnet_client.screens.canvas import Look
    from golfnet_client.visits import Visits


class Play:
    """The client with a full screen, and its connections."""

    visits: Visits
    """The connections, which run under trio; ``load`` sets this after the first picture, before any key is handled."""

    def __init__(
        self,
        remembered: Remembered,
        *,
        way: Way | None,
        name: str,
        look: Look,
        theme: str,
        still: bool = False,
    ) -> None:
        self._name = name
        self._way = way
        """Where to go first, or None for the start menu."""
        self.client = Client(Model(), remembered, send=self.send, now=time.monotonic, look=look)
        self.client.model.is_still = still
        self.client.ask_quietly = partial(self.send, is_quiet=True)
        self.terminal = Terminal(self.client, theme=theme)
        if way is None:
            self.client.show_home()

    async def run(self) -> str:
        """Show the screen until the player quits; return a line to print after it is closed."""
        self.terminal.window.open()
        try:
            await host(self.terminal.app, self.load)
        finally:
            self.terminal.window.close()
        return self.visits.goodbye

    def load(self) -> Callable[[], Awaitable[None]]:
        """Import the code that connects to servers, and return the async function to run."""
        from golfnet_client.visits import Visits

        self.visits = self.client.ways = Visits(self.terminal, self._name, self._way)
        return self.visits.run

    def send(self, line: str, *, is_quiet: bool = False) -> None:
        """Send a line to the server, if there is one; if the line is quiet, a refusal is not shown."""
        if self.visits.connection is not None:
            self.visits.connection.send(line, is_quiet=is_quiet)
