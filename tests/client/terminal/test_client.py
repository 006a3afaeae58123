"""Keys, clicks and typed lines become exactly the lines that the server offered."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from golfnet.protocol.replies.replies import Error, Ok, Prompt, Rows, TableView
from golfnet_client.model.model import Place
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.desk import GUIDED
from tests.client import tables


class Person:
    """A client with what it has sent, and a screen of 80 by 23."""

    def __init__(self, view: TableView | None = None) -> None:
        self.sent: list[str] = []
        self.time = 100.0
        self.client = Client(tables.a_model(), send=self.sent.append, now=lambda: self.time)
        if view is not None:
            self.client.heard(view)
        self.client.picture(80, 23)

    def press(self, *keys: str) -> list[str]:
        """Press keys, drawing after each; return the lines sent by them."""
        self.sent.clear()
        for key in keys:
            self.client.press(key)
            self.client.picture(80, 23)
        return list(self.sent)

    def click(self, target: str) -> list[str]:
        """Click into the middle of what stands for something."""
        self.sent.clear()
        canvas = self.client.picture(80, 23)
        zone = next(zone for zone in canvas.zones if zone.target == target)
        self.client.click(zone.x + zone.width // 2, zone.y + zone.height // 2)
        return list(self.sent)

    def type(self, line: str) -> str:
        """Type a line; return what stays on the command line."""
        self.sent.clear()
        return self.client.typed(line)


def test_a_turn_by_keys() -> None:
    person = Person(tables.six_card())
    assert person.press("d") == ["draw"]
    assert person.press("t") == ["take"]
    assert person.press("k") == [], "this rule set has no knocking"
    assert person.press("5") == [], "a number alone means nothing before a card is held"
    assert person.client.model.cursor == "A5"


def test_a_held_card_goes_where_the_number_or_the_chosen_card_is() -> None:
    person = Person(tables.holding())
    assert person.press("4") == ["swap 4"]
    assert person.press("x") == ["discard"]
    assert person.press("right", "enter") == ["swap 5"]
    assert person.click("card A3") == []
    assert person.click("card A3") == ["swap 3"], "the second click does it"
    assert person.click("pile held") == ["discard"]


def test_piles_and_keys_can_be_clicked() -> None:
    person = Person(tables.six_card())
    assert person.click("pile stock") == ["draw"]
    assert person.click("pile discard") == ["take"]
    assert person.click("key d") == ["draw"]


def test_arrows_reach_every_card() -> None:
    person = Person(tables.six_card())
    reached = set()
    for start in ("A1", "B2", "C4", "D6"):
        for keys in (["up"] * 3, ["down"] * 3, ["left"] * 9, ["right"] * 9):
            person.client.model.cursor = start
            for key in keys:
                person.press(key)
                reached.add(person.client.model.cursor)
    assert {"A1", "A6", "B1", "D3"} <= reached


def test_a_slam_names_its_discard_and_never_happens_by_a_digit() -> None:
    person = Person(tables.cactus())
    assert person.press("2") == []
    assert person.press("space") == ["slam A2 #12"]
    person.client.model.cursor = "C6"
    assert person.press("space") == ["slam C6 #12"]
    person.client.model.cursor = "A3"
    assert person.press("space") == [], "an empty slot cannot be slammed"
    assert person.press("p") == ["pass"]


def test_a_power_peeks_or_switches_two_marked_cards() -> None:
    view = replace(
        tables.cactus(),
        phase="power",
        power=True,
        slam=None,
        turn="A",
        actions=("peek 1", "peek B2", "decline", "switch"),
        targets=("A1", "A2", "B2"),
    )
    person = Person(view)
    person.client.model.cursor = "B2"
    assert person.press("enter") == ["peek B2"]
    assert person.press("m") == []
    person.client.model.cursor = "A1"
    assert person.press("w") == ["switch B2 A1"]
    assert person.press("n") == ["decline"]


def test_fixed_start_cards_need_one_key() -> None:
    view = replace(
        tables.a_view("cactus", "? ? ? ?", "? ? ? ?"),
        phase="start",
        turn=None,
        owed=(2, 2),
        actions=("peek 3", "peek 4", "peek 3 4"),
    )
    person = Person(view)
    person.client.model.cursor = "A1"
    assert person.press("enter") == ["peek 3 4"]
    assert person.press("3") == ["peek 3"]


def test_a_seat_in_play_is_left_only_when_asked_for_twice() -> None:
    person = Person(tables.six_card())
    assert person.press("q") == []
    assert "once more" in person.client.model.log[-1].text
    assert person.press("d", "q") == ["draw"], "any other key takes it back"
    assert person.press("q")[0] == "leave"
    assert person.client.model.place is Place.LOBBY


def test_typed_lines_may_be_short_and_go_out_whole() -> None:
    person = Person(tables.holding())
    assert person.type("s 3") == ""
    assert person.sent == ["swap 3"]
    assert person.type("5") == ""
    assert person.sent == ["swap 5"]
    assert person.type("say It's mine") == ""
    assert person.sent == ["say It's mine"]


def test_a_refused_line_stays_to_be_mended() -> None:
    person = Person(tables.six_card())
    assert person.type("drwa") == "drwa"
    assert "Did you mean draw?" in person.client.model.log[-1].text
    assert person.sent == []


def test_what_no_line_can_hold_is_not_sent() -> None:
    person = Person(tables.six_card())
    assert person.type("say caf\udce9") == "say caf\udce9"
    assert "no UTF-8" in person.client.model.log[-1].text
    assert person.sent == []
    assert person.type("say two\r\nlines") == ""
    assert person.sent == ["say two lines"]


def test_the_first_word_typed_is_a_name() -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    assert person.client.types
    person.type("Ann")
    assert person.sent == ["name Ann"]
    person.client.heard(Ok(id=1, name="Ann", token="x"))
    assert person.client.model.place is Place.LOBBY
    assert person.sent == ["name Ann", "variants", "tables", "who"]


def test_the_lobby_by_keys_and_mouse() -> None:
    person = Person()
    rows = tuple(
        {"table": f"t{number}", "variant": "cactus", "state": "open", "taken": 1, "seats": 2, "players": ()}
        for number in (1, 2)
    )
    person.client.heard(Rows(kind="tables", rows=rows))
    assert person.press("down", "enter") == ["join t2"]
    assert person.press("w") == ["watch t2"]
    assert person.click("row 0") == []
    assert person.click("row 0") == ["join t1"]
    assert person.press("g") == list(GUIDED)
    assert person.press("h") == ["history"]
    assert person.press("q") == ["quit"]
    assert person.client.is_over


def test_a_private_table_asks_for_its_password() -> None:
    person = Person()
    row = {"table": "t1", "variant": "cactus", "state": "open", "taken": 1, "seats": 2, "private": True}
    person.client.heard(Rows(kind="tables", rows=(row,)))
    for key, line in (("enter", "join t1 password="), ("w", "watch t1 password=")):
        assert person.press(key) == []
        assert person.client.asks == line
        person.press("escape")


def test_the_form_opens_what_it_shows() -> None:
    person = Person()
    person.press("c", "right", "right")
    form = person.client.form
    assert form is not None
    person.press(*["down"] * [line.name for line in form.lines].index("seats"), "left")
    assert form.variant == "six-card"
    assert person.press("enter") == ["create six-card seats=7"]
    assert person.press("escape") == []
    assert person.client.model.place is Place.LOBBY


def test_pages_scroll_and_close() -> None:
    person = Person(tables.six_card())
    person.press("?")
    assert person.client.model.pages is not None
    assert person.press("d", "down", "pagedown", "home") == [], "keys of the table rest meanwhile"
    person.press("escape")
    assert person.client.model.pages is None


def test_a_row_of_history_is_replayed() -> None:
    person = Person()
    row = {"table": "t1", "variant": "cactus", "ended": 1.8e9, "finished": True, "totals": [5], "places": [1]}
    rows = tuple(
        row | {"match": f"m{number}", "players": [{"name": "Ann", "kind": "guest"}]} for number in (1, 2)
    )
    person.client.heard(Rows(kind="history", rows=rows))
    assert person.press("down", "enter") == ["record m2"]


@pytest.mark.parametrize("key", ["up", "enter", "tab", "space", "5", "z", ":", "'", "d", "escape", "§", "f1"])
def test_no_key_is_too_much_anywhere(key: str) -> None:
    for view in (
        None,
        tables.six_card(),
        tables.cactus(),
        tables.twelve(),
        replace(tables.cactus(), you=None),
    ):
        person = Person(view)
        person.press(key, key)


def test_a_refusal_is_shown_and_passes() -> None:
    person = Person(tables.six_card())
    person.client.heard(Error(code="BAD_PHASE", message="Not now.", retry=True))
    assert "Not now." in "\n".join(person.client.picture(80, 23).lines())
    person.time += 10
    person.client.model.log.clear()
    assert "Not now." not in "\n".join(person.client.picture(80, 23).lines())


def test_what_may_be_done_follows_the_prompt() -> None:
    person = Person(replace(tables.six_card(), actions=()))
    assert person.press("d") == []
    person.client.heard(Prompt(table="t1", seq=40, phase="turn", actions=("draw",), targets=(), ms=None))
    assert person.press("d") == ["draw"]


def test_the_log_scrolls_page_by_page_without_a_gap_and_says_so() -> None:
    person = Person(tables.six_card())
    for number in range(40):
        person.client.model.say("event", f"entry {number:02}")

    def shown() -> list[int]:
        lines = "\n".join(person.client.picture(80, 23).lines())
        return [number for number in range(40) if f"entry {number:02}" in lines]

    newest = shown()
    assert newest[-1] == 39
    seen = set(newest)
    for _ in range(40):
        person.press("pageup")
        assert set(shown()) & seen, "one line stays in sight"
        seen |= set(shown())
    assert seen == set(range(40))
    assert "newer" in "\n".join(person.client.picture(80, 23).lines())
    before = shown()
    person.client.model.say("event", "entry 40")
    assert shown() == before, "who reads is not interrupted"
    person.press("end")
    assert shown()[-1] == 39
    assert "newer" not in "\n".join(person.client.picture(80, 23).lines())
    person.client.wheel("up")
    assert person.client.model.older == 1


@pytest.mark.parametrize(
    ("keys", "sent"), [(("enter",), list(GUIDED)), (("down", "enter"), []), (("escape",), [])]
)
def test_a_newcomer_is_offered_a_guided_hole_once(keys: tuple[str, ...], sent: list[str]) -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    person.client.offers_lesson = True
    person.client.heard(Ok(id=1, name="Ann", token="x"))
    assert "guided hole" in "\n".join(person.client.picture(80, 23).lines())
    assert person.press(*keys) == sent
    assert person.client.model.pages is None
    assert not person.client.offers_lesson


@pytest.mark.parametrize("key", ["space", "pagedown", "end", "down", "up", "pageup", "home"])
def test_keys_that_come_in_one_piece_choose_a_row_that_is_there(key: str) -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    person.client.offers_lesson = True
    person.client.heard(Ok(id=1, name="Ann", token="x"))
    for each in (key, key, "enter"):  # nothing is drawn between them
        person.client.press(each)
    assert person.client.model.pages is None


def test_who_comes_back_into_a_seat_is_not_offered_a_lesson() -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    person.client.offers_lesson = True
    person.client.heard(Ok(id=1, name="Ann", token="x"))
    person.client.heard(tables.six_card())
    assert person.client.model.pages is None
