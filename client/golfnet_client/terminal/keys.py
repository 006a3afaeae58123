"""Which keys the terminal hands to the client, and which belong to the command line.

Nothing is bound that begins other keys, so that no key waits; escape alone does, and is waited for shortly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys

from golfnet_client.terminal.background import FOCUS_IN, FOCUS_OUT

if TYPE_CHECKING:
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.key_binding import KeyPressEvent


class Keyed(Protocol):
    """What keys are for: the terminal, as far as they need it."""

    @property
    def buffer(self) -> Buffer:
        """What is typed."""

    @property
    def is_typing(self) -> bool:
        """Whether the command line has the keys."""

    def press(self, key: str) -> None:
        """Give a key to the picture."""

    def accept(self) -> None:
        """Carry out the typed line."""

    def stop_typing(self) -> None:
        """Give the keys back to the picture."""

    def interrupt(self) -> None:
        """Act on ctrl-c."""

    def focused(self, has_focus: bool) -> None:
        """Take over whether the person looks at the window."""


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


def bindings(terminal: Keyed) -> KeyBindings:
    """Return the keys of the whole program."""
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
        # The menu comes a moment after typing; who is faster takes the likeliest at once.
        asked = CompleteEvent(completion_requested=True)
        first = next(iter(buffer.completer.get_completions(buffer.document, asked)), None)
        if first is not None:
            buffer.apply_completion(first)

    # Those of prompt_toolkit would have escape wait for a second key.
    @keys.add("right", filter=typing & suggested)
    @keys.add("end", filter=typing & suggested)
    @keys.add("c-e", filter=typing & suggested)
    def take_suggestion(event: KeyPressEvent) -> None:
        suggestion = terminal.buffer.suggestion
        if suggestion is not None:
            terminal.buffer.insert_text(suggestion.text)

    @keys.add("escape", filter=typing, eager=True)  # rather than to wait for Alt with a letter
    def stop_typing(event: KeyPressEvent) -> None:
        terminal.stop_typing()

    @keys.add("c-c")
    @keys.add("c-d")
    @keys.add("<sigint>")
    def leave(event: KeyPressEvent) -> None:
        terminal.interrupt()

    @keys.add(FOCUS_IN)
    def focus_in(event: KeyPressEvent) -> None:
        terminal.focused(True)

    @keys.add(FOCUS_OUT)
    def focus_out(event: KeyPressEvent) -> None:
        terminal.focused(False)

    @keys.add("c-l")
    def redraw(event: KeyPressEvent) -> None:
        event.app.renderer.clear()

    return keys
