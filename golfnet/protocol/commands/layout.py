"""The layout of help pages: paragraphs and tables of two columns, for the width of the reader's window.

Invariants: no line is wider than the width, so that no other code has to wrap it; no line ends with spaces.
"""

import textwrap
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

PAGE_WIDTH: Final = 78
"""Columns of a page for programs: with a sign and a space before each line, they fit in 80."""

Row = tuple[str, str]


class Hanging(Struct, frozen=True):
    """A paragraph whose lines after the first are indented."""

    text: str


Block = str | Hanging | tuple[Row, ...]
"""A paragraph, or a table of two columns.

An empty paragraph is an empty line. The lines of a paragraph that begins with two spaces are not joined.
"""


class PageLayout(Struct, frozen=True):
    """The width of a page, and whether it is for a screen reader, which needs no columns."""

    width: int = PAGE_WIDTH
    is_spoken: bool = False

    def lines(self, blocks: Iterable[Block]) -> list[str]:
        """Return the lines of blocks."""
        return [line for block in blocks for line in self._block(block)]

    def _block(self, block: Block) -> list[str]:
        if isinstance(block, Hanging):
            return self._wrapped(block.text, further=_HANG)
        if isinstance(block, tuple):
            return self._spoken_rows(block) if self.is_spoken else self._columns(block)
        if block.startswith("  "):
            return [piece for line in block.split("\n") for piece in self._as_it_stands(line)]
        if not block:
            return [] if self.is_spoken else [""]
        return self._wrapped(block)

    def _wrapped(self, text: str, *, first: str = "", further: str = "") -> list[str]:
        return textwrap.wrap(
            text, self.width, initial_indent=first, subsequent_indent=further, break_on_hyphens=False
        )

    def _as_it_stands(self, line: str) -> list[str]:
        indent = " " * (len(line) - len(line.lstrip(" ")))
        return [line] if len(line) <= self.width else self._wrapped(line, further=f"{indent}  ")

    def _spoken_rows(self, rows: Iterable[Row]) -> list[str]:
        return [line for first, second in rows for line in self._wrapped(f"{first}: {second}")]

    def _columns(self, rows: tuple[Row, ...]) -> list[str]:
        """Return a table; first cells that are too wide get their own line, and all do if there is little room."""
        size = max([len(first) for first, _ in rows if len(first) <= _WIDEST_FIRST], default=0)
        if self.width - size - len(_HANG) < _LEAST_SECOND:
            size = 0
        indent = " " * (size + 4) if size else _HANG
        lines = []
        for first, second in rows:
            if len(first) <= size:
                lines += self._wrapped(second, first=f"  {first:<{size}}  ", further=indent)
            else:
                lines += self._wrapped(first, first="  ", further=_HANG)
                lines += self._wrapped(second, first=indent, further=indent)
        return lines


_HANG: Final = " " * 4
_WIDEST_FIRST: Final = 26
_LEAST_SECOND: Final = 36
"""The minimum width of the second column, for easy reading."""
