"""The terminal: one window that shows pictures, one line to type into, and the timer that keeps both up to date.

What is typed is never lost: it stays on its line until it is sent or deleted, whatever takes the keys meanwhile.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.layout import (
    BufferControl,
    CompletionsMenu,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput, Processor, Transformation, TransformationInput
from prompt_toolkit.output import ColorDepth

from golfnet_client.screens.style import FELTS, THEMES, style_of
from golfnet_client.terminal.completion import Commands
from golfnet_client.terminal.keys import bindings
from golfnet_client.terminal.picture import PictureWindow

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.input import Input
    from prompt_toolkit.layout.screen import Screen
    from prompt_toolkit.output import Output

    from golfnet_client.terminal.client import Client

FRAME: Final = 1 / 30
"""Seconds between two pictures at the least, where time alone changes what is shown."""


class _HideSecrets(Processor):
    """Shows what is typed after ``login NAME``, ``register`` and ``passwd`` as stars."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Return the line with its secrets hidden."""
        text = transformation_input.document.text
        verb, *rest = text.split(" ")
        shown = {"login": 2, "register": 1, "passwd": 1}.get(verb)
        if shown is None or len(rest) < shown:
            return Transformation(transformation_input.fragments)
        start = len(" ".join([verb, *rest[: shown - 1]])) + 1
        return Transformation([("", text[:start]), ("", "*" * (len(text) - start))])


def _color_depth() -> ColorDepth | None:
    """Return what the environment asks for or says the terminal has, None for prompt_toolkit's own guess."""
    asked = ColorDepth.from_env()
    if asked is None and os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return ColorDepth.DEPTH_24_BIT
    return asked


class Terminal:
    """The application of prompt_toolkit around a client."""

    def __init__(
        self,
        client: Client,
        *,
        theme: str,
        bell: bool,
        felt: str = FELTS[0],
        keep: Callable[[str, str], None] = lambda name, value: None,
        input: Input | None = None,
        output: Output | None = None,
        color_depth: ColorDepth | None = None,
    ) -> None:
        self.client = client
        self._theme, self._felt = theme, felt
        self._bell = bell
        self._keep = keep
        """Remembers a setting by its name for the next run."""
        self._timer: asyncio.TimerHandle | None = None
        self._is_held = False
        """Whether the command line has the keys because nothing but typing makes sense."""
        self.buffer = Buffer(
            completer=Commands(client.model),
            complete_while_typing=Condition(lambda: not client.types),
            history=InMemoryHistory(),
            multiline=False,
            accept_handler=self._accept,
        )
        # One window with the label in it: beside a window of its own, widths would be shared out with each key.
        self._line = BufferControl(
            self.buffer,
            input_processors=[_HideSecrets(), BeforeInput(lambda: f" {client.label}", style="class:prompt")],
        )
        self.picture = Window(FormattedTextControl("", focusable=True, show_cursor=False), height=0)
        line = Window(self._line, height=1, style="class:input")
        root = FloatContainer(
            HSplit([PictureWindow(client, self._shown, self._covered), self.picture, line]),
            [Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)],
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

    def _shown(self) -> Screen | None:
        """Return the screen as it stands, None where all is to be written anew."""
        return None if self.app.is_done else self.app.renderer.last_rendered_screen

    def _covered(self) -> bool:
        """Tell whether a menu is to be drawn over the picture."""
        return self.buffer.complete_state is not None

    @property
    def is_typing(self) -> bool:
        """Whether the command line has the keys."""
        return self.app.layout.has_focus(self._line)

    def press(self, key: str) -> None:
        """Give a key to the client, and do what it then asks of the terminal."""
        self.client.press(key)
        self.settle()

    def settle(self) -> None:
        """Do what the client asks of the terminal: open the line, change colours, ring, end."""
        client = self.client
        if client.next_theme:
            client.next_theme = False
            self._theme = THEMES[(THEMES.index(self._theme) + 1) % len(THEMES)]
            self._paint()
            self._keep("theme", self._theme)
        if client.next_felt:
            client.next_felt = False
            self._felt = FELTS[(FELTS.index(self._felt) + 1) % len(FELTS)]
            self._paint()
            self._keep("felt", self._felt)
        if client.asks is not None:
            # What was typed before and not sent is worth more than what a key would begin with.
            if not self.buffer.text:
                self.buffer.text = client.asks
                self.buffer.cursor_position = len(client.asks)
            client.asks = None
            self.app.layout.focus(self._line)
        elif client.types and not self.is_typing:
            self.app.layout.focus(self._line)
            self._is_held = True
        elif self._is_held and not client.types:
            self.app.layout.focus(self.picture)
            self._is_held = False
        if client.model.rings:
            client.model.rings = False
            if self._bell:
                self.app.output.bell()
        if client.is_over and self.app.is_running and not self.app.is_done:
            self.app.exit()

    def stop_typing(self) -> None:
        """Give the keys back to the picture; what was typed stays."""
        self.client.cancel_typing()
        if self.buffer.complete_state is not None:
            self.buffer.cancel_completion()
        elif not self.client.types:
            self.app.layout.focus(self.picture)

    def _paint(self) -> None:
        """Show the colours that are chosen now."""
        self.app.style = style_of(self._theme, self._felt, self.app.color_depth)

    def _wait_for_change(self) -> None:
        """Draw anew as soon as time alone will have changed what is shown; where it will not, nothing runs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        seconds = self.client.changes_in()
        if seconds is not None and not self.app.is_done:
            self._timer = asyncio.get_running_loop().call_later(max(seconds, FRAME), self.app.invalidate)

    def _accept(self, buffer: Buffer) -> bool:
        """Carry out the typed line; what is refused stays to be mended."""
        text = buffer.text
        rest = self.client.typed(text)
        if rest:
            return True
        self.settle()
        if not self.client.types:
            self.app.layout.focus(self.picture)
        return False
