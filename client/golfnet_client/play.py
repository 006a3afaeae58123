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
    from collections.abc import Awaitable, Callable, Mapping

    from golfnet.engine.rules import RuleSet
    from golfnet_client.model.pages import Way
    from golfnet_client.model.remembered import Remembered
    from golfnet_client.screens.canvas import Look
    from golfnet_client.visits import Visits


class Play:
    """The screen and everything below it."""

    def __init__(
        self,
        remembered: Remembered,
        *,
        way: Way | None,
        name: str,
        look: Look,
        looks: Mapping[str, str],
        bell: bool,
        still: bool = False,
    ) -> None:
        self._name = name
        self._way = way
        """Where to go first, or None for the start menu."""
        self.visits: Visits | None = None
        """The connections, which run under trio, or None until their module is imported."""
        self.client = Client(Model(), remembered, send=self.send, now=time.monotonic, look=look)
        self.client.model.is_still = still
        self.client.ways = self
        self.client.ask_quietly = partial(self.send, is_quiet=True)
        self.terminal = Terminal(self.client, looks=looks, bell=bell)

    async def run(self) -> str:
        """Show the screen until the player quits; return a line to print after it is closed."""
        if self._way is None:
            self.client.show_home()
        else:
            self.client.model.linked("connecting", time.monotonic())
        self.terminal.window.open()
        try:
            await host(self.terminal.app, self.load)
        finally:
            self.terminal.window.close()
        return "" if self.visits is None else self.visits.goodbye

    def load(self) -> Callable[[], Awaitable[None]]:
        """Import the code that connects to servers, and return the async function to run."""
        from golfnet_client.visits import Visits

        self.visits = Visits(self.terminal, self._name, self._way)
        return self.visits.run

    # --- called from menus and keys

    def home(self) -> None:
        """Leave the server, if any, and show the start menu."""
        if self.visits is None or not self.visits.leave():
            self.client.show_home()

    def go(self, way: Way) -> None:
        """Go to a server, or play alone."""
        self._way = way
        if self.visits is not None:
            self.visits.go(way)

    def look_around(self) -> None:
        """Look for servers nearby, and offer them alongside the recent ones."""
        if self.visits is not None:
            self.visits.look_around()

    def rule_sets(self) -> Mapping[str, RuleSet]:
        """Return the rule sets available for playing alone."""
        from golfnet_client.solo import rule_sets

        return rule_sets()

    def send(self, line: str, *, is_quiet: bool = False) -> None:
        """Send a line to the server, if there is one; if the line is quiet, a refusal is not shown."""
        if self.visits is not None and self.visits.connection is not None:
            self.visits.connection.send(line, is_quiet=is_quiet)
