"""Setting text in columns: how wide it is, where it breaks, how it is coloured, how lines begin.

What stays true of ``finished``: no line is wider than the width of the settings (records excepted, see ``TextLine``),
and none has a control character but BEL where the bell was asked for and the escape sequences of ``_SGR`` where
colour was. Where colour is on it is written into text as private characters of no width, so that everything before can
measure, cut and join text as it is; what players write is cleaned of them before.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final

from msgspec import Struct

from golfnet.protocol.clean import is_invisible, strip_controls
from golfnet.protocol.commands.settings import Prefix, Settings

BELL: Final = "\x07"


class Mark(Enum):
    """What a line is; the value is its first character and the word in its place."""

    DONE = ("=", "done:")
    REFUSED = ("?", "refused:")
    HAPPENED = ("*", "table:")
    ROW = ("-", "item:")
    CHAT = (">", "chat:")
    SERVER = ("!", "server:")
    MORE = (" ", "")
    """Belongs to the line above: a heading or a picture."""
    HEADING = ("  ", "")
    """Stands over the rows of a list, in line with them."""
    READY = ("   ", "")
    """Finished before, such as the lines that are repeated on demand."""

    __hash__ = object.__hash__  # that of an enum is made in Python, and each line is looked up by its mark


class TextLine(Struct, frozen=True, gc=False):
    """A line before it is set; ``verbatim`` is for programs' eyes (records) and is never broken."""

    mark: Mark
    text: str
    verbatim: bool = False
    rings: bool = False


def finished(lines: Iterable[TextLine], settings: Settings) -> list[str]:
    """Return lines as they are sent, without line ends: prefixed, broken to the width and coloured or not."""
    out: list[str] = []
    starts, width, color = _STARTS[settings.prefix], settings.width, settings.color
    for line in lines:
        text, start = line.text, starts[line.mark]
        if not text.isprintable():
            text = _cleaned(text, settings)
        room = width - len(start)
        if line.verbatim or 2 * len(text) <= room or display_width(text) <= room:
            broken = [f"{start}{text}".rstrip()]
        else:
            broken = wrapped(text, width, start=start)
        out += painted(broken) if color else broken
        if line.rings and settings.bell:
            out[-1] += BELL
    return out


def prefix(mark: Mark, settings: Settings) -> str:
    """Return what a line of this kind begins with."""
    return _STARTS[settings.prefix][mark]


def row_width(settings: Settings) -> int:
    """Return the columns that a row of a list has behind what it begins with."""
    return settings.width - len(prefix(Mark.ROW, settings))


def red(text: str, *, on: bool = True) -> str:
    """Return text that is red where colour is ``on``."""
    return f"{_RED}{text}{_RED_OFF}" if on else text


def bold(text: str, *, on: bool = True) -> str:
    """Return text that is bold where colour is ``on``."""
    return f"{_BOLD}{text}{_BOLD_OFF}" if on and text else text


def white_on_black(text: str, *, on: bool = True) -> str:
    """Return text that is white on black, whatever the terminal's own colours are, where colour is ``on``."""
    return f"{_CODE}{text}{_CODE_OFF}" if on else text


def unpainted(text: str) -> str:
    """Return text without its colours."""
    return text if text.isascii() else text.translate(_NO_PAINT)


def painted(lines: list[str]) -> list[str]:
    """Return lines with escape sequences for their colours; what is open at a line's end goes on in the next."""
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
        out.append(_MARKS.sub(_to_sgr, text + ends))
    return out


def display_width(text: str) -> int:
    """Return the columns that text takes in a terminal: wide characters two, combining marks and colours none."""
    if text.isascii() or _ONE_COLUMN_EACH(text):
        return len(text)
    return sum(map(_char_width, text))


def fits(text: str, width: int) -> bool:
    """Tell whether text takes at most so many columns; what is short enough for wide characters is not measured."""
    return 2 * len(text) <= width or display_width(text) <= width


def clipped(text: str, width: int, *, more: str = "~") -> str:
    """Return text that takes at most so many columns; where it is cut it ends in ``more``."""
    if 2 * len(text) <= width or display_width(text) <= width:
        return text
    kept, used, room = [], 0, width - display_width(more)
    for char in text:
        used += _char_width(char)
        if used > room:
            break
        kept.append(char)
    ends = [char for char in text[len(kept) :] if char in _OFF]
    return "".join(kept) + more + "".join(ends)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return text filled with blanks to so many columns, at its end or, ``right``, before it."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def centred(text: str, width: int) -> str:
    """Return text in the middle of so many columns, rather too far left than right."""
    left = (width - display_width(text)) // 2
    return padded(" " * left + text, width)


def wrapped(text: str, width: int, *, start: str = "") -> list[str]:
    """Return text behind ``start``, broken at blanks, or within a word that is wider than a line.

    It goes on two columns in, or under the second column of a list, which begins after two blanks or more.
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
    """A picture: its lines, each exactly ``width`` columns wide, so that nobody measures them again."""

    lines: tuple[str, ...]
    width: int


def block(lines: Iterable[str]) -> Block:
    """Return lines as a picture as wide as the widest."""
    kept = list(lines)
    sizes = list(map(display_width, kept))
    width = max(sizes, default=0)
    return Block(tuple([line + " " * (width - size) for line, size in zip(kept, sizes, strict=True)]), width)


def stacked(blocks: Sequence[Block]) -> Block:
    """Return pictures over one another, as wide as the widest."""
    width = max([each.width for each in blocks], default=0)
    return Block(tuple([line for each in blocks for line in _filled(each, 0, width)]), width)


def in_row(blocks: Sequence[Block], *, gap: int) -> Block:
    """Return pictures of one height side by side."""
    lines = map((" " * gap).join, zip(*[each.lines for each in blocks], strict=True))
    return Block(tuple(lines), sum([each.width + gap for each in blocks]) - gap)


def beside(blocks: Sequence[Block], width: int, *, gap: int) -> list[str]:
    """Return pictures side by side, as many in a row as the width allows, all cells of one width if there are rows."""
    cell = max([each.width for each in blocks], default=0)
    total = sum([each.width + gap for each in blocks]) - gap
    across = max(1, (width + gap) // (cell + gap))
    if total <= width:
        return _row(blocks, [each.width for each in blocks], gap)
    # Rows of one length look better than a full row and a rest.
    rows = -(-len(blocks) // across)
    across = -(-len(blocks) // rows)
    lines: list[str] = []
    for start in range(0, len(blocks), across):
        lines += _row(blocks[start : start + across], [cell] * across, gap)
    return lines


class Column(Struct, frozen=True):
    """A column of a list; the one with the highest ``spare`` is left out first where all do not fit, 0 never.

    What stands in a column that may go ``below`` has a line of its own under the row before anything is left out.
    """

    heading: str
    right: bool = False
    spare: int = 0
    narrowest: int = 6
    below: bool = False


def below(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the columns that have their own lines under the rows, none where all fit side by side.

    The others are not cut then: those that can be spared go below, too.
    """
    natural, least = _sizes(columns, rows)
    if not any(column.below for column in columns) or _total(least) <= width:
        return []
    lower = [at for at, column in enumerate(columns) if column.below]
    while _total([size for at, size in enumerate(natural) if at not in lower]) > width:
        upper = [at for at, column in enumerate(columns) if at not in lower and column.spare]
        if not upper:
            break
        lower.append(max(upper, key=lambda at: columns[at].spare))
    return sorted(lower)


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a heading and rows in aligned columns that fit the width: cells are cut, then columns left out."""
    shown = list(range(len(columns)))
    natural, least = _sizes(columns, rows)
    while _total([least[at] for at in shown]) > width:
        spare = max(shown, key=lambda at: columns[at].spare)
        if not columns[spare].spare:
            break
        shown.remove(spare)
    sizes = _squeezed({at: natural[at] for at in shown}, {at: least[at] for at in shown}, width)
    return [
        clipped(
            "  ".join(
                [padded(clipped(row[at], sizes[at]), sizes[at], right=columns[at].right) for at in shown]
            ).rstrip(),
            width,
        )
        for row in ([column.heading for column in columns], *rows)
    ]


_RED, _RED_OFF, _BOLD, _BOLD_OFF = "\ue000", "\ue001", "\ue002", "\ue003"
_CODE, _CODE_OFF = "\ue004", "\ue005"
_OFF: Final = frozenset((_RED_OFF, _BOLD_OFF, _CODE_OFF))
_SGR: Final = {
    **{_RED: "\x1b[31m", _RED_OFF: "\x1b[39m", _BOLD: "\x1b[1m", _BOLD_OFF: "\x1b[22m"},
    **{_CODE: "\x1b[97;40m", _CODE_OFF: "\x1b[39;49m"},
}
STYLES: Final = tuple(_SGR.values())
"""Every escape sequence that finished lines can have."""
_ENDS: Final = {_RED: _RED_OFF, _BOLD: _BOLD_OFF, _CODE: _CODE_OFF}
_NO_PAINT: Final = str.maketrans(dict.fromkeys(_SGR, ""))
_MARKS: Final = re.compile(f"[{''.join(_SGR)}]")
_UNCLEAN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Whatever stands for more than itself: controls, other line ends, bidirectional controls, halves of characters."""


_ONE_COLUMN_EACH: Final = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u024f\u2500-\u259f\u2605\u2660\u2663\u2665\u2666]*"
).fullmatch
"""Matches text whose characters take a column each: Latin letters and what pictures are drawn with."""
_FIRST_COLUMN: Final = re.compile(r" *\S+(?: \S+)*? {2,}(?=\S)")

_SIGNS: Final = {mark: f"{mark.value[0]} " for mark in Mark} | {Mark.MORE: "  ", Mark.READY: ""}
_WORDS: Final = {mark: f"{mark.value[1]} " for mark in Mark} | {Mark.MORE: "  ", Mark.READY: ""}
_STARTS: Final = {
    Prefix.ON: _SIGNS | {Mark.HEADING: " " * len(_SIGNS[Mark.ROW])},
    Prefix.WORDS: _WORDS | {Mark.HEADING: " " * len(_WORDS[Mark.ROW])},
    Prefix.OFF: dict.fromkeys(Mark, "") | {Mark.MORE: "  "},
}
"""What lines of each kind begin with."""


def _cleaned(text: str, settings: Settings) -> str:
    """Return text without controls, and without colours where these are off."""
    if _UNCLEAN.search(text):
        text = _UNCLEAN.sub("", strip_controls(text))
    return text if settings.color else unpainted(text)


def _to_sgr(found: re.Match[str]) -> str:
    return _SGR[found[0]]


@lru_cache(maxsize=4096)
def _char_width(char: str) -> int:
    if char in _SGR or unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc") or is_invisible(char):
        return 0
    if (
        "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"
    ):  # parts of Hangul join the syllable before
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _words(text: str, width: int) -> list[tuple[str, int]]:
    """Return the words of a text with their widths, cut where one is wider than a line."""
    words = text.split()
    sizes = list(map(len if text.isascii() else display_width, words))
    whole = list(zip(words, sizes, strict=True))
    if max(sizes, default=0) <= width:
        return whole
    return [
        piece for word, size in whole for piece in ([(word, size)] if size <= width else _cut(word, width))
    ]


def _cut(word: str, width: int) -> Iterator[tuple[str, int]]:
    """Yield a word that is wider than a line in pieces, with their widths."""
    piece, used = "", 0
    for char in word:
        size = _char_width(char)
        if used + size > width:
            yield piece, used
            piece, used = "", 0
        piece, used = piece + char, used + size
    yield piece, used


def _row(blocks: Sequence[Block], sizes: Sequence[int], gap: int) -> list[str]:
    between = " " * gap
    height = max([len(each.lines) for each in blocks], default=0)
    cells = [
        each.lines if each.width == size and len(each.lines) == height else _filled(each, height, size)
        for each, size in zip(blocks, sizes, strict=False)
    ]
    return [between.join(line).rstrip() for line in zip(*cells, strict=True)]


def _filled(each: Block, height: int, width: int) -> tuple[str, ...]:
    """Return the lines of a picture with blanks to a height and a width that are no less than its own."""
    lines, missing = each.lines, width - each.width
    if missing:
        lines = tuple([line + " " * missing for line in lines])
    return (*lines, *[" " * width] * (height - len(lines))) if len(lines) < height else lines


def _sizes(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> tuple[list[int], list[int]]:
    """Return how wide each column would be, and how wide it is at the least."""
    headings = [display_width(column.heading) for column in columns]
    natural = [
        max([heading, *[display_width(row[at]) for row in rows]]) for at, heading in enumerate(headings)
    ]
    least = [
        max(min(size, column.narrowest), heading)
        for size, column, heading in zip(natural, columns, headings, strict=True)
    ]
    return natural, least


def _total(sizes: Sequence[int]) -> int:
    """Return the columns that cells of these sizes take side by side."""
    return sum(sizes) + 2 * (len(sizes) - 1)


def _squeezed(natural: dict[int, int], least: dict[int, int], width: int) -> dict[int, int]:
    """Return the widths of columns, the widest made narrower until all fit."""
    sizes = dict(natural)
    while sum(sizes.values()) + 2 * (len(sizes) - 1) > width:
        wide = [at for at in sizes if sizes[at] > least[at]]
        if not wide:
            break
        sizes[max(wide, key=lambda at: sizes[at])] -= 1
    return sizes
