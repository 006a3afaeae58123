"""Keys, clicks and typed lines become exactly the lines that the server offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from golfnet.engine.variants import VARIANTS
from golfnet.protocol.replies.replies import Clock, Error, Ok, Prompt, Rows, TableView
from golfnet_client.model.archive import Kept
from golfnet_client.model.model import Place
from golfnet_client.screens.choices import choices
from golfnet_client.screens.faces import Look
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.desk import lesson_lines
from golfnet_client.terminal.menus import home_menu
from tests.client import tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from golfnet.engine.rules import RuleSet
    from golfnet_client.model.menu import Menu


class NoWay:
    """The ways to a game, walked by nobody; ``taken`` says which were asked for."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def home(self) -> None:
        self.taken.append("home")

    def solo(self, rules: str, *, lesson: bool) -> None:
        self.taken.append(f"{'learn' if lesson else 'solo'} {rules}")

    def connect(self, address: str) -> str:
        self.taken.append(f"connect {address}")
        return "Expected a server." if " " in address else ""

    def look_around(self) -> None:
        self.taken.append("nearby")

    def rule_sets(self) -> Mapping[str, RuleSet]:
        return VARIANTS

    def kept_matches(self) -> list[Kept]:
        return [Kept("one.jsonl", "2026-01-01 10:00", "cactus: Golfer, easy-bot")]

    def replay(self, match: str) -> None:
        self.taken.append(f"replay {match}")

    def taught(self) -> frozenset[str]:
        return frozenset({"six-card"})


class Person:
    """A client with what it has sent, and a screen of 80 by 23."""

    def __init__(self, view: TableView | None = None) -> None:
        self.sent: list[str] = []
        self.time = 100.0
        self.client = Client(tables.a_model(), send=self.sent.append, now=lambda: self.time)
        self.client.ways = self.ways = NoWay()
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

    @property
    def menu(self) -> Menu:
        """The menu that is open."""
        assert self.client.menu is not None
        return self.client.menu

    def choose(self, label: str) -> list[str]:
        """Take the item of the menu that begins so; return the lines sent by that."""
        self.sent.clear()
        labels = [item.label for item in self.menu.items]
        self.client.choose(next(number for number, each in enumerate(labels) if each.startswith(label)))
        return list(self.sent)

    def says(self) -> str:
        """Return what was said last."""
        news = self.client.model.news
        return news.what if news is not None else ""

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
    assert person.client.model.cursor == "A2", "the first that is not known"
    assert person.press("enter") == ["swap 2"]
    person = Person(tables.holding())
    assert person.press("4") == ["swap 4"]
    assert person.press("x") == ["discard"]
    person = Person(tables.holding())
    assert person.press("right", "enter") == ["swap 3"]
    assert person.click("card A3") == ["swap 3"], "one click does it"
    assert person.click("card B3") == [], "it is somebody else's"
    assert person.click("pile held") == ["discard"]


def test_enter_does_not_put_back_what_was_just_placed() -> None:
    layouts = "5C 2H KD 5H 3S 9C", "? 9S 3D ? ? ?"
    turn = tables.a_view("six-card", *layouts, actions=("draw",))
    hold = replace(turn, phase="holding", holding="A", drawn="5S", actions=tables.holding().actions)
    person = Person(hold)
    for placed in ("1", "2", "1"):
        assert person.press(placed) == [f"swap {placed}"]
        person.client.heard(turn)
        person.client.heard(hold)
        sent = person.press("enter")
        assert sent
        assert sent != [f"swap {placed}"]


def test_enter_turns_up_one_card_after_the_other() -> None:
    start = tables.a_view(
        "six-card",
        "? ? ? ? ? ?",
        "? ? ? ? ? ?",
        phase="start",
        turn=None,
        actions=("flip 1", "flip 2", "flip 3"),
    )
    person = Person(start)
    assert person.press("enter") == ["flip 1"]
    seats = (replace(start.seats[0], slots=("5C", "?", "?", "?", "?", "?")), start.seats[1])
    person.client.heard(replace(start, seats=seats, actions=("flip 2", "flip 3")))
    person.client.picture(80, 23)
    assert person.press("enter") == ["flip 2"]


def test_what_enter_is_called_is_what_it_does() -> None:
    """At every point of play the line that stands beside Enter is the line that it sends."""
    for view in (tables.six_card(), tables.holding(), tables.cactus()):
        person = Person(view)
        for key in ("right", "down", "tab", "left", "up", "tab"):
            person.press(key)
            offered = [
                choice.line for choice in choices(person.client.model, Look()) if choice.key == "enter"
            ]
            assert person.press("enter") == offered


def test_a_slam_is_aimed_by_letter_and_digit() -> None:
    person = Person(tables.cactus())
    assert person.press("b", "3", "space") == ["slam B3 #12"]
    assert person.press("c", "5") == []
    assert person.client.model.cursor == "C5"
    assert person.press("2", "space") == ["slam A2 #12"], "a digit alone is one's own"
    assert person.click("card C4") == ["slam C4 #12"]


def test_a_power_is_used_by_clicks() -> None:
    view = replace(
        tables.cactus(),
        phase="power",
        power=True,
        slam=None,
        turn="A",
        actions=("peek A1", "peek B2", "decline", "switch"),
        targets=("A1", "A2", "B2"),
    )
    person = Person(view)
    assert person.click("card B2") == []
    assert person.choose("Look at B2") == ["peek B2"]
    person.click("card B2")
    assert person.choose("Switch B2 with") == []
    assert person.client.model.marks == ["B2"]
    person.click("card A1")
    assert person.choose("Switch B2 and A1") == ["switch B2 A1"]
    person.click("card A1")
    person.client.heard(tables.six_card())
    assert person.client.menu is None, "what it is about is over"


def test_a_knock_is_asked_for_once() -> None:
    view = replace(tables.cactus(), phase="turn", slam=None, turn="A", targets=(), actions=("draw", "knock"))
    person = Person(view)
    assert person.press("k") == []
    assert person.client.menu is not None
    assert "doubled" in person.client.menu.text
    assert person.press("escape", "k", "n") == []
    assert person.press("k", "k") == ["knock"], "the key again says yes"
    assert person.press("k", "y") == ["knock"]
    assert person.press("k", "enter") == [], "enter alone is no yes"
    person.press("k")
    person.client.heard(tables.six_card())
    assert person.client.menu is None, "the turn is over"


def test_without_a_connection_keys_of_play_do_nothing_and_clocks_stand() -> None:
    person = Person(replace(tables.six_card(), clock=Clock(seat="A", ms=30_000)))
    before = person.client.picture(80, 23).lines()
    person.client.model.linked("connection lost", person.time, 4.0)
    assert person.press("d", "t") == []
    assert person.click("pile stock") == []
    person.time += 3
    shown = person.client.picture(80, 23).lines()
    assert any("Trying again in 1 s" in line for line in shown)
    assert any(" 30 s" in line for line in before)
    assert any(" 30 s" in line for line in shown)
    person.client.model.linked("connected", person.time)
    assert any("Connected again." in line for line in person.client.picture(80, 23).lines())
    assert person.press("d") == ["draw"]


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
    assert person.press("2") == [], "not by a digit"
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
    assert person.press("b", "2", "m") == []
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


@pytest.mark.parametrize("key", ["q", "escape"])
def test_a_seat_in_play_is_left_only_after_a_question(key: str) -> None:
    person = Person(tables.six_card())
    assert person.press(key) == []
    assert person.client.menu is not None
    assert "A bot takes your seat" in person.client.menu.text
    assert person.press("escape", "d") == ["draw"], "it was taken back"
    person.press(key)
    assert person.choose("Leave")[0] == "leave"
    assert person.client.model.place is Place.LOBBY


def test_a_table_without_a_match_is_left_at_once() -> None:
    person = Person(tables.waiting())
    assert person.press("q")[0] == "leave"


def test_a_match_alone_leads_home() -> None:
    person = Person(tables.six_card())
    person.client.model.is_solo = True
    person.press("q", "q")
    assert person.ways.taken == ["home"]


def test_typed_lines_may_be_short_and_go_out_whole() -> None:
    person = Person(tables.holding())
    assert person.type("s 3") == ""
    assert person.sent == ["swap 3"]
    assert person.type("5") == ""
    assert person.sent == ["swap 5"]
    assert person.type("say It's mine") == ""
    assert person.sent == ["say It's mine"]


def test_a_colon_too_many_does_no_harm() -> None:
    person = Person(tables.six_card())
    assert person.type(":draw") == ""
    assert person.sent == ["draw"]


def test_a_refused_line_stays_to_be_mended() -> None:
    person = Person(tables.six_card())
    assert person.type("drwa") == "drwa"
    assert "Did you mean draw?" in person.says()
    assert person.sent == []


def test_what_no_line_can_hold_is_not_sent() -> None:
    person = Person(tables.six_card())
    assert person.type("say caf\udce9") == "say caf\udce9"
    assert "not UTF-8" in person.says()
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


def test_enter_watches_where_nobody_can_join() -> None:
    person = Person()
    row = {"table": "t1", "variant": "cactus", "state": "playing", "taken": 2, "seats": 2, "players": ()}
    person.client.heard(Rows(kind="tables", rows=(row,)))
    assert person.press("enter") == ["watch t1"]
    assert person.press("w") == []
    person.client.heard(Rows(kind="tables", rows=()))
    assert person.press("enter") == []


def test_every_way_in_leads_somewhere_and_back() -> None:
    person = Person()
    client = person.client
    client.model.place = Place.HOME

    def home() -> None:
        client.ask(home_menu(client))

    home()
    person.press("escape")
    person.choose("Play alone")  # there was nothing below to go back to
    person.choose("cactus")
    home()
    person.choose("Learn")
    person.choose("multiples")
    home()
    person.choose("Join nearby")
    home()
    person.choose("Replays")
    person.choose("2026")
    home()
    person.choose("Type")
    assert client.types
    assert client.label == "address: "
    person.type("no address")
    assert getattr(client.field, "text", "") == "no address", "it can be mended"
    assert person.says() == "Expected a server."
    person.type("golf.example.org")
    assert client.field is None
    assert person.ways.taken == [
        "solo cactus",
        "learn multiples",
        "nearby",
        "replay one.jsonl",
        "connect no address",
        "connect golf.example.org",
    ]
    for way in ("Play alone", "Learn", "Replays"):
        home()
        person.choose(way)
        person.press("escape")
    home()
    person.choose("Type")
    client.cancel_typing()
    assert person.ways.taken[6:] == ["home"] * 4
    home()
    person.press("q")
    assert client.is_over


def test_a_private_table_asks_for_its_password() -> None:
    person = Person()
    row = {"table": "t1", "variant": "cactus", "state": "open", "taken": 1, "seats": 2, "private": True}
    person.client.heard(Rows(kind="tables", rows=(row,)))
    for key, line in (("enter", "join t1 password=sesame"), ("w", "watch t1 password=sesame")):
        assert person.press(key) == []
        assert person.client.label == "password of t1: "
        assert person.client.hides
        person.type("sesame")
        assert person.sent == [line]
        assert not person.client.hides
    person.press("enter")
    person.client.cancel_typing()
    assert person.client.field is None


def test_the_form_opens_what_it_shows() -> None:
    person = Person()
    person.press("c")
    person.choose("six-card")
    form = person.client.form
    assert form is not None
    person.press(*["down"] * [line.name for line in form.lines].index("seats"), "left")
    assert form.variant == "six-card"
    assert person.press("enter") == ["create six-card seats=7"]
    person.click(f"step {form.at} 1")
    assert form.value("seats") == "8"
    person.press("up", "e")
    assert person.client.hides, "it is the password"
    person.type("sesame")
    assert person.press("enter") == ["create six-card seats=8 password=sesame"]
    assert person.press("escape") == []
    assert person.client.model.place is Place.LOBBY
    assert person.client.menu is not None, "back to the rule sets"


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
    person.client.picture(80, 23)
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
        assert max(shown()) >= min(seen) - 1, "no line is passed over"
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


@pytest.mark.parametrize("keys", [("down", "enter"), ("escape",), ("2",)])
def test_a_newcomer_is_offered_a_lesson_once(keys: tuple[str, ...]) -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    person.client.offers_lesson = True
    person.client.heard(Ok(id=1, name="Ann", token="x"))
    assert [item.label for item in person.menu.items] == ["Learn it", "Go to the lobby"]
    assert person.press(*keys) == []
    assert person.client.menu is None
    assert not person.client.offers_lesson


def test_a_newcomer_may_learn_any_rule_set() -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    person.client.offers_lesson = True
    person.client.heard(Ok(id=1, name="Ann", token="x"))
    person.press("enter")
    assert person.client.menu is not None
    assert [item.label for item in person.client.menu.items][:2] == ["six-card", "cactus"]
    assert person.client.menu.items[0].meaning.startswith("learned"), "what is done says so"
    assert person.choose("cactus") == list(lesson_lines("cactus"))
    assert person.client.model.lesson


@pytest.mark.parametrize("key", ["space", "pagedown", "end", "down", "up", "pageup", "home"])
def test_keys_that_come_in_one_piece_choose_a_row_that_is_there(key: str) -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    person.client.offers_lesson = True
    person.client.heard(Ok(id=1, name="Ann", token="x"))
    for each in (key, key, "enter"):  # nothing is drawn between them
        person.client.press(each)
    assert person.client.menu is None or person.client.menu.title != "Welcome"


def test_who_comes_back_into_a_seat_is_not_offered_a_lesson() -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    person.client.offers_lesson = True
    person.client.heard(Ok(id=1, name="Ann", token="x"))
    person.client.heard(tables.six_card())
    assert person.client.menu is None
