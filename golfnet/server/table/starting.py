"""How a match or a hole starts: ready players, ``start``, the pause before a deal, rematches, and distance warnings.

A match begins when the host starts it or enough seats are taken, but waits for seated players who are away. The next
hole waits until everyone is ready or the pause is over, and then, if sealing was closed, for the sealed texts.

Before a match with slam races, the table is warned about players whose round trips are too long to compensate for. A
warning says how late their slams are, and how to open a table where speed does not count. Nobody is kept from playing,
or warned twice about the same player before a match. What counts is the minimum round trip, so a single late answer
does no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine import match as matches
from golfnet.engine.match import Match
from golfnet.engine.notation import listed
from golfnet.engine.rules import SlamMode
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import ReadySaid, TableState
from golfnet.protocol.replies.replies import Notice
from golfnet.protocol.text.status import countdown as countdown_text
from golfnet.server.session.roundtrip import UNCONFIRMED, UNMEASURED
from golfnet.server.table.context import Part
from golfnet.server.table.seating import ChairKind
from golfnet.storage.writes import ReserveMatch, TrimTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet.engine.layout import Seat
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.sealing import Sealing
    from golfnet.server.table.seating import Chair

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
    """Starts matches and holes at one table.

    The timer counts down to the start of a match, or from the end of a hole to the next deal.
    """

    def __init__(self, table: TableContext, sealing: Sealing, distances: Distances) -> None:
        super().__init__(table)
        self.host_typed_start = False
        self._sealing = sealing
        self._distances = distances
        self._taken = 0
        """How many seats were taken when the countdown was last set."""
        self._announced: float | None = None
        """The start time that was announced, on trio's clock."""
        self._latest = 0.0
        """The latest start time that newcomers can cause, on trio's clock."""
        self._newcomer: Seat | None = None
        """The seat of a player who needs no notice, because the view they are sent shows the start time."""

    @property
    def ms(self) -> int | None:
        """The milliseconds until the start of the match or the next deal, or None if no time is set for it."""
        return self._timer.remaining_ms if self._timer.is_set else None

    # --- what players do

    def ready(self, player: Player, *, has_seat_back: bool = False) -> None:
        """Mark the player as ready for the start or the next deal, or raise ``Refused``.

        With ``has_seat_back``, the same command has given the player their seat back; it is then never refused.
        """
        if self._table.state in (TableState.OPEN, TableState.BETWEEN) and not self._table.is_sealing_closed:
            self._mark_ready(player)
        elif not has_seat_back:
            self._table.need_unfinished()
            what = (
                "the hole is being played"
                if self._table.hole is not None
                else "the hole is dealt as soon as the sealed texts are here"
            )
            raise Refused(Code.BAD_PHASE, f"You do not need to be ready now: {what}.")

    def start(self, host: Player) -> str | None:
        """Start the match for the host, now or once everyone present is ready; return a text about who is not ready.

        Raise ``Refused``.
        """
        table = self._table
        table.need_unfinished()
        if table.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match has already started.")
        if too_few := self._too_few():
            absent = table.seating.absent
            free = f"kick {absent[0]} and then " if table.seating.is_full else ""
            raise Refused(Code.BAD_PHASE, f"{too_few} To add a bot, type: {free}bot")
        self.host_typed_start = True
        self._mark_ready(host)
        missing = [chair.name for _, chair in table.seating if chair.is_waited_for and not chair.ready]
        table.settle()
        if table.is_running:
            return None
        have = "has" if len(missing) == 1 else "have"
        typed = [f"The match starts as soon as {listed(missing)} {have} typed ready."] if missing else []
        absent = table.seating.absent
        away = [f"{are_away(absent)}. To start without {absent[0]}, type: kick {absent[0]}"] if absent else []
        return " ".join([*typed, *away])

    def missing(self, player: Player) -> str:
        """Return a text saying that too few players are here and what the player can do; empty if there are enough."""
        return " ".join(filter(None, (self._too_few(), self.way_to_play(player))))

    def way_to_play(self, player: Player) -> str:
        """Return what the host can type to play now; empty unless one bot is all that is missing."""
        table, seating, seats = self._table, self._table.seating, self._table.rules.seats
        is_help = table.state is TableState.OPEN and len(seating) + 1 == seats.low and not seating.absent
        if not is_help or player is not table.host:
            return ""
        setup = table.setup
        starts = (
            table.is_rematch
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
        if self._table.is_sealing_closed:
            self.stop()
            self._sealing.update()
            return
        table, state = self._table, self._table.state
        waited_for = [chair for _, chair in table.seating if chair.is_waited_for]
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

    def count_down(self, newcomer: Seat | None = None) -> None:
        """Start, change or cancel the countdown; ``update`` then notifies everyone except a ``newcomer``."""
        if newcomer is not None:
            self._newcomer = newcomer
        table, taken = self._table, len(self._table.seating)
        if not (self._is_full or self._is_enough):
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
        delay = self._table.services.config.start_delay if is_soon else WITH_ENOUGH
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
        newcomer, self._newcomer = self._newcomer, None
        if due == self._announced:
            return
        self._announced = due
        if due is None:
            absent = self._table.seating.absent
            why = are_away(absent) if absent else "There are too few players now"
            self._notify(f"{why}, so the match does not begin yet.", 0)
        elif ms := self._timer.remaining_ms:
            self._notify(countdown_text(ms), ms, newcomer)

    def _notify(self, text: str, ms: int, but: Seat | None = None) -> None:
        self._table.notify(Notice(code="STARTING", text=text, ms=ms, table=self._table.id), but)

    def new_match(self) -> None:
        """Give the next match a unique id, and commit to its first deal.

        Delete the log of the previous match, which is stored as a record. Stop its timers and reset its sealing, since
        it may have been abandoned while its next hole was due.
        """
        table = self._table
        self.stop()
        self._sealing.reset()
        over, first = table.match.id, table.seq + 1
        table.set_match(Match(table.services.next_match()))
        table.services.gate.submit([ReserveMatch(table.match.id)])
        table.step(matches.commit(table.match, table.services.entropy(32)))
        if over:
            table.services.gate.submit([TrimTable(table.id, first, over)])

    def begin(self) -> None:
        """Remove the empty chairs, start the match and deal the first hole."""
        table = self._table
        self.stop()
        self._announced = self._newcomer = None
        self._distances.notify()
        letters = list(table.seating)
        table.seating.close_ranks()
        self.host_typed_start = table.is_rematch = False
        table.started_at = table.services.wall_clock()
        for _, chair in table.seating:
            chair.begin_match()
            if chair.kind is ChairKind.BOT:
                rules = table.rules.for_seats(len(table.seating))
                chair.bot = table.services.make_bot(chair.level, rules)
        table.step(matches.start(table.match, table.rules, table.seating.names))
        if list(table.seating) != letters:
            table.look_all()
        table.send_aim()
        self.deal()

    def deal(self) -> None:
        """Deal the next hole with its cuts; if some are sealed, have them revealed first."""
        table, sealing = self._table, self._sealing
        self.stop()
        if not sealing.close():
            cuts, seals = sealing.take()
            for _, chair in table.seating:
                chair.ready = False
            table.step(matches.deal(table.match, cuts, seals), row=True)
        table.settle()

    @property
    def _is_full(self) -> bool:
        table = self._table
        return table.setup.starts_when_full and table.seating.is_full and self._starts_automatically

    @property
    def _is_enough(self) -> bool:
        table = self._table
        is_enough = len(table.seating) >= table.rules.seats.low
        return table.setup.starts_when_enough and is_enough and self._starts_automatically

    @property
    def _starts_automatically(self) -> bool:
        """Whether a human is here, nobody is away, and this is not a rematch."""
        seating = self._table.seating
        is_attended = any([chair.is_waited_for for _, chair in seating]) and not seating.absent
        return is_attended and not self._table.is_rematch

    def _may_begin(self, *, all_ready: bool) -> bool:
        """Return whether enough players are here and ready; if too few, forget that the host typed ``start``."""
        if len(self._table.seating) < self._table.rules.seats.low:
            self.host_typed_start = False
            return False
        if self._table.seating.absent:  # an absent player's seat is kept for a while, and then freed
            return False
        if all_ready:
            return self._is_full or self._is_enough or self.host_typed_start or self._table.is_rematch
        return self._table.seating.is_full and self.host_typed_start


PING_SECONDS: Final = 1.0
"""Seconds to wait for answers to a ping: enough from anywhere on Earth."""

FAR_CODE: Final = "LONG_ROUND_TRIP"

_MOST_WARNINGS: Final = 200
"""Enough for ten players who are all warned about each other, and for ten more who have come and gone."""


class Distances(Part):
    """Finds and announces the players of one table whose round trips are too long for a race."""

    def __init__(self, table: TableContext) -> None:
        super().__init__(table)
        self._match = ""
        self._asked: set[tuple[str, float]] = set()
        """Who has been pinged, and when they connected: a player who reconnects is pinged again."""
        self._warned: set[tuple[str, str]] = set()
        """Who has been warned about whom: at most ``_MOST_WARNINGS`` per match, however many players come and go."""

    def update(self) -> None:
        """Ping everyone who has sat down, and warn the table once the answers have had time to arrive."""
        if not self._is_before_a_race:
            self.stop()
            return
        if self._match != self._table.match.id:
            self._match = self._table.match.id
            self._asked.clear()
            self._warned.clear()
        before, self._asked = self._asked, set()
        for _, chair in self._table.seating:
            session = chair.session
            if session is not None:
                self._asked.add((chair.name, session.connected))
                if (chair.name, session.connected) not in before:
                    session.measure()
        if not self._asked <= before:
            self.stop()
            self._timer = self._table.after(PING_SECONDS, self.notify)

    def notify(self) -> None:
        """Warn everyone about players known to be too far away, unless they have already been warned."""
        if not self._is_before_a_race:
            return
        present = [chair for _, chair in self._table.seating if chair.session is not None]
        for far, least, limit in _far(present):
            for chair in present:
                pair = chair.name, far.name
                if (
                    chair.session is not None
                    and pair not in self._warned
                    and len(self._warned) < _MOST_WARNINGS
                ):
                    self._warned.add(pair)
                    text = f"{_late(far.name, least, limit, is_you=chair is far)} {self._offer(chair)}"
                    notice = Notice(code=FAR_CODE, text=text, ms=round(least / 1000))
                    chair.session.send(notice, ticket=self._table.ticket)

    @property
    def _is_before_a_race(self) -> bool:
        return self._table.state is TableState.OPEN and self._table.rules.slam is SlamMode.RACE

    def _offer(self, chair: Chair) -> str:
        who = "You" if chair.player is not None and chair.player is self._table.host else "The host"
        return (
            f"{who} can open a table where speed does not count: create {self._table.rules.name} slam=order"
        )


def _far(present: list[Chair]) -> list[tuple[Chair, int, int]]:
    """Return the chairs of players who are too far away, each with its shortest round trip and the most that counts."""
    now, found = trio.current_time(), []
    for chair in present:
        link = UNMEASURED if chair.session is None else chair.session.round_trips.link(now)
        if link.least is None or link.least <= link.limit:
            continue
        # A player alone with bots is warned only if the kernel has confirmed the round trip: otherwise the
        # player may just be slow to answer.
        if len(present) > 1 or link.limit > UNCONFIRMED:
            found.append((chair, link.least, link.limit))
    return found


def _late(name: str, least: int, most: int, *, is_you: bool) -> str:
    took, limit = round(least / 1000), round(most / 1000)
    whose, who, own = ("Your", "you are", "your") if is_you else (f"{name}'s", f"{name} is", "their")
    because = f" if it has only {own} own answers to go by" if most == UNCONFIRMED else ""
    return (
        f"{whose} connection takes {took} ms there and back. A slam race makes up for at most {limit} ms{because}, "
        f"so {who} {took - limit} ms late in each race."
    )
