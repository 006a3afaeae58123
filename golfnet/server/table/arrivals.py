"""Those who were at a table when it moved to this node, until they are here as well.

What stays true: while somebody is on the way the table stands still, and so does the input of those who are here, so
that nobody plays ahead; that lasts ``ARRIVE_SECONDS`` at the most, and who is not here then has lost the connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.protocol.replies.presence import Cause

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from golfnet.server.clock import Timer
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.gallery import Gallery
    from golfnet.server.table.membership import Membership

ARRIVE_SECONDS: Final = 4.0
"""How long a table waits: two tries to hand a session over."""


class Arrivals:
    """Who is on the way to one table."""

    def __init__(
        self,
        table: TableContext,
        membership: Membership,
        gallery: Gallery,
        *,
        look: Callable[[Player], None],
    ) -> None:
        self._table = table
        self._membership = membership
        self._gallery = gallery
        self._look = look
        """Sends a player the whole view."""
        self._here: list[Player] = []
        """Who is to see the table when it goes on."""
        self._missing: set[str] = set()
        """The ids of those who are on the way."""
        self._then: list[Callable[[], None]] = []
        self.timer: Timer | None = None
        """What ends the waiting; None while nobody is on the way."""

    def expect(self, players: Collection[str]) -> None:
        """Wait for players, by id."""
        self._missing = set(players)
        self.timer = self._table.after(0.0 if not players else ARRIVE_SECONDS, self._stop_waiting)

    def note(self, player: Player) -> bool:
        """Note that somebody is here, and tell whether it was on the way; the table goes on with the last."""
        was_missing = player.id in self._missing
        self._missing.discard(player.id)
        if self.timer is not None and not self._missing:
            self.timer.cancel()
            self.timer = self._table.after(0.0, self._stop_waiting)
        return was_missing

    def show_later(self, player: Player) -> None:
        """Show a player the table when it goes on, if it does not yet: until then others seem to be away."""
        if self.timer is not None:
            self._here.append(player)

    def once_here(self, call: Callable[[], None]) -> None:
        """Call back when the table goes on, at once where it does not wait."""
        if self.timer is None:
            call()
        else:
            self._then.append(call)

    def close(self) -> None:
        """Wait for nobody any more."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        then, self._then = self._then, []
        for call in then:
            call()

    def _stop_waiting(self) -> None:
        """Let the table go on, without those who are not here."""
        self.timer = None
        for _, chair in self._table.seating.humans:
            if chair.player is not None and chair.player.id in self._missing and chair.session is None:
                self._membership.disconnect(chair.player, Cause.RESTART)
        self._missing.clear()
        self._table.after(ARRIVE_SECONDS, self._gallery.tell)  # who watches may come later
        here, self._here = self._here, []
        for player in here:
            self._look(player)
        self._table.settle()
        self.close()
