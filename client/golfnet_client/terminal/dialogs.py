"""The menu over the picture: a framed prompt_toolkit window that scrolls and can be clicked.

Its keys go to the client like all keys; this module only draws a menu and handles clicks on it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.layout import (
    ConditionalContainer,
    ConditionalMargin,
    Dimension,
    Float,
    FormattedTextControl,
    HSplit,
    ScrollbarMargin,
    VSplit,
    Window,
)
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

from golfnet.protocol.text.typeset import clipped, display_width, wrapped
from golfnet_client.model.model import Place
from golfnet_client.screens.lobby_screen import home_top

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

    from golfnet_client.model.pages import Menu
    from golfnet_client.terminal.client import Client

WIDEST: Final = 76
"""Maximum width of a menu inside its frame, in columns."""


class MenuFloat(Float):
    """The client's menu, shown while one is open; ``size`` returns the terminal's columns and lines."""

    def __init__(self, client: Client, size: Callable[[], tuple[int, int]]) -> None:
        self._client = client
        self._size = size
        look = client.look
        left_top, right_top, right_bottom, left_bottom, across, down = tuple(look.frame)

        def side() -> Window:
            return Window(width=1, char=down, style="class:panel class:dim")

        def line(left: str, text: Callable[[], str], right: str) -> VSplit:
            return VSplit(
                [
                    Window(width=1, height=1, char=left),
                    Window(
                        FormattedTextControl(lambda: [("class:title", text())]),
                        dont_extend_width=True,
                        height=1,
                    ),
                    Window(height=1, char=across),
                    Window(width=1, height=1, char=right),
                ],
                style="class:panel class:dim",
            )

        self._list = FormattedTextControl(
            self._items, show_cursor=False, get_cursor_position=lambda: Point(0, self._menu.at)
        )
        items = Window(
            self._list,
            height=lambda: Dimension(min=1, preferred=len(self._menu.items), max=len(self._menu.items)),
            right_margins=[
                ConditionalMargin(ScrollbarMargin(display_arrows=True), Condition(self._is_cut)),
            ],
            style="class:panel",
        )
        self._window = items
        inside = HSplit([self._lines_of(self._text), items, self._lines_of(self._detail)])
        content = HSplit(
            [
                line(left_top, lambda: f" {self._menu.title} ", right_top),
                VSplit([side(), inside, side()]),
                line(left_bottom, self._hint, right_bottom),
            ],
            style="class:panel",
        )
        shown = Condition(lambda: client.menu is not None)
        super().__init__(
            ConditionalContainer(content, shown), width=lambda: self._width + 2 if shown() else 0
        )

    def place(self) -> None:
        """Place the menu: below the cards of the start screen, else in the middle."""
        _, lines = self._size()
        self.top = None
        if self._client.model.place is Place.HOME and lines >= 16 and self._client.menu is not None:
            tall = len(self._menu.items) + len(self._text()) + len(self._detail()) + 3
            self.top = max(0, min(home_top(lines - 1), lines - tall))

    @property
    def _menu(self) -> Menu:
        assert self._client.menu is not None
        return self._client.menu

    @property
    def _width(self) -> int:
        """Return the number of columns inside the frame."""
        menu = self._menu
        labels = max(display_width(item.label) for item in menu.items)
        meanings = max(display_width(item.meaning) for item in menu.items)
        wanted = max(
            labels + meanings + 10, min(display_width(menu.text), 58) + 2, display_width(menu.title) + 4
        )
        return max(10, min(max(wanted, 30), WIDEST, self._size()[0] - 4))

    @property
    def _room(self) -> int:
        """Return the number of columns left for the meanings, beside the labels."""
        return self._width - 9 - max(display_width(item.label) for item in self._menu.items)

    def _is_cut(self) -> bool:
        info = self._window.render_info
        return info is not None and info.window_height < len(self._menu.items)

    def _lines_of(self, text: Callable[[], list[str]]) -> ConditionalContainer:
        """Return a window for lines of text, hidden if there are none."""
        control = FormattedTextControl(lambda: [("", "\n".join(f" {row}" for row in text()))])
        window = Window(control, height=lambda: len(text()), style="class:panel", dont_extend_height=True)
        return ConditionalContainer(window, Condition(lambda: bool(text())))

    def _text(self) -> list[str]:
        menu = self._menu
        return [*self._rows(menu.text), ""] if menu.text else []

    def _detail(self) -> list[str]:
        """Return the description of the selected item if there is no room for it beside the label."""
        menu = self._menu
        if self._fits():
            return []
        lines = max(len(self._rows(item.meaning)) for item in menu.items)
        return ["", *[*self._rows(menu.items[menu.at].meaning), *[""] * lines][:lines]]

    def _rows(self, text: str) -> list[str]:
        return [row.strip() for row in wrapped(text, self._width - 2)]

    def _fits(self) -> bool:
        """Return whether every meaning fits beside its label."""
        return all(display_width(item.meaning) <= max(0, self._room) for item in self._menu.items)

    def _hint(self) -> str:
        menu = self._menu
        ways = "up/down" if self._client.look.ascii else "↑↓"
        back = "" if menu.stays else ", Esc back"
        full = f" {ways} move, Enter selects{back} "
        return full if len(full) <= self._width else clipped(f" {ways}, Enter{back} ", self._width)

    def _items(self) -> StyleAndTextTuples:
        menu, width, fits = self._menu, self._width, self._fits()
        labels = max(display_width(item.label) for item in menu.items)
        fragments: StyleAndTextTuples = []
        for number, item in enumerate(menu.items):
            chosen = number == menu.at
            row = "class:row" if chosen else ""
            pointer = self._client.look.pointer if chosen else " "
            click = partial(self._clicked, number)
            label = clipped(item.label, width - 8)
            label += " " * (min(labels, width - 8) - display_width(label))
            meaning = item.meaning if fits else ""
            rest = " " * max(0, width - 6 - display_width(label) - 2 - display_width(meaning))
            fragments += [
                (f"{row} ", f" {pointer}", click),
                ("class:key" if menu.key_of(number) else row, f" {menu.key_of(number) or ' '} ", click),
                (row, f" {label}  ", click),
                (row if chosen else "class:dim", f"{meaning}{rest}", click),
                ("", "\n", click),
            ]
        fragments.pop()
        return fragments

    def _clicked(self, number: int, event: MouseEvent) -> NotImplementedOrNone:
        if event.event_type is MouseEventType.MOUSE_UP:
            self._client.choose(number)
        elif event.event_type in (MouseEventType.SCROLL_UP, MouseEventType.SCROLL_DOWN):
            self._menu.go(-1 if event.event_type is MouseEventType.SCROLL_UP else 1)
        return None
