"""Those who watch a table: who comes, who goes, and what the table is told of it, never more than a little at a time.

Every event of a table is numbered and journaled, so that nobody may make as many as it likes. Coming and going is told
at once while it is seldom; what comes too fast is told later, and only what is different then. What stays true: what
was told adds up to the number in every view; somebody whom a player here has muted comes and goes without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cause, Left, TableState, Watching
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.budget import RateLimit
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from golfnet.server.clock import Timer
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext

BAN_SECONDS: Final = 300
"""Seconds in which somebody whom the host has sent away does not come back."""


INVITED_SECONDS: Final = 300
"""How long an invitation stands, and until somebody may invite the same player again."""

_INVITED_AT_ONCE: Final = 100
"""Invitations that a table keeps: with more, the oldest no longer stands for the password."""


def invite(table: TableContext, inviter: Player, player: str, name: str) -> bool:
    """Let a player, by id and ``name``, in without the password for a while; raises ``Refused`` where it cannot come.

    Return whether nobody with a seat avoids the player.
    """
    if player in [owner.id for owner in table.seating.owners]:
        raise Refused(Code.ALREADY_SEATED, f"{name} is at {table.id} already.")
    if table.state is TableState.OPEN and table.seating.is_full:
        bots = [chair.name for _, chair in table.seating if chair.kind is ChairKind.BOT]
        way = (
            f"To free one, type: kick {bots[0]}"
            if bots and inviter is table.host
            else f"{name} can wait in line, with: join {table.id}"
        )
        raise Refused(
            Code.TABLE_FULL, f"All {len(table.seating.chairs)} seats at {table.id} are taken. {way}"
        )
    if inviter is table.host:
        table.banned.pop(player, None)
    elif seconds := _seconds_out(table, player):
        why = f"The host of {table.id} has removed {name}, who can come back in {in_words(round(seconds * 1000))}."
        raise Refused(Code.NOT_AVAILABLE, why)
    now = trio.current_time()
    others = {one: until for one, until in table.invited.items() if until > now and one != player}
    kept = list(others.items())[1 - _INVITED_AT_ONCE :]
    table.invited = dict([*kept, (player, now + INVITED_SECONDS)])
    return not any([owner.has_avoided(name) for owner in owners(table)])


def admit_to_seat(table: TableContext, player: Player, password: str) -> None:
    """Raise ``Refused`` unless the player may sit down as far as password and people are concerned."""
    if table.invited.get(player.id, 0.0) <= trio.current_time():
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
    if any([owner.has_avoided(player.name) for owner in owners(table)]):
        raise Refused(Code.NOT_AVAILABLE, f"Somebody at {table.id} has chosen not to share a table with you.")


def is_welcome(table: TableContext, player: Player) -> bool:
    """Tell whether nobody at the table has a reason to keep the player from a seat."""
    return not (_seconds_out(table, player.id) or _avoid_each_other(table, player))


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
    others = owners(table)
    return any([other.has_avoided(player.name) or player.has_avoided(other.name) for other in others])


def _seconds_out(table: TableContext, player: str) -> float:
    """Return for how long a player, by id, is kept out, 0 where it is not."""
    return max(0.0, table.banned.get(player, 0.0) - trio.current_time())


def _need_not_kept_out(table: TableContext, player: Player) -> None:
    if seconds := _seconds_out(table, player.id):
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


MAX_WATCHERS: Final = 200
"""Bounds what one action at a table can cost."""

TOLD: Final = 6
TOLD_SECONDS: Final = 60.0
"""So many events about watchers in so many seconds: few beside those of play, and more than friends ever need."""


class Gallery:
    """The watchers of one table, and what it was told of them."""

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self.told: dict[str, str] = {}
        """The names of those who were said to watch, by id."""
        self._limit = RateLimit(TOLD, TOLD_SECONDS)
        self._later: Timer | None = None

    def __len__(self) -> int:
        """Return how many were said to watch."""
        return len(self.told)

    def watch(self, player: Player, password: str = "") -> None:
        """Let a player without a seat here see what everybody sees; raises ``Refused``.

        A private table wants its password of everybody who does not watch yet.
        """
        table = self._table
        if table.seating.of(player) is not None:
            raise Refused(
                Code.ALREADY_SEATED, f"You are playing at {table.id}, so you see everything there already."
            )
        if player.id not in table.watchers:
            admit_to_watch(table, player, password)
            self.add(player)

    def add(self, player: Player) -> None:
        """Let a player who was admitted watch, if it does not yet; raises ``Refused`` where too many do."""
        table = self._table
        if player.id in table.watchers:
            return
        if len(table.watchers) >= MAX_WATCHERS:
            raise Refused(
                Code.TOO_MANY,
                f"{table.id} has {MAX_WATCHERS} watchers already, which is the most it can have.",
            )
        self._add(player)

    def unwatch(self, player: Player) -> None:
        """Stop watching; harmless for those who do not."""
        if self._forget(player):
            self._announce()

    def send_away(self, player: Player) -> None:
        """End somebody's watching at the host's word, and tell everybody."""
        table = self._table
        if self.told.pop(player.id, None) is not None:
            table.emit(Left(seat=None, player=player.name, cause=Cause.KICKED))
        self._forget(player)
        if player.session is not None:
            text = (
                f"The host of {table.id} has removed you. You can come back in {BAN_SECONDS // 60} minutes."
            )
            player.session.send(Notice(code="SENT_AWAY", text=text), ticket=table.ticket)

    def come_back(self, player: Player) -> None:
        """Let somebody watch who did when the table was at another node."""
        if player.id not in self._table.watchers and self._table.seating.of(player) is None:
            self._add(player)

    def stop(self) -> None:
        """Tell nothing more."""
        if self._later is not None:
            self._later.cancel()
            self._later = None

    def _add(self, player: Player) -> None:
        self._announce_watcher(player)  # before the view that it is shown
        self._table.watchers[player.id] = player
        player.watched = (*player.watched, self._table.id)

    def _forget(self, player: Player) -> bool:
        player.stop_watching(self._table.id)
        return self._table.watchers.pop(player.id, None) is not None

    # --- what is told

    def _announce(self) -> None:
        """Tell who has gone and come since the last time, as far as it may be told now."""
        table = self._table
        for player_id in [one for one in self.told if one not in table.watchers]:
            if self._is_over_limit():
                return
            table.emit(Left(seat=None, player=self.told.pop(player_id), cause=Cause.LEFT))
        for player in list(table.watchers.values()):
            self._announce_watcher(player)

    def _announce_watcher(self, player: Player) -> None:
        """Tell that somebody watches, if it is to be told and was not yet."""
        if player.id in self.told or self._is_unwelcome(player) or self._is_over_limit():
            return
        self.told[player.id] = player.name
        self._table.emit(Watching(player=player.name))

    def _is_unwelcome(self, watcher: Player) -> bool:
        """Tell whether somebody with a seat wants to hear nothing of a watcher."""
        return any(
            [
                owner.has_muted(watcher.name) or owner.has_avoided(watcher.name)
                for owner in owners(self._table)
            ]
        )

    def _is_over_limit(self) -> bool:
        """Count an event; where there were too many, come back to the rest when there may be more."""
        if self._later is not None:
            return True
        wait = self._limit.take(trio.current_time())
        if wait:
            self._later = self._table.after(wait / 1000, self._retry)
        return bool(wait)

    def _retry(self) -> None:
        self._later = None
        self._announce()
