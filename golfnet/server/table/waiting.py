"""One table's waiting line: watchers who want a seat in the next match.

Only watchers of the table who have no seat anywhere can be in line. Seats are given in order, as soon as one is free
before a match; no player or bot has to give up a seat. A place in line is lost when the player disconnects, the server
restarts, or the table moves to another node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine import match as matches
from golfnet.engine.notation import listed, seat_letter
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.budget import RateLimit
from golfnet.server.table import hosts
from golfnet.server.table.context import Part
from golfnet.server.table.gallery import ANNOUNCED, ANNOUNCED_SECONDS, admit_to_seat, is_welcome
from golfnet.server.table.hosts import ensure_seated_host
from golfnet.server.table.seating import ChairKind

if TYPE_CHECKING:
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.gallery import Gallery
    from golfnet.server.table.membership import Membership

MOST_WAITING: Final = 8
"""Maximum number of places in a line; anyone after that gets a seat sooner at another table."""


class WaitingLine(Part):
    """The line at one table."""

    def __init__(self, table: TableContext, membership: Membership, gallery: Gallery) -> None:
        super().__init__(table)
        self._membership = membership
        self._gallery = gallery
        self._places: dict[str, int] = {}
        """The place last announced to each player, by id, in the order of the line."""
        self._limit = RateLimit(ANNOUNCED, ANNOUNCED_SECONDS)
        self._announced_match = ""
        """The match whose end has been announced."""

    @property
    def _players(self) -> list[Player]:
        watchers = self._table.watchers
        return [
            player for id in self._places if (player := watchers.get(id)) is not None and player.table is None
        ]

    def place(self, player: Player) -> int:
        """Return a player's place, counted from 1, or 0 if they are not in line."""
        return next((place for place, other in enumerate(self._players, 1) if other is player), 0)

    # --- coming and going

    def enter(self, player: Player, password: str = "") -> int:
        """Put a player at the end of the line, let them watch, and return their place; may raise ``Refused``."""
        if place := self.place(player):
            return place
        self.update_places()
        table = self._table
        if len(self._places) >= MOST_WAITING:
            full = f"{MOST_WAITING} players are already waiting for a seat at {table.id}."
            way = hosts.way_back(table, player)
            raise Refused(Code.TOO_MANY, " ".join(filter(None, (full, way, "To play at once, type: play"))))
        admit_to_seat(table, player, password)
        self._gallery.add(player)
        place = self._places[player.id] = len(self._places) + 1
        if not self._limit.take(trio.current_time()):
            self._announce(player, place)
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
        state = self._table.state
        if state is TableState.FINISHED and self._places:
            self._match_over()
            return
        self.stop()
        if state is TableState.OPEN and self._places:
            self._seat()

    def take_empty_seats(self) -> bool:
        """Seat waiting players in a new match, since no human has a seat; return whether any human has one now."""
        self.update_places()
        table = self._table
        if self._places:
            if table.is_running:
                table.step(matches.abandon(table.match))
            if table.state is TableState.FINISHED:
                table.reopen()
            self._seat()
        return bool(table.seating.players)

    def _match_over(self) -> None:
        """Set the timer for the next match if it will have a free seat, and tell everyone once what comes next."""
        table = self._table
        has_room = sum(chair.stays for _, chair in table.seating) < table.rules.seats.high
        if not has_room:
            self.stop()
        elif not self._timer.is_set:
            self._timer = table.after(table.setup.pause, self._open_next)
        if self._announced_match == table.match.id:
            return
        self._announced_match = table.match.id
        soon = f"in {in_words(table.setup.pause * 1000)}, or as soon as somebody types rematch"
        for player in self._players:
            seat = (
                f"The next one opens {soon}, with a seat for whoever is first in line."
                if has_room
                else "All seats are taken, so you keep your place and get the next one that is free."
            )
            self._notify(player, f"The match is over. {seat}")
        bots = [chair.name for _, chair in table.seating if chair.kind is ChairKind.BOT]
        kick = f"To make room, type: kick {bots[0]}" if bots else ""
        for owner in table.seating.players:
            if names := [player.name for player in self._players if not owner.has_muted(player.name)]:
                way = kick if owner is table.host else ""
                what = f"The next match opens {soon}." if has_room else way
                verb = "is" if len(names) == 1 else "are"
                text = f"{listed(names)} {verb} waiting for a seat. {what}".rstrip()
                self._send(owner, Notice(code="WAITING", text=text, table=table.id))

    def _open_next(self) -> None:
        self._table.reopen()
        self._table.settle()

    def _seat(self) -> None:
        """Give the free seats to the first players in line."""
        table = self._table
        for player in self._players:
            if not is_welcome(table, player):
                del self._places[player.id]
                self._notify(
                    player,
                    "You and somebody who plays here do not share tables, because one of you asked for that. You are "
                    "no longer in line.",
                )
            elif not table.seating.is_full:
                del self._places[player.id]
                seat = self._membership.seat(player)
                table.look(player)
                letter = seat_letter(seat)
                self._notify(player, f"You now have seat {letter}. The match begins when everybody is ready.")
        ensure_seated_host(table)
        self.update_places()

    # --- notices

    def _announce(self, player: Player, place: int) -> None:
        """Announce a player who has joined the line; tell the player who can lend seats how to return a lost one."""
        table = self._table
        text = f"{player.name} is waiting for a seat, as number {place} in line."
        helper, way = hosts.helper(table), hosts.way_in(table, player)
        for owner in table.seating.players:
            if not owner.has_muted(player.name):
                own = f"{text} {way}".rstrip() if owner is helper else text
                self._send(owner, Notice(code="WAITING", text=own, table=table.id, player=player.name))

    def _notify(self, player: Player, text: str) -> None:
        place = self._places.get(player.id, 0)
        self._send(player, Notice(code="IN_LINE", text=text, table=self._table.id, place=place))

    def _send(self, player: Player, notice: Notice) -> None:
        if player.session is not None:
            table = self._table
            player.session.send(notice, ticket=table.ticket, you=table.seating.of(player))
