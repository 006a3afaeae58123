"""The terminal: one window with the picture, one command line, and the timer that redraws the picture.

Typed text is never lost: it stays on the command line until it is sent or deleted, even while keys go elsewhere.
"""

from __future__ import annotations

import asyncio
import os
from functools import partial
from typing import TYPE_CHECKING, Final

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Always, Condition
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import CompletionsMenu, Float, FloatContainer, HSplit, Layout
from prompt_toolkit.output import ColorDepth

from golfnet_client.model.story import FRAME
from golfnet_client.screens.style import LOOKS, style_of
from golfnet_client.terminal.background import FOCUS_IN, FOCUS_OUT, TerminalWindow
from golfnet_client.terminal.keys import interrupt, press
from golfnet_client.terminal.picture import PictureWindow
from golfnet_client.terminal.typing import CommandLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.filters import Filter
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPressEvent
    from prompt_toolkit.output import Output

    from golfnet_client.model.pages import Field
    from golfnet_client.terminal.client import Client


def _color_depth() -> ColorDepth | None:
    """Return the colour depth that the environment names or the terminal is known to have, or None if it is unknown."""
    asked = ColorDepth.from_env()
    if asked is None and os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return ColorDepth.DEPTH_24_BIT
    return asked or depth_of(os.environ.get("TERM", ""))


def depth_of(term: str) -> ColorDepth | None:
    """Return the colour depth of a terminal type, or None if unknown."""
    try:
        import curses

        curses.setupterm(term)
        colours = curses.tigetnum("colors")
    except Exception:  # no terminfo on Windows, or no entry for this terminal
        return None
    if colours >= 256:
        return ColorDepth.DEPTH_8_BIT
    return ColorDepth.DEPTH_4_BIT if colours >= 8 else ColorDepth.DEPTH_1_BIT


class Terminal:
    """The prompt_toolkit application around a client; all settings but the theme are as in the last run."""

    def __init__(
        self,
        client: Client,
        *,
        theme: str,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self.client = client
        kept = client.remembered.setting
        self._looks = {name: kept(name, values) or values[0] for name, values in LOOKS.items()}
        self._looks["theme"] = theme
        self._timer: asyncio.TimerHandle | None = None
        self._is_opened = False
        """Whether the player has opened the command line on a screen where keys have other effects."""
        self._field: Field | None = None
        """The field for which the command line is open, or None if there is none."""
        self._unsent = ""
        """The text that was on the command line before a field was opened."""
        self.line = CommandLine(client)
        self.buffer = self.line.buffer
        self.picture = PictureWindow(client, self.buffer)
        root = FloatContainer(
            HSplit([self.picture, self.line.window]),
            [Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)],
        )
        self.app: Application[None] = Application(
            layout=Layout(root, focused_element=self.picture),
            key_bindings=_bindings(self),
            full_screen=True,
            mouse_support=True,
            color_depth=_color_depth(),
            before_render=lambda _: self.settle(),
            input=input,
            output=output,
        )
        self._paint()
        self.app.after_render += lambda _: self._wait_for_change()
        self.app.ttimeoutlen = 0.05
        self.app.timeoutlen = 0.3
        self.window = TerminalWindow(self.app.output, bell=kept("bell", ("on", "off")) == "on")

    @property
    def is_typing(self) -> bool:
        """Whether keys go to the command line."""
        return self.app.layout.has_focus(self.line.control)

    def settle(self) -> None:
        """Carry out the client's requests: open the command line, change colours, alert, quit."""
        client = self.client
        if client.next_look:
            name, client.next_look = client.next_look, ""
            ways = LOOKS[name]
            self._looks[name] = ways[(ways.index(self._looks[name]) + 1) % len(ways)]
            self._paint()
            client.remembered.keep_settings(**{name: self._looks[name]})
        self._settle_field()
        if client.prefill is not None:
            # Unsent text typed earlier takes precedence over the text with which a key opens the command line.
            if not self.buffer.text:
                self.line.fill(client.prefill)
            client.prefill, self._is_opened = None, True
        elif client.menu is not None:
            self._is_opened = False
        is_typing = client.types or self._is_opened
        if is_typing is not self.is_typing:
            self.app.layout.focus(self.line.window if is_typing else self.picture)
        self.window.name(client.title)
        if client.model.rings:
            client.model.rings = False
            self.window.call(client.title)
        if client.is_over and self.app.is_running and not self.app.is_done:
            self.app.exit()

    def _settle_field(self) -> None:
        """While a field is open, put its text on the command line; afterwards restore what was there."""
        field = self.client.field
        if field is self._field:
            return
        if self._field is None:
            self._unsent = self.buffer.text
        self._field = field
        self.line.fill(self._unsent if field is None else field.text)
        if field is None:
            self._unsent = ""

    def stop_typing(self) -> None:
        """Move the focus back to the picture; the typed text stays."""
        if self.buffer.complete_state is not None:
            self.buffer.cancel_completion()
            return
        self._is_opened = False
        self.client.cancel_typing()

    def _paint(self) -> None:
        looks = self._looks
        self.app.style = style_of(looks["theme"], looks["felt"], self.app.color_depth, looks["suits"])

    def _wait_for_change(self) -> None:
        """Schedule a redraw for when the picture next changes by itself; if it never does, run no timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        seconds = self.client.changes_in()
        if seconds is not None and not self.app.is_done:
            self._timer = asyncio.get_running_loop().call_later(max(seconds, FRAME), self.app.invalidate)

    def accept(self) -> None:
        """Carry out the typed line; if it is refused, keep it on the command line to be corrected."""
        if not self.line.accept():
            self._is_opened = False


_NAMED: Final = (
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *("enter", "tab", "delete", "escape"),
)
"""The keys that have the same name in prompt_toolkit."""


def _bindings(terminal: Terminal) -> KeyBindings:
    """Return the key bindings for the whole program; after each key, the client's requests are carried out.

    No bound key sequence is the beginning of another, so no key has to wait, except for escape, which waits briefly.
    """
    keys, client = KeyBindings(), terminal.client
    typing = Condition(lambda: terminal.is_typing)
    suggested = Condition(
        lambda: terminal.buffer.suggestion is not None and terminal.buffer.document.is_cursor_at_the_end
    )

    def bind(do: Callable[[], None], *names: str, when: Filter, eager: bool = False) -> None:
        def act(event: KeyPressEvent) -> None:
            do()
            terminal.settle()

        for name in names:
            keys.add(name, filter=when, eager=eager)(act)

    for name in _NAMED:
        bind(partial(press, client, name), name, when=~typing)
    bind(partial(press, client, "delete"), "backspace", when=~typing)
    bind(terminal.accept, "enter", when=typing)
    bind(terminal.line.complete, "tab", when=typing)
    # prompt_toolkit's own bindings would make escape wait for a second key.
    bind(terminal.line.take_suggestion, "right", "end", "c-e", when=typing & suggested)
    bind(terminal.stop_typing, "escape", when=typing, eager=True)  # do not wait for Alt plus a letter
    bind(partial(interrupt, client), "c-c", "c-d", "<sigint>", when=Always())
    bind(lambda: terminal.app.renderer.clear(), "c-l", when=Always())

    @keys.add(Keys.Any, filter=~typing)
    def press_any(event: KeyPressEvent) -> None:
        char = event.data
        if len(char) == 1 and char.isprintable():
            press(client, {" ": "space", "/": ":"}.get(char, char))
            terminal.settle()

    @keys.add(FOCUS_IN)
    @keys.add(FOCUS_OUT)
    def change_focus(event: KeyPressEvent) -> None:
        terminal.window.has_focus = event.key_sequence[0].key is FOCUS_IN

    return keys
