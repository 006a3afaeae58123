"""Telling the other nodes of a server about this one's tables and who is connected, as often as anything changes.

What stays true: what others see is a second old at the most, and at once where a table was opened or closed; only what
has changed is told; however many tables there are, each turn of the loop looks at a few.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import msgspec
import trio

from golfnet.protocol.errors import Refused
from golfnet.server.commands import listings
from golfnet.server.lookups import carried_out
from golfnet.server.seeking import offer_of

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby
    from golfnet.storage.directory import SharedDirectory, TableOffer

EVERY_SECONDS: Final = 1.0
AT_ONCE: Final = 100
"""Tables that are looked at in one turn of the loop: a few milliseconds of work."""

log = logging.getLogger(__name__)


async def keep_publishing(lobby: Lobby, directory: SharedDirectory) -> None:
    """Tell of what has changed until cancelled; what could not be told is told again."""
    publisher = _Publisher(lobby, directory)
    while True:
        try:
            await carried_out(lobby.nodes.catch_up())
            await publisher.publish()
        except Refused:
            log.debug("the other nodes were not told of this one's tables")
        with trio.move_on_after(EVERY_SECONDS):
            await lobby.nodes.changed()


class _Publisher:
    """Knows what the other nodes were told."""

    def __init__(self, lobby: Lobby, directory: SharedDirectory) -> None:
        self._lobby = lobby
        self._directory = directory
        self._offers: dict[str, TableOffer] = {}
        self._connected: dict[str, bool] = {}
        self._opening: set[str] = set()
        """Tables that were about to be opened the last time."""

    async def publish(self) -> None:
        """Tell of what has changed; raises ``Refused``."""
        lobby = self._lobby
        offers = await self._looked_at()
        connected = {player.id: player.session is not None for player in lobby.accounts}
        changed = [offer for table, offer in offers.items() if self._offers.get(table) != offer]
        opening = lobby.nodes.opening
        closed = [table for table in (*self._offers, *(self._opening & opening)) if table not in lobby.tables]
        self._opening = set(opening)
        opening.difference_update(closed, lobby.tables)
        news = {player: now for player, now in connected.items() if self._connected.get(player) != now}
        news |= dict.fromkeys([player for player in self._connected if player not in connected], False)
        if changed or closed or news:
            await carried_out(lobby.nodes.asked(lambda: self._directory.publish(changed, closed, news)))
        self._offers, self._connected = offers, connected

    async def _looked_at(self) -> dict[str, TableOffer]:
        """Return this node's tables as others are to see them."""
        offers = {}
        for place, row in enumerate(listings.tables(self._lobby), 1):
            table = self._lobby.tables[row["table"]]
            offers[table.id] = offer_of(table, self._directory.node, msgspec.json.encode(row))
            if place % AT_ONCE == 0:
                await trio.lowlevel.checkpoint()
        return offers
