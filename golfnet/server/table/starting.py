"""How a match or a hole begins: who is ready, the host's word, the pause before a deal, and a rematch.

What stays true: before a match it waits for the host or for full seats, and for everybody who has a seat and is away;
between holes for everybody or for the end of the pause, and while sealing is closed for the texts that were sealed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct

from golfnet.engine import match as matches
from golfnet.engine.match import Match
from golfnet.engine.notation import listed
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.names import LEVELS
from golfnet.protocol.replies.presence import BotsWanted, ReadySaid, TableState
from golfnet.protocol.replies.replies import FillingView, Notice
from golfnet.protocol.text.status import countdown as countdown_text
from golfnet.protocol.text.words import seconds as in_words
from golfnet.server.table.seating import ChairKind
from golfnet.server.table.setup import seconds_option
from golfnet.storage.writes import ReserveMatch, TrimTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from golfnet.engine.layout import Seat
    from golfnet.server.clock import Timer
    from golfnet.server.session.player import Player
    from golfnet.server.table.context import TableContext
    from golfnet.server.table.distances import Distances
    from golfnet.server.table.sealing import Sealing

WITH_ENOUGH: Final = 20
"""Seconds from the moment when enough players are there."""

AFTER_A_NEWCOMER: Final = 10
"""The fewest seconds after somebody else has sat down."""

AT_MOST: Final = 60
"""Seconds after which newcomers no longer prolong it."""


def are_away(names: Sequence[str]) -> str:
    """Return that these players are away, as the beginning of a sentence."""
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} away"


class StartCountdown:
    """The countdown at one table; ``begin`` is called at its end."""

    def __init__(self, table: TableContext, begin: Callable[[], None]) -> None:
        self._table = table
        self._begin = begin
        self._timer: Timer | None = None
        self._taken = 0
        """The seats that were taken when it was set the last time."""
        self._told: float | None = None
        """The moment of the start that everybody was told, in seconds of trio's clock."""
        self._latest = 0.0
        """The latest moment to which newcomers prolong it, in seconds of trio's clock."""
        self.newcomer: Seat | None = None
        """Who is shown with the whole table when the match begins, before all are told."""

    @property
    def ms(self) -> int | None:
        """The time until the start, None while none is near."""
        return None if self._timer is None else self._timer.remaining_ms

    def update(self, *, is_full: bool, is_enough: bool, is_alone: bool) -> None:
        """Count down, or not, as the seats are taken now; a person who ``is_alone`` with bots waits for nobody else."""
        taken = len(self._table.seating)
        if not (is_full or is_enough):
            self.stop()
        elif self._timer is None or taken != self._taken:
            self._set(self._due(taken, is_full=is_full, is_soon=is_full or is_alone))
            self._taken = taken

    def tell(self) -> None:
        """Tell everybody when the match begins, where that has changed."""
        due = None if self._timer is None else self._timer.deadline
        newcomer, self.newcomer = self.newcomer, None
        if due == self._told:
            return
        self._told = due
        if self._timer is None:
            absent = self._table.seating.absent
            why = are_away(absent) if absent else "There are too few players now"
            self._notify(f"{why}, so the match does not begin yet.", 0)
        elif ms := self._timer.remaining_ms:
            self._notify(countdown_text(ms), ms, newcomer)

    def begun(self) -> None:
        """End the countdown, as the match begins."""
        self.stop()
        self._told = self.newcomer = None

    def stop(self) -> None:
        """Cancel the countdown; ``update`` begins it anew."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self, taken: int, *, is_full: bool, is_soon: bool) -> float:
        """Return when the match begins, in seconds of trio's clock."""
        now = trio.current_time()
        delay = self._table.services.config.start_delay if is_soon else WITH_ENOUGH
        if self._timer is None:
            self._latest = now + AT_MOST
            return now + delay
        running = self._timer.deadline
        if is_full:
            return min(now + delay, max(running, self._latest))
        if taken < self._taken:
            return running
        return max(running, min(now + AFTER_A_NEWCOMER, self._latest))

    def _set(self, due: float) -> None:
        if self._timer is None or self._timer.deadline != due:
            self.stop()
            self._timer = self._table.after(max(0.0, due - trio.current_time()), self._begin)

    def _notify(self, text: str, ms: int, but: Seat | None = None) -> None:
        self._table.notify(Notice(code="STARTING", text=text, ms=ms, table=self._table.id), but)


class Starting:
    """The beginnings at one table; ``next_match`` gives numbers, ``look_all`` shows everybody the whole view."""

    def __init__(
        self,
        table: TableContext,
        sealing: Sealing,
        distances: Distances,
        countdown: StartCountdown,
        *,
        next_match: Callable[[], str],
        look_all: Callable[[], None],
    ) -> None:
        self.host_said_start = False
        self.is_rematch = False
        """Whether the coming match waits for everybody's word, however the table was opened."""
        self._table = table
        self._sealing = sealing
        self._distances = distances
        self._next_match = next_match
        self._look_all = look_all
        self.countdown = countdown
        self._pause: Timer | None = None

    @property
    def pause_ms(self) -> int | None:
        """The time until the next deal, None where none is coming."""
        return None if self._pause is None else self._pause.remaining_ms

    # --- what players say

    def ready(self, player: Player, *, has_seat_back: bool = False) -> None:
        """Note that the player is ready for the start or for the next deal; raises ``Refused``.

        With ``has_seat_back`` the same word has given it its seat back, and nothing has to begin.
        """
        if self._table.state in (TableState.OPEN, TableState.BETWEEN) and not self._sealing.is_closed:
            self._say_ready(player)
        elif not has_seat_back:
            self._table.need_unfinished()
            what = (
                "the hole is being played"
                if self._table.hole is not None
                else "the hole is dealt as soon as the sealed texts are here"
            )
            raise Refused(Code.BAD_PHASE, f"You do not need to be ready now: {what}.")

    def start(self, host: Player) -> list[str]:
        """Start at the host's word, at once or when all present are ready; return the names of those who are not.

        Raises ``Refused``.
        """
        table = self._table
        table.need_unfinished()
        if table.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match has already started.")
        if too_few := self._too_few():
            absent = table.seating.absent
            free = f"kick {absent[0]} and then " if table.seating.is_full else ""
            raise Refused(Code.BAD_PHASE, f"{too_few} To add a bot, type: {free}bot")
        self.host_said_start = True
        self._say_ready(host)
        return [chair.name for _, chair in table.seating if chair.is_waited_for and not chair.ready]

    def missing(self, player: Player) -> str:
        """Return who is missing before the match, and what the player can do about that; empty where nobody is."""
        return " ".join(filter(None, (self._too_few(), self.way_to_play(player))))

    def way_to_play(self, player: Player) -> str:
        """Return what a host types who wants to wait for nobody; empty where one bot alone is no help."""
        table, seating, seats = self._table, self._table.seating, self._table.rules.seats
        is_help = table.state is TableState.OPEN and len(seating) + 1 == seats.low and not seating.absent
        if not is_help or player is not table.host:
            return ""
        setup = table.setup
        starts = (
            self.is_rematch
            or setup.starts_when_enough
            or (setup.starts_when_full and seats.high == seats.low)
        )
        return f"To play at once, type: bot{'' if starts else ', then start'}"

    def _too_few(self) -> str:
        """Return how many players a match needs that has too few who are here, empty for any other."""
        table = self._table
        needed, absent = table.rules.seats.low, table.seating.absent
        there = len(table.seating) - len(absent)
        if table.state is not TableState.OPEN or there >= needed:
            return ""
        away = f" {are_away(absent)}." if absent else ""
        return f"{table.rules.name} needs {needed} players, and {table.id} has {there}.{away}"

    def _say_ready(self, player: Player) -> None:
        seat = self._table.seat_of(player)
        chair = self._table.seating.chairs[seat]
        if chair is not None and not chair.ready:
            chair.ready = True
            self._table.emit(ReadySaid(seat=seat, player=chair.name))

    # --- what the table does

    def update(self) -> None:
        """Begin what is due, or set the timer for it; to be called while no hole is in play."""
        if self._sealing.is_closed:
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
                self.countdown.tell()
        elif state is TableState.BETWEEN and all_ready:
            self.deal()
        elif state is TableState.BETWEEN and self._pause is None:
            self._pause = table.after(table.setup.pause, self.deal)

    def count_down(self, newcomer: Seat | None = None) -> None:
        """Count down to the match, or not, as the seats are taken now; ``update`` tells all but a newcomer."""
        if newcomer is not None:
            self.countdown.newcomer = newcomer
        is_alone = len(self._table.seating.humans) == 1
        self.countdown.update(is_full=self._is_full, is_enough=self._is_enough, is_alone=is_alone)

    def stop(self) -> None:
        """Cancel the timers; ``update`` sets them again."""
        self.countdown.stop()
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def new_match(self) -> None:
        """Give the coming match its number, never to be given again, and commit to its first deal.

        The log of the match before, which is kept as a record by now, is not needed any more.
        """
        table = self._table
        over, first = table.match.id, table.seq + 1
        table.set_match(Match(self._next_match()))
        table.services.gate.submit([ReserveMatch(table.match.id)])
        table.step(matches.commit(table.match, table.services.entropy(32)))
        if over:
            table.services.gate.submit([TrimTable(table.id, first, over)])

    def begin(self) -> None:
        """Close the seats, start the match and deal the first hole."""
        table = self._table
        self.stop()
        self.countdown.begun()
        self._distances.tell()
        letters = list(table.seating)
        table.seating.close_ranks()
        self.host_said_start = self.is_rematch = False
        table.started_at = table.services.wall_clock()
        for _, chair in table.seating:
            chair.begin_match()
            if chair.kind is ChairKind.BOT:
                rules = table.rules.for_seats(len(table.seating))
                chair.bot = table.services.make_bot(chair.level, rules)
        table.step(matches.start(table.match, table.rules, table.seating.names))
        if list(table.seating) != letters:
            self._look_all()
        table.tell_aim()
        self.deal()

    def deal(self) -> None:
        """Deal the next hole, which is due, with the cuts made for it; those that are sealed are told first."""
        table = self._table
        self.stop()
        if not self._sealing.close():
            cuts, seals = self._sealing.take()
            for _, chair in table.seating:
                chair.ready = False
            table.step(matches.deal(table.match, cuts, seals), row=True)
        table.settle()

    @property
    def _is_full(self) -> bool:
        """Whether all seats are taken at a table that then starts."""
        table = self._table
        return table.setup.starts_when_full and table.seating.is_full and self._starts_by_itself

    @property
    def _is_enough(self) -> bool:
        """Whether the fewest players are there at a table that then starts."""
        table = self._table
        is_enough = len(table.seating) >= table.rules.seats.low
        return table.setup.starts_when_enough and is_enough and self._starts_by_itself

    @property
    def _starts_by_itself(self) -> bool:
        """Whether a person and nobody less is there, and the match is not one more between the same players."""
        seating = self._table.seating
        is_wanted = any([chair.is_waited_for for _, chair in seating]) and not seating.absent
        return is_wanted and not self.is_rematch

    def _may_begin(self, *, all_ready: bool) -> bool:
        """Tell whether enough players are there and ready; the host's word is forgotten while too few are."""
        if len(self._table.seating) < self._table.rules.seats.low:
            self.host_said_start = False
            return False
        if self._table.seating.absent:  # a seat is kept for a while, and is then free
            return False
        if all_ready:
            return self._is_full or self._is_enough or self.host_said_start or self.is_rematch
        return self._table.seating.is_full and self.host_said_start


DEFAULT_LEVEL: Final = "medium"

OPTIONS: Final = ("fill", "level")
"""The options of ``create`` and ``seek`` that are about bots and not about what is played."""


class Wish(Struct, frozen=True, kw_only=True):
    """That bots of a level take the seats which are still free after so many seconds."""

    level: str
    seconds: int


def wish_of(options: Mapping[str, str], default: int = 0) -> Wish | None:
    """Return the wish that options make, None where no bots are to come; raises ``Refused``."""
    wish = wish_for(options.get("level"), seconds_option(options.get("fill"), "fill", default))
    if "level" in options and wish is None:
        raise Refused(
            Code.BAD_OPTION,
            "level: only together with fill=SECONDS, the time after which bots of that level come.",
        )
    return wish


def wish_for(level: str | None, seconds: int) -> Wish | None:
    """Return the wish for bots of a level after so many seconds, None for 0; raises ``Refused``."""
    named = known_level(level)
    return Wish(level=named, seconds=seconds) if seconds else None


def known_level(name: str | None) -> str:
    """Return a level by its name, the usual one for None; raises ``Refused``."""
    level = (name or DEFAULT_LEVEL).lower()
    if level not in LEVELS:
        raise Refused(
            Code.BAD_ARGUMENT, f"There is no bot level {level}. Choose one of: {', '.join(LEVELS)}."
        )
    return level


class Filling:
    """The host's wish at one table, and the wait for it."""

    def __init__(self, table: TableContext, add_bot: Callable[[str], None]) -> None:
        self.wish: Wish | None = None
        self._table = table
        self._add_bot = add_bot
        self._wait: Timer | None = None

    @property
    def view(self) -> FillingView | None:
        """The wait as everybody may see it, None where none runs."""
        if self.wish is None or self._wait is None:
            return None
        return FillingView(level=self.wish.level, ms=self._wait.remaining_ms)

    def ask(self, wish: Wish | None) -> str | None:
        """Take the host's wish in the place of an earlier one; None takes it back.

        Return why no wait begins, or that one ends: people are told of the others. Raises ``Refused``.
        """
        table = self._table
        table.need_unfinished()
        if table.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match has already started; bots can only sit down before it.")
        note = None
        if wish is None:
            note = (
                "No bots will come any more."
                if self.view is not None
                else "No bots were due to come."
                if self.wish is None
                else "No bots will come if a seat becomes free."
            )
        elif table.seating.is_full:
            note = (
                f"All seats are taken. If one becomes free, a {wish.level} bot takes it after "
                f"{in_words(wish.seconds * 1000)}."
            )
        self._call_off()
        self.wish = wish
        table.is_row_due = True  # also where no wait begins or ends, of which an event would tell
        return note

    def update(self) -> None:
        """Let the wait run, or not, as the table is now."""
        table = self._table
        if table.state is not TableState.OPEN:
            self.wish = None
            self.stop()
        elif self.wish is None or _has_enough(table) or not _somebody_waits(table):
            self._call_off()
        elif self._wait is None:
            self._wait = table.after(self.wish.seconds, self._come)
            table.emit(BotsWanted(level=self.wish.level, ms=self.wish.seconds * 1000))

    def stop(self) -> None:
        """Let no wait run; ``update`` begins it anew."""
        if self._wait is not None:
            self._wait.cancel()
            self._wait = None

    def _call_off(self) -> None:
        """End a wait that everybody was told of."""
        if self._wait is not None and self.wish is not None:
            self._table.emit(BotsWanted(level=self.wish.level, ms=None))
        self.stop()

    def _come(self) -> None:
        table, wish = self._table, self.wish
        self.wish = self._wait = None
        if wish is None:
            return
        table.emit(BotsWanted(level=wish.level, ms=0))
        while table.state is TableState.OPEN and not _has_enough(table):
            self._add_bot(wish.level)
            table.settle()


def _has_enough(table: TableContext) -> bool:
    """Tell whether no bot is needed: every seat is taken, or as many as start the match by themselves."""
    return table.seating.is_full or (
        table.setup.starts_when_enough and len(table.seating) >= table.rules.seats.low
    )


def _somebody_waits(table: TableContext) -> bool:
    return any(chair.is_waited_for for _, chair in table.seating)
