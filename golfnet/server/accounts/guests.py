"""Guests who do not come back are forgotten, so that a server that runs for years does not keep every passer-by.

What stays true: nobody is forgotten who is here, has a seat, an account or a rating, or was seen within ``GUEST_DAYS``;
results and records keep the names of those who are gone.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from golfnet.storage.errors import StoreError
from golfnet.storage.writes import DeletePlayer, SavePlayer

if TYPE_CHECKING:
    from golfnet.server.accounts.accounts import Accounts
    from golfnet.storage.writes import Write

GUEST_DAYS: Final = 90
"""How long a guest's token is good: longer than a season's break. The name is free after a day already."""

AT_ONCE: Final = 500
"""Guests in one batch: some milliseconds of a disk that tables wait for too."""

PAUSE: Final = 1.0
"""Seconds between two batches."""

_DAY: Final = 24 * 3600.0

log = logging.getLogger(__name__)


def keep_forgetting(accounts: Accounts) -> None:
    """Forget now, and every day again, who was not seen for long; each batch waits for the last to be on the disk."""
    gate = accounts.gate

    def forget_after(seconds: float) -> None:
        accounts.timers.after(seconds, forget)

    def forget() -> None:
        try:
            stale = accounts.store.stale_guests(accounts.wall_clock() - GUEST_DAYS * _DAY, limit=AT_ONCE)
        except StoreError as problem:
            log.error("guests are not forgotten today: %s", problem)
            stale = ()
        if not stale:
            forget_after(_DAY)
            return
        changes = [_change(accounts, player) for player in stale]
        ticket = gate.submit(changes)
        accounts.note_deleted([it.player for it in changes if isinstance(it, DeletePlayer)], ticket)
        gate.once_shown(ticket, lambda: forget_after(PAUSE))

    forget()


def _change(accounts: Accounts, player: str) -> Write:
    """Return that the player is gone; of one who has been here all the time, that it was seen."""
    here = accounts.seen_now(player)
    return DeletePlayer(player) if here is None else SavePlayer(here)
