"""A canvas: cells of text with styles, and zones that can be clicked.

Drawing beyond an edge has no effect, so every picture fits every window. Styles are words such as ``card suit-h``;
their colours are chosen elsewhere. A wide character takes two cells, the second one empty; combining marks and joined
emoji share one cell.
"""

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import Struct

from golfnet.protocol.text.typeset import clipped, display_width

JOINER: Final = "\u200d"
"""Joins two emoji into one."""

EMOJI: Final = "\ufe0f"
"""Turns the character before it into an emoji, two columns wide."""


class Look(Struct, frozen=True, kw_only=True):
    """What the terminal can show: only ``ascii`` characters, or on a ``console`` only the PC character set.

    A console such as Linux's has half blocks, but no quarter blocks.
    """

    ascii: bool = False
    console: bool = False


_CONSOLE: Final = str.maketrans(
    "▗▖▝▘▛▜╱╲▶⚑●◆╭╮╯╰┄┊★○▼▎…◂▸",  # noqa: RUF001 - drawn, not read
    "▄▄▀▀▀▀/\\►!•♦┌┐┘└-|*oV│~◄►",
)
_ASCII: Final = str.maketrans(
    "╭╮╯╰─│┃▎▐▌█░╱╲▶◂▸▲▼⚑●◆·…○⏸★♠♥♦♣",  # noqa: RUF001 - drawn, not read
    "++++-|||[]#.##><>^v!**-~o=*SHDC",
)


class Zone(NamedTuple):
    """A clickable rectangle and its target, such as ``card B3``, ``key d`` or ``row 4``."""

    x: int
    y: int
    width: int
    height: int
    target: str

    def holds(self, x: int, y: int) -> bool:
        """Return whether a cell is in the zone."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    @property
    def middle(self) -> tuple[float, float]:
        """The centre of the rectangle, measured in columns; a line counts as two columns."""
        return self.x + self.width / 2, 2 * (self.y + self.height / 2)


class Canvas:
    """Cells in rows; what is drawn later covers what was drawn before."""

    def __init__(self, width: int, height: int, style: str = "", look: Look | None = None) -> None:
        self.look = look or Look()
        self._replacements = _ASCII if self.look.ascii else _CONSOLE if self.look.console else None
        """The characters that the terminal lacks, each with the one drawn instead; None if it lacks none."""
        self.width, self.height = width, height
        self.chars = [[" "] * width for _ in range(height)]
        self.styles = [[style] * width for _ in range(height)]
        self.zones: list[Zone] = []

    def put(self, x: int, y: int, text: str, style: str = "", *, width: int | None = None) -> int:
        """Draw text starting at a cell, at most ``width`` columns wide; return the column after it."""
        if width is not None:
            text = clipped(text, max(width, 0), more="…" if not text.isascii() else "~")
        if self._replacements is not None:
            text = text.translate(self._replacements)
        cells = _cells(text)
        if width is not None and len(cells) > width:
            cells = _cut(cells, 0, max(width, 0))
        if 0 <= y < self.height:
            cut = _cut(cells, -x, self.width - x)
            if cut:
                left = max(x, 0)
                self._part(y, left, left + len(cut))
                self.chars[y][left : left + len(cut)] = cut
                if style:
                    self.styles[y][left : left + len(cut)] = [style] * len(cut)
        return x + len(cells)

    def put_right(self, x: int, y: int, text: str, style: str = "") -> int:
        """Draw text that ends before a column; return where it begins."""
        start = x - display_width(text)
        self.put(start, y, text, style)
        return start

    def put_middle(self, x: int, y: int, width: int, text: str, style: str = "") -> None:
        """Draw text centred in a number of columns."""
        text = clipped(text, max(width, 0))
        self.put(x + (width - display_width(text)) // 2, y, text, style)

    def fill(self, x: int, y: int, width: int, height: int, style: str, char: str = " ") -> None:
        """Fill a rectangle with one character."""
        left, right = max(x, 0), min(x + width, self.width)
        if left >= right:
            return
        for row in range(max(y, 0), min(y + height, self.height)):
            self._part(row, left, right)
            self.chars[row][left:right] = [char] * (right - left)
            self.styles[row][left:right] = [style] * (right - left)

    def box(self, x: int, y: int, width: int, height: int, style: str, edges: str = "╭╮╯╰─│") -> None:
        """Draw a filled frame; ``edges``: corners clockwise from the upper left, horizontal and vertical line."""
        left_top, right_top, right_bottom, left_bottom, across, down = tuple(edges)
        self.fill(x, y, width, height, style)
        self.put(x, y, left_top + across * (width - 2) + right_top, style)
        for row in range(y + 1, y + height - 1):
            self.put(x, row, down, style)
            self.put(x + width - 1, row, down, style)
        self.put(x, y + height - 1, left_bottom + across * (width - 2) + right_bottom, style)

    def stamp(self, x: int, y: int, other: "Canvas") -> None:
        """Draw another canvas here, without its zones."""
        left, right = max(x, 0), min(x + other.width, self.width)
        if left >= right:
            return
        part = slice(left - x, right - x)
        for row in range(max(-y, 0), min(other.height, self.height - y)):
            self._part(y + row, left, right)
            self.chars[y + row][left:right] = other.chars[row][part]
            self.styles[y + row][left:right] = other.styles[row][part]

    def _part(self, y: int, left: int, right: int) -> None:
        """Blank the other half of a wide character that is about to be half covered."""
        chars = self.chars[y]
        if chars[left] == "":
            chars[left - 1] = " "
        if right < self.width and chars[right] == "":
            chars[right] = " "

    def zone(self, x: int, y: int, width: int, height: int, target: str) -> None:
        """Add a zone with a target."""
        self.zones.append(Zone(x, y, width, height, target))

    def target_at(self, x: int, y: int) -> str | None:
        """Return the target of the topmost zone at a cell."""
        return next((zone.target for zone in reversed(self.zones) if zone.holds(x, y)), None)

    def neighbour(self, target: str, dx: int, dy: int, kind: str) -> str | None:
        """Return the nearest target of a kind in a direction. If ``target`` is not drawn, return the last target."""
        zones = [zone for zone in self.zones if zone.target.startswith(kind)]
        here = next((zone for zone in zones if zone.target == target), None)
        if here is None:
            return zones[-1].target if zones else None
        (x, y), best = here.middle, None
        for zone in zones:
            ahead = (zone.middle[0] - x) * dx + (zone.middle[1] - y) * dy
            aside = abs((zone.middle[0] - x) * dy) + abs((zone.middle[1] - y) * dx)
            if ahead > 1 and (best is None or ahead + 2 * aside < best[0]):
                best = ahead + 2 * aside, zone.target
        return best[1] if best is not None else None

    def lines(self) -> list[str]:
        """Return the canvas as plain text, without trailing blanks."""
        return ["".join(row).rstrip() for row in self.chars]


@lru_cache(maxsize=4096)
def _cells(text: str) -> tuple[str, ...]:
    """Split text into cells: zero-width characters join the cell before them; control characters are dropped."""
    if text.isascii():
        return tuple(text if text.isprintable() else filter(str.isprintable, text))
    cells: list[str] = []
    for char in text:
        size = display_width(char) if char >= " " else 0
        last = len(cells) - (2 if cells and cells[-1] == "" else 1)
        is_joined = not size and (char in (JOINER, EMOJI) or unicodedata.category(char) in ("Mn", "Me"))
        if last >= 0 and (is_joined or cells[last].endswith(JOINER)):
            cells[last] += char
            if char == EMOJI and last == len(cells) - 1:
                cells.append("")
        elif size:
            cells += [char, ""][:size]
    return tuple(cells)


def _cut(cells: tuple[str, ...], first: int, end: int) -> tuple[str, ...]:
    """Return a range of cells; half a wide character at either edge becomes a blank."""
    if first <= 0 and end >= len(cells):
        return cells
    cut = list(cells[max(first, 0) : max(end, 0)])
    if cut and cut[0] == "":
        cut[0] = " "
    if cut and end < len(cells) and cells[end] == "":
        cut[-1] = " "
    return tuple(cut)
