"""Menus in the terminal: complete at every size, scrolled if they do not fit, used with keys and clicks."""

import asyncio
from collections.abc import Callable

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output import DummyOutput

from golfnet.engine.variants import VARIANTS
from golfnet_client.model.model import Place
from golfnet_client.model.pages import Item, Menu
from golfnet_client.screens.faces import Look
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.menus import home_menu, rules_menu
from golfnet_client.terminal.screen import Terminal
from golfnet_client.terminal.table_keys import confirm
from tests.client import tables
from tests.client.terminal.person import NoWay
from tests.client.terminal.test_screen import redrawn


class Sized(DummyOutput):
    """A terminal of a given size that shows nothing."""

    def __init__(self, columns: int, rows: int) -> None:
        self._size = Size(rows=rows, columns=columns)

    def get_size(self) -> Size:
        return self._size


def text_of(terminal: Terminal) -> list[str]:
    """Return the lines on the screen."""
    screen = terminal.app.renderer.last_rendered_screen
    assert screen is not None
    size = terminal.app.output.get_size()
    return [
        "".join([screen.data_buffer[y][x].char for x in range(size.columns)]).rstrip()
        for y in range(size.rows)
    ]


def shown(
    menu: Callable[[Client], Menu | None],
    columns: int,
    rows: int,
    *,
    keys: str = "",
    click: str = "",
    ascii: bool = False,
) -> tuple[list[str], Client]:
    """Open a menu, press keys and click on a text; return the lines on the screen and the client."""
    client = Client(
        tables.a_model(tables.six_card()), send=lambda line: None, now=lambda: 100.0, look=Look(ascii=ascii)
    )
    client.ways = NoWay()

    async def main() -> list[str]:
        with create_pipe_input() as pipe:
            terminal = Terminal(client, theme="dark", bell=False, input=pipe, output=Sized(columns, rows))
            running = asyncio.ensure_future(terminal.app.run_async())
            await redrawn(terminal)
            client.menu = menu(client) or client.menu
            await redrawn(terminal)
            await type_and_click(terminal, pipe)
            found = text_of(terminal)
            if not terminal.app.is_done:
                terminal.app.exit()
            await running
            return found

    async def type_and_click(terminal: Terminal, pipe: PipeInput) -> None:
        for key in keys:
            pipe.send_text({"v": "\x1b[B", "^": "\x1b[A"}.get(key, key))
            await asyncio.sleep(0.01)
            await redrawn(terminal)
        if click:
            y, line = next((y, line) for y, line in enumerate(text_of(terminal)) if click in line)
            x = line.index(click)
            pipe.send_text(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")
            await asyncio.sleep(0.01)
            await redrawn(terminal)

    return asyncio.run(main()), client


def a_rules_menu(client: Client) -> Menu:
    return rules_menu("Find players", VARIANTS, lambda name: client.send(f"seek {name}"), text="Choose one.")


def test_each_rule_set_is_listed_with_its_description() -> None:
    lines, _ = shown(a_rules_menu, 80, 24)
    text = "\n".join(lines)
    for name in VARIANTS:
        assert name in text
    assert "slams, knocking, to 25 points" in text
    assert "Choose one." in text
    assert "Esc back" in text


@pytest.mark.parametrize(("columns", "rows"), [(40, 15), (40, 12), (60, 16)])
def test_in_a_small_window_the_selected_rule_sets_description_is_below(columns: int, rows: int) -> None:
    lines, _ = shown(a_rules_menu, columns, rows, keys="v")
    text = " ".join("\n".join(lines).replace("│", " ").split())
    assert "cactus" in text
    assert "face down, slams," in text
    assert "4 turns" not in text, "that describes another rule set"
    assert len(lines) == rows


def test_the_last_of_many_items_can_be_reached_in_a_small_window() -> None:
    items = tuple(Item(label=f"item {number:02}", do=lambda: None) for number in range(40))
    lines, client = shown(lambda _: Menu(title="Many", items=items), 40, 12, keys="v" * 39)
    assert client.menu is not None
    assert client.menu.at == 39
    text = "\n".join(lines)
    assert "item 39" in text
    assert "item 00" not in text
    assert "^" in text, "the scroll bar has arrows"


def test_a_menu_can_be_drawn_in_ascii() -> None:
    lines, _ = shown(a_rules_menu, 80, 24, ascii=True)
    menu = [line for line in lines if "|" in line or "+" in line]
    assert menu
    assert "\n".join(menu).isascii()


def test_a_click_chooses() -> None:
    sent: list[str] = []

    def menu(client: Client) -> Menu:
        client.send = sent.append
        return a_rules_menu(client)

    _, client = shown(menu, 80, 24, click="multiples")
    assert sent == ["seek multiples"]
    assert client.menu is None


def test_a_click_outside_a_menu_closes_it() -> None:
    _, client = shown(a_rules_menu, 80, 24, click="golf")
    assert client.menu is None


def test_a_question_is_answered_by_a_key() -> None:
    answers: list[str] = []

    def ask(client: Client) -> None:
        confirm(client, "Knock?", "The hole ends.", "Knock", lambda: answers.append("yes"), key="k")

    lines, _ = shown(ask, 80, 24)
    assert any("The hole ends." in line for line in lines)
    assert any("▶ n  No, go back" in line for line in lines), "Enter alone does nothing"
    shown(ask, 80, 24, keys="\r")
    assert answers == []
    shown(ask, 80, 24, keys="y")
    shown(ask, 80, 24, keys="k")
    assert answers == ["yes", "yes"]


def test_the_home_menu_is_below_the_cards() -> None:
    def home(client: Client) -> Menu:
        client.model.tables.clear()
        client.model.place = Place.HOME
        return home_menu(client)

    for columns, rows in ((80, 24), (40, 15), (120, 40)):
        lines, _ = shown(home, columns, rows)
        text = "\n".join(lines)
        for way in ("Play alone", "Join nearby", "Type an address", "Learn", "Replays", "Quit"):
            assert way in text
        assert "Esc" not in text, "there is nothing to go back to"
        assert ("A♠" in text) is (rows >= 16), "cards, if there is room"
