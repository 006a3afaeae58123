"""Who a player is: names, and tokens for coming back. Both outlive the connection and a restart.

A token is shown once and kept as its hash only, with when and from where it was last used; a guest who has lost it may
take the name again (``claims``). What stays true: there is one ``Player`` for an id, from before anything about it
changes until what has changed can be read from the store; a name that was freed, or is free again, is nobody's at once.

A guest's name is free again when the guest has been away for a day and has no seat. A guest who never sat down has
nothing to come back to but the name: that is freed at once where the guest says goodbye, and ``NEWCOMER_SECONDS`` after
a lost connection, so that the token still brings back who was only cut off.
"""

import hashlib
import math
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import InvalidName, check_name, skeleton, skeletons
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.accounts import claims
from golfnet.server.budget import Budgets, is_shared, origin_of
from golfnet.server.clock import Timer, Timers
from golfnet.server.journal.journal import DurabilityGate
from golfnet.server.lookups import Lookups, Steps
from golfnet.server.nodes import Nodes
from golfnet.server.session.player import Player
from golfnet.storage import writes
from golfnet.storage.directory import IdKind
from golfnet.storage.store import Store
from golfnet.storage.writes import DeletePlayer, PlayerKind, SavePlayer, Token

NEWCOMER_SECONDS: Final = 600
"""How long a name is kept for a guest who never sat down and lost the connection."""

TOKENS: Final = 8
"""Tokens of one account: as many machines as somebody plays from. With one more, that used longest ago ends."""

SETTINGS_SECONDS: Final = 5.0
"""How long changed settings may wait to be stored: one write for all of a player's changes in that time, so that
somebody who plays with them costs the disk no more than anybody else."""

HOUR: Final = 3600.0

Owners = Mapping[str, writes.PlayerRow | None]
"""Who is stored under each skeleton of a name."""

_IS_BACK: Final = (
    "Welcome back: this name was used from your network before, so you have it again. "
    "If you are somebody else, type quit and choose another name."
)
_IS_YOURS: Final = (
    "Somebody came in under your name without its token, from a network where you had been. They are out now."
)


class Accounts:
    """All players that are here or may come back."""

    def __init__(
        self,
        store: Store,
        lookups: Lookups,
        nodes: Nodes,
        gate: DurabilityGate,
        timers: Timers,
        wall_clock: Callable[[], float],
        *,
        names_per_hour: int,
    ) -> None:
        self.store = store
        self.lookups = lookups
        self.nodes = nodes
        self.gate = gate
        self.timers = timers
        self.wall_clock = wall_clock
        self._here: dict[str, Player] = {}
        """Those who are here or have a seat."""
        self._leaving: dict[str, _Leaving] = {}
        """Those who are gone, until whoever reads the store sees all that changed, or their name is freed."""
        self._given: dict[str, trio.Event] = {}
        """Those whose seats are on the way to another node, until the database knows it."""
        self._by_skeleton: dict[str, Player] = {}
        self._by_name: dict[str, Player] = {}
        self._by_token: dict[bytes, Player] = {}
        self._unsaved: dict[str, Player] = {}
        """Those whose settings are to be stored soon, by id."""
        self._deleted: set[str] = set()
        """Players that the store still has, and is told to delete."""
        self._names = Budgets(names_per_hour, HOUR)

    def __iter__(self) -> Iterator[Player]:
        return iter(self._here.values())

    def find(self, name: str) -> Player | None:
        """Return the player of a name that is here or has a seat, look-alikes counting as the same."""
        player = self._by_name.get(name) or self._by_skeleton.get(skeleton(name))
        return None if player is None or player.id in self._leaving else player

    # --- coming

    def by_name(self, text: str, address: str, *, may_claim: bool) -> Steps["Identified"]:
        """Return who comes in under a name: the guest who had it, where that ``may_claim``, or a new one.

        ``address`` is the peer's own, never a proxy's. Raises ``Refused`` and ``Elsewhere``.
        """
        owners: Owners = {}
        if not all(bones in self._by_skeleton for bones in _compared(text)):
            owners = yield from self.lookups.asked(lambda: self._stored(text))
        claimed = (yield from self._claim(text, address, owners)) if may_claim else None
        return claimed or (yield from self._new_guest(text, address, owners))

    def _stored(self, text: str) -> Owners:
        """Return who is stored under a name as it was typed, and under those that it resembles: a query."""
        return {bones: self.store.player_by_skeleton(bones) for bones in _compared(text)}

    def _claim(self, text: str, address: str, owners: Owners) -> Steps["Identified | None"]:
        """Give the name of a guest who is away to somebody at the same address; None where it is not to be had so."""
        owner = self._owner(skeleton(text), owners)
        if owner is None or self._is_stale(owner) or not claims.may_claim(owner, text, address):
            return None
        known = self._known(owner.id)
        if known is not None and known.session is not None:
            return None
        player = yield from self.brought(owner.id)
        if player is None or player.session is not None:
            return None
        self.count_name(address)
        if len(player.tokens) >= TOKENS:  # the latest claim makes room: what is older may be the owner's
            self.end_tokens(player, list(player.tokens)[-1:])
        player.tokens = claims.contested(player.tokens.values(), self.wall_clock())
        self.enter(player)
        return Identified(player, self.issue(player, address), self.save(player), _IS_BACK)

    def _new_guest(self, text: str, address: str, owners: Owners) -> Steps["Identified"]:
        """Take a free name; raises ``Refused``."""
        try:
            name = check_name(text)
        except InvalidName as invalid:
            why = invalid.fault.value
            raise Refused(Code.BAD_NAME, f"{why[0].upper()}{why[1:]}.") from None
        owner, *resembled = [self._owner(bones, owners) for bones in skeletons(name)]
        others = [other for other in (owner, *resembled) if other is not None]
        if not all(map(self._is_stale, others)) or (yield from self.nodes.are_elsewhere(others)):
            raise _taken(name)
        yield from self.nodes.need_ids(IdKind.PLAYER)
        self.count_name(address)
        player = Player(id=f"p{self.nodes.ids[IdKind.PLAYER].next()}", name=name, created=self.wall_clock())
        row, freed = self._row(player), None if owner is None else owner.id
        stay = yield from self.nodes.asked(lambda: self.nodes.directory.claim_name(row, freed))
        if stay is None:
            raise _taken(name)
        player.stay = stay.number
        self.enter(player)
        token = self.issue(player, address)
        changes: list[writes.Write] = [] if freed is None else [DeletePlayer(freed)]
        ticket = self.gate.submit([*changes, SavePlayer(self._row(player))])
        if freed is not None:
            self.note_deleted((freed,), ticket)
        return Identified(player, token, ticket)

    def count_name(self, address: str) -> None:
        """Count a new name or account from an address; raises ``Refused`` for too many."""
        if is_shared(address):
            return
        origin, now = origin_of(address), trio.current_time()
        if wait := self._names.wait(origin, now):
            raise Refused(
                Code.RATE_LIMITED,
                f"Too many new names were made from your network. Wait {in_words(math.ceil(wait) * 1000)}, "
                "log in or resume.",
                wait_ms=math.ceil(wait * 1000),
            )
        self._names.spend(origin, now)

    def by_token(self, text: str, address: str) -> Steps["Identified"]:
        """Return the owner of a token, who comes in with it and ends what a claim has made.

        Raises ``Refused`` and ``Elsewhere``.
        """
        hashed = _hash(text)
        known: Player | writes.PlayerRow | None = self._by_token.get(hashed)
        if isinstance(known, Player):
            self._need_valid(known, hashed)  # before a connection that it has now counts as the older one
        else:
            known = yield from self.lookups.asked(lambda: self.store.player_by_token(hashed))
        found = None if known is None else (yield from self.brought(known.id))
        player = self._need_valid(found, hashed)
        token, now = player.tokens[hashed], self.wall_clock()
        if token.claimed:
            # No registered name is ever claimed: an account that is there now was made since.
            left = claims.won_back(player.tokens.values(), token)
            self.end_tokens(player, player.tokens.keys() - left.keys())
            player.tokens = left
            player.kind, player.password_hash = PlayerKind.GUEST, None
        player.tokens[hashed] = replace(player.tokens[hashed], used=now, origin=origin_of(address))
        player.token = hashed
        if token.claimed:
            return Identified(player, ticket=self.save(player), note=_IS_YOURS)
        return Identified(player)

    def _need_valid(self, player: Player | None, hashed: bytes) -> Player:
        """Return the player if the token with a hash is still good for it; raises ``Refused``."""
        if player is None or hashed not in player.tokens:
            raise Refused(Code.BAD_TOKEN, "That token is unknown or no longer valid.")
        if claims.is_void(player.tokens[hashed], self.wall_clock()):
            raise Refused(Code.BAD_TOKEN, "Somebody else has this name now, so the token no longer works.")
        return player

    def by_id(self, player_id: str) -> Player | None:
        """Return a player by id, from the store if it is not here; for the start, when nobody waits for the disk."""
        player = self._known(player_id)
        return self._load(self.store.player(player_id)) if player is None else player

    def of_row(self, player_id: str, row: writes.PlayerRow | None) -> Player | None:
        """Return a player by id, from a row that was just read if it is not here."""
        return self._known(player_id) or self._load(row)

    def brought(self, player_id: str) -> Steps[Player | None]:
        """Return a player who comes in, from the store where it was not here; raises ``Refused`` and ``Elsewhere``.

        Its stay has a new number, also where it was here: a connection that it had before comes here no more.
        """
        if (given := self._given.get(player_id)) is not None:
            yield from self.nodes.awaited(given.wait)
        number = yield from self.nodes.arrived(player_id)
        player = self._known(player_id) or (yield from self._read(player_id))
        if player is None:
            self.nodes.depart(player_id, number)
        else:
            player.stay = max(player.stay, number)
        return player

    def taken(self, player_id: str, number: int) -> Steps[Player | None]:
        """Return a player who comes here from another node, where that was its stay; None where it has a newer one.

        Raises ``Refused``.
        """
        stay = yield from self.nodes.asked(lambda: self.nodes.directory.take(player_id, number))
        if stay is None:
            return None
        player = yield from self._read(player_id)
        if player is None:
            self.nodes.depart(player_id, stay.number)
        elif player.stay > stay.number:  # it has come in again meanwhile
            return None
        else:
            player.stay = stay.number
        return player

    def _read(self, player_id: str) -> Steps[Player | None]:
        row = yield from self.lookups.asked(lambda: self.store.player(player_id))
        return self._load(row)

    def enter(self, player: Player) -> None:
        """Count a player among those who are here."""
        leaving = self._leaving.pop(player.id, None)
        if leaving is not None and leaving.timer is not None:
            leaving.timer.cancel()
        self._here[player.id] = player
        self._by_skeleton[player.skeleton] = self._by_name[player.name] = player
        for hashed in player.tokens:
            self._by_token[hashed] = player

    # --- going

    def leave(self, player: Player, *, for_good: bool = False) -> None:
        """Forget a player without connection and seat until it comes back; ``for_good``: it has said goodbye."""
        if player.session is not None or player.table is not None or self._here.pop(player.id, None) is None:
            return
        if player.kind is PlayerKind.GUEST and (
            not player.tokens or (for_good and not player.has_sat and not self.protected(player))
        ):
            self._free(player)
        elif player.kind is PlayerKind.GUEST and not player.has_sat:
            timer = self.timers.after(NEWCOMER_SECONDS, lambda: self._free(player))
            self._leaving[player.id] = _Leaving(player, timer)
        else:
            leaving = self._leaving[player.id] = _Leaving(player, None)
            self._once_readable(self.save(player), lambda: self._left(leaving))

    def depart(self, player: Player) -> None:
        """Forget a player without a seat here who is at another node now, and who is stored."""
        if player.session is None and player.table is None and self._here.pop(player.id, None) is not None:
            self._unsaved.pop(player.id, None)
            self._drop(player)

    def give(self, players: Iterable[Player], ticket: int) -> None:
        """Forget players whose seats go on at another node from a ticket on, although sessions of them may be here.

        Who comes in before that is durable waits for it.
        """
        given, stored = list(players), trio.Event()
        for player in given:
            self._given[player.id] = stored
            self._here.pop(player.id, None)
            self._unsaved.pop(player.id, None)
            self._drop(player)

        def let_in() -> None:
            for player in given:
                self._given.pop(player.id, None)
            stored.set()

        self.gate.once_shown(ticket, let_in)

    def note_deleted(self, players: Iterable[str], ticket: int) -> None:
        """Know players as gone who are in the store until a ticket is durable."""
        gone = frozenset(players)
        self._deleted |= gone
        self._once_readable(ticket, lambda: self._deleted.difference_update(gone))

    def _once_readable(self, ticket: int, call: Callable[[], None]) -> None:
        """Call back once a ticket is durable and nobody will use anything that was read before."""
        self.gate.once_shown(ticket, lambda: self.lookups.once_answered(call))

    def _free(self, player: Player) -> None:
        """Forget a guest for good."""
        self._unsaved.pop(player.id, None)
        self._leaving.pop(player.id, None)
        self._drop(player)
        self.note_deleted((player.id,), self.gate.submit([DeletePlayer(player.id)]))
        self.nodes.depart(player.id, player.stay)

    def _left(self, leaving: "_Leaving") -> None:
        """Forget a player who is in the store as it was when it left."""
        player = leaving.player
        if self._leaving.get(player.id) is leaving:
            del self._leaving[player.id]
            self._drop(player)
            self.nodes.depart(player.id, player.stay)

    def _drop(self, player: Player) -> None:
        self._by_skeleton.pop(player.skeleton, None)
        self._by_name.pop(player.name, None)
        for hashed in player.tokens:
            self._by_token.pop(hashed, None)

    # --- tokens

    def issue(self, player: Player, address: str) -> str:
        """Return a new token, which the player has come in with; it is good once the player is saved."""
        text = secrets.token_urlsafe(18)
        now = self.wall_clock()
        token = Token(hash=_hash(text), issued=now, used=now, origin=origin_of(address))
        if len(player.tokens) >= TOKENS:
            kept = self.protected(player)
            oldest = min(
                [old for old in player.tokens.values() if old.hash not in kept], key=lambda old: old.used
            )
            self.end_tokens(player, (oldest.hash,))
        player.tokens[token.hash] = token
        player.token = token.hash
        self._by_token[token.hash] = player
        return text

    def end_tokens(self, player: Player, hashes: Iterable[bytes]) -> None:
        """Let tokens bring nobody back any more, once the player is saved."""
        for hashed in tuple(hashes):
            player.tokens.pop(hashed, None)
            self._by_token.pop(hashed, None)

    def protected(self, player: Player) -> frozenset[bytes]:
        """Return the hashes of a player's tokens that may still win the name back from a claim."""
        return claims.protected(player.tokens.values(), self.wall_clock())

    def renew_tokens(self, player: Player, address: str) -> str:
        """End a player's tokens but those that may win its name back; return the new one, good once it is saved."""
        self.end_tokens(player, player.tokens.keys() - self.protected(player))
        return self.issue(player, address)

    # --- rows

    def save(self, player: Player) -> int:
        """Store a player as it is; return the ticket of the writing."""
        self._unsaved.pop(player.id, None)
        return self.gate.submit([SavePlayer(self._row(player))])

    def keep_settings(self, player: Player, chosen: Mapping[str, str]) -> None:
        """Remember what a player has chosen besides what it chose before, and store it soon."""
        settings = {**player.settings, **chosen}
        if settings == player.settings:
            return
        player.settings = settings
        if not self._unsaved:
            self.timers.after(SETTINGS_SECONDS, self.save_settings)
        self._unsaved[player.id] = player

    def save_settings(self) -> None:
        """Store the settings that have changed; while the disk takes nothing, only later."""
        if self._unsaved and self.gate.is_stuck:
            self.timers.after(SETTINGS_SECONDS, self.save_settings)
            return
        changed = list(self._unsaved.values())
        self._unsaved.clear()
        if changed:
            self.gate.submit([SavePlayer(self._row(player)) for player in changed])

    async def named(self, name: str) -> writes.PlayerRow | None:
        """Return what is known of the player of a name as of now: of exactly this one, else of one that looks alike.

        Raises ``Refused`` where the store cannot be read.
        """
        player, bones = self._by_name.get(name), skeleton(name)
        if player is not None:
            return self._row(player)

        def choose(found: tuple[writes.PlayerRow | None, writes.PlayerRow | None]) -> writes.PlayerRow | None:
            exact, alike = found
            player = self._by_name.get(name)
            row = exact if player is None else self._row(player)
            return self._owner(bones, {bones: alike}) if row is None or row.id in self._deleted else row

        return await self.lookups.ask(
            lambda: (self.store.player_by_name(name), self.store.player_by_skeleton(bones)), choose
        )

    def _owner(self, bones: str, owners: Owners) -> writes.PlayerRow | None:
        """Return what is known as of now of the player of a skeleton."""
        player = self._by_skeleton.get(bones)
        if player is not None:
            return self._row(player)
        row = owners[bones]
        return None if row is None or row.id in self._deleted else row

    def seen_now(self, player_id: str) -> writes.PlayerRow | None:
        """Return the row of a player that is here or has a seat as of now, None for everybody else."""
        player = self._known(player_id)
        return None if player is None else self._row(player)

    def _known(self, player_id: str) -> Player | None:
        leaving = self._leaving.get(player_id)
        return self._here.get(player_id) if leaving is None else leaving.player

    def _is_stale(self, owner: writes.PlayerRow) -> bool:
        away = self.wall_clock() - owner.seen
        return (
            owner.kind is PlayerKind.GUEST and self._known(owner.id) is None and away > claims.CLAIM_SECONDS
        )

    def _load(self, row: writes.PlayerRow | None) -> Player | None:
        """Return the one player of a row, None for one that is deleted."""
        if row is None or row.id in self._deleted:
            return None
        player = self._known(row.id)
        if player is None:
            player = Player(id=row.id, name=row.name, created=row.created, kind=row.kind, bones=row.skeleton)
            player.password_hash = row.password_hash
            player.tokens = {token.hash: token for token in row.tokens}
            player.settings = _settings_in(row.settings)
            player.has_sat = True  # for all that is known
            self.enter(player)
        return player

    def _row(self, player: Player) -> writes.PlayerRow:
        return writes.PlayerRow(
            id=player.id,
            name=player.name,
            skeleton=player.skeleton,
            kind=player.kind,
            password_hash=player.password_hash,
            tokens=tuple(player.tokens.values()),
            created=player.created,
            seen=self.wall_clock(),
            settings=msgspec.json.encode(player.settings, order="sorted") if player.settings else b"",
        )


class Identified(NamedTuple):
    """Somebody who has said who it is: with the new token, the ticket of what was written, and what to tell it."""

    player: Player
    token: str = ""
    ticket: int = 0
    note: str = ""


class _Leaving(Struct, frozen=True):
    """A player who is gone; ``timer`` frees the name."""

    player: Player
    timer: Timer | None


def _taken(name: str) -> Refused:
    return Refused(
        Code.NAME_TAKEN,
        f"The name {name} is taken. Choose another one. If it is yours, type: resume TOKEN, or login {name}",
    )


def _compared(text: str) -> set[str]:
    """Return the skeletons that decide whose a name is as it was typed, valid or not."""
    typed = skeleton(text)
    try:
        return {typed, *skeletons(check_name(text))}
    except InvalidName:
        return {typed}


def _settings_in(stored: bytes) -> dict[str, str]:
    """Return settings as they were stored, none where they cannot be read."""
    try:
        return msgspec.json.decode(stored, type=dict[str, str]) if stored else {}
    except msgspec.MsgspecError:
        return {}


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
