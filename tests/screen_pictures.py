"""Pictures of every client screen at six sizes, for people to check: the whole terminal, with menus and prompt.

``python -m tests.pictures --set FOLDER`` draws them.
"""

from __future__ import annotations

import asyncio
from itertools import product
from typing import TYPE_CHECKING, Final

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from golfnet_client.model.model import Place
from golfnet_client.screens.canvas import Canvas
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.menus import home_menu
from golfnet_client.terminal.picture import Row
from golfnet_client.terminal.screen import Terminal
from golfnet_client.terminal.table_keys import keep_cursor
from tests.client import tables
from tests.client.terminal.person import NoWay
from tests.client.test_screens import lobby
from tests.pictures import played, svg

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from golfnet.protocol.replies.replies import TableView


def on_screen(client: Client, width: int, height: int) -> Canvas:
    """Return what the whole terminal shows for a client: the picture, any menu over it and the command line."""
    screens = []

    async def run() -> None:
        with create_pipe_input() as pipe:
            size = Size(rows=height, columns=width)
            output = DummyOutput()
            output.get_size = lambda: size  # type: ignore[method-assign]
            terminal = Terminal(client, theme="dark", bell=False, input=pipe, output=output)

            def after(_: object) -> None:
                screen = terminal.app.renderer.last_rendered_screen
                if screen is not None:
                    screens.append(screen)
                    if not terminal.app.is_done:
                        terminal.app.exit()

            terminal.app.after_render += after
            await terminal.app.run_async()

    asyncio.run(run())
    canvas = Canvas(width, height)
    for y in range(height):
        row = screens[0].data_buffer[y]
        if isinstance(row, Row) and not row.is_covered:  # it contains what had to be written, in runs
            canvas.chars[y], canvas.styles[y] = list(row.chars), list(row.styles)
            continue
        for x in range(width):
            canvas.chars[y][x], canvas.styles[y][x] = row[x].char, row[x].style
    return canvas


def _at(view: TableView, *said: str) -> Client:
    model = tables.a_model(view, *said)
    client = Client(model, send=lambda line: None, now=lambda: 100.0)
    keep_cursor(client)
    return client


def _home() -> Client:
    client = _at(tables.waiting())
    client.ways = NoWay()
    client.model.tables.clear()
    client.model.place = Place.HOME
    client.ask(home_menu(client))
    return client


SCENES: Final[dict[str, Callable[[], Client]]] = {
    "turn": played,
    "cactus": lambda: played("cactus", 5),
    "slam": lambda: _at(tables.cactus(), "Bob (B) discards 9♦."),
    "end": lambda: _at(tables.counted()),
    "podium": lambda: _at(tables.counted(state="finished")),
    "waiting": lambda: _at(tables.waiting()),
    "menu": _home,
    "many": lambda: _at(tables.twelve(), "Emil (E) draws from the stock (30 left)."),
    "lobby": lobby,
}
"""The scenes that are drawn at every size in ``SIZES``."""

SIZES: Final = ((40, 16), (60, 18), (80, 24), (100, 30), (132, 43), (200, 60))


def draw_set(folder: Path, theme: str, felt: str, suits: str) -> None:
    """Draw every scene at every size into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for (name, scene), (width, height) in product(SCENES.items(), SIZES):
        drawn = svg(on_screen(scene(), width, height), theme, felt, suits)
        (folder / f"{name}-{width}x{height}.svg").write_text(drawn, "utf-8")
