"""Who sits at a table: seats taken and given up, drops and returns, and whom the house plays for.

What stays true: a seat in a running match always has somebody to play it, its owner or the house; who is gone, and
why, is told to everybody; a player has one seat at the most. Nobody keeps a seat and lets the others wait for ever:
only who plays is waited for again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import (
    Cause,
    Dropped,
    HousePlays,
    Left,
    Returned,
    Seated,
)
from golfnet.protocol.replies.vocabulary import State
from golfnet.server.bots.turns import stand_in
from golfnet.server.context.seating import Chair, Kind, Seating
from golfnet.server.table import broadcast as telling
from golfnet.server.table.admission import admit_to_seat
from golfnet.server.table.hosts import find_host
from golfnet.storage.writes import SeatEnding

if TYPE_CHECKING:
    from golfnet.engine.layout import Seat
    from golfnet.server.session.player import Player
    from golfnet.server.table.table import Table

DROPS_FORGIVEN: Final = 2
"""Drops in a match after which a seat is still kept for its owner; with the next one the house plays it."""

RETURNS_FORGIVEN: Final = 3
"""How many times in a row an owner who does not play gets the seat back from the house in a hole: every time the others
may have to wait for a whole clock."""


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
        admit_to_seat(table, player, password)
        table.gallery.unwatch(player)
        seat = self.take_seat(player)
        table.emit(Seated(seat=seat, player=player.name), but=seat)
        telling.look(table, player)
        table.settle()

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
            chair.goes(SeatEnding.LEFT, table.services.wall_clock())
            chair.player, chair.prompted = None, None
            table.sealing.gave_up(chair)
            self._hand_over(seat, chair, cause)
        else:
            table.seating.vacate(seat)
        if was_host:
            find_host(table)
        table.settle()

    # --- being away

    def drop(self, player: Player, cause: Cause) -> None:
        """Keep the seat of a player whose connection is gone; the third time the house plays it at once."""
        seat = self._table.seating.of(player)
        chair = None if seat is None else self._table.seating.at(seat)
        if seat is None or chair is None:
            return
        restart = cause is Cause.RESTART
        chair.prompted, chair.is_away, chair.is_excused = None, True, restart
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
        gone = chair.gone
        may_play = self._may_return(chair)
        self._is_back(seat, chair, but=seat)
        if not may_play:
            chair.gone = gone
            self._hand_over(seat, chair, Cause.IDLE, but=seat)
        telling.look(table, player)
        table.settle()

    def take_up(self, player: Player) -> bool:
        """Give the seat back that the house plays, at its owner's word; return whether it does. Raises ``Refused``."""
        seat = self._table.seat_of(player)
        chair = self._table.seating.chairs[seat]
        if chair is None or chair.kind is not Kind.HOUSE:
            return False
        if not self._may_return(chair):
            raise Refused(
                Code.BAD_PHASE,
                f"You took your seat back {RETURNS_FORGIVEN} times and did not play. "
                "Play in your turn, or say ready after this hole.",
            )
        self._is_back(seat, chair)
        return True

    def has_played(self, seat: Seat) -> None:
        """Note that the owner of a seat acts: time-outs are counted anew, and the house plays it no longer."""
        chair = self._table.seating.chairs[seat]
        if chair is not None:
            self._is_back(seat, chair)
            chair.timeouts = chair.returns = 0

    def explained(self, refused: Refused, seat: Seat) -> Refused:
        """Return why an action was refused, with how a seat that the house plays comes back to its owner."""
        chair = self._table.seating.at(seat)
        if chair is None or not self.may_take_up(chair):
            return refused
        return Refused(
            refused.code, f"{refused.message} The house plays your seat now; type ready to take it back."
        )

    def may_take_up(self, chair: Chair) -> bool:
        """Tell whether the house plays a seat in a hole and its owner, who is here, may have it back."""
        return chair.kind is Kind.HOUSE and chair.returns < RETURNS_FORGIVEN and self._table.hole is not None

    def _may_return(self, chair: Chair) -> bool:
        """Count a return to a seat that the house plays in a hole; tell whether it is one of the first few."""
        if chair.kind is not Kind.HOUSE or self._table.hole is None:
            return True
        chair.returns += 1
        return chair.returns <= RETURNS_FORGIVEN

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
            ending = SeatEnding.EXCUSED if chair.is_excused else SeatEnding.ABSENT
            chair.goes(ending, self._table.services.wall_clock())
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

    def _hand_over(self, seat: Seat, chair: Chair, cause: Cause, but: Seat | None = None) -> None:
        table = self._table
        chair.kind, chair.level = Kind.HOUSE, ""
        chair.bot = stand_in(table, seat, table.services.config.house_level)
        table.emit(HousePlays(seat=seat, player=chair.name, cause=cause), but=but)

    def _is_back(self, seat: Seat, chair: Chair, but: Seat | None = None) -> None:
        was_missed = chair.is_away or chair.kind is Kind.HOUSE
        chair.kind, chair.bot, chair.gone = Kind.HUMAN, None, None
        chair.is_away = chair.is_excused = False
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
