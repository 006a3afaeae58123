"""The window around the terminal: its title, whether it is looked at, and how it calls the person.

Whether a window is looked at is told by the terminal itself, where it can: it is asked for reports on the focus, which
come as escape sequences that prompt_toolkit does not know. They are added to its table; a test holds on to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.keys import Keys

from golfnet.protocol.clean import clean_text

if TYPE_CHECKING:
    from prompt_toolkit.output import Output

FOCUS_IN: Final = Keys.F24
FOCUS_OUT: Final = Keys.F23
"""Keys that no keyboard has stand for the reports."""

ANSI_SEQUENCES["\x1b[I"] = FOCUS_IN
ANSI_SEQUENCES["\x1b[O"] = FOCUS_OUT


class TerminalWindow:
    """The title and the calls of a terminal's window; ``bell``: it rings also where the person looks at it."""

    def __init__(self, output: Output, *, bell: bool) -> None:
        self._output = output
        self._bell = bell
        self._title = ""
        self.has_focus = True
        """Whether the person looks at it, as far as the terminal tells."""

    def open(self) -> None:
        """Ask the terminal for reports on the focus."""
        self._output.write_raw("\x1b[?1004h")

    def close(self) -> None:
        """Give the window back as it was."""
        self._output.write_raw("\x1b[?1004l")
        self._output.clear_title()
        self._output.flush()

    def name(self, title: str) -> None:
        """Change the title, if it is another."""
        if title != self._title:
            self._title = title
            self._output.set_title(title)
            self._output.flush()

    def call(self, why: str) -> None:
        """Call the person: with the bell, and by a notification of the desktop where nobody looks."""
        if self._bell or not self.has_focus:
            self._output.bell()
        if not self.has_focus:
            self._output.write_raw(f"\x1b]9;{clean_text(why)}\x07")
        self._output.flush()
