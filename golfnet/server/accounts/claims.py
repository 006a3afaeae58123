"""Who owns a name: how players arrive, by name or by token, and when guests who do not return lose their names.

People often close a window without noting the token that was shown in it. So a guest whose connection is gone may type
``name NAME`` again from the same address and get the name and the seat back. This is called a claim. Nothing proves
that the claimant is the same person: a household, a school, an office or the users of a VPN may share one address. So
claims are limited:

- Only the name of an absent guest can be claimed, never a registered name. So a claim disconnects nobody.
- A claim ends as soon as the owner shows an older token: this invalidates all newer tokens, closes the claimant's
   connection, and undoes even an account made from the name. For ``CLAIM_SECONDS`` after a claim, nothing that the
   claimant does invalidates the older tokens. After that time guests' names are free for anyone anyway.
- What the claimant has done until then is not undone: a seat that they left is lost, turns that they played count.
   Cards that the owner has seen are shown to the claimant only if the rules let the seat see them again.

A guest who wants better protection registers the name.

Guests who do not return are deleted, so that a server that runs for years does not store every visitor. Players who
are here, who have a seat, an account or a rating, or who were seen in the last ``GUEST_DAYS`` days are never deleted.
Results and records keep the names of deleted guests.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import trio
from msgspec import structs

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import InvalidName, check_name, skeleton, skeletons
from golfnet.server.accounts.accounts import TOKENS, Accounts, hash_of, is_void
from golfnet.server.budget import origin_of
from golfnet.server.lookups import Steps, carried_out
from golfnet.server.nodes import HERE
from golfnet.server.session.player import Player
from golfnet.storage.faults import StoreError
from golfnet.storage.store import IdKind, Reads, Store, number_of
from golfnet.storage.writes import PlayerKind, PlayerRow, SavePlayer, Token

Owners = Mapping[str, PlayerRow | None]
"""For each skeleton of a name, the main one first, the stored player who owns it, if any."""

_IS_BACK: Final = (
    "Welcome back: this name was used from your network before, so you have it again. "
    "If you are somebody else, type quit and choose another name."
)
_IS_YOURS: Final = (
    "Somebody logged in under your name without its token, from a network you had used. "
    "They have been disconnected."
)


class Identified(NamedTuple):
    """A player who has been identified, with a new token if any, the ticket of the write, and a note to send."""

    player: Player
    token: str = ""
    ticket: int = 0
    note: str = ""


def by_name(accounts: Accounts, text: str, address: str, *, allows_claims: bool) -> Steps[Identified]:
    """Return the player who logs in by name: a new guest or, if ``allows_claims``, the guest who already has the name.

    ``address`` is the peer's own, never a proxy's. Raise ``Refused`` or ``Elsewhere``.
    """
    invalid = None
    try:
        name = check_name(text)
        compared = skeletons(name)
    except InvalidName as problem:  # but an earlier version may have accepted the name
        invalid, name, compared = problem, text, (skeleton(text),)
    owners = yield from accounts.lookups.asked(
        lambda: {bones: accounts.store.player_by_skeleton(bones) for bones in compared}
    )
    claimed = (yield from _claim(accounts, text, address, owners)) if allows_claims else None
    if claimed is None and invalid is not None:
        why = str(invalid)
        raise Refused(Code.BAD_NAME, f"{why[0].upper()}{why[1:]}.")
    return claimed or (yield from _new_guest(accounts, name, address, owners))


def _claim(accounts: Accounts, text: str, address: str, owners: Owners) -> Steps[Identified | None]:
    """Give an absent guest's name to somebody at the same address; return None if it cannot be claimed."""
    owner = accounts.owner_of(*next(iter(owners.items())))
    if owner is None or accounts.is_stale(owner) or not may_claim(owner, text, address):
        return None
    if (known := accounts.known(owner.id)) is not None and known.session is not None:
        return None
    player = yield from accounts.brought(owner.id)
    if player is None or player.session is not None:
        return None
    accounts.count_name(address)
    if len(player.tokens) >= TOKENS:  # replace the latest claimant's token: older ones may be the owner's
        accounts.end_tokens(player, list(player.tokens)[-1:])
    now = accounts.wall_clock()
    for hashed, token in player.tokens.items():
        if not token.claimed:  # each token records the first claim made after it was issued
            player.tokens[hashed] = structs.replace(token, claimed=now)
    accounts.enter(player)
    return Identified(player, accounts.issue(player, address), accounts.save(player), _IS_BACK)


def _new_guest(accounts: Accounts, name: str, address: str, owners: Owners) -> Steps[Identified]:
    nodes = accounts.nodes
    owner, *resembled = [accounts.owner_of(*each) for each in owners.items()]
    others = [other for other in (owner, *resembled) if other is not None]
    if not all(map(accounts.is_stale, others)):
        raise _taken(name)
    ids = [other.id for other in others]
    if ids and (yield from nodes.asked(lambda directory: directory.staying(ids), frozenset())):
        raise _taken(name)
    yield from nodes.need_ids(IdKind.PLAYER)
    accounts.count_name(address)
    player = Player(
        id=f"p{nodes.ids[IdKind.PLAYER].next()}",
        name=name,
        skeleton=next(iter(owners)),
        created=accounts.wall_clock(),
    )
    row, freed = accounts.row(player), None if owner is None else owner.id
    stay = yield from nodes.asked(lambda directory: directory.claim_name(row, freed), HERE)
    if stay is None:
        raise _taken(name)
    player.stay = stay.number
    accounts.enter(player)
    return Identified(
        player,
        accounts.issue(player, address),
        accounts.submit([player], [] if freed is None else [freed]),
    )


def by_token(accounts: Accounts, text: str, address: str) -> Steps[Identified]:
    """Return the player who logs in with a token, and undo any claim made after the token was issued.

    Raise ``Refused`` or ``Elsewhere``.
    """
    hashed = hash_of(text)
    known: Player | PlayerRow | None = accounts.by_token.get(hashed)
    if isinstance(known, Player):
        _need_valid(accounts, known, hashed)  # checked before an older connection is replaced
    else:
        known = yield from accounts.lookups.asked(lambda: accounts.store.player_by_token(hashed))
    found = None if known is None else (yield from accounts.brought(known.id))
    player = _need_valid(accounts, found, hashed)
    token = player.tokens[hashed]
    if token.claimed:
        # Registered names cannot be claimed: if there is an account now, the claimant registered it.
        left = won_back(player.tokens.values(), token)
        accounts.end_tokens(player, player.tokens.keys() - left.keys())
        player.tokens = left
        player.kind, player.password_hash = PlayerKind.GUEST, None
    player.tokens[hashed] = structs.replace(
        player.tokens[hashed], used=accounts.wall_clock(), origin=origin_of(address)
    )
    player.token = hashed
    return Identified(player, "", accounts.save(player), _IS_YOURS) if token.claimed else Identified(player)


def _need_valid(accounts: Accounts, player: Player | None, hashed: bytes) -> Player:
    if player is None or hashed not in player.tokens:
        raise Refused(Code.BAD_TOKEN, "That token is unknown or no longer valid.")
    if is_void(player.tokens[hashed], accounts.wall_clock()):
        raise Refused(Code.BAD_TOKEN, "Somebody else has this name now, so the token no longer works.")
    return player


def _taken(name: str) -> Refused:
    return Refused(
        Code.NAME_TAKEN,
        f"The name {name} is taken. Choose another one. If it is yours, type: resume TOKEN, or login {name}",
    )


def may_claim(owner: PlayerRow, name: str, address: str) -> bool:
    """Return whether somebody at an address may claim an absent guest's name; only upper and lower case may differ."""
    origin = origin_of(address)
    return (
        owner.kind is PlayerKind.GUEST
        and owner.name.casefold() == name.casefold()
        and bool(origin)
        and any(token.origin == origin for token in owner.tokens)
    )


def won_back(tokens: Iterable[Token], shown: Token) -> dict[bytes, Token]:
    """Return the tokens that remain when ``shown`` ends a claim: those issued after the claim are dropped."""
    order = list(tokens)
    at = order.index(shown)
    return {
        token.hash: structs.replace(token, claimed=0.0) if token.claimed >= shown.claimed else token
        for place, token in enumerate(order)
        if place <= at or token.issued < shown.claimed
    }


GUEST_DAYS: Final = 90
"""Days of absence after which a guest is deleted. The name is already free for anyone after one day."""

FORGOTTEN_AT_ONCE: Final = 500
"""Number of guests deleted per batch. Tables have to wait for the disk while a batch is written: a few milliseconds."""

BETWEEN_BATCHES: Final = 1.0
"""Seconds between batches."""

_DAY: Final = 24 * 3600.0

log = logging.getLogger(__name__)


async def keep_forgetting(accounts: Accounts) -> None:
    """Delete stale guests at startup and then daily; wait until each batch is durable before the next."""
    while True:
        try:
            deleted = await carried_out(_forget_some(accounts))
        except Refused:
            log.error("could not delete old guests; trying again tomorrow")
            deleted = None
        if deleted is not None:
            await deleted.wait()
        await trio.sleep(_DAY if deleted is None else BETWEEN_BATCHES)


def _forget_some(accounts: Accounts) -> Steps[trio.Event | None]:
    """Delete a batch of guests; return an event for when that is durable, or None if there were none."""
    before = accounts.wall_clock() - GUEST_DAYS * _DAY

    def read() -> tuple[Sequence[str], frozenset[str]]:
        stale = accounts.store.stale_guests(before, limit=FORGOTTEN_AT_ONCE)
        directory = accounts.nodes.directory
        return stale, frozenset() if directory is None else directory.staying(stale)

    stale, elsewhere = yield from accounts.lookups.asked(read)
    if not stale:
        return None
    missing = {player: accounts.known(player) for player in stale if player not in elsewhere}
    back = [known for known in missing.values() if known is not None]
    gone = [player for player, known in missing.items() if known is None]
    deleted = trio.Event()
    accounts.gate.once_shown(accounts.submit(back, gone), deleted.set)
    return deleted


def renew_skeletons(store: Store) -> None:
    """Update the stored skeletons of all names; if they cannot be written, the next start tries again."""
    try:
        if changed := renewed(store):
            # All old skeletons are freed first: one player's new skeleton may be another player's old one.
            store.write([*[SavePlayer(_aside(row)) for row in changed], *map(SavePlayer, changed)])
    except StoreError as problem:
        log.error("could not update how names are compared; trying again at the next start: %s", problem)
        return
    for row in changed:
        log.info("the name %s is compared as %s from now on", row.name, row.skeleton)


def renewed(store: Reads) -> list[PlayerRow]:
    """Return the rows whose skeletons have to change, with the new skeletons."""
    rows = [
        row
        for player, name, bones in store.names_beyond_ascii()
        if bones != skeleton(name) and (row := store.player(player)) is not None
    ]
    moving, taken = {row.id for row in rows}, set[str]()
    changed = []
    for row in sorted(rows, key=lambda row: (row.kind is not PlayerKind.ACCOUNT, number_of("p", row.id))):
        bones = skeleton(row.name)
        owner = store.player_by_skeleton(bones)
        if bones in taken or (owner is not None and owner.id not in moving):
            new = _aside(row)
        else:
            new = structs.replace(row, skeleton=bones)
            taken.add(bones)
        if new != row:
            changed.append(new)
    return changed


def _aside(row: PlayerRow) -> PlayerRow:
    """Return a row with a skeleton that no name can have: it contains a space."""
    return structs.replace(row, skeleton=f"{skeleton(row.name)} {row.id}")
