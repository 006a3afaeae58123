"""Those who watch a table: who comes, who goes, and what the table is told of it, never more than a little at a time.

Every event of a table is numbered and journaled, so that nobody may make as many as it likes. Coming and going is told
at once while it is seldom; what comes too fast is told later, and only what is different then. What stays true: what
was told adds up to the number in every view; somebody whom a player here has muted comes and goes without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cause, Left, Watching
from golfnet.protocol.replies.replies import Notice
from golfnet.server.table.admission import BAN_SECONDS, admit_to_watch, owners
from golfnet.server.throttle import RateLimit

if TYPE_CHECKING:
    from golfnet.server.clock import Timer
    from golfnet.server.context.context import TableContext
    from golfnet.server.session.player import Player

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

    def tell(self) -> None:
        """Tell who has gone and come while the table moved."""
        self._announce()

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
            [owner.has_muted(watcher.name) or owner.has_avoided(watcher) for owner in owners(self._table)]
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
