"""The picture as a prompt_toolkit window that writes cells directly, not as formatted text; and the title above it.

Unchanged rows are reused from screen to screen, and of other rows only the changed parts are written, as runs of one
style instead of single cells: even the largest table must be drawn within one frame.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from prompt_toolkit.application import get_app
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Window
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

from golfnet.protocol.lines import clean_text
from golfnet_client.screens.canvas import EMOJI, JOINER
from golfnet_client.screens.style import classes
from golfnet_client.terminal.keys import click, wheel

if TYPE_CHECKING:
    from _collections_abc import dict_items

    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.data_structures import Point
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone
    from prompt_toolkit.layout.mouse_handlers import MouseHandlers
    from prompt_toolkit.output import Output

    from golfnet_client.terminal.client import Client


class Row(dict[int, Char]):
    """A row of the screen, reused from one picture to the next while it stays the same.

    The renderer asks for columns from the left and advances by the width of each cell it gets. So before it is drawn, a
    row holds runs of cells: those already on the terminal, which are skipped, and those to be written. Afterwards it
    returns single cells; the renderer uses ``items`` only to find the last used column.
    """

    def __init__(self, chars: list[str], styles: list[str]) -> None:
        super().__init__()
        self.chars = chars
        self.styles = styles
        self.is_shown = False
        self.is_covered = False
        """Whether something else was drawn over the row, so that its cells may differ from its characters."""
        self.breaks = [
            column + 1 + (column + 1 < len(chars) and chars[column + 1] == "")
            for column, char in enumerate(chars)
            if len(char) > 1 and (JOINER in char or EMOJI in char)
        ]
        """The columns after characters on whose width terminals disagree: there the cursor must be set explicitly."""

    def show_runs(self, before: Row | None) -> None:
        """Hold the runs to write over ``before``, or the whole row if there is none."""
        at = 0
        for start, end in _changed(before, self):
            if start > at:
                self[at] = Run(self.chars[at], self.styles[at], start - at)
            self._add_runs(start, end)
            at = end
        if at < len(self.chars):
            self[at] = Run(self.chars[at], self.styles[at], len(self.chars) - at)

    def show_cells(self) -> None:
        """Hold single cells, so that other windows can draw over them."""
        self.is_covered = True
        self.update(enumerate(map(_cell, self.chars, self.styles)))

    def settle(self) -> None:
        """Forget the runs, which are now on the terminal, but not single cells that may have been drawn over."""
        self.is_shown = False
        if not self.is_covered:
            self.clear()

    def items(self) -> dict_items[int, Char]:
        """Return only the last cell, which shows where the row ends, or nothing if the row is on the terminal."""
        return _NOTHING if self.is_shown else {len(self.chars) - 1: _END}.items()

    def __missing__(self, column: int) -> Char:
        return _cell(self.chars[column], self.styles[column])

    def _add_runs(self, start: int, end: int) -> None:
        """Hold a part of the row as runs of one style each, split where the cursor must be set."""
        chars, styles = self.chars, self.styles
        at = start
        for column in range(start + 1, end + 1):
            if column == end or styles[column] != styles[at] or column in self.breaks:
                self[at] = Run("".join(chars[at:column]), styles[at], column - at)
                at = column


class Run(Char):
    """Adjacent cells of one style, written at once."""

    def __init__(self, text: str, style: str, width: int) -> None:
        self.char = text
        self.style = classes(style)
        self.width = width


_CLOSE: Final = 6
"""Up to this many unchanged cells between two changes are written again, because skipping them costs as much."""


def _changed(before: Row | None, row: Row) -> list[tuple[int, int]]:
    """Return the parts of a row to be written; none begins or ends inside a wide character."""
    if before is None or len(before.chars) != len(row.chars) or row.breaks:
        return [(0, len(row.chars))]
    olds = zip(before.chars, before.styles, strict=True)
    news = zip(row.chars, row.styles, strict=True)
    parts: list[tuple[int, int]] = []
    for column, (old, new) in enumerate(zip(olds, news, strict=True)):
        if old == new:
            continue
        start = column - 1 if new[0] == "" and column else column
        end = column + 1
        while end < len(row.chars) and row.chars[end] == "":
            end += 1
        if parts and start - parts[-1][1] <= _CLOSE:
            parts[-1] = parts[-1][0], end
        else:
            parts.append((start, end))
    return parts


_END: Final = Char("x")
_NOTHING: Final = dict[int, Char]().items()


class PictureWindow(Window):
    """A window that shows the client's picture in the space it is given, and has the focus when nothing is typed.

    The completions of ``typed`` may cover it.
    """

    def __init__(self, client: Client, typed: Buffer) -> None:
        super().__init__(FormattedTextControl("", focusable=True))
        self._client = client
        self._typed = typed

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Write the picture's cells into the screen."""
        left, top = write_position.xpos, write_position.ypos
        canvas = self._client.picture(write_position.width, write_position.height)
        shown, is_covered = _shown(), self._typed.complete_state is not None
        before = shown.data_buffer if shown is not None else {}
        for y, (chars, styles) in enumerate(zip(canvas.chars, canvas.styles, strict=True), top):
            row = _row(chars, styles, before.get(y), is_covered=is_covered)
            # prompt_toolkit expects a defaultdict; a row returns a cell for every column, too.
            screen.data_buffer[y] = row  # type: ignore[assignment]
            for column in row.breaks:
                screen.zero_width_escapes[y][column] = f"\x1b[{left + column + 1}G"
        screen.width = max(screen.width, left + write_position.width)
        screen.height = max(screen.height, top + write_position.height)

        def handle(event: MouseEvent) -> NotImplementedOrNone:
            at: Point = event.position
            if event.event_type is MouseEventType.MOUSE_UP:
                click(self._client, at.x - left, at.y - top)
            elif event.event_type is MouseEventType.SCROLL_UP:
                wheel(self._client, "up")
            elif event.event_type is MouseEventType.SCROLL_DOWN:
                wheel(self._client, "down")
            return None

        for y in range(top, top + write_position.height):
            mouse_handlers.mouse_handlers[y] = defaultdict(lambda: handle)


def _shown() -> Screen | None:
    """Return the screen on the terminal, or None if everything has to be redrawn."""
    app = get_app()
    return None if app.is_done else app.renderer.last_rendered_screen


def _row(chars: list[str], styles: list[str], before: object, *, is_covered: bool) -> Row:
    """Return the row to draw over ``before``, or ``before`` itself if nothing has changed."""
    last = before if isinstance(before, Row) else None
    if last is not None:
        last.settle()
        if not is_covered and not last.is_covered and (last.chars, last.styles) == (chars, styles):
            last.is_shown = True
            return last
    row = Row(chars, styles)
    if is_covered:
        row.show_cells()
    else:
        row.show_runs(None if last is None or last.is_covered else last)
    return row


@lru_cache(maxsize=20_000)
def _cell(char: str, style: str) -> Char:
    """Return the cell of a character in a style; cached, since there are few."""
    return Char(char, classes(style))


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
