"""How a match or a hole starts: ready players, ``start``, bots for free seats, the pause before a deal, and rematches.

A match begins when the host starts it or enough seats are taken, but waits for seated players who are away. The next
hole waits until everyone is ready or the pause is over, and then, if sealing was closed, for the sealed texts.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import trio

from golfnet.engine import match as matches
from golfnet.engine.cards import Seat
from golfnet.engine.forms import listed
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import BotsWanted, ReadySaid, TableState
from golfnet.protocol.replies.replies import FillingView, Notice
from golfnet.protocol.text.status import countdown as countdown_text
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.session.player import Player
from golfnet.server.table import Part
from golfnet.server.table.seating import ChairKind, Seating
from golfnet.server.table.setup import BotRequest
from golfnet.storage.store import IdKind
from golfnet.storage.writes import PlayerKind, ReserveMatch, TrimTable

WITH_ENOUGH: Final = 20
"""Seconds until the start once there are enough players."""

AFTER_A_NEWCOMER: Final = 10
"""Minimum number of seconds until the start after another player has sat down."""

AT_MOST: Final = 60
"""Maximum length of the countdown in seconds, however many players sit down."""


def are_away(names: Sequence[str]) -> str:
    """Return the start of a sentence that says these players are away."""
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} away"


class Starting(Part):
    """Starts matches and holes at one table; the timer counts down to the start of a match or to the next deal."""

    host_typed_start = False
    is_rematch = False
    """Whether the next match waits until everyone is ready, however the table was set up."""
    started_at = 0.0
    """When the match started, in Unix seconds."""
    newcomer: Seat | None = None
    """The seat of a player who needs no notice, because the view they are sent shows the start time."""
    _taken = 0
    """How many seats were taken when the countdown was last set."""
    _announced: float | None = None
    """The start time that was announced, on trio's clock."""
    _latest = 0.0
    """The latest start time that newcomers can cause, on trio's clock."""

    @property
    def ms(self) -> int | None:
        """The milliseconds until the start of the match or the next deal, or None if no time is set for it."""
        return self._timer.remaining_ms if self._timer.is_set else None

    # --- what players do

    def ready(self, player: Player) -> None:
        """Mark the player as ready, or give them their seat back from the house; may raise ``Refused``."""
        table = self._table
        has_seat_back = table.membership.reclaim_seat(player)
        if table.state in (TableState.OPEN, TableState.BETWEEN) and not table.sealing.is_closed:
            self._mark_ready(player)
        elif not has_seat_back:
            table.need_unfinished()
            what = (
                "the hole is being played"
                if table.hole is not None
                else "the hole is dealt as soon as the sealed texts are here"
            )
            raise Refused(Code.BAD_PHASE, f"You do not need to be ready now: {what}.")
        table.settle()

    def rematch(self, player: Player) -> None:
        """Open a new match for everyone still here; a later ``rematch`` counts as ready. Raise ``Refused``."""
        self._table.chair_of(player)
        if self._table.state is TableState.FINISHED:
            self.reopen()
        elif self._table.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match is not over yet. You can ask for a rematch when it is.")
        self.ready(player)

    def start(self, host: Player) -> str | None:
        """Start the match now or once everyone present is ready; return who is not, in words; may raise ``Refused``."""
        table = self._table
        table.need_unfinished()
        if table.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match has already started.")
        absent = table.seating.absent
        if too_few := self._too_few():
            free = f"kick {absent[0]} and then " if table.seating.is_full else ""
            raise Refused(Code.BAD_PHASE, f"{too_few} To add a bot, type: {free}bot")
        self.host_typed_start = True
        self._mark_ready(host)
        missing = [chair.name for chair in table.seating if chair.is_waited_for and not chair.ready]
        table.settle()
        if table.is_running:
            return None
        have = "has" if len(missing) == 1 else "have"
        typed = [f"The match starts as soon as {listed(missing)} {have} typed ready."] if missing else []
        away = [f"{are_away(absent)}. To start without {absent[0]}, type: kick {absent[0]}"] if absent else []
        return " ".join([*typed, *away])

    def missing(self, player: Player) -> str:
        """Return a text saying that too few players are here and what the player can do; empty if there are enough."""
        return " ".join(filter(None, (self._too_few(), self.way_to_play(player))))

    def way_to_play(self, player: Player) -> str:
        """Return what a lone host can type to play at once, or a waiting player's place in line; empty for others."""
        if place := self._table.waiting.place(player):
            return f"You are number {place} in line. To leave the line, type: leave"
        table, setup, seats = self._table, self._table.setup, self._table.rules.seats
        is_alone = len(table.seating) + 1 == seats.low and not table.seating.absent
        if not is_alone or table.state is not TableState.OPEN or player is not table.host:
            return ""
        starts = (
            self.is_rematch
            or setup.starts_when_enough
            or (setup.starts_when_full and seats.high == seats.low)
        )
        return f"To play at once, type: bot{'' if starts else ', then start'}"

    def _too_few(self) -> str:
        table = self._table
        needed, absent = table.rules.seats.low, table.seating.absent
        there = len(table.seating) - len(absent)
        if table.state is not TableState.OPEN or there >= needed:
            return ""
        away = f" {are_away(absent)}." if absent else ""
        return f"{table.rules.name} needs {needed} players, and {table.id} has {there}.{away}"

    def _mark_ready(self, player: Player) -> None:
        chair = self._table.chair_of(player)
        if not chair.ready:
            chair.ready = True
            self._table.emit(ReadySaid(seat=chair.seat, player=chair.name))

    # --- what the table does

    def update(self) -> None:
        """Start the match or hole if it is due, else set the timer; call only while no hole is in play."""
        if self._table.sealing.is_closed:
            self.stop()
            self._table.sealing.update()
            return
        table, state = self._table, self._table.state
        waited_for = [chair for chair in table.seating if chair.is_waited_for]
        all_ready = bool(waited_for) and all(chair.ready for chair in waited_for)
        if state is TableState.OPEN:
            if self._may_begin(all_ready=all_ready):
                self.begin()
            else:
                self.count_down()
                self._announce()
        elif state is TableState.BETWEEN and all_ready:
            self.deal()
        elif state is TableState.BETWEEN and not self._timer.is_set:
            self._timer = table.after(table.setup.pause, self.deal)

    def count_down(self) -> None:
        """Start, change or cancel the countdown; ``update`` then notifies everyone except a ``newcomer``."""
        table, taken = self._table, len(self._table.seating)
        if not self._starts_automatically:
            self.stop()
        elif not self._timer.is_set or taken != self._taken:
            due = self._due(taken)
            if not self._timer.is_set or self._timer.deadline != due:
                self.stop()
                self._timer = table.after(max(0.0, due - trio.current_time()), self.begin)
            self._taken = taken

    def _due(self, taken: int) -> float:
        """Return the time at which the match begins, on trio's clock."""
        now, is_full = trio.current_time(), self._is_full
        is_soon = is_full or len(self._table.seating.humans) == 1
        delay = self._table.lobby.config.start_delay if is_soon else WITH_ENOUGH
        if not self._timer.is_set:
            self._latest = now + AT_MOST
            return now + delay
        running = self._timer.deadline
        if is_full:
            return min(now + delay, max(running, self._latest))
        if taken < self._taken:
            return running
        return max(running, min(now + AFTER_A_NEWCOMER, self._latest))

    def _announce(self) -> None:
        """Notify everyone of the start time if it has changed."""
        due = self._timer.deadline if self._timer.is_set else None
        newcomer, self.newcomer = self.newcomer, None
        if due == self._announced:
            return
        self._announced, table, ms = due, self._table, self._timer.remaining_ms
        if due is None:
            absent = table.seating.absent
            enough = len(table.seating) >= table.rules.seats.low
            few = "Not all seats are taken any more" if enough else "There are too few players now"
            why = are_away(absent) if absent else few
            text = f"{why}, so the match does not begin yet."
            table.notify(Notice(code="STARTING", text=text, ms=0, table=table.id))
        elif ms:
            table.notify(Notice(code="STARTING", text=countdown_text(ms), ms=ms, table=table.id), newcomer)

    def new_match(self) -> None:
        """Give the next match a unique id, and commit to its first deal.

        Delete the log of the previous match, which is stored as a record. Stop its timers and reset its sealing, since
        it may have been abandoned while its next hole was due.
        """
        table = self._table
        self.stop()
        table.sealing.reset()
        table.distances.reset()
        over, first = table.match.id, table.seq + 1
        table.set_match(matches.Match(f"m{table.lobby.nodes.ids[IdKind.MATCH].next()}"))
        table.lobby.gate.submit([ReserveMatch(table.match.id)])
        table.step(matches.commit(table.match, table.lobby.tables.entropy(32)), row=True)
        if over:
            table.lobby.gate.submit([TrimTable(table.id, first, over)])

    def reopen(self) -> None:
        """Open a new match for everyone still here; it starts when they are all ready."""
        table = self._table
        table.seating = table.membership.new_seating()
        table.hosts.ensure_seated_host()
        self.is_rematch = True
        self.new_match()
        table.broadcast.send_views()

    def begin(self) -> None:
        """Remove the empty chairs, start the match and deal the first hole."""
        table = self._table
        self.stop()
        self._announced = self.newcomer = None
        table.distances.notify()
        letters = [chair.seat for chair in table.seating]
        table.seating = Seating(list(table.seating))  # without the empty chairs (X17)
        self.host_typed_start = self.is_rematch = False
        self.started_at = table.lobby.wall_clock()
        for chair in table.seating:
            chair.begin_match()
            if chair.kind is ChairKind.BOT:
                chair.bot = table.lobby.tables.make_bot(chair.level, table.rules.for_seats(len(letters)))
        table.step(matches.start(table.match, table.rules, table.seating.names))
        if [chair.seat for chair in table.seating] != letters:
            table.broadcast.send_views()
        self._send_aim()
        self.deal()

    def _send_aim(self) -> None:
        """Explain the aim of the game to guests unless, as far as this server knows, they have just played it."""
        table = self._table
        for player in table.seating.players:
            is_new = player.kind is PlayerKind.GUEST and player.aim_of != table.rules.name
            if is_new and player.session is not None and not player.session.writer.machine:
                from golfnet.engine.rulebook import aim  # loaded on first use

                player.aim_of = table.rules.name
                for text in aim(table.rules):
                    table.send(player, Notice(code="AIM", text=text, table=table.id))

    def deal(self) -> None:
        """Deal the next hole with its cuts; if some are sealed, have them revealed first."""
        table, sealing = self._table, self._table.sealing
        self.stop()
        if not sealing.close():
            table.hosts.stop()
            table.waiting.stop()
            cuts, seals = sealing.take()
            table.step(matches.deal(table.match, cuts, seals), row=True)
        table.settle()

    @property
    def _is_full(self) -> bool:
        return self._table.setup.starts_when_full and self._table.seating.is_full

    @property
    def _starts_automatically(self) -> bool:
        """Whether enough seats are taken, a human is here, nobody is away, and this is not a rematch."""
        table = self._table
        is_attended = any([chair.is_waited_for for chair in table.seating]) and not table.seating.absent
        return (self._is_full or table.has_enough) and is_attended and not self.is_rematch

    def _may_begin(self, *, all_ready: bool) -> bool:
        """Return whether enough players are here and ready; if too few, forget that the host typed ``start``."""
        is_enough = len(self._table.seating) >= self._table.rules.seats.low
        self.host_typed_start = self.host_typed_start and is_enough
        if not is_enough or self._table.seating.absent:  # an absent player's seat is kept a while, then freed
            return False
        if all_ready:
            return self._starts_automatically or self.host_typed_start or self.is_rematch
        return self._table.seating.is_full and self.host_typed_start


class Filling(Part):
    """Lets bots take one table's free seats after a delay, if the host has asked for that."""

    wanted: BotRequest | None = None
    """The host's request."""

    @property
    def view(self) -> FillingView | None:
        """Which bots will join and when, as shown to everyone; None if none will."""
        if self.wanted is None or not self._timer.is_set:
            return None
        return FillingView(level=self.wanted.level, ms=self._timer.remaining_ms)

    def request(self, wanted: BotRequest | None) -> str | None:
        """Replace the host's request, or cancel it if ``wanted`` is None; raise ``Refused`` once the match has started.

        Return a note for the host if there is more to say than the announcement to the table.
        """
        table = self._table
        table.need_unfinished()
        if table.state is not TableState.OPEN:
            raise Refused(
                Code.BAD_PHASE, "The match has already started; bots can join only before it starts."
            )
        note = None
        if wanted is None:
            note = (
                "No more bots will join."
                if self.view is not None
                else "No bots were going to join."
                if self.wanted is None
                else "No bot will take a seat that becomes free."
            )
        elif table.seating.is_full:
            note = (
                f"All seats are taken. If one becomes free, a {wanted.level} bot takes it after "
                f"{in_words(wanted.seconds * 1000)}."
            )
        self._cancel()
        self.wanted = wanted
        table.is_row_due = True  # no event is emitted unless a delay begins or ends
        table.settle()
        return note

    def update(self, wanted: BotRequest) -> None:
        """Start or cancel the delay, depending on the table's state."""
        table = self._table
        if table.state is not TableState.OPEN:
            self.wanted = None
            self.stop()
        elif self._has_enough or not any(chair.is_waited_for for chair in table.seating):
            self._cancel()
        elif not self._timer.is_set:
            self._timer = table.after(wanted.seconds, partial(self._fill, wanted))
            table.emit(BotsWanted(level=wanted.level, ms=wanted.seconds * 1000))

    def _cancel(self) -> None:
        if (filling := self.view) is not None:
            self._table.emit(BotsWanted(level=filling.level, ms=None))
        self.stop()

    def _fill(self, wanted: BotRequest) -> None:
        table = self._table
        self.wanted = None
        table.emit(BotsWanted(level=wanted.level, ms=0))
        while table.state is TableState.OPEN and not self._has_enough:
            table.membership.add_bot(wanted.level)

    @property
    def _has_enough(self) -> bool:
        return self._table.seating.is_full or self._table.has_enough
