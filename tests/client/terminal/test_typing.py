"""The command line neither keeps nor shows secrets, and suggests what was typed before."""

import pytest
from hypothesis import given, strategies as st
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from golfnet_client.model.pages import Field
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.screen import Commands, may_be_kept, secret_parts
from tests.client import tables
from tests.client.terminal.emulator import emulator
from tests.client.terminal.person import NoWay, Person


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("login Ann sesame", "sesame"),
        ("login Ann sesame street", "sesame street"),
        (":login Ann sesame", "sesame"),
        ("register sesame", "sesame"),
        ("passwd sesame street", "sesame street"),
        ("join t1 password=sesame", "sesame"),
        ("watch t1 password=sesame", "sesame"),
        ('create cactus name="my table" password=sesame seats=2', "sesame"),
        ('create cactus password="two words" seats=2', '"two words"'),
        ("resume abcdef", "abcdef"),
        ("say password=sesame", ""),
        ("draw", ""),
        ("", ""),
        ("login", ""),
        ("nonsense sesame", ""),
    ],
)
def test_secret_parts_of_a_line_are_found(line: str, hidden: str) -> None:
    assert "".join([line[start:end] for start, end in secret_parts(line)]) == hidden


@given(st.text(max_size=60))
def test_secret_parts_lie_within_the_line(line: str) -> None:
    assert all(0 <= start <= end <= len(line) for start, end in secret_parts(line))


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("seek six-card", True),
        (":create cactus seats=2", True),
        ("say hello", False),
        ("tell bob psst", False),
        ("login Ann sesame", False),
        ("create cactus password=x", False),
        ("name Ann", False),
        ("nonsense", False),
    ],
)
def test_lines_with_secrets_or_chat_are_not_kept_for_the_next_run(line: str, kept: bool) -> None:
    assert may_be_kept(line) is kept


def test_secrets_are_hidden_and_not_in_the_history() -> None:
    given_: list[str] = []
    with emulator(tables.six_card()) as terminal:
        screen, client, buffer = terminal.screen, terminal.client, terminal.buffer
        client.ways = NoWay()
        terminal.type(":login Ann sesame")
        terminal.until(lambda: buffer.text == "login Ann sesame")
        terminal.redraw()
        terminal.type("\x1b")
        terminal.until(lambda: not screen.is_typing)
        client.field = Field(label="password: ", do=given_.append, secret=True)
        screen.settle()
        assert (buffer.text, screen.is_typing) == ("", True)
        terminal.type("sesame")
        terminal.until(lambda: buffer.text == "sesame")
        terminal.redraw()
        terminal.type("\r")
        terminal.until(lambda: given_ == ["sesame"] and not buffer.text)
        assert list(buffer.history.get_strings()) == []
        client.field = Field(label="address: ", do=given_.append, text="golf")
        screen.settle()
        assert buffer.text == "golf"
        terminal.type("\x1b")
        terminal.until(lambda: not screen.is_typing and not buffer.text)
    assert "sesame" not in terminal.written
    for shown in ("login Ann ******", "password: ", "address: "):
        assert shown in terminal.written


def test_earlier_lines_are_suggested_and_accepted_with_the_right_arrow() -> None:
    with emulator() as terminal:
        terminal.type(":seek cactus seats=3\r")
        terminal.until(lambda: terminal.sent == ["seek cactus seats=3"])
        terminal.type(":se")
        terminal.until(lambda: terminal.buffer.suggestion is not None)
        terminal.type("\x1b[C\r")
        terminal.until(lambda: terminal.sent == ["seek cactus seats=3"] * 2)


def test_the_label_is_shown_again_after_a_line_wider_than_the_window() -> None:
    def shown() -> str:
        screen = terminal.app.renderer.last_rendered_screen
        return "" if screen is None else "".join([screen.data_buffer[23][x].char for x in range(20)])

    with emulator(tables.six_card()) as terminal:
        terminal.type("'" + "long " * 30 + "\r")
        terminal.until(lambda: len(terminal.sent) == 1)
        terminal.type(":foo")
        terminal.until(lambda: terminal.buffer.text == "foo")
        terminal.app.renderer.clear()
        terminal.app.invalidate()
        terminal.until(lambda: shown().startswith(" : foo"))


def offers(client: Client, text: str) -> list[str]:
    """Return the lines that completing a text would produce."""
    found = Commands(client).get_completions(Document(text), CompleteEvent())
    return [(text[: len(text) + each.start_position] + each.text).strip() for each in found]


def test_completion_offers_allowed_actions_tables_and_players() -> None:
    client = Person(tables.holding()).client
    assert "discard" in offers(client, "di")
    assert "swap 3" in offers(client, "swap ")
    assert "swap 7" not in offers(client, "swap ")
    client = Person().client
    client.model.lobby.tables = [{"table": "t7"}]
    client.model.lobby.players = [{"name": "Emil"}]
    assert "join t7" in offers(client, "join ")
    assert any("Emil" in line for line in offers(client, "tell E"))
