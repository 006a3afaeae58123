"""What a table waits for, and what happens when nobody comes: clocks, windows, pauses, and the house's choices.

The engine has no clock; everything here reaches it as an ordinary action in an order. A clock begins when what it
waits for was shown to the players, so that a slow disk costs nobody time.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import trio

from golfnet.engine.actions import Pass, Slam
from golfnet.engine.hole import Hole, Phase, phase
from golfnet.engine.legality import awaited, house_action
from golfnet.protocol.replies.presence import Cause, ClockWarning, TimedOut
from golfnet.protocol.replies.vocabulary import State
from golfnet.server.bots.turns import Substitutes
from golfnet.server.clock import Countdown
from golfnet.server.context.seating import Kind
from golfnet.server.slams.measuring import Measuring
from golfnet.server.slams.windows import Windows
from golfnet.server.table.distances import Distances
from golfnet.server.table.filling import Filling

if TYPE_CHECKING:
    from golfnet.engine.actions import Action
    from golfnet.engine.layout import Seat
    from golfnet.engine.match import Match
    from golfnet.server.clock import Timer
    from golfnet.server.table.table import Table

TIMEOUTS_FORGIVEN: Final = 2
"""Time-outs in a row after which a player is still waited for; with the next one the house plays its seat."""

_WARN_AT: Final = 0.5
_WARN_LEFT: Final = 10.0
"""When a running clock is called: at this part of it, and with so many seconds left."""

_TURN: Final = frozenset((Phase.TURN, Phase.HOLDING, Phase.FLIP))
"""What a turn's clock is for."""

_BESIDE_THE_TURN: Final = (Phase.POWER, Phase.GIVE)
"""What has a clock of its own that no event tells of: it is called at once, so that all see what is waited for."""


class Pace:
    """The clocks of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._clock = Countdown(
            table.services.timers,
            at_mark=table.guarded(self._warn),
            at_end=table.guarded(self._out_of_time),
        )
        self._waiting: tuple[object, ...] | None = None
        self._seconds = 0.0
        """How long the clock is for what is waited for, 0 where none is running."""
        self._interrupted: tuple[tuple[object, ...], float] | None = None
        """What a power's clock had left when a gift came between (C14)."""
        self.windows = Windows(table)
        self.filling = Filling(table)
        self.substitutes = Substitutes(table)
        self.distances = Distances(table)
        self._measuring = Measuring(table)
        self._next: Timer | None = None
        self._next_state: tuple[State, bool] | None = None
        self._extra = 0.0

    # --- what can be asked

    @property
    def timed_seats(self) -> tuple[Seat, ...]:
        """The seats whose clock is running, or will be as soon as they were shown what it is for."""
        hole = self._table.hole
        if not self._seconds or hole is None or phase(hole) is Phase.SLAM:
            return ()
        return awaited(hole)

    def clock_ms(self, seat: Seat) -> int | None:
        """Return what the seat's clock has left, None where none is running for it."""
        if seat not in self.timed_seats:
            return None
        return self._clock.remaining_ms if self._clock.is_running else round(self._seconds * 1000)

    @property
    def pause_ms(self) -> int | None:
        """The time until the next deal, None where none is coming."""
        return (
            self._next.remaining_ms if self._next is not None and self._table.state is State.BETWEEN else None
        )

    # --- what the table calls

    def update(self) -> None:
        """Look at what the table waits for now, and set the timers for it."""
        if self._table.services.gate.is_stuck:
            return
        if self._table.hole is None:
            self.distances.update()
            self._update_start()
        else:
            self._stop_next()
        if self.filling.wish is not None:
            self.filling.update()
        hole = self._table.hole
        self._measuring.update(hole)
        if hole is None:
            self._stop_clock()
            self._interrupted = None  # the next match counts its holes and turns from the beginning again
            self.windows.update(None)
            self.substitutes.stop()
            return
        self.windows.update(hole)
        hole = self._table.hole
        if hole is None:
            self.update()
            return
        self._update_clock(hole)
        self.substitutes.update(hole)

    def add_time(self, seconds: float) -> None:
        """Let the next clock run longer."""
        self._extra = seconds

    def stop(self) -> None:
        """Cancel everything."""
        self._stop_clock()
        self.windows.stop()
        self.filling.stop()
        self.substitutes.stop()
        self._table.sealing.stop()
        self.distances.stop()
        self._measuring.stop()
        self._stop_next()

    def close(self) -> None:
        """Cancel everything for good, and hold the table no longer by any timer."""
        self.stop()
        self._clock.close()

    def claim_or_act(self, seat: Seat, action: Action) -> None:
        """Carry out a player's action, or put it before the arbiter of the open slam window; raises ``Refused``."""
        hole = self._table.hole
        if hole is None or hole.window is None or not isinstance(action, Slam | Pass):
            self._table.do(seat, action, is_own=True)
            return
        if isinstance(action, Pass):
            self.windows.pass_by(seat)
        else:
            chair = self._table.seating.at(seat)
            session = chair.session if chair is not None else None
            if session is not None:
                session.round_trips.look(session.arrived)  # what the kernel saw of the very line that slams
            self.windows.claim(seat, action, trio.current_time() if session is None else session.arrived)
        self._table.attendance.has_played(seat)

    # --- the start of a match and of a hole

    def _update_start(self) -> None:
        table = self._table
        if table.sealing.is_closed:
            self._stop_next()
            table.sealing.update()
            return
        state = table.state
        waited_for = [chair for _, chair in table.seating if chair.is_waited_for]
        all_ready = bool(waited_for) and all(chair.ready for chair in waited_for)
        starts_by_itself = table.setup.starts_when_full and not table.is_rematch
        full = starts_by_itself and table.seating.is_full and bool(waited_for)
        if state is State.OPEN:
            enough = len(table.seating) >= table.rules.seats.low
            if not enough:
                table.host_said_start = False
            if enough and (
                (all_ready and (full or table.host_said_start or table.is_rematch))
                or (table.seating.is_full and table.host_said_start)
            ):
                self._stop_next()
                table.begin()
                return
        elif state is State.BETWEEN and all_ready:
            self._stop_next()
            table.deal()
            return
        key = (state, full)
        if key == self._next_state:
            return
        self._stop_next()
        self._next_state = key
        if state is State.OPEN and full:
            self._next = self._after(table.services.config.start_delay, table.begin)
        elif state is State.BETWEEN:
            self._next = self._after(table.setup.pause, table.deal)

    def _stop_next(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next = None
        self._next_state = None

    # --- turn clocks

    def _update_clock(self, hole: Hole) -> None:
        waiting = _waiting_for(hole)
        if waiting == self._waiting:
            return
        self._stop_clock()
        self._waiting = waiting
        if waiting is None or not self._table.setup.clock:
            return
        self._seconds, self._extra = self._table.setup.clock + self._extra, 0.0
        if self._interrupted is not None and self._interrupted[0] == waiting:
            self._seconds, self._interrupted = self._interrupted[1], None
        if phase(hole) in _BESIDE_THE_TURN:
            self._warn()
        start = self._table.guarded(partial(self._start_clock, waiting))
        self._table.services.gate.once_shown(self._table.ticket, start)

    def _start_clock(self, waiting: tuple[object, ...]) -> None:
        if self._waiting == waiting:
            self._clock.start(self._seconds, _marks(self._seconds))

    def _stop_clock(self) -> None:
        if self._clock.is_running and self._waiting is not None and Phase.POWER in self._waiting:
            self._interrupted = self._waiting, max(1.0, self._clock.remaining_ms / 1000)
        self._clock.stop()
        self._waiting, self._seconds = None, 0.0

    def _warn(self) -> None:
        for seat in self.timed_seats:
            chair, left = self._table.seating.at(seat), self.clock_ms(seat)
            if chair is not None and chair.kind is Kind.HUMAN and left is not None:
                self._table.emit(ClockWarning(seat=seat, ms=left))

    def _out_of_time(self) -> None:
        """Choose for every seat that is waited for (X12, X13); one that keeps timing out is played by the house."""
        table = self._table
        for seat in self.timed_seats:
            chair = table.seating.at(seat)
            if chair is None:
                continue
            chair.timeouts += 1
            table.emit(TimedOut(seat=seat))
            if chair.timeouts > TIMEOUTS_FORGIVEN:
                table.attendance.house_takes_over(seat, Cause.IDLE)
            self._play_for(seat)
        table.settle()

    def _play_for(self, seat: Seat) -> None:
        """Make every choice that the seat owes now, so that a whole turn is one time-out."""
        match = self._table.match
        while (hole := self._table.hole) is not None and _owes(hole, seat, match):
            action = house_action(hole, seat)
            if action is None:
                return
            self._table.do(seat, action)

    def _after(self, seconds: float, call: object) -> Timer:
        return self._table.services.timers.after(seconds, self._table.guarded(call))  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def _marks(seconds: float) -> tuple[float, ...]:
    """Return when a clock of so many seconds is called, in seconds left, the most first."""
    marks = {left for left in (seconds * _WARN_AT, _WARN_LEFT) if left < seconds}
    return tuple(sorted(marks, reverse=True))


def _waiting_for(hole: Hole) -> tuple[object, ...] | None:
    """Return what a turn clock is for; as long as it stays the same the clock runs on."""
    now = phase(hole)
    if now in _TURN:
        return hole.deal.hole, _TURN, hole.turn, hole.turns
    if now in _BESIDE_THE_TURN:
        return hole.deal.hole, now, hole.turns
    return (hole.deal.hole, now) if now is Phase.START else None


def _owes(hole: Hole, seat: Seat, before: Match) -> bool:
    """Tell whether the seat still owes a choice of what its clock ran out on."""
    if phase(hole) is Phase.SLAM or seat not in awaited(hole):
        return False
    return (
        before.hole is not None
        and hole.deal.hole == before.hole.deal.hole
        and hole.turns == before.hole.turns
    )
