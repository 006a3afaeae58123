"""Menus and lists over a screen: complete at every size, scrolled if they do not fit, used with keys and clicks."""

import pytest

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.replies import Ok, Rows
from golfnet_client.model.model import Place
from golfnet_client.model.pages import Item, Menu
from golfnet_client.screens.canvas import Look
from golfnet_client.terminal.keys import click
from golfnet_client.terminal.menus import seek_menu
from tests.client import tables
from tests.client.terminal.person import Person


def opened(menu: Menu | None = None) -> Person:
    """Return a person who has opened a menu, by default that of the rule sets."""
    person = Person(tables.six_card())
    person.client.menu = menu or seek_menu(person.client)
    return person


def shown(person: Person, columns: int, lines: int, *keys: str, ascii: bool = False) -> str:
    """Return a person's screen after some keys have been pressed."""
    person.client.look = Look(ascii=ascii)
    person.press(*keys)
    return "\n".join(person.client.picture(columns, lines).lines())


def test_each_rule_set_is_listed_with_its_description() -> None:
    text = shown(opened(), 80, 23)
    assert all(name in text for name in VARIANTS)
    for part in ("slams, knocking, to 25 points", "You sit down with the next people", "Esc back"):
        assert part in text
    menu = [line for line in shown(opened(), 80, 23, ascii=True).splitlines() if "|" in line]
    assert menu
    assert "\n".join(menu).isascii()


def test_a_small_window_describes_the_selected_rule_set_below_the_list() -> None:
    for size in ((40, 14), (40, 11), (60, 15)):
        text = " ".join(shown(opened(), *size, "down").replace("│", " ").split())
        assert "cactus" in text
        assert "face down, slams," in text
        assert "4 turns" not in text, "that describes another rule set"


def test_the_last_of_many_items_can_be_reached_in_a_small_window() -> None:
    many = Menu(title="Many", items=tuple(Item(label=f"item {n:02}", do=lambda: None) for n in range(40)))
    text = shown(opened(many), 40, 14, *["down"] * 39)
    assert "▶    item 39" in text
    assert "item 00" not in text
    assert "^" in text, "the scroll bar has arrows"


def test_a_click_chooses_an_item_and_a_click_outside_closes_the_menu() -> None:
    person = opened()
    frame = next(zone for zone in person.client.picture(80, 23).zones if zone.target == "menu")
    click(person.client, frame.x, frame.y)
    assert person.menu.items, "it is still open"
    last = len(VARIANTS) - 1
    assert person.click(f"item {last}") == [f"seek {list(VARIANTS)[last]}"]
    assert person.client.menu is None
    person = opened()
    click(person.client, 0, 0)
    assert person.client.menu is None


@pytest.mark.parametrize("size", [(40, 14), (60, 16), (80, 23), (120, 29)])
def test_enter_replays_the_marked_match_and_each_match_has_its_columns(size: tuple[int, int]) -> None:
    players = [{"name": name, "kind": "guest"} for name in tables.NAMES]
    result = {
        "players": players,
        "totals": [20] * 12,
        "places": [1] * 12,
        "variant": "cactus",
        "ended": 1.8e9,
    }
    rows = tuple({"match": f"m{number}"} | result for number in range(12))
    person = Person()
    person.client.receive(Rows(kind="history", rows=rows))
    for row in rows:
        (marked,) = [line for line in shown(person, *size).splitlines() if "▶" in line]
        assert f"▶ {row['match']:5}  cactus  2027-01-15 08:00" in marked
        assert person.press("enter") == [f"record {row['match']}"]
        person.press("down")
    person.client.receive(Rows(kind="record", rows=({},)))
    assert "cannot be shown" in person.says()
    assert person.client.model.place is Place.LOBBY


def test_a_text_from_the_server_is_wrapped_once() -> None:
    person = Person()
    person.client.receive(Rows(kind="rules", rows=("word " * 60,)))
    for width in (40, 60, 80, 87, 120):
        text = shown(person, width, 23).splitlines()
        full = [line.count("word") for line in text if "word" in line][:-1]
        assert max(full) - min(full) <= 1, "only the last line is short"


def test_rules_are_requested_for_the_width_of_the_window() -> None:
    person = Person(tables.six_card())
    shown(person, 60, 17)
    assert person.press("u") == ["set width 52", "rules"]
    person.client.receive(Ok(setting={"width": 52}, note="Width is now 52."))
    assert person.client.model.news is None


def test_a_notice_has_the_same_sign_as_its_line_in_the_log() -> None:
    for kind, sign in (("done", "="), ("server", "!")):
        person = Person(tables.six_card())
        person.client.model.notify("Something new.", 100.0, kind)
        assert shown(person, 80, 23).splitlines()[0].endswith(f"{sign} Something new.")
