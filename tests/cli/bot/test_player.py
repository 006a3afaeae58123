"""When a seated bot acts and what it then sends, tested one moment at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from golfnet.bots.player import BotPlayer, Executor, run
from golfnet.cli.bot.player import MOST_TABLES, QUICKEST, RemotePlayer, Task
from golfnet.engine.actions import Action, Decline, Draw, Slam
from golfnet.engine.cards import CARDS
from golfnet.engine.events import Drew, Event, Knocked, SlamOpened
from golfnet.engine.layout import Position, Seat
from golfnet.engine.rules import SlamMode
from golfnet.protocol.commands.parse import parse
from golfnet.protocol.replies.fold import Gap
from golfnet.protocol.replies.presence import TimedOut
from golfnet.protocol.replies.replies import Happened, Prompt, TableView
from golfnet.server.table.bots import run_inline
from tests.cli.bot.remote_bots import ROWS, row
from tests.client import tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from golfnet.bots.player import BotChoice, Work
    from golfnet.engine.rules import RuleSet
    from golfnet.engine.views import View

A, B = Seat(0), Seat(1)


@dataclass
class Scripted:
    """A bot that chooses what the test tells it to."""

    action: Action | None = field(default_factory=Draw)
    slam: Slam | None = None
    reacts: float | None = None
    observed: list[Event] = field(default_factory=list)
    level: str = "scripted"

    def observe(self, event: Event) -> None:
        self.observed.append(event)

    def choose(self, view: View) -> Action | None:
        return self.action

    def claim(self, view: View) -> Slam | None:
        return self.slam

    def reaction(self, view: View) -> float | None:
        return self.reacts

    def think(self, view: View) -> float:
        return 1.5


class Seated(RemotePlayer):
    """A player whose bot chooses at once, unless a test gives it an executor."""

    def act(self, now: float, executor: Executor = run_inline) -> str | None:
        return super().act(now, executor)


class Made:
    """A seat whose bots all follow the same script; ``bots`` lists them."""

    def __init__(self, *, hurries: bool = False, **script: Any) -> None:
        self.bots: list[Scripted] = []
        self.script = script
        self.seat = Seated(self._make, hurries=hurries)

    def _make(self, rules: RuleSet) -> BotPlayer:
        self.bots.append(Scripted(**self.script))
        return BotPlayer(self.bots[-1])


def at_turn() -> TableView:
    return replace(tables.six_card(), actions=("draw", "take"))


def happened(seq: int, event: Event) -> Happened:
    return Happened(table="t1", seq=seq, event=event, names=())


def test_a_bot_thinks_first_and_then_names_the_latest_event() -> None:
    seat = Made().seat
    seat.receive_view(at_turn(), 10.0)
    assert seat.due <= 10.0
    assert seat.act(10.0) is None
    assert seat.due == 11.5
    assert seat.act(11.5) == "draw at=40"


def test_a_bot_in_a_hurry_does_not_wait() -> None:
    seat = Made(hurries=True).seat
    seat.receive_view(at_turn(), 10.0)
    assert seat.act(10.0) == "draw at=40"


def test_offers_from_an_earlier_phase_are_not_mistaken_for_a_prompt() -> None:
    seat = Made(hurries=True).seat
    seat.receive_view(at_turn(), 10.0)
    seat.receive_event(happened(41, Drew(seat=A, stock=29, card=CARDS["5S"])), 10.0)
    assert seat.act(10.0) is None, "draw was offered before the event; no prompt has offered it since"


def window(**changes: Any) -> TableView:
    view = replace(tables.cactus(), turn="B", **changes)
    assert view.slam is not None
    return view


def test_a_bot_that_does_not_want_to_slam_passes_at_once() -> None:
    seat = Made().seat
    seat.receive_view(window(), 10.0)
    assert seat.act(10.0) == "pass at=40"
    seat.on_done()
    assert seat.act(10.0) is None, "one pass is enough, whatever is still allowed"


@pytest.mark.parametrize(
    ("reacts", "hurries", "after"), [(0.6, False, 0.6), (0.01, False, QUICKEST), (0.6, True, QUICKEST)]
)
def test_a_slam_comes_after_the_reaction_time_and_never_too_early(
    reacts: float, hurries: bool, after: float
) -> None:
    seat = Made(reacts=reacts, slam=Slam(Position(B, 2), 12), hurries=hurries).seat
    seat.receive_view(window(), 10.0)
    assert seat.act(10.05) is None
    assert seat.due == 10.0 + after
    assert seat.act(10.0 + after) == "slam B2 #12"
    seat.on_refused("slam B2 #12")
    assert seat.act(11.0) == "pass at=40"


def test_a_pass_refused_as_stale_is_sent_again() -> None:
    seat = Made().seat
    seat.receive_view(window(), 10.0)
    assert seat.act(10.0) == "pass at=40"
    seat.on_refused("pass at=40")
    assert seat.act(10.1) == "pass at=40"


def test_a_bot_considers_a_slam_when_it_is_offered() -> None:
    made = Made(reacts=0.6, slam=Slam(Position(B, 2), 4))
    before = replace(tables.cactus(), phase="turn", turn="B", slam=None, actions=(), targets=())
    made.seat.receive_view(before, 10.0)
    opened = SlamOpened(discard_no=4, card=CARDS["9D"], ms=3000, mode=SlamMode.RACE)
    made.seat.receive_event(happened(41, opened), 20.0)
    assert made.seat.act(20.0) is None
    assert made.seat.due == inf
    prompt = Prompt(table="t1", seq=41, phase="slam", actions=("pass", "slam"), targets=("B2",), ms=3000)
    made.seat.receive_prompt(prompt)
    assert made.seat.act(20.1) is None
    assert made.seat.due == 20.6, "counted from the discard, not from the prompt"


def test_a_power_and_a_slam_are_both_handled() -> None:
    seat = Made(reacts=0.6, slam=Slam(Position(B, 2), 12), action=Decline()).seat
    both = window(phase="power", power=True, actions=("peek B2", "decline", "pass", "slam"))
    seat.receive_view(replace(both, turn="A"), 10.0)
    assert seat.act(10.0) is None
    assert seat.due == 10.6
    assert seat.act(10.6) == "slam B2 #12"
    seat.on_done()
    assert seat.act(10.7) is None
    assert seat.act(11.5) == "decline at=40"


def test_after_a_gap_a_bot_waits_for_the_whole_view() -> None:
    made = Made()
    made.seat.receive_view(at_turn(), 10.0)
    with pytest.raises(Gap):
        made.seat.receive_event(happened(43, Knocked(seat=B)), 10.0)
    made.seat.receive_event(happened(44, Knocked(seat=B)), 10.0)
    assert made.seat.due == inf
    assert made.bots[0].observed == []


def test_events_are_observed_once() -> None:
    made = Made()
    made.seat.receive_view(at_turn(), 10.0)
    for _ in range(2):
        made.seat.receive_event(happened(41, Knocked(seat=B)), 10.0)
    assert made.bots[0].observed == [Knocked(seat=B)]


# A bot that takes a long time to choose.


class Later:
    """An executor that runs choices when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Work, Callable[[BotChoice], None]]] = []

    def __call__(self, work: Work, callback: Callable[[BotChoice], None]) -> None:
        self.waiting.append((work, callback))

    def go_on(self) -> None:
        work, callback = self.waiting.pop()
        callback(run(work))


def thinking() -> tuple[Made, Later]:
    """Return a slow bot that has begun to think about its turn, and its executor."""
    made, later = Made(hurries=True, level="hard"), Later()
    made.seat.receive_view(at_turn(), 10.0)
    assert made.seat.act(10.0, later) is None
    assert made.seat.is_thinking
    assert made.seat.due == inf
    return made, later


def test_a_slow_choice_runs_on_an_executor_and_is_sent_when_done() -> None:
    made, later = thinking()
    made.seat.receive_prompt(
        Prompt(table="t1", seq=40, phase="turn", actions=("draw", "take"), targets=(), ms=3000)
    )
    assert made.seat.act(10.1, later) is None, "one choice at a time"
    assert len(later.waiting) == 1
    later.go_on()
    assert not made.seat.is_thinking
    assert made.seat.due <= 10.2
    assert made.seat.act(10.2, later) == "draw at=40"


def test_events_during_a_choice_are_observed_afterwards_and_the_choice_is_dropped() -> None:
    made, later = thinking()
    made.seat.receive_event(happened(41, Knocked(seat=B)), 10.1)
    assert made.bots[0].observed == [], "the bot's memory is in use"
    later.go_on()
    assert made.bots[0].observed == [Knocked(seat=B)]
    assert made.seat.act(10.2, later) is None


def test_a_choice_made_before_an_event_is_reconsidered() -> None:
    made, later = thinking()
    made.seat.receive_event(Happened(table="t1", seq=41, event=TimedOut(seat=B), names=()), 10.1)
    later.go_on()
    assert made.seat.act(10.2, later) is None
    later.go_on()
    assert made.seat.act(10.3, later) == "draw at=41"


@pytest.mark.parametrize("is_back", [True, False])
def test_a_choice_is_dropped_after_the_connection_was_lost(is_back: bool) -> None:
    made, later = thinking()
    made.seat.lose_sight()
    if is_back:
        made.seat.receive_view(replace(at_turn(), seq=45, stock=29, discard_no=4), 14.0)
    later.go_on()
    assert made.seat.act(14.0, later) is None
    assert len(later.waiting) == is_back, "another bot starts thinking"


def test_choices_in_a_slam_window_are_made_without_an_executor() -> None:
    later = Later()
    seat = Made(hurries=True, level="hard", reacts=0.6, action=Decline()).seat
    power = window(phase="power", power=True, actions=("peek B2", "decline", "pass", "slam"))
    seat.receive_view(replace(power, turn="A"), 10.0)
    assert seat.act(10.0, later) == "decline at=40"
    assert not later.waiting


def test_a_bots_exception_is_raised_where_its_choice_arrives() -> None:
    made, later = thinking()
    made.bots[0].action = None
    with pytest.raises(LookupError, match="chose nothing"):
        later.go_on()


@pytest.mark.parametrize(
    ("task", "line"),
    [
        (Task(), ""),
        (Task(table="t3"), "join t3"),
        (Task(table="3", password="open sesame"), 'join 3 password="open sesame"'),
        (Task(rules="cactus", options=("seats=3", "slam=order")), "seek cactus seats=3 slam=order"),
    ],
)
def test_a_task_becomes_one_command(task: Task, line: str) -> None:
    assert task.line == line
    if line:
        assert parse(line, machine=True).verb == line.split()[0]


def test_without_a_task_a_bot_joins_any_open_table_or_seeks_a_new_one() -> None:
    assert Task().lines_for(ROWS) == ["join t4", "join t5", "seek six-card"]
    assert Task(password="x").lines_for(ROWS) == ['join t3 password="x"', "seek six-card"]
    assert Task().lines_for([]) == ["seek six-card"]


@pytest.mark.parametrize(
    "changes",
    [
        {"table": "t1\nshout gotcha"},
        {"table": "t1 password=x"},
        {"table": 7},
        {"table": "t" + "1" * 2000},
        {"taken": "none"},
        {"seats": None},
        {"state": ["open"]},
    ],
)
def test_an_invalid_row_is_skipped(changes: dict[str, Any]) -> None:
    assert Task().lines_for([{**row("t4"), **changes}, {}]) == ["seek six-card"]


def test_only_a_limited_number_of_tables_is_tried() -> None:
    lines = Task().lines_for(row(f"t{number}") for number in range(10_000))
    assert len(lines) == MOST_TABLES + 1
    assert lines[-1] == "seek six-card"
