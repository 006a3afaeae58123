"""Pictures on the screen of prompt_toolkit, without its text machinery in between.

Rows that stay as they were are passed on from screen to screen and not compared cell by cell: a table with twelve seats
has to be drawn within a frame.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from prompt_toolkit.layout import Container, Dimension
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

if TYPE_CHECKING:
    from _collections_abc import dict_items
    from collections.abc import Callable

    from prompt_toolkit.data_structures import Point
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone
    from prompt_toolkit.layout.mouse_handlers import MouseHandlers

    from golfnet_client.terminal.client import Client


class Row(defaultdict[int, Char]):
    """A row of the screen, as wide as the screen, which one picture passes on to the next while it stays the same.

    The renderer asks a row's items for nothing but its last used column, and compares up to there: the last one of a
    full row is its end, and a row that already stands there has none.
    """

    def __init__(self, chars: list[str], styles: list[str]) -> None:
        super().__init__(None, enumerate(map(_cell, chars, styles)))
        self.chars = chars
        self.styles = styles
        self.is_shown = False
        self.is_covered = False
        """Whether something was drawn over it, so that it is no longer what it was made from."""

    def items(self) -> dict_items[int, Char]:
        """Return what has to be compared: the last cell stands for all, none for a row that is shown already."""
        last = len(self) - 1
        return _NOTHING if self.is_shown else {last: _END}.items()

    def __setitem__(self, column: int, cell: Char) -> None:
        self.is_covered = True
        super().__setitem__(column, cell)


_END: Final = Char("x")
_NOTHING: Final = dict[int, Char]().items()


class PictureWindow(Container):
    """Shows the client's picture in whatever room it is given.

    ``shown`` returns what stands on the terminal and will be there unchanged unless the picture changes it, None where
    that is not known or something else is drawn over it.
    """

    def __init__(self, client: Client, shown: Callable[[], Screen | None]) -> None:
        self._client = client
        self._shown = shown

    def reset(self) -> None:
        """Do nothing: what is kept of a picture is kept by the screen."""

    def preferred_width(self, max_available_width: int) -> Dimension:
        """Return that any width will do, the more the better."""
        return Dimension(preferred=max_available_width)

    def preferred_height(self, width: int, max_available_height: int) -> Dimension:
        """Return that any height will do, the more the better."""
        return Dimension(preferred=max_available_height)

    def get_children(self) -> list[Container]:
        """Return nothing: a picture is one thing."""
        return []

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Put the picture's cells into the screen."""
        left, top = write_position.xpos, write_position.ypos
        canvas = self._client.picture(write_position.width, write_position.height)
        shown = self._shown()
        before = shown.data_buffer if shown is not None else {}
        for y, (chars, styles) in enumerate(zip(canvas.chars, canvas.styles, strict=True), top):
            row = before.get(y)
            if isinstance(row, Row) and not row.is_covered and row.chars == chars and row.styles == styles:
                row.is_shown = True
            else:
                row = Row(chars, styles)
            screen.data_buffer[y] = row
        screen.width = max(screen.width, left + write_position.width)
        screen.height = max(screen.height, top + write_position.height)

        def click(event: MouseEvent) -> NotImplementedOrNone:
            at: Point = event.position
            if event.event_type is MouseEventType.MOUSE_UP:
                self._client.click(at.x - left, at.y - top)
            elif event.event_type is MouseEventType.SCROLL_UP:
                self._client.wheel("up")
            elif event.event_type is MouseEventType.SCROLL_DOWN:
                self._client.wheel("down")
            return None

        for y in range(top, top + write_position.height):
            mouse_handlers.mouse_handlers[y] = defaultdict(lambda: click)


@lru_cache(maxsize=20_000)
def _cell(char: str, style: str) -> Char:
    """Return the cell of a character in a style; there are few of them, and each is made once."""
    return Char(char, style)
