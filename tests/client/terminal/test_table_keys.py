"""Keys and clicks at a table become exactly the lines that the server offered."""

import pytest
from msgspec.structs import replace

from golfnet.protocol.replies.replies import Clock, Error, TableView
from golfnet_client.screens.choices import choices
from tests.client import tables
from tests.client.terminal.person import Person


def test_a_turn_can_be_played_with_keys_and_clicks() -> None:
    person = Person(tables.six_card())
    assert person.press("d") == person.click("pile stock") == person.click("key d") == ["draw"]
    assert person.press("t") == person.click("pile discard") == ["take"]
    assert person.press("k") == [], "this rule set has no knocking"
    assert person.press("5") == [], "a number alone means nothing before a card is held"
    assert person.client.model.cursor == "A5"


def test_the_hint_key_is_shown_when_there_is_a_decision() -> None:
    person = Person(tables.six_card())
    assert "h" in [choice.key for choice in choices(person.client.model)]
    assert person.press("h") == ["hint"]
    rated = "This match is rated, so there are no hints."
    person.client.receive(Error(code="NOT_AVAILABLE", message=rated, retry=False))
    assert "h" not in [choice.key for choice in choices(person.client.model)]
    assert person.press("g") == []
    assert person.client.model.lesson, "g turns the tips of a lesson on"
    idle = Person(replace(tables.six_card(), actions=()))
    assert "h" not in [choice.key for choice in choices(idle.client.model)]


def test_a_held_card_goes_to_the_numbered_or_selected_slot() -> None:
    person = Person(tables.holding())
    assert person.client.model.cursor == "A2", "the first unknown card"
    assert person.press("enter") == ["swap 2"]
    person = Person(tables.holding())
    assert person.press("4") == ["swap 4"]
    assert person.press("x") == ["discard"]
    person = Person(tables.holding())
    assert person.press("right", "enter") == ["swap 3"]
    assert person.click("card A3") == ["swap 3"], "one click is enough"
    assert person.click("card B3") == [], "it is somebody else's"
    assert person.click("pile held") == ["discard"]


def test_enter_does_not_replace_the_card_just_placed() -> None:
    layouts = "5C 2H KD 5H 3S 9C", "? 9S 3D ? ? ?"
    turn = tables.a_view("six-card", *layouts, actions=("draw",))
    hold = replace(turn, phase="holding", holding="A", drawn="5S", actions=tables.holding().actions)
    person = Person(hold)
    for placed in ("1", "2", "1"):
        assert person.press(placed) == [f"swap {placed}"]
        person.client.receive(turn)
        person.client.receive(hold)
        sent = person.press("enter")
        assert sent
        assert sent != [f"swap {placed}"]


START = replace(tables.six_card(), phase="start", turn=None)
IDLE = replace(START, phase=None)


@pytest.mark.parametrize(
    ("view", "sent"),
    [
        (tables.six_card(), []),  # which pile to draw from is the player's choice
        (tables.holding(), ["swap 2"]),
        (tables.cactus(), []),
        (replace(START, actions=("flip 2", "flip 3", "flip 6")), ["flip 2"]),
        (replace(START, actions=("peek 3", "peek 4", "peek 3 4")), ["peek 3 4"]),
        (replace(IDLE, state="open", actions=("ready", "start")), ["ready"]),
        (replace(IDLE, state="open", actions=("start",)), ["start"]),
        (replace(IDLE, state="between", actions=("ready",)), ["ready"]),
        (replace(IDLE, state="between", actions=()), []),
        (replace(IDLE, state="finished", actions=("rematch",)), ["rematch"]),
    ],
)
def test_enter_does_what_its_label_says(view: TableView, sent: list[str]) -> None:
    person = Person(view)
    assert person.press("enter") == sent
    for key in ("right", "down", "tab", "left", "up", "tab", "²", "٣"):
        person.press(key)
        offered = [choice.line for choice in choices(person.client.model) if choice.key == "enter"]
        assert person.press("enter") == (offered if view.phase else sent)


def test_a_power_can_be_used_with_the_mouse_and_with_keys() -> None:
    view = replace(
        tables.cactus(), phase="power", power=True, slam=None, turn="A", targets=("A1", "A2", "B2")
    )
    person = Person(replace(view, actions=("peek 1", "peek B2", "decline", "switch")))
    assert person.click("card B2") == []
    assert person.choose("Look at B2") == ["peek B2"]
    person.click("card B2")
    assert person.choose("Switch B2 with") == []
    assert person.client.model.marks == ["B2"]
    assert "◆" in person.screen
    person.click("card A1")
    assert person.choose("Switch B2 and A1") == ["switch B2 A1"]
    person.client.model.cursor = "B2"
    assert person.press("enter") == ["peek B2"]
    assert person.press("b", "2", "m") == []
    person.client.model.cursor = "A1"
    assert person.press("w") == ["switch B2 A1"]
    assert person.press("n") == ["decline"]
    person.click("card A1")
    person.client.receive(tables.six_card())
    assert person.client.menu is None, "the power is over"


def test_a_knock_needs_one_confirmation() -> None:
    view = replace(tables.cactus(), phase="turn", slam=None, turn="A", targets=(), actions=("draw", "knock"))
    person = Person(view)
    assert person.press("k") == []
    assert "doubled" in person.menu.text
    assert person.press("escape", "k", "n") == []
    assert person.press("k", "k") == ["knock"], "the same key confirms"
    assert person.press("k", "y") == ["knock"]
    assert person.press("k", "enter") == [], "Enter alone does not confirm"
    person.press("k")
    person.client.receive(tables.six_card())
    assert person.client.menu is None, "the turn is over"


def test_without_a_connection_game_keys_do_nothing_and_clocks_stop() -> None:
    person = Person(replace(tables.six_card(), clock=Clock(seat="A", ms=30_000)))
    assert " 30 s" in person.screen
    offered = {choice.key for choice in choices(person.client.model)}
    person.client.model.linked("connection lost", person.time, 4.0)
    assert {choice.line for choice in choices(person.client.model)} == {None}
    assert offered <= {choice.key for choice in choices(person.client.model)}
    assert person.press("d", "t") == []
    assert person.click("pile stock") == []
    shown = person.wait(3)
    assert "Next try in 1 s" in shown
    assert " 30 s" in shown
    person.client.model.linked("connected", person.time)
    assert "Connected again." in person.screen
    assert person.press("d") == ["draw"]
    person.client.model.is_solo = True
    assert "'" in offered - {choice.key for choice in choices(person.client.model)}, "nobody would read it"


def test_the_arrow_keys_reach_every_card() -> None:
    person = Person(tables.six_card())
    reached = set()
    for start in ("A1", "B2", "C4", "D6"):
        for keys in (["up"] * 3, ["down"] * 3, ["left"] * 9, ["right"] * 9):
            person.client.model.cursor = start
            for key in keys:
                person.press(key)
                reached.add(person.client.model.cursor)
    assert {"A1", "A6", "B1", "D3"} <= reached


def test_scores_can_be_shown_if_a_player_joined_after_the_first_hole() -> None:
    view = tables.six_card()
    person = Person(replace(view, scores=(tuple(range(len(view.seats) - 1)),)))
    person.press("v")
    assert person.client.model.pages is not None


def test_a_slam_is_aimed_by_letter_and_digit_and_names_its_discard() -> None:
    person = Person(tables.cactus())
    assert person.press("2") == [], "a digit alone does not slam"
    assert person.press("space") == ["slam A2 #12"], "a bare digit is one of your own slots"
    assert person.press("b", "3", "space") == ["slam B3 #12"]
    assert person.press("c", "5") == []
    assert person.client.model.cursor == "C5"
    assert person.click("card C4") == ["slam C4 #12"]
    person.client.model.cursor = "A3"
    assert person.press("space") == [], "an empty slot cannot be slammed"
    assert person.press("p") == ["pass"]


def test_no_card_is_preselected_for_a_slam() -> None:
    for before in (
        tables.cactus(),
        replace(tables.cactus(), phase="turn", slam=None, actions=(), targets=()),
    ):
        person = Person(before)
        person.client.model.cursor = "A1" if before.slam is None else person.client.model.cursor
        person.client.receive(replace(tables.cactus(), seq=41))
        assert person.client.model.cursor is None
        assert person.press("space", "enter") == []
        assert person.press("2", "space") == ["slam A2 #12"]
        person.client.receive(replace(tables.cactus(), seq=42))
        assert person.client.model.cursor == "A2", "it stays selected"
