"""The client offers only what the server offers, has a key for each choice, and says how chairs can be filled."""

from hypothesis import given, strategies as st
from msgspec.structs import replace

from golfnet.protocol.replies.replies import FillingView, Rows, TableView
from golfnet_client.model.pages import Pages
from golfnet_client.screens.choices import choices, free_seats, pickable, slam_line
from golfnet_client.screens.headline import headline
from golfnet_client.screens.table_screen import waiting_lines
from tests.client import tables

PLAIN = ("draw", "take", "discard", "knock", "pass", "decline", "ready", "rematch")
LINES = (*PLAIN, "swap 2", "swap 4", "flip 3")


@given(st.sets(st.sampled_from(LINES)), st.sampled_from([None, "A2", "A4", "B1"]))
def test_choices_send_only_allowed_actions(actions: set[str], cursor: str | None) -> None:
    model = tables.a_model(replace(tables.six_card(), actions=tuple(sorted(actions))))
    model.cursor = cursor
    offered = choices(model)
    assert {choice.line for choice in offered if choice.line} <= actions
    plain = {line for line in actions if " " not in line}
    assert plain <= {choice.line for choice in offered}
    keys = [choice.key for choice in offered]
    assert len(keys) - ({"ready", "rematch"} <= actions) == len(set(keys)), "no key has two meanings"
    assert None not in {choice.line for choice in offered}, "choices that do nothing are not shown"
    model.pages = Pages(title="Rules")
    assert choices(model) == [choice._replace(line=None) for choice in offered], "nor are they below a text"


def test_a_power_is_offered_only_to_its_owner_and_a_slam_while_it_can_succeed() -> None:
    mine = replace(tables.cactus(), phase="power", turn="A", actions=("decline", "pass", "switch", "slam"))
    another_s = replace(tables.cactus(), phase="power")
    for view, sentence in (
        (mine, "Slam! Who has a 9? Your power: look at a card, or switch two."),
        (another_s, "Slam! Who has a 9? Choose a card, or pass."),
        (replace(another_s, actions=("slam",)), "Slam! Who has a 9? Choose a card."),
        (won(mine), "Your power: look at a card, or switch two."),
        (won(another_s), "Bob may look at a card or switch two."),
        (won(tables.cactus()), "The slam is decided."),
    ):
        model = tables.a_model(view)
        model.cursor = "A1"
        assert headline(model)[0] == sentence
        keys = {choice.key for choice in choices(model)}
        assert bool(keys & {"space", "p"}) is ("Slam!" in sentence)
        assert (slam_line(view, "A1") is not None) is ("Slam!" in sentence)
        assert bool(pickable(view)) is ("Slam!" in sentence or "decline" in view.actions)


def test_a_player_whose_seat_a_bot_plays_is_told_how_to_take_it_back_and_not_that_it_is_their_turn() -> None:
    for phase in ("start", "turn", "holding", "power"):
        model = tables.a_model(replace(tables.six_card(), phase=phase, turn="B", actions=("ready",)))
        model.lesson = phase == "turn"
        assert headline(model)[0] == "A bot is playing your seat. Press r to take it back."
        assert {choice.key: choice.line for choice in choices(model)}["r"] == "ready"


def won(view: TableView) -> TableView:
    """Return the view after a successful slam."""
    assert view.slam is not None
    return replace(view, slam=replace(view.slam, won=True))


def test_a_host_can_request_and_cancel_bots_while_a_seat_is_free() -> None:
    waiting = tables.waiting()
    assert free_seats(waiting) == 2
    assert lines_of_bots(waiting) == {"b": "bot", "f": "bot fill=30"}
    come = FillingView(level="easy", ms=9_000)
    assert lines_of_bots(replace(waiting, filling=come)) == {"b": "bot", "f": "bot fill=off"}
    full = replace(waiting, options=waiting.options | {"seats": "2"})
    guest = replace(waiting, you="B", filling=come)
    for view in (full, guest, tables.six_card()):
        assert lines_of_bots(view) == {}


def lines_of_bots(view: TableView) -> dict[str, str | None]:
    return {choice.key: choice.line for choice in choices(tables.a_model(view)) if choice.key in "bf"}


# --- the waiting room


def said(view: TableView, *, is_solo: bool = False, is_private: bool = False) -> str:
    model = tables.a_model(view)
    assert "tables" in model.wants, "the server says whether a table is private"
    model.receive(Rows(kind="tables", rows=(tables.a_row("t1", private=is_private),)), 100.0)
    model.is_solo = is_solo
    return "\n".join([text for text, _ in waiting_lines(model)])


def test_the_command_to_join_is_shown_while_others_can_join_and_only_a_host_is_told_what_hosts_do() -> None:
    assert "join t1 password=..." in said(tables.waiting(), is_private=True)
    alone = said(tables.waiting(actions=("start",)), is_solo=True)
    assert "join" not in alone
    assert "Press o to start." in alone
    view = tables.waiting()
    full = said(replace(view, options=view.options | {"seats": "2"}))
    assert "2 of 2 chairs taken" in full
    assert "join" not in full
    guest = said(tables.waiting(you="B"))
    assert "b adds" not in guest
    assert "Ann can add bots: b" in guest
