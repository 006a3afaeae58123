"""Player identity: names, and the tokens with which players log in again. Both outlive the connection and a restart.

A token is shown once. Only its hash is stored, with the time and the address of its last use; a guest who has lost it
may claim the name again (``claims``). Invariants: there is only one ``Player`` object for each player who is connected,
has a seat, or has changes that cannot be read from the store yet; from the moment a name is freed it has no owner, even
before the deletion is stored.

A guest's name is free again when the guest has been away for a day and has no seat. The name of a guest who never sat
down is freed at once if the guest quits. If only the connection is lost, the name is freed after ``NEWCOMER_SECONDS``,
and until then the guest can return with the token.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import trio
from msgspec import MsgspecError, Struct, json

from golfnet.protocol.names import skeleton
from golfnet.server.budget import Budgets, is_shared, origin_of, too_soon
from golfnet.server.clock import NO_TIMER, Timer, Timers
from golfnet.server.journal.journal import DurabilityGate
from golfnet.server.lookups import Lookups, Steps
from golfnet.server.nodes import Nodes
from golfnet.server.session.player import Player
from golfnet.storage.store import Store
from golfnet.storage.writes import DeletePlayer, PlayerKind, PlayerRow, SavePlayer, Token

NEWCOMER_SECONDS: Final = 600
"""How long the name of a guest who never sat down is reserved after the connection is lost."""

TOKENS: Final = 8
"""Maximum number of tokens per player: one for each computer. A new token replaces the least recently used one."""

SETTINGS_SECONDS: Final = 5.0
"""How long changed settings may wait before they are stored. A player's changes in that time are stored together, so
frequent changes cost no more than a single one."""

HOUR: Final = 3600.0

CLAIM_SECONDS: Final = 24 * HOUR
"""How long after a claim an older token can win the name back; also how long an absent guest's name is reserved."""


class _Leaving(Struct, frozen=True):
    """A player who has left; ``timer`` frees the name of a newcomer."""

    player: Player
    timer: Timer = NO_TIMER


class Accounts(Struct, eq=False):
    """The players who are connected, have a seat or have just left; other players are loaded from the store."""

    store: Store
    lookups: Lookups
    nodes: Nodes
    gate: DurabilityGate
    timers: Timers
    wall_clock: Callable[[], float]
    names: Budgets
    """How many names and accounts people may still create, by their origin."""
    _here: dict[str, Player] = {}
    """Players who are connected or have a seat, by id."""
    _leaving: dict[str, _Leaving] = {}
    """Players who have left, until their changes can be read from the store or their name is freed."""
    _given: dict[str, trio.Event] = {}
    """Players whose seats are moving to another node, until the move is durable."""
    _came_as: dict[str, int] = {}
    """The number of the stay elsewhere from which each player came here over a link."""
    _by_skeleton: dict[str, Player] = {}
    _by_name: dict[str, Player] = {}
    by_token: dict[bytes, Player] = {}
    """The owners of tokens who are connected, have a seat or have just left, by the token's hash."""
    _unsaved: dict[str, Player] = {}
    """Players whose settings will be stored soon, by id."""
    _deleted: set[str] = set()
    """Players who are still in the store but whose deletion is queued."""

    def __iter__(self) -> Iterator[Player]:
        return iter(self._here.values())

    def find(self, name: str) -> Player | None:
        """Return the connected or seated player with the given name; look-alike names count as the same."""
        player = self._by_name.get(name) or self._by_skeleton.get(skeleton(name))
        return None if player is None or player.id in self._leaving else player

    # --- arriving

    def count_name(self, address: str) -> None:
        """Count a name or account that somebody at an address creates, or raise ``Refused`` if there are too many."""
        if is_shared(address):
            return
        if wait := self.names.take(origin_of(address), trio.current_time()):
            raise too_soon(wait, "Too many new names have come from your network. Wait {}, log in or resume.")

    def of_row(self, player_id: str, row: PlayerRow | None) -> Player | None:
        """Return the one ``Player`` with this id; if they are not in memory, create them from ``row``, just read."""
        player = self.known(player_id)
        if player is None and row is not None and player_id not in self._deleted:
            player = Player(
                id=row.id,
                name=row.name,
                skeleton=row.skeleton,
                kind=row.kind,
                password_hash=row.password_hash,
                created=row.created,
                tokens={token.hash: token for token in row.tokens},
                settings=_settings_in(row.settings),
                has_sat=True,  # assumed, since it is not stored
            )
            self.enter(player)
        return player

    def brought(self, player_id: str) -> Steps[Player | None]:
        """Return an arriving player, read from the store if necessary; may raise ``Refused`` or ``Elsewhere``.

        The player's stay gets a new number, even if the player was already on this node. An earlier connection knows
        only the old number, so it cannot return here.
        """
        if (given := self._given.get(player_id)) is not None:
            yield from self.nodes.awaited(given.wait)
        number = yield from self.nodes.arrived(player_id)
        self._came_as.pop(player_id, None)
        return (yield from self._begin_stay(player_id, number))

    def taken(self, player_id: str, number: int) -> Steps[Player | None]:
        """Return a player who arrives from another node, or None if they have begun a newer stay than this one.

        Raise ``Refused``.
        """
        known = self.known(player_id)
        # A front that lost its link while it arrived here does not know that it did: it comes with the same number.
        latest = known.stay if known is not None and self._came_as.get(player_id) == number else number
        stay = yield from self.nodes.asked(lambda directory: directory.take(player_id, latest), None)
        if stay is None:
            return None
        row = yield from self.lookups.asked(lambda: self.store.player(player_id))
        known = self.known(player_id)
        if known is not None and row is not None and known.stay < stay.number:
            # This node may know the player from a table that was given to it, while the player was still elsewhere.
            self.end_tokens(known, known.tokens)
            known.tokens = {token.hash: token for token in row.tokens}
            self.by_token.update(dict.fromkeys(known.tokens, known))
            known.kind, known.password_hash = row.kind, row.password_hash
            known.settings = _settings_in(row.settings)
        player = yield from self._begin_stay(player_id, stay.number, row)
        if player is None or player.stay != stay.number:
            return None
        self._came_as[player_id] = number
        return player

    def _begin_stay(self, player_id: str, number: int, row: PlayerRow | None = None) -> Steps[Player | None]:
        """Return a player, read from the store if necessary, at the beginning of a stay; None if they are deleted.

        ``row`` is the player's row, if it was just read.
        """
        if row is None and self.known(player_id) is None:
            row = yield from self.lookups.asked(lambda: self.store.player(player_id))
        player = self.of_row(player_id, row)
        if player is None:
            self.nodes.depart(player_id, number)
        else:
            player.stay = max(player.stay, number)  # the player may have arrived again in the meantime
        return player

    def enter(self, player: Player) -> None:
        """Register a player as present on this node."""
        if (leaving := self._leaving.pop(player.id, None)) is not None:
            leaving.timer.cancel()
        self._here[player.id] = player
        self._by_skeleton[player.skeleton] = self._by_name[player.name] = player
        self.by_token.update(dict.fromkeys(player.tokens, player))

    # --- leaving

    def leave(self, player: Player, *, for_good: bool = False) -> None:
        """Forget a player unless they have a connection or a seat; ``for_good`` means that they quit."""
        if player.session is not None or player.table is not None or self._here.pop(player.id, None) is None:
            return
        if player.kind is PlayerKind.GUEST and (
            not player.tokens or (for_good and not player.has_sat and not self.protected(player))
        ):
            self._free(player)
        elif player.kind is PlayerKind.GUEST and not player.has_sat:
            self._leaving[player.id] = _Leaving(
                player, self.timers.after(NEWCOMER_SECONDS, lambda: self._free(player))
            )
        else:
            leaving = self._leaving[player.id] = _Leaving(player)
            self._once_readable(self.save(player), lambda: self._left(leaving))

    def depart(self, player: Player) -> None:
        """Forget a stored player who has no seat here and is now on another node."""
        if player.session is None and player.table is None and player.id in self._here:
            self._drop(player)

    def give(self, players: Iterable[Player], ticket: int) -> None:
        """Forget players whose seats are moving to another node, even if they have sessions here.

        If one of them arrives here again before the ticket is durable, they have to wait until it is.
        """
        given, stored = list(players), trio.Event()
        for player in given:
            self._given[player.id] = stored
            self._drop(player)

        def let_in() -> None:
            for player in given:
                self._given.pop(player.id, None)
            stored.set()

        self.gate.once_shown(ticket, let_in)

    def submit(self, changed: Iterable[Player], deleted: Sequence[str] = ()) -> int:
        """Store players, after deleting others, who count as deleted from now on; return the ticket."""
        ticket = self.gate.submit(
            [*map(DeletePlayer, deleted), *[SavePlayer(self.row(one)) for one in changed]]
        )
        if deleted:
            self._deleted.update(deleted)
            self._once_readable(ticket, lambda: self._deleted.difference_update(deleted))
        return ticket

    def _once_readable(self, ticket: int, call: Callable[[], None]) -> None:
        """Call back once a ticket is durable and all lookups begun before then have been answered."""
        self.gate.once_shown(ticket, lambda: self.lookups.once_answered(call))

    def _free(self, player: Player) -> None:
        self._drop(player)
        self.submit((), [player.id])
        self.nodes.depart(player.id, player.stay)

    def _left(self, leaving: _Leaving) -> None:
        player = leaving.player
        if self._leaving.get(player.id) is leaving:
            self._drop(player)
            self.nodes.depart(player.id, player.stay)

    def _drop(self, player: Player) -> None:
        for kept in (self._here, self._leaving, self._unsaved, self._came_as):
            kept.pop(player.id, None)
        self._by_skeleton.pop(player.skeleton, None)
        self._by_name.pop(player.name, None)
        for hashed in player.tokens:
            self.by_token.pop(hashed, None)

    # --- tokens

    def issue(self, player: Player, address: str) -> str:
        """Return a new token for a player who has just arrived; it is valid once the player is saved."""
        text, now = secrets.token_urlsafe(18), self.wall_clock()
        token = Token(hash=hash_of(text), issued=now, used=now, origin=origin_of(address))
        if len(player.tokens) >= TOKENS:
            kept = self.protected(player)
            unkept = [old for old in player.tokens.values() if old.hash not in kept]
            self.end_tokens(player, [min(unkept, key=lambda old: old.used).hash])
        player.tokens[token.hash] = token
        player.token = token.hash
        self.by_token[token.hash] = player
        return text

    def end_tokens(self, player: Player, hashes: Iterable[bytes]) -> None:
        """Invalidate tokens, effective once the player is saved."""
        for hashed in tuple(hashes):
            player.tokens.pop(hashed, None)
            self.by_token.pop(hashed, None)

    def protected(self, player: Player) -> frozenset[bytes]:
        """Return the hashes of the tokens with which the name can still be won back. A claimant cannot revoke them."""
        now = self.wall_clock()
        return frozenset(
            [token.hash for token in player.tokens.values() if token.claimed and not is_void(token, now)]
        )

    # --- rows

    def save(self, player: Player) -> int:
        """Store a player's current state; return the ticket of the write."""
        self._unsaved.pop(player.id, None)
        return self.submit([player])

    def keep_settings(self, player: Player, chosen: Mapping[str, str]) -> None:
        """Update a player's settings with newly chosen ones, and store them soon."""
        before, player.settings = player.settings, {**player.settings, **chosen}
        if player.settings != before:
            if not self._unsaved:
                self.timers.after(SETTINGS_SECONDS, self.save_settings)
            self._unsaved[player.id] = player

    def save_settings(self) -> None:
        """Store the settings that have changed, or try again later if the disk is not accepting writes."""
        if self._unsaved and self.gate.is_stuck:
            self.timers.after(SETTINGS_SECONDS, self.save_settings)
        elif self._unsaved:
            self.submit(self._unsaved.values())
            self._unsaved.clear()

    def named(self, name: str) -> Steps[PlayerRow | None]:
        """Return the current row of the player with the given name or, if there is none, with a look-alike name.

        Raise ``Refused`` if the store cannot be read.
        """
        bones, exact, alike = skeleton(name), None, None
        if name not in self._by_name:
            exact, alike = yield from self.lookups.asked(
                lambda: (self.store.player_by_name(name), self.store.player_by_skeleton(bones))
            )
        if (player := self._by_name.get(name)) is not None:
            return self.row(player)
        return self.owner_of(bones, alike) if exact is None or exact.id in self._deleted else exact

    def owner_of(self, bones: str, stored: PlayerRow | None) -> PlayerRow | None:
        """Return the current row of the player whose name has this skeleton; ``stored`` is the row just read."""
        if (player := self._by_skeleton.get(bones)) is not None:
            return self.row(player)
        return None if stored is None or stored.id in self._deleted else stored

    def known(self, player_id: str) -> Player | None:
        """Return the player with this id if they are connected, have a seat or have just left."""
        leaving = self._leaving.get(player_id)
        return self._here.get(player_id) if leaving is None else leaving.player

    def is_stale(self, owner: PlayerRow) -> bool:
        """Return whether a name is free again: its guest has been away for too long and has no seat."""
        is_guest_away = owner.kind is PlayerKind.GUEST and self.known(owner.id) is None
        return is_guest_away and self.wall_clock() - owner.seen > CLAIM_SECONDS

    def row(self, player: Player) -> PlayerRow:
        """Return a player's current row as it would be stored."""
        return PlayerRow(
            id=player.id,
            name=player.name,
            skeleton=player.skeleton,
            kind=player.kind,
            password_hash=player.password_hash,
            tokens=tuple(player.tokens.values()),
            created=player.created,
            seen=self.wall_clock(),
            settings=json.encode(player.settings, order="sorted") if player.settings else b"",
        )


def _settings_in(stored: bytes) -> dict[str, str]:
    try:
        return json.decode(stored, type=dict[str, str]) if stored else {}
    except MsgspecError:
        return {}


def is_void(token: Token, now: float) -> bool:
    """Return whether a token is void, because the name was claimed too long ago to be won back."""
    return bool(token.claimed) and now - token.claimed > CLAIM_SECONDS


def hash_of(token: str) -> bytes:
    """Return the hash that is stored instead of a token."""
    return hashlib.sha256(token.encode()).digest()
