"""Which table a bot joins, when it is ready, and when it leaves, tested one reply at a time."""

from math import inf
from typing import Any

import pytest
from msgspec.structs import replace

from golfnet.cli.bot.client import BREATHER, PATIENCE
from golfnet.cli.bot.player import Task
from golfnet.connect import ConnectionEvent, Disconnected
from golfnet.engine.cards import Seat
from golfnet.engine.events import Knocked, MatchEnded
from golfnet.protocol.commands.parse import parse
from golfnet.protocol.conversation import Entered
from golfnet.protocol.replies.presence import Cause, Closed, Left
from golfnet.protocol.replies.replies import Bye, Error, Happened, Notice, Ok, Rows, TableView
from golfnet.server.table.turns import run_inline
from tests.cli.bot.remote_bots import ROWS, RecordingClient
from tests.client import tables


class Stay:
    """A client and the time. ``hear`` gives the client some replies, and returns the line that it then sends."""

    def __init__(self, *names: str, **task: Any) -> None:
        self.now = 100.0
        self.client = RecordingClient(Task(**task), *names, level="random", hurries=False)

    def hear(self, *told: ConnectionEvent) -> str | None:
        for each in told:
            self.client.receive(each, self.now)
        return self.says()

    def says(self) -> str | None:
        return self.client.act(self.now, run_inline) if self.client.due <= self.now else None

    def over(self) -> bool:
        return self.client.is_over

    def wait(self, seconds: float) -> str | None:
        self.now += seconds
        return self.says()


def refusal(code: str, **fields: Any) -> Error:
    return Error(id=7, code=code, message=f"No: {code}.", retry=False, **fields)


def seated(state: str = "open", *, host: str = "B", **changes: Any) -> TableView:
    view = tables.a_view("six-card", "", "", state=state, phase=None, **changes)
    return replace(
        view, seats=tuple(replace(seat, host=seat.seat == host, ready=True) for seat in view.seats)
    )


LOST = Disconnected("", 0.5)
OK = Ok(id=7)
LISTED = Rows(id=7, kind="tables", rows=tuple(ROWS))


def test_a_bot_tries_the_open_tables_in_order_and_then_seeks_a_new_one() -> None:
    stay = Stay()
    assert stay.hear(Entered(), OK) == "tables"
    assert stay.hear(LISTED, OK) == "join t4"
    assert stay.hear(refusal("TABLE_FULL")) is None
    assert stay.wait(PATIENCE) == "join t5"
    stay.hear(refusal("NOT_AVAILABLE"))
    assert stay.wait(PATIENCE) == "seek six-card"
    assert stay.client.due == inf, "one command at a time"


@pytest.mark.parametrize(
    ("task", "line"),
    [
        ({"table": "12", "password": "open sesame"}, 'join 12 password="open sesame"'),
        ({"rules": "cactus", "options": ("seats=3", "clock=30")}, "seek cactus seats=3 clock=30"),
        ({"table": "t3"}, "join t3"),
    ],
)
def test_a_bot_with_a_task_stops_when_its_command_is_refused(task: dict[str, Any], line: str) -> None:
    stay = Stay(**task)
    assert stay.hear(Entered()) == line
    assert parse(line, machine=True).verb == line.split()[0]
    stay.hear(refusal("WRONG_PASSWORD"))
    assert stay.over()
    missing = "t3 is private. Give its password with --password WORD."
    assert stay.client.problem == (missing if line == "join t3" else "No: WRONG_PASSWORD.")


def test_a_bot_takes_the_first_free_name_and_tries_again_after_a_wait() -> None:
    stay = Stay("hard-robot", "hard-robot-2", "hard-robot-3")
    assert stay.hear(refusal("NAME_TAKEN")) == "name hard-robot-2"
    assert stay.hear(refusal("RATE_LIMITED", wait_ms=900)) is None
    assert stay.wait(0.5) is None
    assert stay.wait(0.4) == "name hard-robot-2"
    assert stay.hear(refusal("NAME_TAKEN")) == "name hard-robot-3"
    assert not stay.over()
    stay.hear(refusal("NAME_TAKEN"))
    assert stay.client.problem == "No: NAME_TAKEN."


@pytest.mark.parametrize(("host", "starts"), [("A", None), ("B", "start")])
def test_a_bot_starts_the_match_early_only_at_a_table_it_did_not_open(host: str, starts: str | None) -> None:
    stay = Stay()
    stay.hear(seated(host=host, actions=("ready",)), Entered())
    assert stay.client._pending == "ready"
    assert stay.hear(seated(host="A", actions=("start",)), OK) == starts
    stay.hear(LOST)
    assert stay.hear(seated(host="A", actions=("start",)), Entered()) == starts, "it remembers that"


def ended(view: TableView) -> Happened:
    event = MatchEnded(match=view.match, totals=(3, 9), places=(1, 2))
    return Happened(table="t1", seq=view.seq + 1, event=event, names=())


def test_people_have_time_to_look_at_the_result_before_a_bot_offers_a_rematch() -> None:
    stay = Stay()
    view = seated("between", actions=("rematch",))
    stay.hear(view, Entered())
    stay.client.news.clear()
    assert stay.hear(ended(view)) is None
    assert stay.client.news == ["Match m1 is over: place 1 of 2, total 3."]
    assert stay.wait(BREATHER - 1) is None
    assert stay.wait(1) == "rematch"


def test_a_bot_offers_a_rematch_even_after_a_lost_connection() -> None:
    stay = Stay()
    finished = seated("finished", match="m1", actions=("rematch",))
    stay.hear(finished, Entered())
    stay.hear(LOST)
    assert stay.hear(finished, Entered(), OK) is None
    assert stay.wait(BREATHER) == "rematch"


def test_a_bot_leaves_its_table_and_stops_after_the_last_match_of_its_task() -> None:
    stay = Stay(matches=2)
    view = seated("between", actions=())
    stay.hear(view, Entered())
    assert stay.hear(ended(view)) is None
    assert stay.hear(seated("finished", match="m1")) is None, "the same match is counted once"
    assert stay.hear(seated("finished", match="m2")) == "leave", (
        "a match counts even if the bot did not see its end"
    )
    assert not stay.over()
    stay.hear(refusal("RATE_LIMITED", wait_ms=100))
    assert stay.wait(0.1) == "leave"
    stay.hear(OK)
    assert stay.over()
    assert stay.client.problem == ""


def test_a_bot_asked_to_leave_stops_and_gives_up_the_seat_that_it_is_about_to_get() -> None:
    stay = Stay(table="t1")
    stay.hear(Entered())
    stay.client.leave()
    assert not stay.over()
    assert stay.hear(seated(), OK) == "leave"
    without_a_seat = Stay()
    without_a_seat.client.leave()
    assert without_a_seat.over()


def at_table(event: Closed | Left, seq: int = 41) -> Happened:
    return Happened(table="t1", seq=seq, event=event, names=())


def test_a_kicked_bot_does_not_reconnect() -> None:
    stay = Stay()
    stay.hear(seated(), Entered())
    stay.hear(at_table(Left(seat=Seat(1), player="Bob", cause=Cause.KICKED)))
    assert not stay.over()
    stay.hear(at_table(Left(seat=Seat(0), player="Ann", cause=Cause.KICKED), 42))
    assert stay.client.problem == "The bot has lost its seat at t1 (kicked)."


@pytest.mark.parametrize("table", ["", "t1"])
def test_a_bot_whose_table_closes_looks_for_another_unless_it_was_sent_to_that_table(table: str) -> None:
    stay = Stay(table=table)
    stay.hear(seated(), Entered())
    line = stay.hear(at_table(Closed(reason="everybody has left")))
    assert (line, stay.over()) == ((None, True) if table else ("tables", False))
    assert stay.client.problem == ""


def test_a_bot_that_has_missed_an_event_asks_for_the_view() -> None:
    stay = Stay()
    stay.hear(seated(actions=()), Entered())
    for seq in (43, 44):
        line = stay.hear(Happened(table="t1", seq=seq, event=Knocked(seat=Seat(1)), names=()))
        assert line == ("look" if seq == 43 else None), "one command at a time"


@pytest.mark.parametrize("code", ["STALE", "BAD_PHASE"])
def test_a_bot_asks_for_the_view_before_it_repeats_a_refused_action(code: str) -> None:
    stay = Stay()
    view = replace(tables.six_card(), turn="A", you="A", actions=("draw",))
    line = stay.hear(view, Entered()) or stay.wait(30.0)
    assert line == "draw at=40"
    assert stay.hear(refusal(code)) is None, "the same would be refused again"
    assert stay.wait(PATIENCE) == "look"
    assert (stay.hear(replace(view, seq=41), OK) or stay.wait(30.0)) == "draw at=41"


def test_a_bot_passes_at_once_after_a_slam_that_was_too_late() -> None:
    stay = Stay()
    view = replace(tables.cactus(), turn="B", you="A")
    for _ in range(200):  # a random bot slams now and then
        line = stay.hear(view, Entered()) or stay.wait(3.0) or ""
        if line.startswith("slam"):
            break
        stay.hear(OK)
    assert stay.hear(refusal("TOO_LATE")) == "pass at=40"


def test_a_bot_answers_idle_notices_and_reports_why_it_was_removed() -> None:
    stay = Stay()
    stay.hear(seated(), Entered())
    assert stay.hear(Notice(code="IDLE", text="Still there?", ms=60_000)) == "ping"
    stay.hear(OK, Bye(code="SHUTDOWN", text="The server stops."))
    assert not stay.over()
    stay.hear(Bye(code="KICKED", text="The operator closed the connection."))
    assert stay.client.problem == "The operator closed the connection."
