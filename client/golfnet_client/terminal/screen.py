"""The terminal: one window with the picture, one command line, and the timer that redraws the picture.

Typed text is never lost: it stays on the command line until it is sent or deleted, even while keys go elsewhere.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

from prompt_toolkit.application import Application
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys
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

from golfnet_client.model.motion import FRAME
from golfnet_client.screens.palettes import FELTS
from golfnet_client.screens.style import SUITS, THEMES, style_of
from golfnet_client.terminal.background import FOCUS_IN, FOCUS_OUT, TerminalWindow
from golfnet_client.terminal.picture import PictureWindow
from golfnet_client.terminal.typing import CommandLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPressEvent
    from prompt_toolkit.layout.screen import Screen
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
    """The prompt_toolkit application around a client.

    ``typed`` holds lines from earlier runs; ``keep_typed`` stores a line, and ``keep`` stores a setting by name.
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
        """Whether the command line is open because only typing makes sense."""
        self._stays = False
        """Whether the last typed line was refused, and stays on the command line to be corrected."""
        self._field: Field | None = None
        """The field for which the command line is open, or None if there is none."""
        self._unsent = ""
        """The text that was on the command line before a field was opened."""
        self.line = CommandLine(client, self._accept, typed=typed, keep=keep_typed)
        self.picture = Window(FormattedTextControl("", focusable=True, show_cursor=False), height=0)
        root = FloatContainer(
            HSplit([PictureWindow(client, self._shown, self._covered), self.picture, self.line.window]),
            [Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)],
        )
        self.app: Application[None] = Application(
            layout=Layout(root, focused_element=self.picture),
            key_bindings=_bindings(self),
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
        """The typed text."""
        return self.line.buffer

    def _shown(self) -> Screen | None:
        """Return the screen on the terminal, or None if everything has to be redrawn."""
        return None if self.app.is_done else self.app.renderer.last_rendered_screen

    def _covered(self) -> bool:
        return self.buffer.complete_state is not None

    @property
    def is_typing(self) -> bool:
        """Whether keys go to the command line."""
        return self.app.layout.has_focus(self.line.control)

    def press(self, key: str) -> None:
        """Pass a key to the client, and carry out the client's requests."""
        self.client.press(key)
        self.settle()

    def interrupt(self) -> None:
        """Act on ctrl-c."""
        self.client.interrupt()
        self.settle()

    def settle(self) -> None:
        """Carry out the client's requests: open the command line, change colours, alert, quit."""
        client = self.client
        if client.next_look:
            name, client.next_look = client.next_look, ""
            ways = {"theme": THEMES, "felt": FELTS, "suits": SUITS}[name]
            self._looks[name] = ways[(ways.index(self._looks[name]) + 1) % len(ways)]
            self._paint()
            self._keep(name, self._looks[name])
        self._settle_field()
        if client.prefill is not None:
            # Unsent text typed earlier takes precedence over the text with which a key opens the command line.
            if not self.buffer.text:
                self._fill(client.prefill)
            client.prefill = None
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
        """While a field is open, put its text on the command line; afterwards restore what was there."""
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
        """Move the focus back to the picture; the typed text stays."""
        if self.buffer.complete_state is not None:
            self.buffer.cancel_completion()
            return
        self.client.cancel_typing()
        self.settle()
        if not self.client.types:
            self.app.layout.focus(self.picture)

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
        self._stays = False
        self.buffer.validate_and_handle()
        self.settle()
        if not self._stays and not self.client.types:
            self.app.layout.focus(self.picture)

    def _accept(self, text: str) -> bool:
        self._stays = bool(self.client.typed(text))
        return self._stays


_NAMED: Final = {
    Keys.Up: "up",
    Keys.Down: "down",
    Keys.Left: "left",
    Keys.Right: "right",
    Keys.Home: "home",
    Keys.End: "end",
    Keys.PageUp: "pageup",
    Keys.PageDown: "pagedown",
    Keys.Enter: "enter",
    Keys.Tab: "tab",
    Keys.Delete: "delete",
    Keys.Backspace: "delete",
    Keys.Escape: "escape",
}


def _bindings(terminal: Terminal) -> KeyBindings:
    """Return the key bindings for the whole program.

    No bound key sequence is the beginning of another, so no key has to wait, except for escape, which waits briefly.
    """
    keys = KeyBindings()
    typing = Condition(lambda: terminal.is_typing)
    suggested = Condition(
        lambda: terminal.buffer.suggestion is not None and terminal.buffer.document.is_cursor_at_the_end
    )

    def bind(key: Keys | str, name: str) -> None:
        @keys.add(key, filter=~typing)
        def pressed(event: KeyPressEvent) -> None:
            terminal.press(name)

    for key, name in _NAMED.items():
        bind(key, name)

    @keys.add(Keys.Any, filter=~typing)
    def any_key(event: KeyPressEvent) -> None:
        char = event.data
        if len(char) == 1 and char.isprintable():
            terminal.press({" ": "space", "/": ":"}.get(char, char))

    @keys.add("enter", filter=typing)
    def accept(event: KeyPressEvent) -> None:
        terminal.accept()

    @keys.add("tab", filter=typing)
    def complete(event: KeyPressEvent) -> None:
        buffer = terminal.buffer
        if buffer.complete_state is not None:
            buffer.complete_next()
            return
        # The completion menu appears with a delay; Tab pressed before that takes the likeliest one.
        asked = CompleteEvent(completion_requested=True)
        first = next(iter(buffer.completer.get_completions(buffer.document, asked)), None)
        if first is not None:
            buffer.apply_completion(first)

    # prompt_toolkit's own bindings would make escape wait for a second key.
    @keys.add("right", filter=typing & suggested)
    @keys.add("end", filter=typing & suggested)
    @keys.add("c-e", filter=typing & suggested)
    def take_suggestion(event: KeyPressEvent) -> None:
        suggestion = terminal.buffer.suggestion
        if suggestion is not None:
            terminal.buffer.insert_text(suggestion.text)

    @keys.add("escape", filter=typing, eager=True)  # do not wait for Alt plus a letter
    def stop_typing(event: KeyPressEvent) -> None:
        terminal.stop_typing()

    @keys.add("c-c")
    @keys.add("c-d")
    @keys.add("<sigint>")
    def leave(event: KeyPressEvent) -> None:
        terminal.interrupt()

    @keys.add(FOCUS_IN)
    def focus_in(event: KeyPressEvent) -> None:
        terminal.window.has_focus = True

    @keys.add(FOCUS_OUT)
    def focus_out(event: KeyPressEvent) -> None:
        terminal.window.has_focus = False

    @keys.add("c-l")
    def redraw(event: KeyPressEvent) -> None:
        event.app.renderer.clear()

    return keys
