"""Slam windows: how long they stay open, when slams are judged, and when bots slam.

The engine judges slams in the order in which they reach it (C11). The arbiter decides that order; this module drives
the arbiter with the table's timers. Invariants: a window's time, and every seat's reaction time, begin when the discard
is written to the players; while a card is owed as a gift, nothing is judged (C14); an open window always has a timer,
a gift or a claim that will close it.
"""

from functools import partial
from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct

from golfnet.engine import match as matches
from golfnet.engine.actions import Pass, Slam
from golfnet.engine.cards import Position, Seat, position_text
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import Slammed
from golfnet.engine.hole import Hole
from golfnet.engine.legality import Choices
from golfnet.engine.refusals import check
from golfnet.engine.rules import SlamMode
from golfnet.engine.views import view
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.replies import Notice
from golfnet.server.clock import NO_TIMER, Timer
from golfnet.server.session.roundtrip import Link
from golfnet.server.session.session import Session
from golfnet.server.table import Part
from golfnet.server.table.arbiter import (
    FALSE_START,
    HIT,
    VOID,
    Arbiter,
    Claim,
    FalseStart,
    JudgedClaim,
    Race,
    SealedArbiter,
    SlamLog,
    WindowKey,
    make_arbiter,
)

if TYPE_CHECKING:
    from golfnet.server.table.table import Table

AFTER_A_SLAM: Final = 0.25
"""Seconds that a race stays open for late claims after a successful one, or after the gift for it (C17)."""


class _ClosingPlan(Struct, frozen=True):
    """What the closing timer is for: the window and, in a race, whether it has been won and whether a card is owed."""

    window: WindowKey
    is_won: bool
    owes: bool


class Windows(Part):
    """One table's slam windows, one at a time."""

    def __init__(self, table: "Table") -> None:
        super().__init__(table)
        self.log = SlamLog(table.lobby.tables.slams)
        self._arbiter: Arbiter | None = None
        """The arbiter of the last window, until that is found to be over."""
        self._plan: _ClosingPlan | None = None
        self._is_over = False
        self._closing = self._deciding = NO_TIMER
        self._bot_slams = BotSlams(table)
        self._hole: int | None = None
        self._passing: set[Seat] = set()
        """The seats that have chosen to pass in all windows of the hole."""
        self.extra = 0.0
        """Seconds added to a window that was open in a server restart, so that players can return and claim again."""

    @property
    def remaining_ms(self) -> int:
        """Milliseconds that the open window has left; before it has been shown, its full length."""
        if self._closing.is_set:
            return self._closing.remaining_ms
        return round(1000 * self._seconds) if self._plan is not None and not self._is_over else 0

    def narrowed(self, choices: Choices, seat: Seat) -> Choices:
        """Return a seat's choices, without those ruled out by answers that the engine has not been given yet."""
        arbiter = self._current()
        if arbiter is None:
            return choices
        if not arbiter.may_claim(seat):
            choices = choices._replace(slammable=())
        if seat in self._passing or not arbiter.may_pass(seat):
            choices = choices._replace(actions=tuple([one for one in choices.actions if one != Pass()]))
        return choices

    # --- what players do

    def shown(self, seat: Seat, discard_no: int, at: float, session: Session) -> None:
        """Record when the discard of a window was written to a seat, and to which session."""
        arbiter = self._current()
        if arbiter is not None and arbiter.window.discard_no == discard_no:
            arbiter.show(seat, _micros(at), session.round_trips.link(at))

    def accept(self, seat: Seat, action: Slam | Pass) -> None:
        """Accept a player's slam or pass in the open window, for the engine to judge later, or raise ``Refused``."""
        if isinstance(action, Pass):
            arbiter = self._checked(seat, action)
            if not arbiter.may_pass(seat):
                raise Refused(Code.BAD_PHASE, _ALREADY)
            arbiter.pass_by(seat)
            return
        self._passing.discard(seat)
        session, arrived = self._table.seating.chair(seat).session, trio.current_time()
        if session is not None:
            arrived = session.arrived
            session.round_trips.look(arrived)  # to record what the kernel measured for this line
        arbiter = self._checked(seat, action)
        is_in = arbiter.may_claim(seat)
        if not is_in and isinstance(arbiter, SealedArbiter):
            raise Refused(Code.BAD_PHASE, _ALREADY)
        try:
            arbiter.claim(seat, action.at, _micros(arrived))
        except FalseStart as false_start:
            if is_in:
                self._note(seat, action.at, FALSE_START, false_start.claim)
                self._table.settle()
            raise Refused(
                Code.FALSE_START,
                "That was too fast: nobody can have seen the card yet. You may not slam "
                f"discard #{action.discard_no}; no penalty.",
            ) from None

    def pass_hole(self, seat: Seat) -> None:
        """Pass for a seat in all windows of the hole, unless it slams; may raise ``Refused``."""
        rules = self._table.match.rules or self._table.rules
        if rules.slam is SlamMode.OFF:
            raise Refused(Code.NOT_IN_RULES, f"There are no slams in {rules.name}.")
        try:
            matches.hole_in_play(self._table.match)
        except IllegalAction as illegal:
            raise Refused.by_rules(illegal) from None
        self._passing.add(seat)
        self._table.settle()

    def _checked(self, seat: Seat, action: Slam | Pass) -> Arbiter:
        """Return the arbiter if the rules allow the action now, or raise ``Refused``."""
        arbiter = self._current()
        if arbiter is None:
            raise Refused(Code.TOO_LATE, "There is nothing to slam now: no slam window is open.")
        self._table.decide(seat, action)
        return arbiter

    # --- what the table calls

    def update(self, hole: Hole | None) -> None:
        """Process the hole's window as far as possible, and set timers for the rest."""
        number = None if hole is None else hole.deal.hole
        if number != self._hole:
            self._forget()
            if self._hole is not None:
                self.log.hole_over(self._hole)
            self._passing.clear()
            self._hole = number
        arbiter = self._current() if self._arbiter is not None or (hole is not None and hole.window) else None
        if arbiter is None or hole is None:
            return
        self._bot_slams.ask(hole)
        self._bot_slams.let_pass(arbiter)
        waited_for = [chair.seat for chair in self._table.seating if arbiter.is_waited_for(chair.seat)]
        if self._passing.issuperset(waited_for):  # until then, those who pass in all windows may still slam
            for seat in waited_for:
                arbiter.pass_by(seat)
        self._judge(arbiter, now=0)
        if self._current() is arbiter:
            self._set_timers(arbiter)

    def stop(self) -> None:
        """Cancel all timers; ``update`` sets them again."""
        self._closing.cancel()
        self._deciding.cancel()
        self._bot_slams.stop()
        self._is_over = False
        self._plan = None

    # --- the open window

    @property
    def _seconds(self) -> float:
        if self._plan is not None and (self._plan.is_won or self._plan.owes):
            return AFTER_A_SLAM
        return float((self._table.match.rules or self._table.rules).slam_window) + self.extra

    def _current(self) -> Arbiter | None:
        """Return the arbiter of the window that is now open; clean up after an earlier one."""
        hole = self._table.hole
        if hole is None or (opened := hole.window) is None:
            self._forget()
            return None
        window = WindowKey(hole.deal.hole, opened.discard_no, opened.card.text, hole.rules.slam)
        if self._arbiter is None or window != self._arbiter.window:
            self._forget()
            self._arbiter = make_arbiter(
                window,
                discarder=Seat(0) if hole.turn is None else hole.turn,
                seats=len(hole.layouts),
                key=hole.deal.key,
                answered=[Seat(seat) for seat in hole.seats if opened.passed >> seat & 1],
            )
            self._arbiter.is_won = opened.won
        return self._arbiter

    def _forget(self) -> None:
        if self._arbiter is not None:
            self.stop()
            self.log.window_over(self._arbiter.window)
            self._bot_slams = BotSlams(self._table)
            self._arbiter, self.extra = None, 0.0

    # --- judging

    def _judge(self, arbiter: Arbiter, *, now: int) -> None:
        """Let the engine judge answers that are ready; if ``now`` is 0, only those that no unread line can affect."""
        while self._current() is arbiter and not self._owes and (answer := arbiter.next(now)) is not None:
            if isinstance(answer, Claim):
                self._slam(arbiter, answer)
            else:
                self._pass(answer)
        if self._current() is not arbiter or self._owes or arbiter.due() is not None:
            return
        # A window that has just been won stays open a little longer, even if its original time is up.
        if arbiter.is_complete or (self._is_over and self._plan == self._planned(arbiter)):
            self._table.step(matches.close_window(self._table.match))
            self._current()

    @property
    def _owes(self) -> bool:
        return self._table.hole is not None and self._table.hole.gift is not None

    def _pass(self, seat: Seat) -> None:
        hole = self._table.hole
        if hole is not None and hole.window is not None and not hole.window.passed >> seat & 1:
            self._table.do(seat, Pass())

    def _slam(self, arbiter: Arbiter, claim: Claim) -> None:
        table = self._table
        try:
            events, match = matches.act(table.match, claim.seat, Slam(claim.at, arbiter.window.discard_no))
        except IllegalAction as illegal:
            self._note(claim.seat, claim.at, VOID, claim)
            if (player := table.seating.chair(claim.seat).player) is not None:
                text = f"Your slam of {position_text(claim.at)} does not count. {illegal.expected}"
                table.send(player, Notice(code=illegal.refusal.value, text=text))
            return
        result = next(event.result.value for event in events if isinstance(event, Slammed))
        self._note(claim.seat, claim.at, result, claim)
        table.step((events, match))
        if result == HIT and isinstance(arbiter, Race):
            arbiter.is_won = True
            self._bot_slams.cancel_all()
            self._bot_slams.let_pass(arbiter)

    def _note(self, seat: Seat, at: Position, result: str, claim: Claim | None) -> None:
        self.log.add(JudgedClaim(seat, self._table.seating.names[seat], at, result, claim))

    # --- timers

    def _set_timers(self, arbiter: Arbiter) -> None:
        plan = self._planned(arbiter)
        if plan != self._plan:
            self.stop()
            self._plan = plan
            if not plan.owes:
                self._table.once_shown(partial(self._run, arbiter, plan))
        self._deciding.cancel()
        due = arbiter.due()
        if due is not None and not self._owes:
            self._deciding = self._table.after(max(0, due - _micros(trio.current_time())) / 1e6, self._decide)

    def _planned(self, arbiter: Arbiter) -> _ClosingPlan:
        """Return what the closing timer of the open window should be for now."""
        is_race = isinstance(arbiter, Race)
        return _ClosingPlan(arbiter.window, is_won=is_race and arbiter.is_won, owes=is_race and self._owes)

    def _run(self, arbiter: Arbiter, plan: _ClosingPlan) -> None:
        """Start the timer of a window that has just been shown; this may be called twice if timers were cancelled."""
        if self._plan == plan and not self._closing.is_set:
            self._closing = self._table.after(self._seconds, self._time_is_up)
            self._bot_slams.begin(arbiter)

    def _decide(self) -> None:
        if (arbiter := self._current()) is not None:
            self._judge(arbiter, now=_micros(trio.current_time()))

    def _time_is_up(self) -> None:
        self._is_over = True
        if isinstance(arbiter := self._current(), SealedArbiter):
            arbiter.end()


def _micros(seconds: float) -> int:
    return round(seconds * 1e6)


_ALREADY: Final = "You have already claimed or passed in this slam window."


QUICKEST: Final = 0.125
"""A bot's minimum reaction time in seconds: just above what counts as a false start."""


class BotSlams:
    """The slams of bots in one window."""

    def __init__(self, table: "Table") -> None:
        self._table = table
        self._coming: dict[Seat, float] | None = None
        """The seats of bots that are going to slam, with their reaction times; None before the bots are asked."""
        self._timers: list[Timer] = []

    def ask(self, hole: Hole) -> None:
        """Ask each bot once whether and when it will slam."""
        if self._coming is not None:
            return
        self._coming = {}
        for chair in self._table.seating:
            reaction = chair.bot.reaction(view(hole, chair.seat)) if chair.bot is not None else None
            if reaction is not None:
                self._coming[chair.seat] = max(reaction, QUICKEST)

    def let_pass(self, arbiter: Arbiter) -> None:
        """Pass for absent players, and for each bot (even one playing for the house) that is not going to slam.

        Players who may be about to reconnect after a server restart are not absent.
        """
        for chair in self._table.seating:
            seat = chair.seat
            is_expected = chair.is_waited_for or bool(chair.is_excused and self._table.windows.extra)
            is_coming = is_expected if chair.bot is None else seat in (self._coming or ())
            if not is_coming and arbiter.may_pass(seat):
                arbiter.pass_by(seat)

    def begin(self, arbiter: Arbiter) -> None:
        """Let the bots react to the discard, which has just been shown."""
        now = trio.current_time()
        for seat, reaction in (self._coming or {}).items():
            arbiter.show(seat, _micros(now), Link(round_trip=0))
            self._timers.append(self._table.after(reaction, partial(self._claim, seat, arbiter)))

    def cancel_all(self) -> None:
        """Keep all bots from slamming: the card has been won."""
        self.stop()
        self._coming = {}

    def stop(self) -> None:
        """Cancel all timers; ``begin`` sets them again."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _claim(self, seat: Seat, arbiter: Arbiter) -> None:
        hole, bot = self._table.hole, self._table.seating.chair(seat).bot
        if self._coming is None or self._coming.pop(seat, None) is None or hole is None:
            return
        slam = bot.claim(view(hole, seat)) if bot is not None else None
        if slam is not None and arbiter.may_claim(seat):
            try:
                check(hole, seat, slam)
                arbiter.claim(seat, slam.at, _micros(trio.current_time()))
            except (IllegalAction, FalseStart):
                pass  # too late: a gift is owed, or the card is gone
