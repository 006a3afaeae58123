"""The terminal's background colour, requested from the terminal itself (OSC 11).

The request is sent before the program is loaded and the answer read afterwards, so that waiting costs nothing. A second
request, which every terminal answers (device attributes), ends the wait if the first one is not answered.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.keys import Keys

from golfnet.protocol.lines import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from prompt_toolkit.output import Output

termios: Any
try:
    import termios
except ImportError:  # Windows has no termios; its terminals are not asked
    termios = None


QUESTION: Final = b"\x1b]11;?\x1b\\\x1b[c"

PATIENCE: Final = 0.25
"""Seconds to wait for an answer after loading."""

_MOST: Final = 4096
"""Maximum size of an answer in bytes."""

_COLOUR: Final = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_ATTRIBUTES: Final = re.compile(rb"\x1b\[\?[0-9;]*c")


@contextlib.contextmanager
def asked_background(
    source: int | None, sink: int, *, patience: float = PATIENCE
) -> Iterator[Callable[[], bool | None]]:
    """Ask the terminal for its background, and restore the terminal's modes afterwards.

    Yield a function that returns whether the background is light, or None if the terminal does not say.
    """
    if source is None or termios is None:
        yield lambda: None
        return
    try:
        before = termios.tcgetattr(source)
        silent = termios.tcgetattr(source)
        silent[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(source, termios.TCSANOW, silent)
    except termios.error:
        yield lambda: None
        return
    try:
        with contextlib.suppress(OSError):
            os.write(sink, QUESTION)
        yield partial(_is_light, source, patience)
    finally:
        termios.tcsetattr(source, termios.TCSANOW, before)


def _is_light(source: int, patience: float) -> bool | None:
    answer, end = b"", time.monotonic() + patience
    while len(answer) < _MOST and not _ATTRIBUTES.search(answer):
        ready, _, _ = select.select([source], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            break
        part = os.read(source, 256)
        if not part:
            break
        answer += part
    found = _COLOUR.search(answer)
    if found is None:
        return None
    red, green, blue = [int(part, 16) / int("f" * len(part), 16) for part in found.groups()]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5


FOCUS_IN: Final = Keys.F24
FOCUS_OUT: Final = Keys.F23
"""Keys that stand for focus reports, chosen because no keyboard has them."""

ANSI_SEQUENCES["\x1b[I"] = FOCUS_IN
ANSI_SEQUENCES["\x1b[O"] = FOCUS_OUT


class TerminalWindow:
    """The title and the alerts of a terminal window; with ``bell``, ring even while it has the focus."""

    def __init__(self, output: Output, *, bell: bool) -> None:
        self._output = output
        self._bell = bell
        self._title = ""
        self.has_focus = True
        """Whether the window has the focus, as far as the terminal reports it."""

    def open(self) -> None:
        """Request reports of focus changes from the terminal."""
        self._output.write_raw("\x1b[?1004h")

    def close(self) -> None:
        """Clear the title, and stop the reports of focus changes."""
        self._output.write_raw("\x1b[?1004l")
        self._output.clear_title()
        self._output.flush()

    def name(self, title: str) -> None:
        """Set the title of the window if it has changed."""
        if title != self._title:
            self._title = title
            self._output.set_title(title)
            self._output.flush()

    def call(self, why: str) -> None:
        """Alert the player: ring if the bell is on; without focus, ring and send a desktop notification."""
        if self._bell or not self.has_focus:
            self._output.bell()
        if not self.has_focus:
            self._output.write_raw(f"\x1b]9;{clean_text(why)}\x07")
        self._output.flush()
