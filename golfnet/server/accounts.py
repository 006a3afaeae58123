"""Who a player is: names, tokens for coming back, and passwords.

A token is shown once and kept as its hash only; a password as argon2id. Both outlive the connection and a restart. A
guest's name is free again when the guest has been away for a day and has no seat. Nobody guesses passwords fast: not
those of one name, and not from one address.
"""

import hashlib
import secrets
from collections.abc import Callable
from typing import Final

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import InvalidName, check_name, skeleton
from golfnet.server.gate import Gate
from golfnet.server.player import Player
from golfnet.server.throttle import RateLimit
from golfnet.storage import writes
from golfnet.storage.store import Store
from golfnet.storage.writes import DeletePlayer, PlayerKind, SavePlayer

GUEST_SECONDS: Final = 24 * 3600
PASSWORD_LENGTH: Final = (6, 200)
LOGINS: Final = 5
LOGIN_SECONDS: Final = 60.0
"""So many attempts to log in, for one name or from one address, in so many seconds."""

_LIMITS_KEPT: Final = 10_000
"""Names and addresses whose attempts are counted; with more all begin anew, so that guessers cannot fill the memory."""

_HASHES_AT_ONCE: Final = 2
"""Argon2 takes 130 ms of one processor; more at once would only make all of them slower."""


class Accounts:
    """All players that are here or may come back."""

    def __init__(self, store: Store, gate: Gate, wall_clock: Callable[[], float]) -> None:
        self._store = store
        self._gate = gate
        self._wall_clock = wall_clock
        self._here: dict[str, Player] = {}
        self._by_skeleton: dict[str, Player] = {}
        self._next = store.numbers().player
        self._logins: dict[str, RateLimit] = {}
        self._hashing = trio.CapacityLimiter(_HASHES_AT_ONCE)

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._here.values())

    def find(self, name: str) -> Player | None:
        """Return the player of a name that is here or has a seat, look-alikes counting as the same."""
        return self._by_skeleton.get(skeleton(name))

    def new_guest(self, text: str) -> tuple[Player, str, int]:
        """Take a free name; return the player, its token and the ticket of the writing. Raises ``Refused``."""
        try:
            name = check_name(text)
        except InvalidName as invalid:
            raise Refused(Code.BAD_NAME, f"{invalid.fault.value}.") from None
        bones = skeleton(name)
        owner = self._store.player_by_skeleton(bones)
        if bones in self._by_skeleton or (owner is not None and not self._is_stale(owner)):
            raise Refused(Code.NAME_TAKEN, f"The name {name} is taken; choose another, log in or resume.")
        changes: list[writes.Write] = [] if owner is None else [DeletePlayer(owner.id)]
        token = secrets.token_urlsafe(18)
        player = Player(id=f"p{self._next}", name=name, token_hash=_hash(token), created=self._wall_clock())
        self._next += 1
        self.enter(player)
        ticket = self._gate.submit([*changes, SavePlayer(self._row(player))])
        return player, token, ticket

    def by_token(self, token: str) -> Player:
        """Return the owner of a token; raises ``Refused``."""
        hashed = _hash(token)
        here = next((player for player in self._here.values() if player.token_hash == hashed), None)
        return here or self._stored(
            self._store.player_by_token(hashed), Code.BAD_TOKEN, "No player has this token."
        )

    def by_id(self, player_id: str) -> Player | None:
        """Return a player by id, from the store if it is not here."""
        here = self._here.get(player_id)
        if here is not None:
            return here
        row = self._store.player(player_id)
        return None if row is None else self._load(row)

    def seen_now(self, player_id: str) -> writes.Player | None:
        """Return the row of a player that is here or has a seat as of now, None for everybody else."""
        here = self._here.get(player_id)
        return None if here is None else self._row(here)

    def enter(self, player: Player) -> None:
        """Count a player among those who are here."""
        self._here[player.id] = player
        self._by_skeleton[skeleton(player.name)] = player

    def leave(self, player: Player) -> None:
        """Forget a player without connection and seat until it comes back."""
        if player.session is None and player.table is None:
            self._here.pop(player.id, None)
            self._by_skeleton.pop(skeleton(player.name), None)
            self._gate.submit([SavePlayer(self._row(player))])

    async def register(self, player: Player, password: str) -> int:
        """Make an account of a guest; return the ticket of the writing. Raises ``Refused``."""
        if player.kind is PlayerKind.ACCOUNT:
            raise Refused(Code.ALREADY_NAMED, "You have an account; passwd changes its password.")
        _check_password(password)
        player.password_hash = await self._hash_password(password)
        player.kind = PlayerKind.ACCOUNT
        return self._gate.submit([SavePlayer(self._row(player))])

    async def login(self, name: str, password: str, *, address: str) -> tuple[Player, str, int]:
        """Return the account of name and password with a new token, and the ticket of the writing.

        Raises ``Refused``: alike for either wrong, and for too many attempts with the name or from the address.
        """
        self._count_attempt(f"name {skeleton(name)}", f"address {address}")
        row = self._store.player_by_skeleton(skeleton(name))
        known = row.password_hash if row is not None and row.name.casefold() == name.casefold() else None
        if not await self._verify(known or _NOBODY, password) or known is None or row is None:
            raise Refused(Code.LOGIN_FAILED, "The name or the password is wrong.")
        player = self._here.get(row.id) or self._load(row)
        token = secrets.token_urlsafe(18)
        player.token_hash = _hash(token)
        return player, token, self._gate.submit([SavePlayer(self._row(player))])

    async def change_password(self, player: Player, old: str, new: str) -> int:
        """Change an account's password; raises ``Refused``."""
        if player.password_hash is None:
            raise Refused(
                Code.NO_ACCOUNT, "You are a guest; register PASSWORD makes an account of your name."
            )
        _check_password(new)
        if not await self._verify(player.password_hash, old):
            raise Refused(Code.LOGIN_FAILED, "The old password is wrong.")
        player.password_hash = await self._hash_password(new)
        return self._gate.submit([SavePlayer(self._row(player))])

    def _count_attempt(self, *keys: str) -> None:
        now = trio.current_time()
        for key in keys:
            limit = self._logins.setdefault(key, RateLimit(LOGINS, LOGIN_SECONDS))
            if wait := limit.take(now):
                raise Refused(
                    Code.RATE_LIMITED, f"Too many attempts; wait {wait // 1000 + 1} s.", wait_ms=wait
                )
        if len(self._logins) > _LIMITS_KEPT:
            self._logins.clear()

    async def _hash_password(self, password: str) -> str:
        from argon2 import PasswordHasher  # imported when used: it costs every start otherwise

        return await trio.to_thread.run_sync(PasswordHasher().hash, password, limiter=self._hashing)

    async def _verify(self, hashed: str, password: str) -> bool:
        from argon2 import PasswordHasher
        from argon2.exceptions import Argon2Error, InvalidHashError

        try:
            return await trio.to_thread.run_sync(
                PasswordHasher().verify, hashed, password, limiter=self._hashing
            )
        except (Argon2Error, InvalidHashError):
            return False

    def _is_stale(self, owner: writes.Player) -> bool:
        away = self._wall_clock() - owner.seen
        return owner.kind is PlayerKind.GUEST and owner.id not in self._here and away > GUEST_SECONDS

    def _stored(self, row: writes.Player | None, code: Code, sentence: str) -> Player:
        if row is None:
            raise Refused(code, sentence)
        return self._here.get(row.id) or self._load(row)

    def _load(self, row: writes.Player) -> Player:
        player = Player(
            id=row.id, name=row.name, token_hash=row.token_hash or b"", created=row.created, kind=row.kind
        )
        player.password_hash = row.password_hash
        self.enter(player)
        return player

    def _row(self, player: Player) -> writes.Player:
        return writes.Player(
            id=player.id,
            name=player.name,
            skeleton=skeleton(player.name),
            kind=player.kind,
            password_hash=player.password_hash,
            token_hash=player.token_hash,
            created=player.created,
            seen=self._wall_clock(),
        )


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _check_password(password: str) -> None:
    low, high = PASSWORD_LENGTH
    if not low <= len(password) <= high:
        raise Refused(Code.BAD_ARGUMENT, f"A password has {low} to {high} characters.")


_NOBODY: Final = (
    "$argon2id$v=19$m=65536,t=3,p=4$YmVpbmcgbm9ib2R5ISEh$4y0aUYqWCHcPyBgVXcPQ7eN0ZCZrXy4N6sW0V9sQk1I"
)
"""A hash that no password has: a wrong name takes as long as a wrong password."""
