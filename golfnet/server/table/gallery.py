"""A table's watchers, and who may sit or watch there at all.

Arrivals and departures of watchers are events, which are numbered and journaled, so their rate is limited. Beyond the
limit, an arrival or a departure is announced later, unless it has been undone by then. Invariants: a view counts only
the watchers who have been announced; watchers whom a player here has muted or avoids are not announced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cause, Left, TableState, Watching
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.budget import RateLimit
from golfnet.server.clock import NO_TIMER
from golfnet.server.table.context import Part
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext

BAN_SECONDS: Final = 300
"""How many seconds a player removed by the host has to stay away."""

INVITED_SECONDS: Final = 300
"""How many seconds an invitation is valid; only after that may the inviter invite the same player again."""

_INVITED_AT_ONCE: Final = 100
"""Maximum number of invitations a table keeps; a further one replaces the oldest."""


def invite(table: TableContext, inviter: Player, player: str, name: str) -> bool:
    """Let a player (id and ``name``) in without the password for a while, or raise ``Refused`` if they cannot come.

    Return False if somebody with a seat avoids the player.
    """
    if player in [owner.id for owner in table.seating.owners]:
        raise Refused(Code.ALREADY_SEATED, f"{name} is already at {table.id}.")
    if table.state is TableState.OPEN and table.seating.is_full:
        bots = [chair.name for _, chair in table.seating if chair.kind is ChairKind.BOT]
        way = (
            f"To free one, type: kick {bots[0]}"
            if bots and inviter is table.host
            else f"To wait in line, {name} can type: join {table.id}"
        )
        raise Refused(
            Code.TABLE_FULL, f"All {len(table.seating.chairs)} seats at {table.id} are taken. {way}"
        )
    if inviter is table.host:
        table.banned.pop(player, None)
    elif seconds := _seconds_banned(table, player):
        why = f"The host of {table.id} has removed {name}, who can come back in {in_words(round(seconds * 1000))}."
        raise Refused(Code.NOT_AVAILABLE, why)
    now = trio.current_time()
    others = {one: until for one, until in table.invited.items() if until > now and one != player}
    kept = list(others.items())[1 - _INVITED_AT_ONCE :]
    table.invited = dict([*kept, (player, now + INVITED_SECONDS)])
    return not any([owner.has_avoided(name) for owner in table.seating.players])


def admit_to_seat(table: TableContext, player: Player, password: str) -> None:
    """Raise ``Refused`` for a wrong password, a banned player, or one who avoids someone here or is avoided."""
    if table.invited.get(player.id, 0.0) <= trio.current_time():
        _need_password(table, player, "join", password)
    _need_no_ban(table, player)
    if _avoid_each_other(table, player):
        raise Refused(
            Code.NOT_AVAILABLE,
            f"You and somebody at {table.id} do not share tables, because one of you asked for that.",
        )


def admit_to_watch(table: TableContext, player: Player, password: str) -> None:
    """Raise ``Refused`` if the password is wrong, the player is banned, or someone with a seat avoids them."""
    _need_password(table, player, "watch", password)
    _need_no_ban(table, player)
    if any([owner.has_avoided(player.name) for owner in table.seating.players]):
        raise Refused(Code.NOT_AVAILABLE, f"Somebody at {table.id} has chosen not to share a table with you.")


def is_welcome(table: TableContext, player: Player) -> bool:
    """Return whether the player is not banned, and neither avoids anyone with a seat nor is avoided by them."""
    return not (_seconds_banned(table, player.id) or _avoid_each_other(table, player))


def ban(table: TableContext, player: Player) -> None:
    """For a while, keep the player from sitting down or watching."""
    now = trio.current_time()
    for old in [one for one, until in table.banned.items() if until <= now]:
        del table.banned[old]
    table.banned[player.id] = now + BAN_SECONDS


def _avoid_each_other(table: TableContext, player: Player) -> bool:
    others = table.seating.players
    return any([other.has_avoided(player.name) or player.has_avoided(other.name) for other in others])


def _seconds_banned(table: TableContext, player: str) -> float:
    return max(0.0, table.banned.get(player, 0.0) - trio.current_time())


def _need_no_ban(table: TableContext, player: Player) -> None:
    if seconds := _seconds_banned(table, player.id):
        raise Refused(
            Code.NOT_AVAILABLE,
            f"The host of {table.id} has removed you. You can come back in {in_words(round(seconds * 1000))}.",
        )


def _need_password(table: TableContext, player: Player, verb: str, password: str) -> None:
    lock, session = table.setup.lock, player.session
    if lock is None:
        return
    address = "" if session is None else session.transport.address
    if not (password and lock.opens(password, address, trio.current_time())):
        why = f"That is not the password of {table.id}" if password else f"{table.id} is private"
        raise Refused(Code.WRONG_PASSWORD, f"{why}. Type: {verb} {table.id} password=WORD")


MAX_WATCHERS: Final = 200
"""Maximum number of watchers, which limits what one action at a table can cost."""

ANNOUNCED: Final = 6
ANNOUNCED_SECONDS: Final = 60.0
"""The limit on events about watchers: far fewer than those about play, but more than friends need."""


class Gallery(Part):
    """The watchers of one table, and which of them have been announced."""

    def __init__(self, table: TableContext) -> None:
        super().__init__(table)
        self.announced: dict[str, str] = {}
        """The names, by id, of announced watchers whose departure has not been announced."""
        self._limit = RateLimit(ANNOUNCED, ANNOUNCED_SECONDS)
        self._retry_timer = NO_TIMER
        """Not stopped with the other timers, since no update sets it again."""

    def watch(self, player: Player, password: str = "") -> None:
        """Let a player without a seat here watch, or raise ``Refused``; a new watcher's password is checked."""
        table = self._table
        if table.seating.of(player) is not None:
            raise Refused(
                Code.ALREADY_SEATED, f"You are playing at {table.id}, so you already see everything there."
            )
        if player.id not in table.watchers:
            admit_to_watch(table, player, password)
            self.add(player)

    def add(self, player: Player) -> None:
        """Let an admitted player watch, unless they already do; raise ``Refused`` if there are too many watchers."""
        table = self._table
        if player.id not in table.watchers:
            if len(table.watchers) >= MAX_WATCHERS:
                raise Refused(Code.TOO_MANY, f"{table.id} already has {MAX_WATCHERS} watchers, the maximum.")
            self._add(player)

    def unwatch(self, player: Player) -> None:
        """Remove a watcher; do nothing for a player who is not watching."""
        if self._forget(player):
            self._announce()

    def kick(self, player: Player) -> None:
        """Remove a watcher on behalf of the host, announce it, and notify the watcher."""
        table = self._table
        if self.announced.pop(player.id, None) is not None:
            table.emit(Left(seat=None, player=player.name, cause=Cause.KICKED))
        self._forget(player)
        if player.session is not None:
            text = (
                f"The host of {table.id} has removed you. You can come back in {BAN_SECONDS // 60} minutes."
            )
            player.session.send(Notice(code="SENT_AWAY", text=text), ticket=table.ticket)

    def restore(self, player: Player) -> None:
        """Restore a watcher who was watching the table when it was on another node."""
        if player.id not in self._table.watchers and self._table.seating.of(player) is None:
            self._add(player)

    def close(self) -> None:
        """Cancel announcements that have yet to be made."""
        self._retry_timer.cancel()

    def _add(self, player: Player) -> None:
        self._announce_watcher(player)  # announced before the player gets a view with the number of watchers
        self._table.watchers[player.id] = player
        player.watched = (*player.watched, self._table.id)

    def _forget(self, player: Player) -> bool:
        player.stop_watching(self._table.id)
        return self._table.watchers.pop(player.id, None) is not None

    # --- announcements

    def _announce(self) -> None:
        """Announce the watchers who have left or arrived since the last time, up to the limit."""
        table = self._table
        for player_id in [one for one in self.announced if one not in table.watchers]:
            if self._is_over_limit():
                return
            table.emit(Left(seat=None, player=self.announced.pop(player_id), cause=Cause.LEFT))
        for player in list(table.watchers.values()):
            self._announce_watcher(player)

    def _announce_watcher(self, player: Player) -> None:
        """Announce a watcher who may be announced but has not been yet, within the limit."""
        if player.id in self.announced or self._is_unwelcome(player) or self._is_over_limit():
            return
        self.announced[player.id] = player.name
        self._table.emit(Watching(player=player.name))

    def _is_unwelcome(self, watcher: Player) -> bool:
        owners, name = self._table.seating.players, watcher.name
        return any([owner.has_muted(name) or owner.has_avoided(name) for owner in owners])

    def _is_over_limit(self) -> bool:
        """Count an announcement; return whether it is over the limit and has to be made later."""
        if self._retry_timer.is_set:
            return True
        wait = self._limit.take(trio.current_time())
        if wait:
            self._retry_timer = self._table.after(wait / 1000, self._announce)
        return bool(wait)
