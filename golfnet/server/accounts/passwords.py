"""Accounts and their passwords: registering, logging in, and changing a password.

Invariants: a wrong name and a wrong password get the same answer after the same time; a new password comes with a new
token, and ends all others except those that may win the name back; nothing changes for a player who leaves before the
hash is ready (the task that waits for it is then cancelled).
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.accounts.hashing import NOBODY, Hashing
from golfnet.server.budget import Budgets, is_shared, origin_of
from golfnet.server.lookups import carried_out
from golfnet.storage.writes import PlayerKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from golfnet.server.accounts.accounts import Accounts
    from golfnet.server.session.player import Player

SECONDS: Final = 60.0
KNOWN: Final = 10
ORIGIN: Final = 20
PAIR: Final = 5
NAME: Final = 20

_LINE: Final = 1000
"""Maximum number of attempts waiting for one budget: limits the cost of picking one at random."""


class Guesses:
    """Counts wrong passwords on one server."""

    def __init__(self) -> None:
        self._origins = Budgets(ORIGIN, SECONDS)
        self._pairs = Budgets(PAIR, SECONDS)
        self._known = Budgets(KNOWN, SECONDS)
        self._names = Budgets(NAME, SECONDS)
        self._lines: dict[tuple[int, Hashable], dict[Hashable, trio.Event]] = {}
        """The attempts that are waiting for each budget, each with an event that is set when it is picked."""

    async def judge(
        self,
        name: str,
        address: str,
        check: Callable[[], Awaitable[bool]],
        *,
        is_known: bool,
        waits: Callable[[], None],
    ) -> bool:
        """Return whether a password is right, according to ``check``; ``waits`` is called if the attempt has to wait.

        ``name`` is a skeleton. Raises ``Refused`` if too many were wrong, and whatever ``check`` raises.
        """
        origin = origin_of(address)
        pair, now = (name, origin), trio.current_time()
        spent: list[tuple[Budgets, Hashable]] = []
        if not is_known:
            spent = [(self._pairs, pair)]
            if not is_shared(address):
                spent.insert(0, (self._origins, origin))
            for budgets, key in spent:
                if wait := budgets.wait(key, now):
                    raise too_many(wait)
            for budgets, key in spent:
                budgets.spend(key, now)
        shared, key, lot = (self._known, pair, object()) if is_known else (self._names, name, origin)
        try:
            await self._turn(shared, key, lot, waits)
            spent.append((shared, key))
            right = await check()
        except Refused:  # nothing was checked
            _give_back(spent)
            raise
        if right:
            _give_back(spent)
        return right

    async def _turn(self, budgets: Budgets, key: Hashable, lot: Hashable, waits: Callable[[], None]) -> None:
        """Spend one unit of a budget when it is this attempt's turn, or raise ``Refused``."""
        place = (id(budgets), key)
        line = self._lines.get(place)
        if line is None:
            if not budgets.wait(key, trio.current_time()):
                budgets.spend(key, trio.current_time())
                return
            line = self._lines[place] = {}
        if lot in line or len(line) >= _LINE:
            raise too_many(budgets.wait(key, trio.current_time()) + 1)
        served = line[lot] = trio.Event()
        waits()
        try:
            while not served.is_set():
                if wait := budgets.wait(key, trio.current_time()):
                    with trio.move_on_after(wait):
                        await served.wait()
                else:  # the first to wake up picks for all
                    picked = random.choice(list(line))
                    line.pop(picked).set()
                    budgets.spend(key, trio.current_time())
        finally:
            line.pop(lot, None)
            if not line and self._lines.get(place) is line:
                del self._lines[place]


def too_many(wait: float) -> Refused:
    """Return the refusal of an attempt that came ``wait`` seconds too early."""
    return Refused(
        Code.RATE_LIMITED,
        f"Too many wrong passwords. Wait {in_words(math.ceil(wait) * 1000)}. If you have a token, resume "
        "TOKEN works at once.",
        wait_ms=math.ceil(wait * 1000),
    )


def _give_back(spent: list[tuple[Budgets, Hashable]]) -> None:
    for budgets, key in spent:
        budgets.give_back(key)


PASSWORD_LENGTH: Final = (6, 200)

CHANGES: Final = 3
CHANGES_SECONDS: Final = 60.0
"""How often an account's password may be changed: a change costs two hashes, and nobody needs it more often."""


class Passwords:
    """Password operations for one server.

    Each method may raise ``Refused``, takes the ``address`` of the request, and returns a new token with the ticket of
    the write. ``waits`` is called if this request has to wait because of others' wrong passwords.
    """

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._guesses = Guesses()
        self._hashing = Hashing()
        self._changes = Budgets(CHANGES, CHANGES_SECONDS)

    async def register(self, player: Player, password: str, address: str) -> tuple[str, int]:
        """Turn a guest into an account."""
        self.need_guest(player)
        need_length(password)
        self._accounts.count_name(address)
        hashed = await self._hashing.make(password, origin_of(address))
        player.kind = PlayerKind.ACCOUNT
        return self._renew(player, hashed, address)

    async def login(
        self, name: str, password: str, address: str, waits: Callable[[], None]
    ) -> tuple[Player, str, int]:
        """Return the account with the given name and password."""
        bones, origin = skeleton(name), origin_of(address)
        row = await self._accounts.named(name)
        hashed = row.password_hash if row is not None and row.name.casefold() == name.casefold() else None
        is_known = row is not None and hashed is not None and origin in [it.origin for it in row.tokens]
        right = await self._guesses.judge(
            bones,
            address,
            lambda: self._hashing.check(hashed or NOBODY, password, origin),
            is_known=is_known,
            waits=waits,
        )
        player = await carried_out(self._accounts.brought(row.id)) if right and row is not None else None
        if player is None or player.password_hash != hashed:  # it may have been changed in the meantime
            raise Refused(Code.LOGIN_FAILED, "The name or the password is wrong.")
        token = self._accounts.issue(player, address)
        return player, token, self._accounts.save(player)

    async def change(
        self, player: Player, old: str, new: str, address: str, waits: Callable[[], None]
    ) -> tuple[str, int]:
        """Change an account's password."""
        known, origin = self.need_account(player), origin_of(address)
        need_length(new)
        now = trio.current_time()
        if wait := math.ceil(self._changes.wait(player.id, now)):
            sentence = f"You have changed your password too often. Wait {in_words(wait * 1000)}."
            raise Refused(Code.RATE_LIMITED, sentence, wait_ms=wait * 1000)
        right = await self._guesses.judge(
            skeleton(player.name),
            address,
            lambda: self._hashing.check(known, old, origin),
            is_known=player.was_at(origin),
            waits=waits,
        )
        if not right:
            raise Refused(Code.LOGIN_FAILED, "The old password is wrong.")
        self._changes.spend(player.id, now)
        return self._renew(player, await self._hashing.make(new, origin), address)

    def need_guest(self, player: Player) -> None:
        """Raise ``Refused`` if the player has an account."""
        if player.kind is PlayerKind.ACCOUNT:
            raise Refused(
                Code.ALREADY_NAMED, "Your name is already registered. To change its password, type: passwd"
            )

    def need_account(self, player: Player) -> str:
        """Return the hash of a player's password, or raise ``Refused`` for a guest, who has none."""
        if player.password_hash is None:
            raise Refused(Code.NO_ACCOUNT, "You are a guest. To register your name, type: register PASSWORD")
        return player.password_hash

    def _renew(self, player: Player, hashed: str, address: str) -> tuple[str, int]:
        """Set an account's password, and renew its tokens."""
        player.password_hash = hashed
        return self._accounts.renew_tokens(player, address), self._accounts.save(player)


def need_length(password: str) -> None:
    """Raise ``Refused`` if a password is too short or too long."""
    low, high = PASSWORD_LENGTH
    if not low <= len(password) <= high:
        raise Refused(Code.BAD_ARGUMENT, f"A password needs {low} to {high} characters.")
