"""Deletes guests who do not return, so that a server that runs for years does not store every visitor.

Invariants: nobody is deleted who is here, has a seat, an account or a rating, or was seen within ``GUEST_DAYS``;
results and records keep the names of deleted guests.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio
from msgspec.structs import replace

from golfnet.protocol.errors import Refused
from golfnet.protocol.names import skeleton
from golfnet.server.lookups import carried_out
from golfnet.storage.faults import StoreError
from golfnet.storage.store import Reads, Store, number_of
from golfnet.storage.writes import DeletePlayer, PlayerKind, PlayerRow, SavePlayer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from golfnet.server.accounts.accounts import Accounts
    from golfnet.server.lookups import Steps
    from golfnet.storage.writes import Write

GUEST_DAYS: Final = 90
"""How long a guest's token is valid: longer than a break between seasons. The name is free after one day already."""

AT_ONCE: Final = 500
"""Guests per batch: a few milliseconds of disk time, for which tables wait too."""

PAUSE: Final = 1.0
"""Seconds between batches."""

_DAY: Final = 24 * 3600.0

log = logging.getLogger(__name__)


async def keep_forgetting(accounts: Accounts) -> None:
    """Delete stale guests now and daily; wait until each batch is durable before the next."""
    while True:
        were_any = await _forget_some(accounts)
        await trio.sleep(PAUSE if were_any else _DAY)


async def _forget_some(accounts: Accounts) -> bool:
    """Delete a batch of guests; return whether there were any, after the deletion is durable."""
    before = accounts.wall_clock() - GUEST_DAYS * _DAY
    forgotten = trio.Event()

    def read() -> tuple[Sequence[str], AbstractSet[str]]:
        stale = accounts.store.stale_guests(before, limit=AT_ONCE)
        return stale, accounts.nodes.directory.staying(stale)

    def forget() -> Steps[bool]:
        stale, elsewhere = yield from accounts.lookups.asked(read)
        if not stale:
            return False
        changes = [_change(accounts, player) for player in stale if player not in elsewhere]
        ticket = accounts.gate.submit(changes)
        accounts.note_deleted([it.player for it in changes if isinstance(it, DeletePlayer)], ticket)
        accounts.gate.once_shown(ticket, forgotten.set)
        return True

    try:
        were_any = await carried_out(forget())
    except Refused:
        log.error("could not delete old guests; trying again tomorrow")
        return False
    if were_any:
        await forgotten.wait()
    return were_any


def _change(accounts: Accounts, player: str) -> Write:
    """Return the write that deletes a player, or that updates one who is here or came back."""
    here = accounts.seen_now(player)
    return DeletePlayer(player) if here is None else SavePlayer(here)


def renew_skeletons(store: Store) -> None:
    """Update the stored skeletons of all names; if that cannot be written, the next start tries again."""
    try:
        changed = renewed(store)
        if changed:
            # All keys are released first: a new one may be another player's old one.
            store.write([*[SavePlayer(_aside(row)) for row in changed], *map(SavePlayer, changed)])
    except StoreError as problem:
        log.error("names are compared as before: %s", problem)
        return
    for row in changed:
        log.info("the name %s is compared as %s from now on", row.name, row.skeleton)


def renewed(store: Reads) -> list[PlayerRow]:
    """Return the rows that have to change, with their new values."""
    due = [each.player for each in store.names_beyond_ascii() if each.skeleton != skeleton(each.name)]
    rows = [row for player in due if (row := store.player(player)) is not None]
    moving = {row.id for row in rows}
    taken: set[str] = set()
    changed = []
    for row in sorted(rows, key=_precedence):
        bones = skeleton(row.name)
        owner = store.player_by_skeleton(bones)
        if bones in taken or (owner is not None and owner.id not in moving):
            new = _aside(row)
        else:
            new = replace(row, skeleton=bones)
            taken.add(bones)
        if new != row:
            changed.append(new)
    return changed


def _precedence(row: PlayerRow) -> tuple[bool, int]:
    return row.kind is not PlayerKind.ACCOUNT, number_of("p", row.id)


def _aside(row: PlayerRow) -> PlayerRow:
    """Return a row with a skeleton that no name can have: it contains a blank."""
    return replace(row, skeleton=f"{skeleton(row.name)} {row.id}")
