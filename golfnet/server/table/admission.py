"""Who may come to a table: who knows its password, was not sent away by its host, and is not avoided there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.text.words import seconds as in_words

if TYPE_CHECKING:
    from golfnet.server.context.context import TableContext
    from golfnet.server.session.player import Player

BAN_SECONDS: Final = 300
"""Seconds in which somebody whom the host has sent away does not come back."""


def admit_to_seat(table: TableContext, player: Player, password: str) -> None:
    """Raise ``Refused`` unless the player may sit down as far as password and people are concerned."""
    _need_password(table, player, "join", password)
    _need_not_kept_out(table, player)
    if _avoid_each_other(table, player):
        raise Refused(
            Code.NOT_AVAILABLE, f"You or somebody at {table.id} has chosen not to play with the other."
        )


def admit_to_watch(table: TableContext, player: Player, password: str) -> None:
    """Raise ``Refused`` unless the player may watch as far as password and people are concerned."""
    _need_password(table, player, "watch", password)
    _need_not_kept_out(table, player)
    if any([owner.has_avoided(player) for owner in owners(table)]):
        raise Refused(Code.NOT_AVAILABLE, f"Somebody at {table.id} has chosen not to share a table with you.")


def is_welcome(table: TableContext, player: Player) -> bool:
    """Tell whether nobody at the table has a reason to keep the player from a seat."""
    return not (_seconds_out(table, player) or _avoid_each_other(table, player))


def ban(table: TableContext, player: Player) -> None:
    """Let the player neither sit down nor watch for a while."""
    now = trio.current_time()
    for old in [one for one, until in table.banned.items() if until <= now]:
        del table.banned[old]
    table.banned[player.id] = now + BAN_SECONDS


def owners(table: TableContext) -> list[Player]:
    """Return everybody who has a seat."""
    return [chair.player for _, chair in table.seating if chair.player is not None]


def _avoid_each_other(table: TableContext, player: Player) -> bool:
    return any([owner.has_avoided(player) or player.has_avoided(owner) for owner in owners(table)])


def _seconds_out(table: TableContext, player: Player) -> float:
    """Return for how long the player is kept out, 0 where it is not."""
    return max(0.0, table.banned.get(player.id, 0.0) - trio.current_time())


def _need_not_kept_out(table: TableContext, player: Player) -> None:
    if seconds := _seconds_out(table, player):
        raise Refused(
            Code.NOT_AVAILABLE,
            f"The host of {table.id} has removed you. You can come back in {in_words(round(seconds * 1000))}.",
        )


def _need_password(table: TableContext, player: Player, verb: str, password: str) -> None:
    """Raise ``Refused`` where a private table wants another password; others want none, and take any."""
    lock, session = table.setup.lock, player.session
    if lock is None:
        return
    address = "" if session is None else session.transport.address
    if not (password and lock.opens(password, address, trio.current_time())):
        why = f"That is not the password of {table.id}" if password else f"{table.id} is private"
        raise Refused(Code.WRONG_PASSWORD, f"{why}. Type: {verb} {table.id} password=WORD")
