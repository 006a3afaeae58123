"""Accounts and their passwords: registering, logging in, and changing a password.

What stays true: a wrong name and a wrong password are answered alike and take equally long; a new password ends all
tokens but the one that comes with it; nothing is changed for somebody who is gone by the time a hash is ready (the
task that waits for it is cancelled then).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names.skeletons import skeleton
from golfnet.server.accounts.guessing import Guesses
from golfnet.server.accounts.hashing import NOBODY, Hashing
from golfnet.server.lookups import carried_out
from golfnet.server.throttle import origin_of
from golfnet.storage.writes import PlayerKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.accounts.accounts import Accounts
    from golfnet.server.session.player import Player

PASSWORD_LENGTH: Final = (6, 200)


class Passwords:
    """What is done with the passwords of one server.

    Each method raises ``Refused``, takes the ``address`` it is asked from, and returns a new token with the ticket of
    the writing. ``waits`` is called when wrong passwords of others make this one wait.
    """

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._guesses = Guesses()
        self._hashing = Hashing()

    async def register(self, player: Player, password: str, address: str) -> tuple[str, int]:
        """Make an account of a guest."""
        self.need_guest(player)
        need_length(password)
        self._accounts.count_name(address)
        hashed = await self._hashing.make(password, origin_of(address))
        player.kind = PlayerKind.ACCOUNT
        return self._renew(player, hashed, address)

    async def login(
        self, name: str, password: str, address: str, waits: Callable[[], None]
    ) -> tuple[Player, str, int]:
        """Return the account of name and password."""
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
        if player is None or player.password_hash != hashed:  # it may have been changed meanwhile
            raise Refused(Code.LOGIN_FAILED, "The name or the password is wrong.")
        token = self._accounts.issue(player, address)
        return player, token, self._accounts.save(player)

    async def change(
        self, player: Player, old: str, new: str, address: str, waits: Callable[[], None]
    ) -> tuple[str, int]:
        """Change an account's password."""
        known, origin = self.need_account(player), origin_of(address)
        need_length(new)
        right = await self._guesses.judge(
            skeleton(player.name),
            address,
            lambda: self._hashing.check(known, old, origin),
            is_known=player.was_at(origin),
            waits=waits,
        )
        if not right:
            raise Refused(Code.LOGIN_FAILED, "The old password is wrong.")
        return self._renew(player, await self._hashing.make(new, origin), address)

    def need_guest(self, player: Player) -> None:
        """Raise ``Refused`` for somebody who has an account."""
        if player.kind is PlayerKind.ACCOUNT:
            raise Refused(
                Code.ALREADY_NAMED, "Your name is registered already. To change its password, type: passwd"
            )

    def need_account(self, player: Player) -> str:
        """Return the hash of a player's password; raises ``Refused`` for a guest, who has none."""
        if player.password_hash is None:
            raise Refused(Code.NO_ACCOUNT, "You are a guest. To register your name, type: register PASSWORD")
        return player.password_hash

    def _renew(self, player: Player, hashed: str, address: str) -> tuple[str, int]:
        """Give an account a password, and a token in the place of all others."""
        player.password_hash = hashed
        return self._accounts.renew_tokens(player, address), self._accounts.save(player)


def need_length(password: str) -> None:
    """Raise ``Refused`` for a password that is too short or too long."""
    low, high = PASSWORD_LENGTH
    if not low <= len(password) <= high:
        raise Refused(Code.BAD_ARGUMENT, f"A password needs {low} to {high} characters.")
