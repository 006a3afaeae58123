"""The client's model apart from the table: its log, glimpses, clocks, lists and bell."""

from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from golfnet.engine.cards import CARDS, Position, Seat, parse_position
from golfnet.engine.events import Passed, Peeked, Penalized, Slammed, SlamOpened, SlamResult, TurnBegan
from golfnet.engine.options import as_options, from_options
from golfnet.engine.rules import Recall, SlamMode
from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.presence import BotsWanted, Cause, Closed, Left, ReadySaid
from golfnet.protocol.replies.replies import Chat, FillingView, Happened, Notice, Ok, Prompt, Rows
from golfnet_client.model.model import NEWS_SECONDS, Model, Place
from golfnet_client.model.pages import LobbyLists
from golfnet_client.model.story import GLIMPSE_SECONDS, Timed
from golfnet_client.screens.faces import card_text
from tests.client import tables
from tests.client.tables import a_model, happens
from tests.protocol.tabletop import NAMES, Tabletop

ANN = Seat(0)
START = replace(tables.cactus(), phase="start", owed=(2, 2, 2), slam=None)
PEEKED = Peeked(seat=ANN, at=(Position(ANN, 1), Position(ANN, 2)), cards=(CARDS["5C"], CARDS["1H"]))
OPENED = SlamOpened(discard_no=12, card=CARDS["9D"], ms=3000, mode=SlamMode.RACE)


def test_a_peeked_card_is_shown_for_a_moment_and_never_logged() -> None:
    model = a_model(START)
    happens(model, PEEKED)
    assert {at: seen.what for at, seen in model.glimpses.items()} == {"A1": "5C", "A2": "1H"}
    assert model.log[-1].text == "You look at slots 1 and 2."
    model.pass_time(100 + GLIMPSE_SECONDS + 0.1)
    assert model.glimpses == {}


@pytest.mark.parametrize("recall", Recall)
@pytest.mark.parametrize("variant", ["cactus", "six-card"])
def test_a_glimpse_ends_when_its_card_leaves_the_slot(variant: str, recall: Recall) -> None:
    """A glimpse shows the card that is in its slot now. A caption names a placed card only if that card is visible."""
    rules = from_options(
        variant, as_options(VARIANTS[variant]) | {"recall": recall.value, "holes": 3, "target": None}
    )
    glimpsed, ended = 0, set()
    for seed, you in product(range(12 if variant == "cactus" else 1), (None, Seat(0))):
        model = Model(server="golf.example.org")
        table = Tabletop(rules, NAMES[:3], you, seed)
        for reply in table.replies(holes=3):
            before = set(model.glimpses)
            model.receive(reply, 100.0)
            if isinstance(reply, Happened) and before - set(model.glimpses):
                ended.add(reply.event.name)
            hole = table.match.hole
            if not table.is_settled or hole is None or model.table is None:
                continue
            for at, seen in model.glimpses.items():
                place = parse_position(at)
                card = hole.layouts[place.seat][place.slot - 1]
                assert card is not None
                assert seen.what == card.card.text
            glimpsed += len(model.glimpses)
            placed = {move.removeprefix("placed ") for move in model.moves.values() if "placed" in move}
            assert placed <= {card_text(slot) for at in model.changed if (slot := model.slot(at)) in CARDS}
    assert (glimpsed > 0) == (variant != "six-card")
    assert variant != "cactus" or ended >= {"swapped", "switched", "slammed", "gave", "penalty", "dealt"}


@pytest.mark.parametrize("at", [Position(Seat(1), 2), Position(ANN, 2)])
def test_everybody_sees_a_wrongly_slammed_card_for_a_moment_even_if_it_moves(at: Position) -> None:
    wrong = Slammed(by=ANN, at=at, card=CARDS["10S"], result=SlamResult.WRONG, discard_no=12)
    for you in ("A", "B", None):
        model = a_model(replace(tables.cactus(), you=you))
        source = at if at.seat != ANN else None
        happens(model, wrong, Penalized(seat=ANN, slot=6, source=source, card=None))
        assert {place: seen.what for place, seen in model.glimpses.items()} == {
            "A6" if source else "A2": "10S"
        }


def test_glimpses_are_forgotten_after_missed_events_or_a_change_of_table() -> None:
    missed, other = replace(START, seq=START.seq + 9), replace(START, table="t2")
    for follows, is_kept in ((START, True), (missed, False), (other, False)):
        model = a_model(START)
        happens(model, PEEKED)
        assert model.glimpses
        model.receive(replace(follows, seq=follows.seq + 1), 101.0)
        assert bool(model.glimpses) is is_kept


def test_the_bell_rings_for_the_viewers_turn() -> None:
    model = a_model(tables.six_card())
    happens(model, TurnBegan(seat=Seat(1), turn=2))
    rung = [model.rings]
    happens(model, TurnBegan(seat=Seat(0), turn=2), ms=60_000)
    assert [*rung, model.rings] == [False, True]
    assert model.clock == Timed("A", 160.0, 60.0)


def test_a_slam_window_rings_a_pass_does_not_restart_its_clock_and_a_successful_slam_stops_it() -> None:
    model = a_model(replace(tables.cactus(), slam=None))
    happens(model, OPENED)
    assert (model.window, model.rings) == (Timed("9D", 103.0, 3.0), True)
    model.rings = False
    happens(model, Passed(seat=Seat(0)), now=101.0)
    assert (model.window, model.rings) == (Timed("9D", 103.0, 3.0), False)
    hit = Slammed(by=Seat(1), at=Position(Seat(1), 1), card=CARDS["9S"], result=SlamResult.HIT, discard_no=13)
    happens(model, hit, now=102.0)
    assert model.table is not None
    assert model.table.slam is not None
    assert (model.table.slam.passed, model.table.slam.won) == (True, True)
    assert model.window is None
    assert not model.rings


def test_a_closed_table_leads_back_to_the_lobby() -> None:
    model = a_model(tables.six_card())
    happens(model, Closed(reason="everybody has left"))
    assert model.place is Place.LOBBY
    assert model.table is None
    assert "everybody has left" in last_words(model)


def last_words(model: Model) -> str:
    """Return the message that is shown, or ``""`` if there is none."""
    return model.news.text if model.news is not None else ""


def test_a_message_is_shown_first_and_then_kept_in_the_log_where_it_came() -> None:
    model = a_model(tables.six_card())

    def said() -> list[str]:
        lines = tables.picture(model, 132, 42).lines()
        return [
            text
            for line in lines[1:]
            for text in ("Not now.", "You sit at t1.", "Bob: hello")
            if text in line
        ]

    for _ in range(3):  # logged once
        model.notify("Not now.", 100.0)
    assert said() == ["Not now."], "it is not shown twice"
    model.receive(Ok(note="You sit at t1."), 101.0)
    model.receive(Chat(speaker="Bob", to="table", text="hello"), 101.0)
    assert said() == ["Not now.", "Bob: hello"]
    model.pass_time(200.0)
    assert model.news is None
    assert said() == ["Not now.", "You sit at t1.", "Bob: hello"]


def test_the_log_of_a_table_has_no_events_of_another_one() -> None:
    model = a_model(tables.six_card())
    happens(model, TurnBegan(seat=Seat(1), turn=2), ReadySaid(seat=Seat(1), player="Bob"))
    model.receive(Chat(speaker="Bob", to="table", text="hello"), 100.0)
    assert len(model.log) == 2
    model.receive(replace(tables.six_card(), table="t2"), 101.0)
    assert list(model.log) == [("chat", "Bob: hello")]
    event = ReadySaid(seat=Seat(2), player="Cid")
    for seq in (43, 50):
        model.receive(Happened(table="t1", seq=seq, event=event, names=()), 101.0)
    assert model.wants[-1] == "look", "an event is missing"
    assert len(model.log) == 1


def test_the_wait_to_reconnect_is_counted_down_and_its_end_announced() -> None:
    model = a_model(tables.six_card())
    model.linked("connection lost", 100.0, 4.0)
    assert model.lost_at == 100.0
    for now, left in ((100.0, 4), (101.5, 3), (103.9, 1)):
        model.pass_time(now)
        assert model.link_sentence == f"Connection lost. Next try in {left} s."
        assert 0 < (model.changes_in(now) or 0) <= 1
    model.pass_time(105.0)
    assert model.link_sentence == "Connection lost ..."
    model.linked("connecting", 104.0)
    assert model.link_sentence == "Connecting ..."
    assert model.lost_at == 100.0, "the clocks have been stopped since then"
    model.linked("connected", 105.0)
    assert not model.retry
    assert last_words(model) == "Connected again."
    model.linked("connected", 106.0)
    assert len(model.log) == 1, "it is announced once"


def test_a_table_that_is_not_shown_again_after_reconnecting_is_left_and_a_watched_one_asked_for() -> None:
    for you, shown, left in (("A", False, True), ("A", True, False), (None, False, True)):
        model = a_model(replace(tables.six_card(), you=you))
        model.linked("connection lost", 100.0, 4.0)
        model.linked("connected", 104.0)
        if shown:
            model.receive(tables.six_card(), 104.0)
        model.receive(Ok(name="Ann"), 104.0)
        assert (model.place is Place.LOBBY) is left
        assert ("watch t1" in model.wants) is (you is None)
        assert ("no seat" in last_words(model)) is (left and you is not None)
        model.receive(tables.six_card(), 105.0)
        model.receive(Ok(name="Ann"), 105.0)
        assert model.place is Place.TABLE, "an ok for a new password has a name, too"


def test_lists_sent_in_parts_are_joined() -> None:
    model = a_model()
    model.receive(Rows(kind="who", rows=({"name": "Ann"},), more=True), 100.0)
    assert model.lobby.players == []
    model.receive(Rows(kind="who", rows=({"name": "Bob"},)), 100.0)
    assert [row["name"] for row in model.lobby.players] == ["Ann", "Bob"]
    awaited = {"table": "t1", "filling": {"level": "easy", "ms": 9_000}}
    model.receive(Rows(kind="tables", rows=(awaited,)), 100.0)
    assert model.changes_in(100.0) == 1.0, "the lobby counts the seconds"


def test_half_a_list_is_forgotten_with_its_connection() -> None:
    model = a_model()
    model.receive(Rows(kind="record", rows=({"match": "m1"},), more=True), 100.0)
    model.linked("lost", 101.0)
    model.linked("connected", 102.0)
    model.receive(Rows(kind="rules", rows=("First line", "second")), 102.0)
    assert model.pages is not None
    model.pages.fit(8)
    assert model.pages.lines == ("First", "  line", "second")


def test_an_announcement_expires_and_is_not_logged() -> None:
    model = a_model(tables.waiting())
    model.receive(Notice(code="GREETING", text="Welcome."), 100.0)
    model.receive(Notice(code="PAUSED", text="The tables are paused."), 100.0)
    model.receive(Notice(code="STARTING", text="The match begins in 5 seconds."), 100.0)
    assert [entry.text for entry in model.log] == ["The tables are paused."], "a greeting is not shown"
    model.pass_time(100.0 + NEWS_SECONDS - 0.1)
    assert model.news is not None
    model.pass_time(100.0 + NEWS_SECONDS)
    assert len(model.log) == 1
    assert model.news is None


def test_a_pause_between_holes_is_counted_down() -> None:
    model = a_model(replace(tables.six_card(), state="between", phase="over"))
    model.receive(
        Prompt(table="t1", seq=40, phase="between", actions=("ready",), targets=(), ms=15_000), 100.0
    )
    assert model.pause == Timed("next", 115.0, 15.0)


def test_the_countdown_to_bots_ends_when_they_join_or_are_cancelled() -> None:
    model = a_model(tables.waiting())
    for ms in (0, None):
        happens(model, BotsWanted(level="easy", ms=30_000))
        assert model.filling == Timed("easy", 130.0, 30.0)
        assert model.changes_in(108.2) == pytest.approx(0.8)
        happens(model, BotsWanted(level="easy", ms=ms))
        assert model.filling is None
    model.receive(replace(tables.waiting(), filling=FillingView(level="hard", ms=5_000)), 200.0)
    happens(model, ReadySaid(seat=Seat(0), player="Ann"), now=203.0)
    assert model.filling == Timed("hard", 205.0, 5.0), "other events do not restart it"
    model.leave_table("t1")
    assert model.changes_in(300.0) is None


@pytest.mark.parametrize("seat", [Seat(0), None])
def test_a_removed_player_is_notified_and_returns_to_the_lobby(seat: Seat | None) -> None:
    model = a_model(replace(tables.six_card(), state="open"))
    model.place = Place.TABLE
    happens(model, Left(seat=Seat(1), player="Bob", cause=Cause.KICKED))
    happens(model, Left(seat=seat, player="Ann", cause=Cause.LEFT))
    assert list(model.tables)
    happens(model, Left(seat=seat, player="Ann", cause=Cause.KICKED))
    assert (list(model.tables), model.place) == ([], Place.LOBBY)
    assert ("has removed you" in last_words(model)) is (seat is not None), "a watcher is told by a notice"


def test_the_countdown_to_bots_continues_between_two_lists_of_tables() -> None:
    lobby = LobbyLists(chosen=5)
    opened: dict[str, Any] = {"table": "t1", "filling": None}
    awaited: dict[str, Any] = {"table": "t2", "filling": {"level": "easy", "ms": 12_500}}
    for rows in ([opened], [opened, awaited, {"table": "t3"}]):
        lobby.store("tables", rows, 100.0)
    assert lobby.chosen == 0, "the selection stays within the list"
    assert [lobby.bots_in(row, 100.0) for row in lobby.tables] == [None, 13, None]
    assert [lobby.bots_in(awaited, now) for now in (100.6, 112.4, 113.0, 200.0)] == [12, 1, 0, 0]
