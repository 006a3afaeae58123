"""Names that were stored under another skeleton than this program gives them: brought up to date at the start.

The skeleton of a name changes with the table of look-alike letters, and with the Unicode tables of Python. What stays
true: everybody keeps name, account and tokens. Where two names that were different look alike now, the one that has the
skeleton keeps it, else accounts come before guests and the older before the younger. The other is stored under a key
that no name has: its owner comes in as before, but nobody can take the name anew. Names in ASCII always stay as they
are.
"""

import logging

from msgspec.structs import replace

from golfnet.protocol.names.skeletons import skeleton
from golfnet.storage.errors import StoreError
from golfnet.storage.store import Reads, Store, number_of
from golfnet.storage.writes import PlayerKind, PlayerRow, SavePlayer

log = logging.getLogger(__name__)


def renew_skeletons(store: Store) -> None:
    """Store every player under the skeleton of its name; where that cannot be written, the next start tries again."""
    try:
        changed = renewed(store)
        if changed:
            # All give up their keys before any takes a new one: it may be another's old one.
            store.write([*[SavePlayer(_aside(row)) for row in changed], *map(SavePlayer, changed)])
    except StoreError as problem:
        log.error("names are compared as before: %s", problem)
        return
    for row in changed:
        log.info("the name %s is compared as %s from now on", row.name, row.skeleton)


def renewed(store: Reads) -> list[PlayerRow]:
    """Return the rows that have to change, as they are to be."""
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
    """Return a row with a skeleton that no name has: there is no blank in any."""
    return replace(row, skeleton=f"{skeleton(row.name)} {row.id}")
