"""When a seated bot acts and what it then sends, tested one moment at a time."""

from dataclasses import dataclass, field
from math import inf
from typing import Any

import pytest
from msgspec.structs import replace

from golfnet.bots.bot import LEVELS, Bot, BotPlayer, Executor
from golfnet.cli.bot.player import MOST_TABLES, QUICKEST, RemotePlayer, Task
from golfnet.engine.actions import Action, Decline, Draw, Slam
from golfnet.engine.cards import CARDS, Position, Seat
from golfnet.engine.events import Drew, Event, Knocked, SlamOpened
from golfnet.engine.rules import RuleSet, SlamMode
from golfnet.engine.views import View
from golfnet.protocol.replies.fold import Gap
from golfnet.protocol.replies.presence import TableEvent, TimedOut
from golfnet.protocol.replies.replies import Happened, Prompt, TableView
from golfnet.server.table.turns import run_inline
from tests.cli.bot.remote_bots import ROWS, Later
from tests.client import tables

A, B = Seat(0), Seat(1)
TURN = replace(tables.six_card(), actions=("draw", "take"))
WINDOW = replace(tables.cactus(), turn="B")
POWER = replace(WINDOW, turn="A", phase="power", power=True, actions=("peek B2", "decline", "pass", "slam"))


@dataclass
class Scripted(Bot):
    """A bot that chooses what the test tells it to."""

    action: Action | None = field(default_factory=Draw)
    slam: Slam | None = None
    reacts: float | None = None
    observed: list[Event] = field(default_factory=list)
    level: str = "easy"

    def __post_init__(self) -> None:
        self.traits = LEVELS[self.level]

    def observe(self, event: Event) -> None:
        self.observed.append(event)

    def choose(self, view: View) -> Action | None:
        return self.action

    def target(self, view: View, rank: str) -> Position | None:
        return None if self.slam is None else self.slam.at

    def reaction(self, view: View) -> float | None:
        return self.reacts

    def think(self, view: View) -> float:
        return 1.5


class SeatOfBot(RemotePlayer):
    """A bot's seat that received a view at 10 seconds. All bots that it makes are in ``bots``, with the same script."""

    def __init__(self, view: TableView, *, hurries: bool = False, **script: Any) -> None:
        self.bots: list[Scripted] = []
        self.script = script
        super().__init__(self._make, hurries=hurries)
        self.receive_view(view, 10.0)

    def _make(self, rules: RuleSet) -> BotPlayer:
        self.bots.append(Scripted(**self.script))
        return BotPlayer(self.bots[-1])

    def act(self, now: float, executor: Executor = run_inline) -> str | None:
        return super().act(now, executor)

    def happens(self, seq: int, event: Event | TableEvent, now: float = 10.0) -> None:
        self.receive_event(Happened(table="t1", seq=seq, event=event, names=()), now)


def test_a_bot_thinks_first_unless_it_hurries_and_its_command_names_the_latest_event() -> None:
    seat = SeatOfBot(TURN)
    assert seat.due <= 10.0
    assert seat.act(10.0) is None
    assert seat.due == 11.5
    assert seat.act(11.5) == "draw at=40"
    assert SeatOfBot(TURN, hurries=True).act(10.0) == "draw at=40"


def test_offers_from_an_earlier_phase_are_not_mistaken_for_a_prompt() -> None:
    seat = SeatOfBot(TURN, hurries=True)
    seat.happens(41, Drew(seat=A, stock=29, card=CARDS["5S"]))
    assert seat.act(10.0) is None, "draw was offered before the event; no prompt has offered it since"


def test_a_bot_that_does_not_want_to_slam_passes_once_and_repeats_a_stale_pass() -> None:
    seat = SeatOfBot(WINDOW)
    assert seat.act(10.0) == "pass at=40"
    seat.on_refused("pass at=40")
    assert seat.act(10.1) == "pass at=40"
    seat.is_news = True
    assert seat.act(10.2) is None, "one pass is enough, whatever is still allowed"


@pytest.mark.parametrize(
    ("reacts", "hurries", "after"), [(0.6, False, 0.6), (0.01, False, QUICKEST), (0.6, True, QUICKEST)]
)
def test_a_slam_is_sent_after_the_reaction_time(reacts: float, hurries: bool, after: float) -> None:
    seat = SeatOfBot(WINDOW, reacts=reacts, slam=Slam(Position(B, 2), 12), hurries=hurries)
    assert seat.act(10.05) is None
    assert seat.due == 10.0 + after
    assert seat.act(10.0 + after) == "slam B2 #12"
    seat.on_refused("slam B2 #12")
    assert seat.act(11.0) == "pass at=40"


def test_a_bot_considers_a_slam_when_it_is_offered() -> None:
    before = replace(WINDOW, phase="turn", slam=None, actions=(), targets=())
    seat = SeatOfBot(before, reacts=0.6, slam=Slam(Position(B, 2), 4))
    seat.happens(41, SlamOpened(discard_no=4, card=CARDS["9D"], ms=3000, mode=SlamMode.RACE), 20.0)
    assert seat.act(20.0) is None
    assert seat.due == inf
    prompt = Prompt(table="t1", seq=41, phase="slam", actions=("pass", "slam"), targets=("B2",), ms=3000)
    seat.receive_prompt(prompt)
    assert seat.act(20.1) is None
    assert seat.due == 20.6, "counted from the discard, not from the prompt"


def test_a_power_and_a_slam_are_both_handled() -> None:
    seat = SeatOfBot(POWER, reacts=0.6, slam=Slam(Position(B, 2), 12), action=Decline())
    assert seat.act(10.0) is None
    assert seat.due == 10.6
    assert seat.act(10.6) == "slam B2 #12"
    seat.is_news = True
    assert seat.act(10.7) is None
    assert seat.act(11.5) == "decline at=40"


def test_events_are_observed_once_and_after_a_gap_a_bot_waits_for_the_whole_view() -> None:
    seat = SeatOfBot(TURN)
    for _ in range(2):
        seat.happens(41, Knocked(seat=B))
    with pytest.raises(Gap):
        seat.happens(43, Knocked(seat=B))
    seat.happens(44, Knocked(seat=B))
    assert seat.due == inf
    assert seat.bots[0].observed == [Knocked(seat=B)]


# --- bots that take a long time to choose


def thinking() -> tuple[SeatOfBot, Later]:
    """Return the seat of a slow bot that has begun to think about its turn, and its executor."""
    seat, later = SeatOfBot(TURN, hurries=True, level="hard"), Later()
    assert seat.act(10.0, later) is None
    assert seat.is_thinking
    assert seat.due == inf
    return seat, later


def test_a_slow_choice_runs_on_an_executor_and_is_sent_when_done() -> None:
    seat, later = thinking()
    seat.receive_prompt(Prompt(table="t1", seq=40, phase="turn", actions=TURN.actions, targets=(), ms=3000))
    assert seat.act(10.1, later) is None, "one choice at a time"
    assert len(later.waiting) == 1
    later.go_on()
    assert not seat.is_thinking
    assert seat.due <= 10.2
    assert seat.act(10.2, later) == "draw at=40"


def test_events_during_a_slow_choice_are_observed_afterwards_and_the_choice_is_dropped() -> None:
    seat, later = thinking()
    seat.happens(41, Knocked(seat=B), 10.1)
    assert seat.bots[0].observed == [], "the bot's memory is in use"
    later.go_on()
    assert seat.bots[0].observed == [Knocked(seat=B)]
    assert seat.act(10.2, later) is None


def test_a_choice_made_before_an_event_is_reconsidered() -> None:
    seat, later = thinking()
    seat.happens(41, TimedOut(seat=B), 10.1)
    later.go_on()
    assert seat.act(10.2, later) is None
    later.go_on()
    assert seat.act(10.3, later) == "draw at=41"


@pytest.mark.parametrize("is_back", [True, False])
def test_a_choice_is_dropped_after_the_connection_was_lost(is_back: bool) -> None:
    seat, later = thinking()
    seat.lose_sight()
    if is_back:
        seat.receive_view(replace(TURN, seq=45, stock=29, discard_no=4), 14.0)
    later.go_on()
    assert seat.act(14.0, later) is None
    assert len(later.waiting) == is_back, "another bot starts thinking"


def test_choices_in_a_slam_window_are_made_without_an_executor() -> None:
    later = Later()
    seat = SeatOfBot(POWER, hurries=True, level="hard", reacts=0.6, action=Decline())
    assert seat.act(10.0, later) == "decline at=40"
    assert not later.waiting


def test_an_exception_of_a_bot_is_raised_when_its_choice_is_delivered() -> None:
    seat, later = thinking()
    seat.bots[0].action = None
    with pytest.raises(LookupError, match="chose nothing"):
        later.go_on()


# --- where a bot goes


def test_without_a_task_a_bot_tries_a_limited_number_of_open_tables_and_then_seeks_a_new_one() -> None:
    assert Task(password="x").lines_for(ROWS) == ['join t3 password="x"', "seek six-card"]
    lines = Task().lines_for(tables.a_row(f"t{number}") for number in range(10_000))
    assert len(lines) == MOST_TABLES + 1
    assert lines[-1] == "seek six-card"


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
    assert Task().lines_for([tables.a_row("t4") | changes, {}]) == ["seek six-card"]
