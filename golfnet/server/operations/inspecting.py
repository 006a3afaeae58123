"""Looking for damage in the database from time to time, so that it is found while good backups are still kept."""

import logging
from typing import TYPE_CHECKING, Final

import trio

from golfnet.storage.errors import StoreError, StoreReason

if TYPE_CHECKING:
    from golfnet.server.lobby import Lobby

EVERY_SECONDS: Final = 3600.0
"""From the end of one look to the next; opening the database was the first. A gigabyte takes half a minute."""

_SIGNS: Final = (StoreReason.DAMAGED, StoreReason.FAULTY)
"""What tells of damage; a file that is not in its place pauses the tables by other ways."""

log = logging.getLogger(__name__)


async def keep_inspecting(lobby: "Lobby") -> None:
    """Look every hour until cancelled, and note in the lobby what was found. Play goes on whatever it is."""
    while True:
        await trio.sleep(EVERY_SECONDS)
        try:
            await trio.to_thread.run_sync(lobby.store.inspect, abandon_on_cancel=True)
        except StoreError as problem:
            if problem.reason in _SIGNS:
                lobby.damage = problem.sentence
            log.error("a look for damage in the database: %s", problem.sentence)
        else:
            lobby.damage = ""
            lobby.inspected_at = lobby.wall_clock()
