"""What is drawn over a screen: texts and lists, menus, and the latest notice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from golfnet.protocol.text.typeset import clipped, display_width, wrapped
from golfnet_client.screens.panels import NARROW

if TYPE_CHECKING:
    from golfnet_client.model.model import Model
    from golfnet_client.model.pages import Menu, Pages
    from golfnet_client.screens.canvas import Canvas, Look

WIDEST_MENU: Final = 76
"""Maximum width of a menu inside its frame, in columns."""


def draw_pages(canvas: Canvas, pages: Pages) -> None:
    """Draw the text shown over a screen, and its scroll position."""
    margin = 4 if canvas.width >= NARROW else 0  # too narrow to show anything useful beside the text
    width = min(canvas.width - margin, max(50, *(len(line) + 6 for line in (pages.title, *pages.lines))), 100)
    lines = [part for line in pages.lines for part in _fitting(line, width - 6)]
    height = min(canvas.height - 2, len(lines) + 4)
    canvas.cover()
    x, y = (canvas.width - width) // 2, max(0, (canvas.height - height) // 2)
    canvas.box(x, y, width, height, "panel")
    canvas.put(x + 2, y, f" {pages.title} ", "panel title")
    room, rows = height - 4, pages.rows
    last = len(lines) - room
    pages.at = max(0, min(pages.at, len(rows) - 1 if rows else last))
    first = max(0, min(pages.at + 1 - room // 2, last)) if rows else pages.at
    for at, line in enumerate(lines[first : first + room], first):
        top, chosen = y + 2 + at - first, bool(rows) and at == pages.at + 1
        if chosen:
            canvas.fill(x + 1, top, width - 2, 1, "row")
            canvas.put(x + 1, top, "▶", "row")
        style = "row" if chosen else "panel title" if rows and at == 0 else "panel"
        canvas.put(x + 3, top, line, style, width=width - 6)
        if rows and at:
            canvas.zone(x + 1, top, width - 2, 1, f"page {at - 1}")
    more = f"{first + 1}-{min(first + room, len(lines))} of {len(lines)}" if len(lines) > room else ""
    hint = "Enter chooses, Esc closes" if rows else "Esc closes"
    canvas.put_right(x + width - 2, y + height - 1, f" {more}  {hint} " if more else f" {hint} ", "panel dim")


def _fitting(line: str, width: int) -> list[str]:
    """Return a line unchanged if it fits, so that columns stay aligned; otherwise break it between keys."""
    if display_width(line) <= width:
        return [line]
    parts = re.split(r"(?<=\S) {2,}(?=\S{1,6} {2}\S)", line)
    if len(parts) > 1 and line.startswith("  ") and len(parts[1]) > 6:
        return [line for part in parts for line in wrapped(f"  {part.strip()}", width)]
    return wrapped(line, width)


def draw_menu(canvas: Canvas, menu: Menu, top: int | None) -> None:
    """Draw a menu in the middle, or below ``top``; it scrolls if it is too long.

    If the meanings do not fit beside the labels, only that of the selected item is shown, below the list.
    """
    labels = max(display_width(item.label) for item in menu.items)
    meanings = max(display_width(item.meaning) for item in menu.items)
    wanted = max(
        labels + meanings + 10, min(display_width(menu.text), 58) + 2, display_width(menu.title) + 4, 30
    )
    width = max(10, min(wanted, WIDEST_MENU, canvas.width - 4))
    fits = meanings <= max(0, width - 9 - labels)
    text = [*_rows(menu.text, width), ""] if menu.text else []
    details = [] if fits else [_rows(item.meaning, width) for item in menu.items]
    below = 1 + max(map(len, details)) if details else 0
    shown = max(1, min(len(menu.items), canvas.height - 2 - len(text) - below))
    height = len(text) + shown + below + 2
    x = (canvas.width - width - 2) // 2
    # The window is one line taller than the canvas: its last line is the command line.
    y = (canvas.height + 1 - height) // 2 if top is None else max(0, min(top, canvas.height - height))
    canvas.cover()
    canvas.box(x, y, width + 2, height, "panel dim")
    canvas.put(x + 1, y, f" {menu.title} ", "panel title", width=width)
    canvas.put(x + 1, y + height - 1, _hint(menu, width, canvas.look), "panel title", width=width)
    canvas.zone(x, y, width + 2, height, "menu")
    first = max(0, min(menu.at - shown // 2, len(menu.items) - shown))
    items_y = y + 1 + len(text)
    canvas.fill(x + 1, y + 1, width, height - 2, "panel")
    detail = details[menu.at] if details else []
    for row, line in (*enumerate(text, y + 1), *enumerate(detail, items_y + shown + 1)):
        canvas.put(x + 2, row, line, "panel")
    for number, item in enumerate(menu.items[first : first + shown], first):
        row, chosen, key = items_y + number - first, number == menu.at, menu.key_of(number)
        style = "panel row" if chosen else "panel"
        canvas.fill(x + 1, row, width, 1, style)
        canvas.put(x + 2, row, "▶" if chosen else " ", style)
        canvas.put(x + 3, row, f" {key or ' '} ", "panel key" if key else style)
        canvas.put(x + 7, row, clipped(item.label, width - 8), style)
        if fits:
            canvas.put(x + 9 + labels, row, item.meaning, style if chosen else "panel dim")
        canvas.zone(x + 1, row, width, 1, f"item {number}")
    if shown < len(menu.items):
        _draw_scroll_bar(canvas, x + width, items_y, shown, first, len(menu.items))


def _rows(text: str, width: int) -> list[str]:
    return [row.strip() for row in wrapped(text, width - 2)]


def _hint(menu: Menu, width: int, look: Look) -> str:
    ways = "up/down" if look.ascii else "↑↓"
    back = "" if menu.stays else ", Esc back"
    full = f" {ways} move, Enter selects{back} "
    return full if len(full) <= width else clipped(f" {ways}, Enter{back} ", width)


def _draw_scroll_bar(canvas: Canvas, x: int, y: int, shown: int, first: int, count: int) -> None:
    canvas.put(x, y, "^", "panel scrollbar.arrow")
    canvas.fill(x, y + 1, 1, shown - 2, "panel scrollbar.background")
    start = y + 1 + (shown - 2) * first // count
    size = max(1, (shown - 2) * shown // count) + 1
    canvas.fill(x, start, 1, min(size, y + shown - 1 - start), "panel scrollbar.button")
    canvas.put(x, y + shown - 1, "v", "panel scrollbar.arrow")


def draw_toast(canvas: Canvas, model: Model) -> None:
    """Draw a confirmation or a notice in the top right corner; refusals are drawn elsewhere, in red."""
    if model.news is None or model.news.kind == "refused":
        return
    lines = [line.strip() for line in wrapped(model.news.text, min(56, canvas.width - 6))][:3]
    width = max(map(display_width, lines)) + 4
    sign = "✓" if model.news.kind == "done" else "!"
    canvas.fill(canvas.width - width - 1, 0, width, len(lines), "panel")
    for number, line in enumerate(lines):
        x = canvas.width - width
        canvas.put(x, number, " " if number else sign, "panel best")
        canvas.put(x + 2, number, line, "panel")
