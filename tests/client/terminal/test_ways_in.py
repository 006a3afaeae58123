"""The start screen, the lobby and their menus: every item leads somewhere, and back."""

import contextlib
import json
from typing import cast

import msgspec
import pytest
from msgspec.structs import replace

from golfnet.protocol.replies import data
from golfnet.protocol.replies.replies import AnyReply, Notice, Ok, Rows
from golfnet_client.model.model import Place
from golfnet_client.screens.headline import headline
from golfnet_client.terminal.keys import click, press
from golfnet_client.terminal.menus import home_menu, lesson_lines
from tests.client import tables
from tests.client.tables import a_row
from tests.client.terminal.person import Person, at_home, newcomer


def test_the_lobby_works_with_keys_and_mouse() -> None:
    person = Person()
    person.client.receive(Rows(kind="tables", rows=(a_row("t1"), a_row("t2"))))
    assert person.press("down", "enter") == ["join t2 wait=on"]
    assert person.press("w") == ["watch t2"]
    assert person.click("row 0") == []
    assert person.click("row 0") == ["join t1 wait=on"]
    person.press("g")
    assert person.choose("cactus") == list(lesson_lines("cactus"))
    person.press("s")
    assert person.choose("multiples") == ["seek multiples"]
    person.press("h")
    assert person.choose("Yours") == ["history"]
    person.press("h")
    assert person.choose("Everybody") == ["history all"]
    assert person.press("l") == ["top"]
    person.press("escape")
    assert person.ways.taken == ["home"]
    assert person.press("q") == ["quit"]
    assert person.client.is_over
    alone = at_home()
    alone.press("q")
    assert alone.client.is_over


def test_enter_watches_a_table_nobody_can_join() -> None:
    person = Person()
    person.client.receive(Rows(kind="tables", rows=(a_row("t1", state="playing", taken=4),)))
    assert person.press("enter") == ["watch t1"]
    assert person.press("w") == []
    assert person.press("n") == ["join t1 wait=on"]
    assert person.press("p") == ["play"]
    person.client.receive(Rows(kind="tables", rows=()))
    assert person.press("enter") == ["play"]
    assert person.press("p") == ["play"]


def test_a_player_in_line_sees_their_place_until_they_get_a_seat() -> None:
    watched = replace(tables.six_card(), you=None, actions=(), turn="B")
    person = Person(watched)
    person.client.receive(Ok(table="t1", place=2))
    assert headline(person.client.model)[0] == "You are number 2 in line for a seat. Bob's turn."
    person.client.receive(Notice(code="IN_LINE", text="You are now number 1 in line.", table="t1", place=1))
    assert "You are next in line" in headline(person.client.model)[0]
    person.client.receive(
        Notice(code="IN_LINE", text="The match is over. Wait a moment.", table="t1", place=1)
    )
    assert "You are next in line" in headline(person.client.model)[0]
    person.client.receive(tables.waiting())
    text = "You now have seat A. The match begins when everybody is ready."
    person.client.receive(Notice(code="IN_LINE", text=text, table="t1", place=0))
    assert person.client.model.line == ("", 0)
    assert "in line" not in headline(person.client.model)[0]
    person.client.receive(Ok(table="t1", place=1))
    person.client.model.linked("connection lost", 101.0)
    assert person.client.model.line == ("", 0)


@pytest.mark.parametrize(
    ("labels", "taken"),
    [
        (["Play alone", "cactus"], "solo cactus"),
        (["Learn", "multiples"], "learn multiples"),
        (["Join nearby"], "nearby"),
    ],
)
def test_every_item_of_the_start_menu_leads_somewhere_and_back(labels: list[str], taken: str) -> None:
    person = at_home()
    for label in labels:
        person.choose(label)
    assert person.ways.taken == [taken]
    if len(labels) > 1:
        person = at_home()
        person.choose(labels[0])
        person.press("escape")
        assert person.ways.taken == ["home"]


def test_an_address_can_be_typed_corrected_and_cancelled() -> None:
    person = at_home()
    client = person.client
    person.choose("Type")
    assert client.types
    assert client.label == "address: "
    person.type("no port:x")
    assert getattr(client.field, "text", "") == "no port:x", "it can be corrected"
    assert person.says().startswith("Expected ")
    client.cancel_typing()
    client.menu = home_menu(client)
    person.choose("Type")
    person.type("golf.example.org")
    assert client.field is None
    assert person.ways.taken == ["home", "golf.example.org:7777"]


def test_a_private_table_asks_for_its_password() -> None:
    person = Person()
    person.client.receive(Rows(kind="tables", rows=(a_row("t1", private=True),)))
    for key, line in (("enter", "join t1 password=sesame wait=on"), ("w", "watch t1 password=sesame")):
        assert person.press(key) == []
        assert person.client.label == "password of t1: "
        assert person.client.hides
        person.type("sesame")
        assert person.sent == [line]
        assert not person.client.hides
    person.press("enter")
    person.client.cancel_typing()
    assert person.client.field is None


def test_the_form_opens_a_table_with_the_options_it_shows() -> None:
    person = Person()
    person.press("c")
    person.choose("six-card")
    form = person.client.form
    assert form is not None
    person.press(*["down"] * [line.name for line in form.lines].index("seats"), "left")
    assert form.variant == "six-card"
    assert person.press("enter") == ["create six-card seats=7"]
    at, form.at = form.at, 0
    assert person.press("e") == []
    assert person.client.field is None, "a rule set is chosen, not typed"
    form.at = at
    person.click(f"step {form.at} 1")
    assert form.value("seats") == "8"
    person.press("up", "e")
    assert person.client.hides, "it is the password"
    person.type("sesame")
    assert person.press("enter") == ["create six-card seats=8 password=sesame"]
    assert person.press("escape") == []
    assert person.client.model.place is Place.LOBBY
    assert person.client.menu is not None, "back to the rule sets"


def test_a_click_on_a_vanished_row_selects_an_existing_row() -> None:
    person = Person()
    person.client.receive(Rows(kind="tables", rows=(a_row("t1"),)))
    person.press("c")
    person.choose("six-card")
    zones = person.client.picture(80, 23).zones
    last = [zone for zone in zones if zone.target.startswith("row ")][-1]
    press(person.client, "escape")
    press(person.client, "escape")
    assert person.client.model.place is Place.LOBBY
    click(person.client, last.x + 1, last.y)
    assert person.client.model.lobby.chosen == 0
    person.client.picture(80, 23)


def test_a_newcomer_may_learn_any_rule_set() -> None:
    person = newcomer()
    person.press("enter")
    assert [item.label for item in person.menu.items][:2] == ["six-card", "cactus"]
    assert person.menu.items[0].meaning.startswith("learned"), "a finished lesson is marked"
    assert person.choose("cactus") == list(lesson_lines("cactus"))
    assert person.client.model.lesson


@pytest.mark.parametrize("key", ["space", "pagedown", "end", "down", "up", "pageup", "home"])
def test_keys_arriving_together_choose_an_existing_row(key: str) -> None:
    person = newcomer()
    for each in (key, key, "enter"):  # nothing is drawn between them
        assert person.client.menu is None or 0 <= person.menu.at < len(person.menu.items)
        press(person.client, each)
    assert person.client.menu is None or person.client.menu.title != "Welcome"


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("tables", a_row("t1", name=5)),
        ("tables", a_row("t1", filling=5)),
        ("tables", a_row("t1", filling={"ms": "soon"})),
        ("tables", a_row("t1", watchers="many", options={"rows": 2})),
        ("who", {"name": "Ann", "present": True, "table": 5}),
        ("record", 5),
        ("record", {"match": [1]}),
    ],
)
def test_list_rows_with_odd_values_are_shown_or_ignored(kind: str, row: object) -> None:
    client = Person().client
    line = json.dumps({"type": "rows", "kind": kind, "rows": [row]})
    with contextlib.suppress(msgspec.ValidationError):
        client.receive(cast("AnyReply", data.decode(line)))
    client.picture(120, 40)


def test_the_window_title_has_no_control_characters_from_the_server() -> None:
    person = Person(replace(tables.six_card(), variant="six\u202e\x1b[2J\n"))
    assert person.client.title == "▶ your turn, golf, six"
