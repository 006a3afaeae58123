"""People at a table without a seat: watchers, and the line of those who want a seat in the next match.

Arrivals and departures of watchers are events, which are numbered and journaled, so their rate is limited. Beyond the
limit, an arrival or a departure is announced later, unless it has been undone by then. Invariants: a view counts only
the watchers who have been announced; watchers whom a player here has muted or avoids are not announced, and are counted
in their own views only.

Only watchers of the table who have no seat anywhere can be in line for a seat. Seats are given in order, as soon as one
is free before a match; no player or bot has to give up a seat. A place in line is lost when the player disconnects, the
server restarts, or the table moves to another node.
"""

from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine import match as matches
from golfnet.engine.cards import seat_letter
from golfnet.engine.forms import listed
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import Cause, Left, TableState, Watching
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.budget import RateLimit
from golfnet.server.clock import NO_TIMER
from golfnet.server.session.player import Player
from golfnet.server.table import Part
from golfnet.server.table.hosts import BAN_SECONDS
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from golfnet.server.table.table import Table

MAX_WATCHERS: Final = 200
"""Maximum number of watchers, which limits what one action at a table can cost."""

ANNOUNCED: Final = 6
ANNOUNCED_SECONDS: Final = 60.0
"""The limit on events about watchers: far fewer than those about play, but more than friends need."""


class Gallery(Part):
    """The watchers of one table, and which of them have been announced."""

    def __init__(self, table: "Table") -> None:
        super().__init__(table)
        self.announced: dict[str, str] = {}
        """The names, by id, of announced watchers whose departure has not been announced."""
        self._limit = RateLimit(ANNOUNCED, ANNOUNCED_SECONDS)
        self._retry_timer = NO_TIMER
        """Not stopped with the other timers, since no update sets it again."""

    def watch(self, player: Player, password: str = "") -> None:
        """Let a player without a seat here watch, and send them the view; may raise ``Refused``."""
        table = self._table
        if table.seating.of(player) is not None:
            raise Refused(
                Code.ALREADY_SEATED, f"You are playing at {table.id}, so you already see everything there."
            )
        if player.id not in table.watchers:
            table.hosts.admit_to_watch(player, password)
            self.add(player)
        table.broadcast.send_view(player)

    def add(self, player: Player) -> None:
        """Let an admitted player watch, unless they already do; raise ``Refused`` if there are too many watchers."""
        table = self._table
        if player.id not in table.watchers:
            if len(table.watchers) >= MAX_WATCHERS:
                raise Refused(Code.TOO_MANY, f"{table.id} already has {MAX_WATCHERS} watchers, the maximum.")
            self._add(player)

    def unwatch(self, player: Player) -> None:
        """Remove a watcher, even from the waiting line; do nothing for a player who is not watching."""
        self.remove(player)
        self._table.waiting.update_places()

    def remove(self, player: Player) -> None:
        """Remove a watcher without notifying the waiting line; do nothing for a player who is not watching."""
        if self._forget(player):
            self._announce()

    def kick(self, player: Player) -> None:
        """Remove a watcher on behalf of the host, announce it, and notify the watcher and those in line."""
        table = self._table
        if self.announced.pop(player.id, None) is not None:
            table.emit(Left(seat=None, player=player.name, cause=Cause.KICKED))
        self._forget(player)
        text = f"The host of {table.id} has removed you. You can come back in {BAN_SECONDS // 60} minutes."
        table.send(player, Notice(code="SENT_AWAY", text=text))
        table.waiting.update_places()

    def restore(self, player: Player) -> None:
        """Restore a watcher who was watching before the table moved here from another node, and send them the view."""
        if player.id not in self._table.watchers and self._table.seating.of(player) is None:
            self._add(player)
        self._table.broadcast.send_view(player)

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
        for player_id in [one for one in self.announced if one not in self._table.watchers]:
            if self._is_over_limit():
                return
            self._table.emit(Left(seat=None, player=self.announced.pop(player_id), cause=Cause.LEFT))
        for player in list(self._table.watchers.values()):
            self._announce_watcher(player)

    def _announce_watcher(self, player: Player) -> None:
        """Announce a watcher who may be announced but has not been yet, within the limit."""
        if player.id in self.announced or self._is_unwelcome(player) or self._is_over_limit():
            return
        self.announced[player.id] = player.name
        self._table.emit(Watching(player=player.name))

    def is_hidden(self, player: Player) -> bool:
        """Return whether only a watcher's own view counts the watcher, who must not notice who has muted them."""
        is_counted = player.id in self.announced or player.id not in self._table.watchers
        return not is_counted and self._is_unwelcome(player)

    def _is_unwelcome(self, player: Player) -> bool:
        name, owners = player.name, self._table.seating.players
        return any([owner.has_muted(name) or owner.has_avoided(name) for owner in owners])

    def _is_over_limit(self) -> bool:
        """Count an announcement; return whether it is over the limit and has to be made later."""
        if not self._retry_timer.is_set and (wait := self._limit.take(trio.current_time())):
            self._retry_timer = self._table.after(wait / 1000, self._announce, settles=False)
        return self._retry_timer.is_set


MOST_WAITING: Final = 8
"""Maximum number of places in a line; anyone after that gets a seat sooner at another table."""


class WaitingLine(Part):
    """The line at one table."""

    def __init__(self, table: "Table") -> None:
        super().__init__(table)
        self._places: dict[str, int] = {}
        """The place last announced to each player, by id, in the order of the line."""
        self._limit = RateLimit(ANNOUNCED, ANNOUNCED_SECONDS)
        self._announced_match = ""
        """The match whose end has been announced."""

    @property
    def _players(self) -> list[Player]:
        waiting = [self._table.watchers.get(id) for id in self._places]
        return [player for player in waiting if player is not None and player.table is None]

    def place(self, player: Player) -> int:
        """Return a player's place, counted from 1, or 0 if they are not in line."""
        return next((place for place, other in enumerate(self._players, 1) if other is player), 0)

    # --- coming and going

    def enter(self, player: Player, password: str = "") -> int:
        """Put a player at the end of the line, send them the view, and return their place; may raise ``Refused``."""
        table = self._table
        if not self.place(player):
            self.update_places()
            if len(self._places) >= MOST_WAITING:
                full = f"{MOST_WAITING} players are already waiting for a seat at {table.id}."
                way = table.hosts.way_back(player)
                raise Refused(
                    Code.TOO_MANY, " ".join(filter(None, (full, way, "To play at once, type: play")))
                )
            table.hosts.admit_to_seat(player, password)
            table.gallery.add(player)
            self._places[player.id] = len(self._places) + 1
            if not self._limit.take(trio.current_time()):
                self._announce(player)
        place = self.place(player)
        table.broadcast.send_view(player)
        table.settle()
        return place

    def update_places(self) -> None:
        """Remove players who are no longer waiting, and notify the others of their new places."""
        if not self._places:
            return
        before, players, self._places = self._places, self._players, {}
        for place, player in enumerate(players, 1):
            self._places[player.id] = place
            if place != before[player.id]:
                self._notify(player, f"You are now number {place} in line.")

    # --- seats

    def update(self) -> None:
        """Fill free seats before a match, and open the next match after one; call only while no hole is in play."""
        self.update_places()
        if self._table.state is TableState.FINISHED and self._places:
            self._match_over()
            return
        self.stop()
        if self._table.state is TableState.OPEN and self._places:
            self._seat()

    def take_empty_seats(self) -> bool:
        """Seat waiting players in a new match, since no human has a seat; return whether any human has one now."""
        self.update_places()
        table = self._table
        if self._places:
            if table.is_running:
                table.step(matches.abandon(table.match))
            if table.state is TableState.FINISHED:
                table.starting.reopen()
            self._seat()
        return bool(table.seating.players)

    def _match_over(self) -> None:
        """Set the timer for the next match if it will have a free seat, and tell everyone once what comes next."""
        table = self._table
        has_room = sum(chair.stays for chair in table.seating) < table.rules.seats.high
        if not has_room:
            self.stop()
        elif not self._timer.is_set:
            self._timer = table.after(table.setup.pause, table.starting.reopen)
        if self._announced_match == table.match.id:
            return
        self._announced_match = table.match.id
        soon = f"in {in_words(table.setup.pause * 1000)}, or as soon as somebody with a seat types rematch"
        for player in self._players:
            seat = (
                f"The next one opens {soon}, with a seat for whoever is first in line."
                if has_room
                else "All seats are taken, so you keep your place and get the next one that is free."
            )
            self._notify(player, f"The match is over. {seat}")
        bots = [chair.name for chair in table.seating if chair.kind is ChairKind.BOT]
        kick = f"To make room, type: kick {bots[0]}" if bots else ""
        for owner in table.seating.players:
            if names := [player.name for player in self._players if not owner.has_muted(player.name)]:
                way = kick if owner is table.host else ""
                what = f"The next match opens {soon}." if has_room else way
                verb = "is" if len(names) == 1 else "are"
                text = f"{listed(names)} {verb} waiting for a seat. {what}".rstrip()
                table.send(owner, Notice(code="WAITING", text=text, table=table.id))

    def _seat(self) -> None:
        """Give the free seats to the first players in line."""
        table = self._table
        for player in self._players:
            if not table.hosts.is_welcome(player):
                del self._places[player.id]
                self._notify(
                    player,
                    "You and somebody who plays here do not share tables, because one of you asked for that. You are "
                    "no longer in line.",
                )
            elif not table.seating.is_full:
                del self._places[player.id]
                seat = table.membership.seat(player)
                table.broadcast.send_view(player)
                letter = seat_letter(seat)
                self._notify(player, f"You now have seat {letter}. The match begins when everybody is ready.")
        table.hosts.ensure_seated_host()
        self.update_places()

    # --- notices

    def _announce(self, player: Player) -> None:
        """Announce a player who has joined the line; tell the player who can lend seats how to return a lost one."""
        table = self._table
        text = f"{player.name} is waiting for a seat, as number {self.place(player)} in line."
        helper, way = table.hosts.helper, table.hosts.way_in(player)
        for owner in table.seating.players:
            if not owner.has_muted(player.name):
                own = f"{text} {way}".rstrip() if owner is helper else text
                table.send(owner, Notice(code="WAITING", text=own, table=table.id, player=player.name))

    def _notify(self, player: Player, text: str) -> None:
        table, place = self._table, self._places.get(player.id, 0)
        table.send(player, Notice(code="IN_LINE", text=text, table=table.id, place=place))
