"""A terminal emulator that knows only what the client uses; a test runs the screen in it, types, and reads cells."""

import asyncio
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output.vt100 import Vt100_Output

from golfnet.protocol.replies.replies import TableView
from golfnet.protocol.text.typeset import display_width
from golfnet_client.screens.canvas import EMOJI, JOINER
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.screen import Terminal
from tests.client import tables


class Emulator:
    """A terminal of 80 by 24 cells that shows a player's screen; ``sent`` has the lines that the screen has sent."""

    def __init__(self, runner: asyncio.Runner, pipe: PipeInput, view: TableView | None) -> None:
        self.sent: list[str] = []
        self.type = pipe.send_text
        self._run, self._paper = runner.run, io.StringIO()
        output = Vt100_Output(self._paper, lambda: Size(rows=24, columns=80), enable_cpr=False)
        model, remembered = tables.a_model(view), tables.nothing_remembered()
        self.client = Client(model, remembered, now=runner.get_loop().time)
        self.client.send = self.client.ask_quietly = self.sent.append
        remembered.keep_settings(bell="on")
        self.screen = Terminal(self.client, theme="dark", input=pipe, output=output)
        self.app, self.buffer = self.screen.app, self.screen.buffer

    @property
    def written(self) -> str:
        return self._paper.getvalue()

    def until(self, condition: Callable[[], bool]) -> None:
        """Run the screen until a condition holds."""

        async def wait() -> None:
            async with asyncio.timeout(10):
                while not condition():  # noqa: ASYNC110 - a terminal has no event for "the screen shows it"
                    await asyncio.sleep(0.005)

        self._run(wait())

    def redraw(self) -> None:
        async def draw() -> None:
            self.app._redraw()

        self._run(draw())


@contextmanager
def emulator(view: TableView | None = None) -> Iterator[Emulator]:
    """Run a player's screen, at a table or in the lobby, until the block ends."""
    with asyncio.Runner() as runner, create_pipe_input() as pipe:
        terminal = Emulator(runner, pipe, view)
        running = runner.get_loop().create_task(terminal.app.run_async())
        terminal.until(lambda: terminal.app.renderer.last_rendered_screen is not None)
        yield terminal
        if terminal.app.is_running:
            terminal.app.exit()
        terminal.until(running.done)
        running.result()


_PART = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])|\x1b[^\[]|(.)", re.DOTALL)


def emulated(written: str, width: int, height: int) -> list[list[tuple[str, str]]]:
    """Return the cells that a terminal shows in the end. Emoji are as wide as their parts, as in old terminals."""
    cells = [[(" ", "")] * width for _ in range(height)]
    x = y = 0
    style = ""
    for is_private, arguments, command, char in _PART.findall(written):
        number = int(arguments.partition(";")[0] or 1) if not is_private else 0
        if char == "\r":
            x = 0
        elif char == "\n":
            y = min(y + 1, height - 1)
        elif char and char.isprintable():
            for cell in (char, "")[: display_width(char)]:
                cells[y][min(x, width - 1)] = cell, style
                x += 1
        elif char and (char in (JOINER, EMOJI) or not char.isascii()):
            was, its = cells[y][max(0, min(x, width) - 1)]
            cells[y][max(0, min(x, width) - 1)] = was + char, its
        elif command == "m":
            style = "" if arguments in ("", "0") else arguments
        elif command == "C":
            x += number
        elif command == "D":
            x -= number
        elif command == "A":
            y -= number
        elif command == "G":
            x = number - 1
        elif command == "H":
            x = y = 0
        elif command == "J":
            cells[y][x:] = [(" ", style)] * (width - x)
            cells[y + 1 :] = [[(" ", style)] * width for _ in cells[y + 1 :]]
        elif command == "K":
            cells[y][x:] = [(" ", style)] * (width - x)
    return cells
