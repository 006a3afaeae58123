"""Slam windows: how long one stays open, who has had a say in it, and when the engine judges.

The engine judges slams in the order in which they reach it (C11); the arbiter makes that order, and this drives the
arbiter with the table's timers. What stays true: a window's time, and every seat's reaction, begin when the discard
was written to the players; while a gift is owed nothing is judged (C14); a window that is open always has a timer, a
gift or a claim that will end it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import trio
from msgspec import Struct

from golfnet.engine import match as matches
from golfnet.engine.actions import Pass, Slam
from golfnet.engine.errors import IllegalAction
from golfnet.engine.events import Slammed
from golfnet.engine.layout import Seat
from golfnet.engine.notation import position_text
from golfnet.engine.refusals import check
from golfnet.engine.rules import SlamMode
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.replies.replies import Notice
from golfnet.server.table.arbiter import Arbiter, Claim, FalseStart, WindowAnswer, arbiter
from golfnet.server.table.bots import BotSlams
from golfnet.server.table.slam_log import FALSE_START, HIT, VOID, JudgedClaim, SlamLog, WindowKey

if TYPE_CHECKING:
    from golfnet.engine.hole import Hole
    from golfnet.engine.layout import Position
    from golfnet.engine.legality import Choices
    from golfnet.server.clock import Timer
    from golfnet.server.session.player import PlayerSession
    from golfnet.server.table.context import TableContext

AFTER_A_SLAM: Final = 0.25
"""Seconds that a race stays open for late claims after a success, or after the gift for it (C17)."""


class _ClosingPlan(Struct, frozen=True):
    """What the closing timer is for: the window, and in a race whether it is won and a gift is owed for it."""

    window: WindowKey
    is_won: bool = False
    owes: bool = False


class Windows:
    """The slam windows of one table, one after the other."""

    def __init__(self, table: TableContext) -> None:
        self.log = SlamLog(table.services.slams)
        self._table = table
        self._window: WindowKey | None = None
        self._arbiter: Arbiter | None = None
        self._plan: _ClosingPlan | None = None
        self._is_over = False
        self._closing: Timer | None = None
        self._deciding: Timer | None = None
        self._bot_slams = BotSlams(table)
        self._hole: int | None = None
        self._passing: set[Seat] = set()
        """The seats that pass in all windows of the hole."""

    # --- what can be asked

    @property
    def remaining_ms(self) -> int:
        """What the open window has left; its whole length until it was shown."""
        if self._closing is not None:
            return self._closing.remaining_ms
        return round(1000 * self._seconds) if self._plan is not None and not self._is_over else 0

    def narrowed(self, choices: Choices, seat: Seat) -> Choices:
        """Return what a seat may ask for, without what it has said already and the engine does not know yet."""
        judge = self._current()
        if judge is None:
            return choices
        if seat in self._passing:
            choices = choices._replace(slammable=())
            return choices._replace(actions=tuple([one for one in choices.actions if one != Pass()]))
        if not judge.may_claim(seat):
            choices = choices._replace(slammable=())
        if not judge.may_pass(seat):
            choices = choices._replace(actions=tuple([one for one in choices.actions if one != Pass()]))
        return choices

    # --- what players do

    def shown(self, seat: Seat, discard_no: int, at: float, session: PlayerSession) -> None:
        """Hear when the discard of a window was written to a seat, and by which connection."""
        judge = self._current()
        if judge is not None and self._window is not None and self._window.discard_no == discard_no:
            judge.show(seat, _micros(at), session.round_trips.link(at))

    def take(self, seat: Seat, action: Slam | Pass) -> None:
        """Take a player's slam or pass in the open window, before the engine; raises ``Refused``."""
        if isinstance(action, Pass):
            self.pass_by(seat)
            return
        self._passing.discard(seat)
        chair = self._table.seating.at(seat)
        session = chair.session if chair is not None else None
        if session is None:
            self.claim(seat, action, trio.current_time())
        else:
            session.round_trips.look(session.arrived)  # what the kernel saw of the very line that slams
            self.claim(seat, action, session.arrived)

    def claim(self, seat: Seat, slam: Slam, arrived: float) -> None:
        """Take a player's slam; what comes of it is told later. Raises ``Refused``."""
        judge = self._may(seat, slam)
        is_in = judge.may_claim(seat)
        if not is_in and not self._is_race:
            raise Refused(Code.BAD_PHASE, "You have already claimed or passed in this slam window.")
        try:
            judge.claim(seat, slam.at, _micros(arrived))
        except FalseStart as false_start:
            if is_in:
                self._note(seat, slam.at, FALSE_START, false_start.claim)
                self._table.settle()
            raise Refused(
                Code.FALSE_START,
                "That was too fast: nobody can have seen the card yet. You are out for discard "
                f"#{slam.discard_no}, without a penalty.",
            ) from None

    def pass_by(self, seat: Seat) -> None:
        """Take a player's pass; raises ``Refused``."""
        judge = self._may(seat, Pass())
        if not judge.may_pass(seat):
            raise Refused(Code.BAD_PHASE, "You have already claimed or passed in this slam window.")
        judge.pass_by(seat)

    def pass_hole(self, seat: Seat) -> None:
        """Pass for a seat in all windows of the hole, until it slams; raises ``Refused``."""
        rules = self._table.match.rules or self._table.rules
        if rules.slam is SlamMode.OFF:
            raise Refused(Code.NOT_IN_RULES, f"There are no slams in {rules.name}.")
        try:
            matches.hole_in_play(self._table.match)
        except IllegalAction as illegal:
            raise Refused.by_rules(illegal) from None
        self._passing.add(seat)

    def _may(self, seat: Seat, action: Slam | Pass) -> Arbiter:
        """Return the arbiter if the rules allow the action at this moment; raises ``Refused``."""
        judge, hole = self._current(), self._table.hole
        if judge is None or hole is None:
            raise Refused(Code.TOO_LATE, "There is nothing to slam now: no slam window is open.")
        try:
            check(hole, seat, action)
        except IllegalAction as illegal:
            raise Refused.by_rules(illegal, self._table.seating.names) from None
        return judge

    # --- what the table calls

    def update(self, hole: Hole | None) -> None:
        """Let the hole's window go on as far as it can, and set the timers for the rest."""
        number = None if hole is None else hole.deal.hole
        if number != self._hole:
            self._end_hole(number)
        judge = self._current() if self._window is not None or (hole is not None and hole.window) else None
        if judge is None or hole is None:
            return
        self._bot_slams.ask(hole)
        self._bot_slams.let_pass(judge)
        self._let_pass(judge)
        self._judge(judge, now=0)
        if self._current() is judge:
            self._set_timers(judge)

    def _let_pass(self, judge: Arbiter) -> None:
        """Pass for the seats that pass in all windows, once nobody else is waited for: until then they may slam."""
        waited_for = [seat for seat, _ in self._table.seating if judge.is_waited_for(seat)]
        if self._passing.issuperset(waited_for):
            for seat in waited_for:
                judge.pass_by(seat)

    def stop(self) -> None:
        """Let no timer run any more; ``update`` sets them again."""
        self._cancel_timers()
        self._plan = None

    # --- the window that is open

    @property
    def _is_race(self) -> bool:
        return self._window is not None and self._window.mode is SlamMode.RACE

    @property
    def _seconds(self) -> float:
        """How long the window stays open, by what it is open for."""
        if self._plan is not None and (self._plan.is_won or self._plan.owes):
            return AFTER_A_SLAM
        return float((self._table.match.rules or self._table.rules).slam_window)

    def _current(self) -> Arbiter | None:
        """Return the arbiter of the window that is open now, after taking leave of an earlier one."""
        hole = self._table.hole
        opened = hole.window if hole is not None else None
        if hole is None or opened is None:
            if self._window is not None:
                self._forget()
            return None
        window = WindowKey(hole.deal.hole, opened.discard_no, opened.card.text, hole.rules.slam)
        if window != self._window:
            self._forget()
            self._window = window
            self._arbiter = arbiter(
                window.mode,
                discard_no=window.discard_no,
                discarder=Seat(0) if hole.turn is None else hole.turn,
                seats=len(hole.layouts),
                key=hole.deal.key,
                spoken=[Seat(seat) for seat in hole.seats if opened.passed >> seat & 1],
            )
            self._arbiter.is_won = opened.won
        return self._arbiter

    def _forget(self) -> None:
        self.stop()
        if self._window is not None:
            self.log.window_over(self._window)
        self._bot_slams.forget()
        self._window, self._arbiter = None, None

    def _end_hole(self, following: int | None) -> None:
        """Show the log of the hole that is over."""
        self._forget()
        if self._hole is not None:
            self.log.hole_over(self._hole)
        self._passing.clear()
        self._hole = following

    # --- judging

    def _judge(self, judge: Arbiter, *, now: int) -> None:
        """Let the engine judge what is ready; at 0 only what no line that is still to be read can change."""
        while self._current() is judge and not self._owes and (say := judge.next(now)) is not None:
            if say.claim is None:
                self._pass(say.seat)
            else:
                self._slam(judge, say, say.claim)
        if self._current() is not judge or self._owes or judge.due() is not None:
            return
        # A window that was won just now has more time, though the old one is over.
        if judge.is_complete or (self._is_over and self._plan == self._planned):
            self._table.step(matches.close_window(self._table.match))
            self._current()

    @property
    def _owes(self) -> bool:
        return self._table.hole is not None and self._table.hole.gift is not None

    def _pass(self, seat: Seat) -> None:
        hole = self._table.hole
        if hole is not None and hole.window is not None and not hole.window.passed >> seat & 1:
            self._table.do(seat, Pass())

    def _slam(self, judge: Arbiter, say: WindowAnswer, claim: Claim) -> None:
        number = 0 if self._window is None else self._window.discard_no
        try:
            events, match = matches.act(self._table.match, claim.seat, Slam(claim.at, number))
        except IllegalAction as illegal:
            self._note(claim.seat, claim.at, VOID, claim)
            self._say_void(claim, illegal)
            return
        result = next(event.result.value for event in events if isinstance(event, Slammed))
        self._note(claim.seat, claim.at, result, claim, tied=say.tied)
        self._table.step((events, match))
        if result == HIT and self._is_race:
            judge.is_won = True
            self._bot_slams.give_up()
            self._bot_slams.let_pass(judge)

    def _note(
        self, seat: Seat, at: Position, result: str, claim: Claim | None, *, tied: bool = False
    ) -> None:
        name = self._table.seating.names[seat]
        self.log.add(JudgedClaim(seat, name, at, result, claim, tied))

    def _say_void(self, claim: Claim, illegal: IllegalAction) -> None:
        """Tell a seat that a claim which it was told was taken does not count."""
        chair = self._table.seating.at(claim.seat)
        if chair is not None and chair.session is not None:
            text = f"Your slam of {position_text(claim.at)} does not count. {illegal.expected}"
            chair.session.send(Notice(code=illegal.refusal.value, text=text), ticket=self._table.ticket)

    # --- timers

    def _set_timers(self, judge: Arbiter) -> None:
        plan = self._planned
        if plan != self._plan:
            self._cancel_timers()
            self._plan = plan
            if plan is not None and not plan.owes:
                self._table.once_shown(partial(self._run, plan))
        if self._deciding is not None:
            self._deciding.cancel()
            self._deciding = None
        due = judge.due()
        if due is not None and not self._owes:
            self._deciding = self._table.after(max(0, due - _micros(trio.current_time())) / 1e6, self._decide)

    @property
    def _planned(self) -> _ClosingPlan | None:
        """What the closing timer has to be for now."""
        hole, window = self._table.hole, self._window
        if hole is None or hole.window is None or window is None:
            return None
        return (
            _ClosingPlan(window, hole.window.won, hole.gift is not None)
            if self._is_race
            else _ClosingPlan(window)
        )

    def _run(self, plan: _ClosingPlan) -> None:
        """Start the time of a window that was shown just now; after a pause it may be told of that twice."""
        if self._plan != plan or self._closing is not None:
            return
        self._closing = self._table.after(self._seconds, self._time_is_up)
        if self._arbiter is not None:
            self._bot_slams.begin(self._arbiter)

    def _decide(self) -> None:
        self._deciding = None
        judge = self._current()
        if judge is not None:
            self._judge(judge, now=_micros(trio.current_time()))
        self._table.settle()

    def _time_is_up(self) -> None:
        self._closing, self._is_over = None, True
        judge = self._current()
        if judge is not None:
            judge.end()
        self._table.settle()

    def _cancel_timers(self) -> None:
        for timer in (self._closing, self._deciding):
            if timer is not None:
                timer.cancel()
        self._closing, self._deciding, self._is_over = None, None, False
        self._bot_slams.stop()


def _micros(seconds: float) -> int:
    return round(seconds * 1e6)
