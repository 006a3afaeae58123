"""Who sits at a table: taking and leaving seats, removing others, disconnects, and which seats the house plays.

Invariants: a seat in a running match is always played, by its owner, a borrower or the house; departures are announced
with their cause; a player has at most one seat. Nobody can make others wait repeatedly by keeping a seat and not
playing.
"""

from functools import partial
from itertools import count
from typing import Final

from golfnet.engine.cards import Seat
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import skeleton
from golfnet.protocol.replies.presence import Cause, Dropped, HousePlays, Left, Returned, Seated, TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.server.session.player import Player
from golfnet.server.table import Part
from golfnet.server.table.seating import Chair, ChairKind, Seating
from golfnet.server.table.turns import bot_for_seat
from golfnet.storage.writes import SeatEnding

DROPS_FORGIVEN: Final = 2
"""How many disconnects of a player are forgiven in a match; after the next one, the house plays the seat at once."""

RETURNS_FORGIVEN: Final = 3
"""How many times in a row an owner can take the seat back from the house during a hole and then not play. Each time,
the others may have to wait a full turn."""


class Membership(Part):
    """Manages the seats of one table."""

    # --- taking seats

    def take_seat(self, player: Player) -> Seat:
        """Give the player the first free seat."""
        player.table, player.has_sat = self._table, True
        return self._table.seating.take(Chair(name=player.name, kind=ChairKind.HUMAN, player=player))

    def sit(self, player: Player, password: str = "") -> None:
        """Give a player a free or offered seat, and send them the view, or raise ``Refused``."""
        table = self._table
        player.need_free()  # the waiting line may have seated them while their command was suspended
        if (offered := table.hosts.offered_seat(player)) is not None:
            table.hosts.lend(offered, player)
            table.gallery.remove(player)
        elif table.state is TableState.FINISHED:
            why = f"The match at {table.id} is over. You can join as soon as somebody there types rematch."
            raise Refused(Code.BAD_PHASE, why)
        elif table.state is not TableState.OPEN:
            begun, way = f"The match at {table.id} has already begun.", table.hosts.way_back(player)
            watch = f"To watch it, type: watch {table.id}"
            raise Refused(Code.BAD_PHASE, " ".join(filter(None, (begun, way, watch))))
        elif table.seating.is_full:
            raise Refused(Code.TABLE_FULL, f"All {len(table.seating.chairs)} seats at {table.id} are taken.")
        else:
            table.hosts.admit_to_seat(player, password)
            table.starting.newcomer = self.seat(player)
            table.starting.count_down()
        table.waiting.update_places()
        table.broadcast.send_view(player)
        table.settle()

    def seat(self, player: Player) -> Seat:
        """Give an admitted player the first free seat, and return it."""
        self._table.gallery.remove(player)
        seat = self.take_seat(player)
        self._table.emit(Seated(seat=seat, player=player.name), but=seat)
        return seat

    def add_bot(self, level: str) -> None:
        """Fill the first free seat with a bot, or raise ``Refused``."""
        table = self._table
        table.need_unfinished()
        if table.state is not TableState.OPEN or table.seating.is_full:
            raise Refused(Code.TABLE_FULL, "There is no free seat for a bot, or the match has already begun.")
        names = (f"{level}-bot" if number == 1 else f"{level}-bot-{number}" for number in count(1))
        name = next(name for name in names if name not in table.seating.names)
        seat = table.seating.take(Chair(name=name, kind=ChairKind.BOT, level=level))
        table.emit(Seated(seat=seat, player=name, kind=ChairKind.BOT.value))
        table.settle()

    # --- leaving seats

    def leave(self, player: Player, cause: Cause = Cause.LEFT) -> None:
        """Give up the player's seat, which the house plays if a match is running, or raise ``Refused``."""
        self._vacate(self._table.chair_of(player), cause)
        self._table.settle()

    def _vacate(self, chair: Chair, cause: Cause) -> None:
        """Free a seat or, during a match, hand it over to the house."""
        table, running = self._table, self._table.is_running
        chair.grace.cancel()
        if chair.player is not None:
            chair.player.table = None
        table.emit(Left(seat=chair.seat, player=chair.player_name, cause=cause))
        if running:
            chair.mark_gone(table.lobby.wall_clock(), SeatEnding.LEFT)
            if chair.give_back() is None:
                chair.player, chair.prompted = None, None
            if not table.sealing.is_closed:
                chair.seal = None  # nobody could reveal its text
            self._hand_over(chair, cause)
        else:
            if chair.kept_for is not None:
                chair.kept_for.table = None  # the seat was kept for the match, which has ended
            table.seating.vacate(chair.seat)
        table.hosts.ensure_seated_host()

    def kick(self, host: Player, whom: str) -> None:
        """Remove a player or watcher (seat letter or name) and ban them for a while, or raise ``Refused``.

        No seat can be freed during a match: clocks deal with players who stall.
        """
        table, chair = self._table, self._table.hosts.chair_named(whom)
        if chair is None:
            wanted, watchers = skeleton(whom), table.watchers.values()
            watcher = next((player for player in watchers if skeleton(player.name) == wanted), None)
            if watcher is None:
                raise Refused(
                    Code.BAD_ARGUMENT,
                    "Kick whom? Type kick and a seat letter, or the name of someone who is playing or watching here.",
                )
            table.hosts.ban(watcher)
            table.gallery.kick(watcher)
        elif chair.player is host:
            raise Refused(Code.BAD_ARGUMENT, "That is your own seat. To give it up, type: leave")
        elif table.is_running:
            raise Refused(
                Code.BAD_PHASE,
                "Nobody can be removed from a seat during a match. When a player's time runs out, the safest "
                "choice is made, and after the third time a bot takes over. To learn more, type: help clock",
            )
        else:
            # Absent players have done nothing wrong.
            if chair.player is not None and chair.session is not None:
                table.hosts.ban(chair.player)
            self._vacate(chair, Cause.KICKED)
        table.settle()

    # --- absence

    def disconnect(self, player: Player, cause: Cause) -> None:
        """Keep a disconnected player's seat for a while; after the third disconnect, the house plays it at once."""
        self.lose(self._table.chair_of(player), cause)
        self._table.settle()

    def lose(self, chair: Chair, cause: Cause) -> None:
        """Keep the seat of a player who has just been disconnected, or let the house play it."""
        table, restart = self._table, cause is Cause.RESTART
        chair.prompted, chair.is_away, chair.is_excused = None, True, restart
        chair.drops += not restart  # a restart is not the player's fault
        grace = table.lobby.config.grace if restart or chair.drops <= DROPS_FORGIVEN else 0
        table.emit(Dropped(seat=chair.seat, player=chair.player_name, cause=cause, grace_ms=grace * 1000))
        if grace:
            self.keep(chair, grace)
        else:
            self._give_up_waiting(chair)

    def reconnect(self, player: Player) -> None:
        """Let a player who has reconnected play again, and send them the view."""
        chair = self._table.chair_of(player)
        borrower = chair.give_back() if chair.kept_for is player else None
        if borrower is not None:
            text = f"{chair.name} is back and takes over. Thank you! To watch, type: watch {self._table.id}"
            self._table.send(borrower, Notice(code="SEAT_BACK", text=text, table=self._table.id))
        chair.grace.cancel()
        chair.prompted = None
        gone = chair.gone
        may_play = self._may_return(chair)
        self.restore_owner(chair, but=chair.seat)
        if not may_play:
            chair.gone = gone
            self._hand_over(chair, Cause.IDLE, but=chair.seat)
        self._table.broadcast.send_view(player)
        self._table.settle()

    def reclaim_seat(self, player: Player) -> bool:
        """Give a player their seat back if the house is playing it; return whether it was. May raise ``Refused``."""
        chair = self._table.chair_of(player)
        if chair.kind is not ChairKind.HOUSE:
            return False
        if not self._may_return(chair):
            raise Refused(
                Code.BAD_PHASE,
                f"You took your seat back {RETURNS_FORGIVEN} times and did not play. "
                "To take it back again, play when it is your turn, or type ready after this hole.",
            )
        self.restore_owner(chair)
        return True

    def restore_owner(self, chair: Chair, but: Seat | None = None) -> None:
        """Let a seat's owner or borrower play again; announce that if they were away or the house was playing."""
        was_missed = chair.is_missed
        chair.kind, chair.bot = ChairKind.HUMAN, None
        chair.gone = chair.gone if chair.is_lent else None  # the owner of a lent seat is still gone
        chair.is_away = chair.is_excused = False
        if was_missed:
            self._table.emit(Returned(seat=chair.seat, player=chair.player_name), but=but)

    def explain(self, refused: Refused, seat: Seat) -> Refused:
        """Return a refusal that also says how to take the seat back from the house, if the house plays it."""
        if not self.may_reclaim(self._table.seating.chair(seat)):
            return refused
        how = "A bot is playing your seat now; type ready to take it back."
        return Refused(refused.code, f"{refused.message} {how}", sentence=f"{refused.sentence} {how}")

    def may_reclaim(self, chair: Chair) -> bool:
        """Return whether the house is playing a seat in a hole and the owner may take it back."""
        return (
            chair.kind is ChairKind.HOUSE
            and chair.returns < RETURNS_FORGIVEN
            and self._table.hole is not None
        )

    def _may_return(self, chair: Chair) -> bool:
        """Count a return to a seat that the house is playing in a hole; return whether it is allowed."""
        if chair.kind is not ChairKind.HOUSE or self._table.hole is None:
            return True
        chair.returns += 1
        return chair.returns <= RETURNS_FORGIVEN

    def keep(self, chair: Chair, seconds: float) -> None:
        """Keep a seat for its absent owner for this many seconds."""
        chair.grace.cancel()
        chair.grace = self._table.after(seconds, partial(self._give_up_waiting, chair))

    def start_grace_for_absent(self) -> None:
        """Keep absent players' seats for a while after a match, so that they can see its result."""
        for chair in self._table.seating.humans:
            if chair.is_away and not chair.grace.is_set:
                self.keep(chair, self._table.lobby.config.grace)

    def house_takes_over(self, chair: Chair, cause: Cause) -> None:
        """Let the house play a human's seat until its owner acts or returns."""
        if chair.kind is ChairKind.HUMAN:
            chair.mark_gone(self._table.lobby.wall_clock())
            self._hand_over(chair, cause)

    def new_seating(self) -> Seating:
        """Return the seating for a rematch."""
        self._table.hosts.offers.clear()
        seating = Seating([None] * self._table.rules.seats.high)
        for chair in self._table.seating:
            if chair.stays:
                seating.take(chair)
                chair.kind = ChairKind.BOT if chair.kind is ChairKind.BOT else ChairKind.HUMAN
                chair.ready, chair.cut, chair.seal = False, "", None
                chair.prompted = chair.bot = None
            elif chair.player is not None:
                chair.player.table = None
            if chair.kept_for is not None:
                chair.kept_for.table = None
            chair.name = chair.player_name
            chair.is_lent, chair.kept_for, chair.gone = False, None, None
        return seating

    def _hand_over(self, chair: Chair, cause: Cause, but: Seat | None = None) -> None:
        chair.kind, chair.level = ChairKind.HOUSE, ""
        chair.bot = bot_for_seat(self._table, chair.seat, self._table.lobby.config.house_level)
        self._table.emit(HousePlays(seat=chair.seat, player=chair.name, cause=cause), but=but)

    def _give_up_waiting(self, chair: Chair) -> None:
        """Stop waiting for a chair's absent owner: let the house play it, or free it if no match is running."""
        if chair.is_away and self._table.is_running:
            self.house_takes_over(chair, Cause.GRACE)
        elif chair.is_away:
            self._vacate(chair, Cause.GRACE)
