"""How a match or a hole begins: who is ready, the host's word, the pause before a deal, and a rematch.

What stays true: before a match it waits for the host or for full seats, between holes for everybody or for the end of
the pause, and while sealing is closed for the texts that were sealed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine import match as matches
from golfnet.engine.match import Match
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.presence import ReadySaid
from golfnet.protocol.replies.vocabulary import TableState
from golfnet.server.context.seating import ChairKind
from golfnet.storage.writes import ReserveMatch, TrimTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.server.clock import Timer
    from golfnet.server.context.context import TableContext
    from golfnet.server.session.player import Player
    from golfnet.server.table.countdown import StartCountdown
    from golfnet.server.table.distances import Distances
    from golfnet.server.table.sealing import Sealing


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
        if table.state is not TableState.OPEN:
            raise Refused(Code.BAD_PHASE, "The match has already started.")
        needed, there = table.rules.seats.low, len(table.seating)
        if there < needed:
            raise Refused(
                Code.BAD_PHASE,
                f"{table.rules.name} needs {needed} players, and {table.id} has {there}. To add a bot, type: bot",
            )
        self.host_said_start = True
        self._say_ready(host)
        return [chair.name for _, chair in table.seating if chair.is_waited_for and not chair.ready]

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

    def count_down(self) -> None:
        """Let the countdown to the match run, or not, as the seats are taken now; everybody is told by ``update``."""
        self.countdown.update(is_full=self._is_full, is_enough=self._is_enough)

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
        table.match = Match(self._next_match())
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
        present = sum([chair.present for _, chair in table.seating])
        return table.setup.starts_when_enough and present >= table.rules.seats.low and self._starts_by_itself

    @property
    def _starts_by_itself(self) -> bool:
        """Whether somebody is there to play, and the match is not one more between the same players."""
        return not self.is_rematch and any([chair.is_waited_for for _, chair in self._table.seating])

    def _may_begin(self, *, all_ready: bool) -> bool:
        """Tell whether enough players are there and ready; the host's word is forgotten while too few are."""
        if len(self._table.seating) < self._table.rules.seats.low:
            self.host_said_start = False
            return False
        if all_ready:
            return self._is_full or self._is_enough or self.host_said_start or self.is_rematch
        return self._table.seating.is_full and self.host_said_start
