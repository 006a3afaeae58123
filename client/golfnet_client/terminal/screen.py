"""The terminal: one window that shows pictures, one line to type into, and the timer that keeps both up to date.

What is typed is never lost: it stays on its line until it is sent or deleted, whatever takes the keys meanwhile.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

from prompt_toolkit.application import Application
from prompt_toolkit.layout import (
    CompletionsMenu,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.output import ColorDepth

from golfnet_client.screens.palettes import FELTS
from golfnet_client.screens.style import SUITS, THEMES, style_of
from golfnet_client.terminal.background import TerminalWindow
from golfnet_client.terminal.dialogs import MenuFloat
from golfnet_client.terminal.keys import bindings
from golfnet_client.terminal.picture import PictureWindow
from golfnet_client.terminal.typing import CommandLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.input import Input
    from prompt_toolkit.layout.screen import Screen
    from prompt_toolkit.output import Output

    from golfnet_client.model.pages import Field
    from golfnet_client.terminal.client import Client

FRAME: Final = 1 / 30
"""Seconds between two pictures at the least, where time alone changes what is shown."""


def _color_depth() -> ColorDepth | None:
    """Return what the environment asks for or says the terminal has, None for prompt_toolkit's own guess."""
    asked = ColorDepth.from_env()
    if asked is None and os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return ColorDepth.DEPTH_24_BIT
    return asked or depth_of(os.environ.get("TERM", ""))


def depth_of(term: str) -> ColorDepth | None:
    """Return the colours that a kind of terminal is known to have, None where it is not known."""
    try:
        import curses

        curses.setupterm(term)
        colours = curses.tigetnum("colors")
    except Exception:  # there is none on Windows, and no word on every terminal
        return None
    if colours >= 256:
        return ColorDepth.DEPTH_8_BIT
    return ColorDepth.DEPTH_4_BIT if colours >= 8 else ColorDepth.DEPTH_1_BIT


class Terminal:
    """The application of prompt_toolkit around a client.

    ``typed`` are lines of earlier runs; ``keep_typed`` keeps one for later ones, ``keep`` a setting by its name.
    """

    def __init__(
        self,
        client: Client,
        *,
        theme: str,
        bell: bool,
        felt: str = FELTS[0],
        suits: str = SUITS[0],
        keep: Callable[[str, str], None] = lambda name, value: None,
        input: Input | None = None,
        output: Output | None = None,
        color_depth: ColorDepth | None = None,
        typed: Sequence[str] = (),
        keep_typed: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.client = client
        self._looks = {"theme": theme, "felt": felt, "suits": suits}
        self._keep = keep
        self._timer: asyncio.TimerHandle | None = None
        self._is_held = False
        """Whether the command line has the keys because nothing but typing makes sense."""
        self._stays = False
        """Whether the line that was accepted last was refused."""
        self._field: Field | None = None
        """What the line is open for."""
        self._unsent = ""
        """What stood on the line before it was opened for a field."""
        self.line = CommandLine(client, self._accept, typed=typed, keep=keep_typed)
        self.picture = Window(FormattedTextControl("", focusable=True, show_cursor=False), height=0)
        self._menu = MenuFloat(client, self._size)
        root = FloatContainer(
            HSplit([PictureWindow(client, self._shown, self._covered), self.picture, self.line.window]),
            [self._menu, Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)],
        )
        self.app: Application[None] = Application(
            layout=Layout(root, focused_element=self.picture),
            key_bindings=bindings(self),
            full_screen=True,
            mouse_support=True,
            color_depth=color_depth or _color_depth(),
            before_render=lambda _: self.settle(),
            input=input,
            output=output,
        )
        self._paint()
        self.app.after_render += lambda _: self._wait_for_change()
        self.app.ttimeoutlen = 0.05
        self.app.timeoutlen = 0.3
        self.window = TerminalWindow(self.app.output, bell=bell)

    @property
    def buffer(self) -> Buffer:
        """What is typed."""
        return self.line.buffer

    def _size(self) -> tuple[int, int]:
        size = self.app.output.get_size()
        return size.columns, size.rows

    def _shown(self) -> Screen | None:
        """Return the screen as it stands, None where all is to be written anew."""
        return None if self.app.is_done else self.app.renderer.last_rendered_screen

    def _covered(self) -> bool:
        """Tell whether a menu is to be drawn over the picture."""
        return self.buffer.complete_state is not None or self.client.menu is not None

    @property
    def is_typing(self) -> bool:
        """Whether the command line has the keys."""
        return self.app.layout.has_focus(self.line.control)

    def press(self, key: str) -> None:
        """Give a key to the client, and do what it then asks of the terminal."""
        self.client.press(key)
        self.settle()

    def interrupt(self) -> None:
        """Act on ctrl-c."""
        self.client.interrupt()
        self.settle()

    def focused(self, has_focus: bool) -> None:
        """Take over whether the person looks at the window."""
        self.window.has_focus = has_focus

    def settle(self) -> None:
        """Do what the client asks of the terminal: open the line, change colours, call, end."""
        client = self.client
        if client.next_look:
            name, client.next_look = client.next_look, ""
            ways = {"theme": THEMES, "felt": FELTS, "suits": SUITS}[name]
            self._looks[name] = ways[(ways.index(self._looks[name]) + 1) % len(ways)]
            self._paint()
            self._keep(name, self._looks[name])
        self._menu.place()
        self._settle_field()
        if client.asks is not None:
            # What was typed before and not sent is worth more than what a key would begin with.
            if not self.buffer.text:
                self._fill(client.asks)
            client.asks = None
            self.app.layout.focus(self.line.control)
        elif client.types and not self.is_typing:
            self.app.layout.focus(self.line.control)
            self._is_held = True
        elif client.menu is not None and self.is_typing:
            self.app.layout.focus(self.picture)
        elif self._is_held and not client.types:
            self.app.layout.focus(self.picture)
            self._is_held = False
        self.window.name(client.title)
        if client.model.rings:
            client.model.rings = False
            self.window.call(client.title)
        if client.is_over and self.app.is_running and not self.app.is_done:
            self.app.exit()

    def _settle_field(self) -> None:
        """Open the line for a field with what stands in it, and give it back as it was."""
        field = self.client.field
        if field is self._field:
            return
        if self._field is None:
            self._unsent = self.buffer.text
        self._field = field
        self._fill(self._unsent if field is None else field.text)
        if field is None:
            self._unsent = ""

    def _fill(self, text: str) -> None:
        self.buffer.text = text
        self.buffer.cursor_position = len(text)

    def stop_typing(self) -> None:
        """Give the keys back to the picture; what was typed stays."""
        if self.buffer.complete_state is not None:
            self.buffer.cancel_completion()
            return
        self.client.cancel_typing()
        self.settle()
        if not self.client.types:
            self.app.layout.focus(self.picture)

    def _paint(self) -> None:
        """Show the colours that are chosen now."""
        looks = self._looks
        self.app.style = style_of(looks["theme"], looks["felt"], self.app.color_depth, looks["suits"])

    def _wait_for_change(self) -> None:
        """Draw anew as soon as time alone will have changed what is shown; where it will not, nothing runs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        seconds = self.client.changes_in()
        if seconds is not None and not self.app.is_done:
            self._timer = asyncio.get_running_loop().call_later(max(seconds, FRAME), self.app.invalidate)

    def accept(self) -> None:
        """Carry out the typed line; one that is refused stays, to be corrected."""
        self._stays = False
        self.buffer.validate_and_handle()
        self.settle()
        if not self._stays and not self.client.types:
            self.app.layout.focus(self.picture)

    def _accept(self, text: str) -> bool:
        self._stays = bool(self.client.typed(text))
        return self._stays
