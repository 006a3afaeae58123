"""Who comes to a table and who goes: seats taken and given up, hosts, watchers, drops and returns.

What stays true: a seat in a running match always has somebody to play it, its owner or the house; who is gone, and
why, is told to everybody; a player has one seat at the most; a table with players has a host as long as one of them
is a human.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.presence import (
    Cause,
    Dropped,
    HostChanged,
    HousePlays,
    Left,
    Returned,
    Seated,
    Watching,
)
from golfnet.server import telling
from golfnet.server.seating import Chair, Kind, Seating
from golfnet.server.substitutes import stand_in
from golfnet.server.tableview import State

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.server.player import Player
    from golfnet.server.table import Table

DROPS_FORGIVEN: Final = 2
"""Drops in a match after which a seat is still kept for its owner; with the next one the house plays it."""

MAX_WATCHERS: Final = 200
"""Bounds what one action at a table can cost."""


class Attendance:
    """The comings and goings at one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    # --- taking seats

    def take_seat(self, player: Player) -> Seat:
        """Give the player the first free seat."""
        player.table, player.has_sat = self._table, True
        return self._table.seating.take(Chair(name=player.name, kind=Kind.HUMAN, player=player))

    def sit(self, player: Player, password: str = "") -> None:
        """Seat a player at an open table, and show it the table; raises ``Refused``."""
        table = self._table
        if table.state is not State.OPEN:
            raise Refused(
                Code.BAD_PHASE, f"The match at {table.id} has begun; watch {table.id}, or seek another table."
            )
        if table.seating.is_full:
            raise Refused(Code.TABLE_FULL, f"All {len(table.seating.chairs)} seats at {table.id} are taken.")
        _check_password(table, player, "join", password)
        if self.keeps_apart(player):
            raise Refused(Code.NOT_AVAILABLE, f"Somebody at {table.id} and you do not play together.")
        self.unwatch(player)
        seat = self.take_seat(player)
        table.emit(Seated(seat=seat, player=player.name), but=seat)
        telling.look(table, player)
        table.settle()

    def keeps_apart(self, player: Player) -> bool:
        """Tell whether the player and somebody here do not want to play with each other."""
        owners = [chair.player for _, chair in self._table.seating if chair.player is not None]
        return any(owner.has_avoided(player) or player.has_avoided(owner) for owner in owners)

    def add_bot(self, chair: Chair) -> None:
        """Fill the first free seat with a bot; raises ``Refused``."""
        table = self._table
        if table.state is not State.OPEN or table.seating.is_full:
            raise Refused(Code.TABLE_FULL, "A bot needs a free seat at a table that has not started.")
        seat = table.seating.take(chair)
        table.emit(Seated(seat=seat, player=chair.name, kind=chair.kind.value))
        table.settle()

    # --- giving them up

    def leave(self, player: Player) -> None:
        """Give up the player's seat; in a running match the house plays on with it. Raises ``Refused``."""
        self.vacate(self._table.seat_of(player), Cause.LEFT)

    def kick(self, player: Player, seat: Seat) -> None:
        """Empty a seat at the host's word; raises ``Refused``."""
        self.need_host(player)
        chair = self._table.seating.at(seat)
        if chair is None or chair.player is player:
            raise Refused(Code.BAD_ARGUMENT, "kick SEAT names a taken seat other than your own.")
        self.vacate(seat, Cause.KICKED)

    def vacate(self, seat: Seat, cause: Cause) -> None:
        """Empty a seat before or after a match, hand it to the house during one."""
        table = self._table
        chair = table.seating.at(seat)
        if chair is None:
            return
        was_host, running = chair.player is not None and chair.player is table.host, table.is_running
        chair.stop_grace()
        if chair.player is not None:
            chair.player.table = None
        table.emit(Left(seat=seat, player=chair.name, cause=cause))
        if running:
            chair.player, chair.prompted = None, None
            table.sealing.gave_up(chair)
            self._hand_over(seat, chair, cause)
        else:
            table.seating.vacate(seat)
        if was_host:
            table.host = None
            self._find_host()
        table.settle()

    # --- being away

    def drop(self, player: Player, cause: Cause) -> None:
        """Keep the seat of a player whose connection is gone; the third time the house plays it at once."""
        seat = self._table.seating.of(player)
        chair = None if seat is None else self._table.seating.at(seat)
        if seat is None or chair is None:
            return
        restart = cause is Cause.RESTART
        chair.prompted, chair.is_away = None, True
        chair.drops += not restart  # that drop was the server's doing
        kept = chair.drops <= DROPS_FORGIVEN or restart
        grace = self._table.services.config.grace if kept else 0
        self._table.emit(Dropped(seat=seat, player=chair.name, cause=cause, grace_ms=grace * 1000))
        if grace:
            self._keep(chair, grace)
        else:
            self._grace_over(chair)
        self._table.settle()

    def come_back(self, player: Player) -> None:
        """Show a returned player its table, and let it play again."""
        table = self._table
        seat = table.seat_of(player)
        chair = table.seating.chairs[seat]
        if chair is None:
            return
        chair.stop_grace()
        chair.prompted = None
        self._is_back(seat, chair, but=seat)
        telling.look(table, player)
        table.settle()

    def take_up(self, player: Player) -> None:
        """Give a seat back that the house plays to its owner, who was here all the time and does something now."""
        seat = self._table.seat_of(player)
        chair = self._table.seating.chairs[seat]
        if chair is not None:
            self._is_back(seat, chair)

    def drop_all(self) -> None:
        """Count everybody as dropped, with a fresh grace, as the server starts again."""
        for _, chair in self._table.seating.humans:
            chair.is_away = True
            if chair.player is not None and chair.kind is Kind.HUMAN:
                self.drop(chair.player, Cause.RESTART)

    def keep_seats_of_the_away(self) -> None:
        """Give those who are away at the end of a match a while to see its result."""
        for _, chair in self._table.seating.humans:
            if chair.is_away and chair.grace is None:
                self._keep(chair, self._table.services.config.grace)

    def house_takes_over(self, seat: Seat, cause: Cause) -> None:
        """Let the house play a human's seat until its owner acts or returns."""
        chair = self._table.seating.at(seat)
        if chair is not None and chair.kind is Kind.HUMAN:
            self._hand_over(seat, chair, cause)

    def new_seating(self) -> Seating:
        """Return chairs for a rematch: bots, and those who are here or for whom a seat is still kept."""
        seating = Seating([None] * self._table.rules.seats.high)
        for _, chair in self._table.seating:
            if chair.kind is Kind.BOT or (chair.player is not None and not chair.is_lost):
                seating.take(chair)
                chair.kind = Kind.BOT if chair.kind is Kind.BOT else Kind.HUMAN
                chair.ready, chair.cut, chair.seal = False, "", None
                chair.prompted = chair.bot = None
            elif chair.player is not None:
                chair.player.table = None
        return seating

    def _hand_over(self, seat: Seat, chair: Chair, cause: Cause) -> None:
        table = self._table
        chair.kind, chair.level = Kind.HOUSE, ""
        chair.bot = stand_in(table, seat, table.services.config.house_level)
        table.emit(HousePlays(seat=seat, player=chair.name, cause=cause))

    def _is_back(self, seat: Seat, chair: Chair, but: Seat | None = None) -> None:
        was_missed = chair.is_away or chair.kind is Kind.HOUSE
        chair.kind, chair.bot, chair.timeouts, chair.is_away = Kind.HUMAN, None, 0, False
        if was_missed:
            self._table.emit(Returned(seat=seat, player=chair.name), but=but)

    def _keep(self, chair: Chair, seconds: float) -> None:
        chair.stop_grace()
        over = self._table.guarded(lambda: self._grace_over(chair))
        chair.grace = self._table.services.timers.after(seconds, over)

    def _grace_over(self, chair: Chair) -> None:
        chair.grace = None
        seat = self._table.seating.place(chair)
        if seat is None or not chair.is_away:
            return
        if self._table.is_running:
            self.house_takes_over(seat, Cause.GRACE)
            self._table.settle()
        else:
            self.vacate(seat, Cause.GRACE)

    # --- hosts

    def need_host(self, player: Player) -> None:
        """Raise ``Refused`` unless the player is the host."""
        table = self._table
        table.seat_of(player)
        if player is not table.host:
            name = table.host.name if table.host is not None else "nobody"
            raise Refused(Code.NOT_HOST, f"Only the host may do that; the host of {table.id} is {name}.")

    def hand_over(self, player: Player, seat: Seat) -> None:
        """Make the human at another seat the host; raises ``Refused``."""
        self.need_host(player)
        chair = self._table.seating.at(seat)
        if chair is None or chair.player is None:
            raise Refused(Code.BAD_ARGUMENT, "host SEAT names the seat of a human at your table.")
        self._make_host(seat, chair)
        self._table.settle()

    def _find_host(self) -> None:
        """Make the first human who is here the host, as the old one is gone."""
        humans = self._table.seating.humans
        heir = next((pair for pair in humans if pair[1].present), humans[0] if humans else None)
        if heir is not None:
            self._make_host(*heir)

    def _make_host(self, seat: Seat, chair: Chair) -> None:
        self._table.host = chair.player
        self._table.emit(HostChanged(seat=seat, player=chair.name))

    # --- watchers

    def watch(self, player: Player, password: str = "") -> None:
        """Let a player without a seat here see what everybody sees; raises ``Refused``.

        A private table wants its password of everybody who does not watch yet.
        """
        table = self._table
        if player.table is table:
            raise Refused(
                Code.ALREADY_SEATED, f"You have a seat at {table.id}; there is nothing more to watch."
            )
        if player.id not in table.watchers:
            _check_password(table, player, "watch", password)
            if len(table.watchers) >= MAX_WATCHERS:
                raise Refused(Code.TOO_MANY, f"{table.id} has {MAX_WATCHERS} watchers already.")
            table.emit(Watching(player=player.name))
            table.watchers[player.id] = player
            player.watched[table.id] = table
        telling.look(table, player)

    def unwatch(self, player: Player) -> None:
        """Stop watching; harmless for those who do not."""
        if self._table.watchers.pop(player.id, None) is not None:
            player.watched.pop(self._table.id, None)
            self._table.emit(Left(seat=None, player=player.name, cause=Cause.LEFT))


def _check_password(table: Table, player: Player, verb: str, password: str) -> None:
    """Raise ``Refused`` where a private table wants another password; others want none, and take any."""
    lock, session = table.setup.lock, player.session
    if lock is None:
        return
    address = "" if session is None else session.transport.address
    if not (password and lock.opens(password, address, trio.current_time())):
        why = f"That is not the password of {table.id}" if password else f"{table.id} is private"
        raise Refused(Code.WRONG_PASSWORD, f"{why}: {verb} {table.id} password=WORD.")
