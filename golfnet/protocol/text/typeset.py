"""Layout of text: its width, line breaks, colours, and how lines begin.

Invariants of ``finished``: no line is wider than the width in the settings (except records, see ``TextLine``), and none
has a control character, except BEL and the escape sequences of ``_SGR`` if bell and colour are on. In unfinished text,
colours are private-use characters without width, so that other code can measure, cut and join it; players' text never
contains such characters.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from golfnet.protocol.commands.settings import Mark, Prefix, Settings
from golfnet.protocol.lines import is_invisible, strip_controls

BELL: Final = "\x07"


class TextLine(Struct, frozen=True, gc=False):
    """A line before layout; a ``verbatim`` line is for programs, as in records, and is never wrapped."""

    mark: Mark
    text: str
    verbatim: bool = False
    rings: bool = False


def finished(lines: Iterable[TextLine], settings: Settings) -> list[str]:
    """Return lines as they are sent, but without line ends: wrapped, with prefixes, and in colour if that is on."""
    out: list[str] = []
    starts, width, color = _STARTS[settings.prefix], settings.width, settings.color
    for line in lines:
        text, start = line.text, starts[line.mark]
        if not text.isprintable():
            if not unpainted(text).isprintable():
                text = re.sub(_UNCLEAN, "", strip_controls(text))
            text = text if color else unpainted(text)
        room = width - len(start)
        if line.verbatim or 2 * len(text) <= room or display_width(text) <= room:
            broken = [f"{start}{text}".rstrip()]
        else:
            broken = wrapped(text, width, start=start)
        out += painted(broken) if color else broken
        if line.rings and settings.bell:
            out[-1] += BELL
    return out


def row_width(settings: Settings) -> int:
    """Return how many columns a row of a list has after its prefix."""
    return settings.width - len(_STARTS[settings.prefix][Mark.ROW])


def red(text: str, *, on: bool = True) -> str:
    """Return text in red if colour is ``on``."""
    return f"{_RED}{text}{_RED_OFF}" if on else text


def bold(text: str, *, on: bool = True) -> str:
    """Return text in bold if colour is ``on``."""
    return f"{_BOLD}{text}{_BOLD_OFF}" if on and text else text


def white_on_black(text: str, *, on: bool = True) -> str:
    """Return text in white on black, regardless of the terminal's colours, if colour is ``on``."""
    return f"{_CODE}{text}{_CODE_OFF}" if on else text


def unpainted(text: str) -> str:
    """Return text without its colours."""
    return text if text.isascii() else text.translate(_NO_PAINT)


def painted(lines: list[str]) -> list[str]:
    """Return lines with escape sequences for their colours; a colour that is not ended continues in the next line."""
    out, still = [], ""
    for line in lines:
        text = still + line
        open_marks: list[str] = []
        for char in _MARKS.findall(text):
            if char in _ENDS:
                open_marks.append(char)
            else:
                open_marks = [mark for mark in open_marks if _ENDS[mark] != char]
        still = "".join(open_marks)
        ends = "".join([_ENDS[mark] for mark in reversed(open_marks)])
        out.append(_MARKS.sub(lambda found: _SGR[found[0]], text + ends))
    return out


def display_width(text: str) -> int:
    """Return the width of text in terminal columns: two for wide characters, none for combining marks and colours."""
    if text.isascii() or _one_column_each()(text):
        return len(text)
    return sum(map(_char_width, text))


def clipped(text: str, width: int, *, more: str = "~") -> str:
    """Return text cut to at most ``width`` columns; if it is cut, it ends in ``more``."""
    if 2 * len(text) <= width or display_width(text) <= width:
        return text
    kept, _ = next(_cut(text, width - display_width(more)))
    ends = [char for char in text[len(kept) :] if char in _OFF]
    return kept + more + "".join(ends)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return text padded with spaces to ``width`` columns, at the end or, if ``right``, at the beginning."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def centred(text: str, width: int) -> str:
    """Return text centred in ``width`` columns, or slightly to the left of the centre if it cannot be exact."""
    left = (width - display_width(text)) // 2
    return padded(" " * left + text, width)


def wrapped(text: str, width: int, *, start: str = "") -> list[str]:
    """Return ``start`` and text as lines, wrapped at spaces, or within a word that is wider than a line.

    Further lines are indented to the second column of a list, which follows two or more spaces, or by two columns.
    """
    column = _FIRST_COLUMN.match(text) if "  " in text else None
    if column is not None and len(start) + display_width(column.group()) <= width // 2:
        head = column.group()
        hang = len(start) + display_width(head)
    else:
        head = " " * min(len(text) - len(text.lstrip(" ")), width // 2)
        hang = len(head) + 2
    line = start + head
    used = len(start) + display_width(head)
    lines: list[str] = []
    blank = ""
    for word, size in _words(text[len(head) :], width - max(hang, used)):
        if used + len(blank) + size > width:
            lines.append(line.rstrip())
            line, used, blank = " " * hang, hang, ""
        line += blank + word
        used, blank = used + len(blank) + size, " "
    return [*lines, line]


class Block(Struct, frozen=True, gc=False):
    """A picture: lines that are all ``width`` columns wide, so that they need not be measured."""

    lines: tuple[str, ...]
    width: int


def block(lines: Iterable[str]) -> Block:
    """Return lines as a picture, as wide as the widest of them."""
    kept = list(lines)
    sizes = list(map(display_width, kept))
    width = max(sizes, default=0)
    return Block(tuple([line + " " * (width - size) for line, size in zip(kept, sizes, strict=True)]), width)


def stacked(blocks: Sequence[Block]) -> Block:
    """Return pictures stacked on top of each other, as wide as the widest."""
    width = max([each.width for each in blocks], default=0)
    return Block(tuple([line for each in blocks for line in _filled(each, 0, width)]), width)


def in_row(blocks: Sequence[Block], *, gap: int) -> Block:
    """Return pictures of equal height side by side."""
    lines = zip(*[each.lines for each in blocks], strict=True)
    return Block(tuple(map((" " * gap).join, lines)), sum([each.width + gap for each in blocks]) - gap)


def beside(blocks: Sequence[Block], width: int, *, gap: int) -> list[str]:
    """Return pictures side by side, in several rows with cells of equal width if they do not fit in one."""
    sizes, across = [each.width for each in blocks], len(blocks) or 1
    if sum(sizes) + gap * (len(sizes) - 1) > width:
        sizes = [max(sizes)] * len(blocks)
        most = max(1, (width + gap) // (sizes[0] + gap))
        # Rows of equal length look better than full rows and a short one.
        across = -(-len(blocks) // -(-len(blocks) // most))
    lines: list[str] = []
    for start in range(0, len(blocks), across):
        lines += _row(blocks[start : start + across], sizes, gap)
    return lines


def _row(blocks: Sequence[Block], sizes: Sequence[int], gap: int) -> list[str]:
    height = max([len(each.lines) for each in blocks], default=0)
    cells = [
        each.lines if each.width == size and len(each.lines) == height else _filled(each, height, size)
        for each, size in zip(blocks, sizes, strict=False)
    ]
    return [(" " * gap).join(line).rstrip() for line in zip(*cells, strict=True)]


class Column(Struct, frozen=True):
    """A column of a list; ``key`` names its cells.

    If not all columns fit, the cells of those with ``below`` get separate lines under their rows. In a list without
    such columns, whole columns are left out, the highest ``spare`` first; a column whose ``spare`` is 0 always stays.
    """

    heading: str
    key: str = ""
    right: bool = False
    spare: int = 0
    narrowest: int = 6
    below: bool = False


def table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int
) -> tuple[list[str], list[int]]:
    """Return a heading and rows in aligned columns, and the columns that get separate lines under the rows.

    If there are such columns, the others are shown in full; if necessary, columns with ``spare`` get separate lines,
    too. Otherwise, to fit the width, cells are cut and, if that is not enough, columns are left out.
    """
    headings = [column.heading for column in columns]
    natural = [max(map(display_width, cells)) for cells in zip(headings, *rows, strict=True)]
    least = [
        max(min(size, column.narrowest), display_width(column.heading))
        for size, column in zip(natural, columns, strict=True)
    ]
    shown = list(range(len(columns)))
    under: list[int] = []

    def fits(sizes: Sequence[int]) -> bool:
        return sum([sizes[at] + 2 for at in shown]) - 2 <= width

    def leave_out(sizes: Sequence[int]) -> list[int]:
        out = []
        while not fits(sizes) and columns[last := max(shown, key=lambda at: columns[at].spare)].spare:
            shown.remove(last)
            out.append(last)
        return out

    if not fits(least) and (under := [at for at in shown if columns[at].below]):
        shown = [at for at in shown if at not in under]
        under = sorted([*under, *leave_out(natural)])
    leave_out(least)
    sizes = natural.copy()
    while not fits(sizes) and (wide := [at for at in shown if sizes[at] > least[at]]):
        sizes[max(wide, key=lambda at: sizes[at])] -= 1
    lines = [
        "  ".join([padded(clipped(row[at], sizes[at]), sizes[at], right=columns[at].right) for at in shown])
        for row in (headings, *rows)
    ]
    return [clipped(line.rstrip(), width) for line in lines], under


_RED, _RED_OFF, _BOLD, _BOLD_OFF = "\ue000", "\ue001", "\ue002", "\ue003"
_CODE, _CODE_OFF = "\ue004", "\ue005"
_OFF: Final = frozenset((_RED_OFF, _BOLD_OFF, _CODE_OFF))
_SGR: Final = {
    **{_RED: "\x1b[31m", _RED_OFF: "\x1b[39m", _BOLD: "\x1b[1m", _BOLD_OFF: "\x1b[22m"},
    **{_CODE: "\x1b[97;40m", _CODE_OFF: "\x1b[39;49m"},
}
STYLES: Final = tuple(_SGR.values())
"""Every escape sequence that finished lines can contain."""
_ENDS: Final = {_RED: _RED_OFF, _BOLD: _BOLD_OFF, _CODE: _CODE_OFF}
_NO_PAINT: Final = str.maketrans(dict.fromkeys(_SGR, ""))
_MARKS: Final = re.compile(f"[{''.join(_SGR)}]")
_UNCLEAN: Final = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Characters that are not plain text: controls, other line ends, bidirectional controls, surrogates."""


@cache
def _one_column_each() -> Callable[[str], object]:
    """Return a function that matches text with one column per character: Latin letters and the signs in pictures."""
    return re.compile("[ -~\u00a1-\u00ac\u00ae-\u024f\u2500-\u259f\u2605\u2660\u2663\u2665\u2666]*").fullmatch


_FIRST_COLUMN: Final = re.compile(r" *\S+(?: \S+)*? {2,}(?=\S)")

_SIGNS: Final = {mark: f"{mark.value[0]} " for mark in Mark} | {Mark.MORE: "  ", Mark.READY: ""}
_WORDS: Final = {mark: f"{mark.value[1]} " for mark in Mark} | {Mark.MORE: "  ", Mark.READY: ""}
_STARTS: Final = {
    Prefix.ON: _SIGNS | {Mark.HEADING: " " * len(_SIGNS[Mark.ROW])},
    Prefix.WORDS: _WORDS | {Mark.HEADING: " " * len(_WORDS[Mark.ROW])},
    Prefix.OFF: dict.fromkeys(Mark, "") | {Mark.MORE: "  "},
}
"""The beginning of lines of each kind."""


@lru_cache(maxsize=4096)
def _char_width(char: str) -> int:
    # Parts of Hangul syllables join the preceding character.
    is_part = "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"
    is_mark = unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc") or is_invisible(char)
    if is_part or is_mark or char in _SGR:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _words(text: str, width: int) -> list[tuple[str, int]]:
    """Return the words of a text with their widths; words wider than a line are cut."""
    words = text.split()
    sizes = list(map(len if text.isascii() else display_width, words))
    whole = list(zip(words, sizes, strict=True))
    if max(sizes, default=0) <= width:
        return whole
    return [
        piece for word, size in whole for piece in ([(word, size)] if size <= width else _cut(word, width))
    ]


def _cut(word: str, width: int) -> Iterator[tuple[str, int]]:
    """Yield pieces of at most ``width`` columns, each with its width."""
    piece, used = "", 0
    for char in word:
        size = _char_width(char)
        if used + size > width:
            yield piece, used
            piece, used = "", 0
        piece, used = piece + char, used + size
    yield piece, used


def _filled(each: Block, height: int, width: int) -> tuple[str, ...]:
    blanks = " " * (width - each.width)
    lines = tuple([line + blanks for line in each.lines]) if blanks else each.lines
    return (*lines, *[" " * width] * (height - len(lines))) if len(lines) < height else lines
