"""Typed lines, pages, refusals, the log, and leaving a seat."""

import pytest

from golfnet.protocol.replies.replies import Chat, Error, Ok, Rows
from golfnet_client.model.model import Place
from golfnet_client.terminal.keys import click, wheel
from tests.client import tables
from tests.client.terminal.person import Person


@pytest.mark.parametrize("key", ["q", "escape"])
def test_leaving_a_seat_in_play_needs_confirmation(key: str) -> None:
    person = Person(tables.six_card())
    assert person.press(key) == []
    assert "A bot will take your seat" in person.menu.text
    assert "you come last" in person.menu.text
    assert person.press("escape", "d") == ["draw"], "leaving was cancelled"
    person.press(key)
    assert person.choose("Leave")[0] == "leave"
    assert person.client.model.place is Place.LOBBY


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        *(("s 3", "swap 3"), ("5", "swap 5"), (":discard", "discard")),
        *(("say It's mine", "say It's mine"), ("say two\r\nlines", "say two lines")),
        ("cut a red nose", "cut a red nose"),  # nobody seals it here
    ],
)
def test_typed_lines_may_be_abbreviated_and_are_sent_in_full(line: str, sent: str) -> None:
    person = Person(tables.holding())
    assert person.type(line) == ""
    assert person.sent == [sent]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('join Bob"s table', "quotation mark"),
        ('watch ="a b"', "quotation mark"),
        ("say caf\udce9", "not UTF-8"),
    ],
)
def test_a_line_that_cannot_be_sent_is_refused_and_stays(line: str, why: str) -> None:
    person = Person()
    assert person.type(line) == line
    assert person.sent == []
    assert why in person.screen


def test_the_first_line_typed_is_a_name() -> None:
    person = Person()
    person.client.model.place = Place.WELCOME
    assert person.client.types
    for name in ("Ann Lee", "Jo Lee", "5 quit"):  # "jo" begins "join", and a command can have a number
        assert person.type(name) == name
        assert "A name is one word." in person.screen
    person.type(":help")
    assert person.sent[-1] == "help"
    person.wait(10)
    person.type("login ann")
    person.type("my word")
    assert person.sent == ['login ann "my word"']
    person.type("Ann")
    assert person.sent == ["name Ann"]
    person.client.model.notify("That name is taken.", 100.0)
    person.client.receive(Ok(id=1, name="Ann", token="x"))
    assert person.says() == ""
    assert person.client.model.place is Place.LOBBY
    assert not person.client.model.log, "refused names are forgotten"
    assert person.sent == ["name Ann", "variants", "tables", "who"]


def test_a_list_is_shown_if_the_player_asked_for_it() -> None:
    person = Person(tables.six_card())
    rows = Rows(kind="who", rows=({"name": "Emil", "kind": "guest", "present": True},))
    person.client.receive(rows)
    assert person.client.model.pages is None
    person.type("who")
    for _ in range(2):
        person.client.receive(rows)
        assert "Emil" in person.screen


def test_pages_scroll_and_close() -> None:
    person = Person(tables.six_card())
    person.press("?")
    assert person.client.model.pages is not None
    assert person.press("d", "down", "down", "up") == [], "table keys do nothing meanwhile"
    scrolled = [person.pages.at]
    for key in ("pagedown", "pageup", "end", "home"):
        person.press(key)
        scrolled.append(person.pages.at)
    end = scrolled[3]
    assert end > 1
    assert scrolled == [1, end, 0, end, 0], "a page is longer than the rest of the text"
    person.press("q")
    for close in (lambda: person.press("escape"), lambda: click(person.client, 0, 0)):
        person.press("?")
        close()
        assert person.client.model.pages is None


def test_a_refusal_is_shown_for_a_while() -> None:
    person = Person(tables.six_card())
    person.client.receive(Error(code="BAD_PHASE", message="Not now.", retry=True))
    assert "Not now." in person.screen
    person.wait(10)
    person.client.model.log.clear()
    assert "Not now." not in person.screen


def test_a_narrow_window_shows_whole_refusals_and_even_without_a_log_what_others_say() -> None:
    def narrow() -> str:
        return " ".join(" ".join(person.client.picture(40, 14).lines()).split())

    person = Person()
    message = "No table t1. To see all tables, type: tables"
    person.client.receive(Error(code="NO_TABLE", message=message, retry=False))
    assert message in narrow()
    person.client.receive(Error(code="BAD_ARGUMENT", message="much " * 50, retry=False))
    assert "~ ──" in narrow(), "what is even longer is cut off"
    assert "enter play c create" in narrow()
    person.client.receive(tables.a_view("cactus", *["? ? ? ?"] * 4))
    assert "> Bob: hello" not in narrow()
    person.client.receive(Chat(speaker="Bob", to="table", text="hello"))
    assert "> Bob: hello" in narrow()
    person.client.model.pass_time(200.0)
    assert list(person.client.model.log)[-1:] == [("chat", "Bob: hello")]


def test_the_log_scrolls_page_by_page_without_gaps_and_marks_newer_entries() -> None:
    person = Person(tables.six_card())
    for number in range(16):
        person.client.model.add_line("event", f"entry {number:02}")

    def shown() -> list[int]:
        return [number for number in range(16) if f"entry {number:02}" in person.screen]

    newest = shown()
    assert newest[-1] == 15
    seen = set(newest)
    for _ in range(16):
        person.press("pageup")
        assert max(shown()) >= min(seen) - 1, "no line is skipped"
        seen |= set(shown())
    assert seen == set(range(16))
    assert "newer" in person.screen
    before = shown()
    person.client.model.add_line("event", "entry 16")
    assert shown() == before, "the reader is not interrupted"
    person.press("end")
    assert shown()[-1] == 15
    assert "newer" not in person.screen
    person.press("pageup", "d")
    assert shown()[-1] == 15, "it returns with the next action"
    wheel(person.client, "up")
    assert person.client.model.older == 1
    person.client.receive(tables.cactus())
    assert f"▼ {person.client.model.older} ▐" in person.screen, "here the log has only one line"
