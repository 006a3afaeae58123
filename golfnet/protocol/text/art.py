"""Pictures of cards and layouts.

Cards are drawn with lines or, in ASCII, with ``+-|``; each has its slot number on its upper edge. ``look`` are settings
of which only style, cards and colour matter (``Voice.look``). Pictures are cached by it: there are only a few, however
many tables and viewers there are.
"""

from functools import lru_cache
from typing import Final

from msgspec import Struct

from golfnet.engine.cards import EMPTY, HIDDEN, JOKER
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.text.typeset import Block, block, centred, display_width, in_row, red, stacked
from golfnet.protocol.text.words import card_sign


class CardSize(Struct, frozen=True):
    """The size of cards in columns and lines, including the frame."""

    width: int
    height: int


SMALL: Final = CardSize(6, 3)
"""The usual size: five cards fit side by side in the narrowest window, and a card has room for ``?10D``."""


class Shape(Struct, frozen=True):
    """The shape of a layout: the rows and columns that were dealt; added slots follow in separate rows."""

    rows: int
    columns: int


@lru_cache(maxsize=1024)
def _rows(shape: Shape, slots: int, across: int) -> tuple[range, ...]:
    """Return the slot numbers in each row of a picture with room for ``across`` cards."""
    dealt = min(shape.rows * shape.columns, slots)
    whole = [range(first, first + shape.columns) for first in range(1, dealt + 1, shape.columns)]
    more = max(shape.columns, min(across, 6))
    whole += [range(first, first + more) for first in range(dealt + 1, slots + 1, more)]
    return tuple(
        [
            range(start, min(start + across, row.stop, slots + 1))
            for row in whole
            for start in range(row.start, min(row.stop, slots + 1), across)
        ]
    )


@lru_cache(maxsize=1024)
def layout_picture(slots: tuple[str, ...], shape: Shape, look: Settings, width: int) -> Block:
    """Return a layout as cards with their slot numbers, with a space between cards if the width allows it."""
    columns = max([len(row) for row in _rows(shape, len(slots), 99)], default=1)
    gap = 1 if columns * (SMALL.width + 1) - 1 <= width else 0
    across = max(1, (width + gap) // (SMALL.width + gap))
    cards = [card_picture(slot, look, str(number)) for number, slot in enumerate(slots, 1)]
    return stacked(
        [in_row(cards[row.start - 1 : row.stop - 1], gap=gap) for row in _rows(shape, len(slots), across)]
    )


@lru_cache(maxsize=4096)
def card_picture(
    slot: str, look: Settings, label: str = "", size: CardSize = SMALL, *, text: str = "", held: bool = False
) -> Block:
    """Return one card; ``held`` gives it a double frame, ``label`` is written on its upper edge.

    If there is a ``text``, it is shown instead of the card's face or back.
    """
    width, height = size.width - 2, size.height - 2
    shown = [centred(text, width)] if text else _face(slot, look, width, height)
    kind = "held" if held else "empty" if slot == EMPTY else "card"
    corners, edge, side = (_LINES if look.cards is Cards.SYMBOLS else _ASCII_LINES)[kind]
    top = f"{edge}{label}{edge * width}"[:width]
    return Block(
        (
            f"{corners[0]}{top}{corners[1]}",
            *[f"{side}{line}{side}" for line in shown],
            f"{corners[2]}{edge * width}{corners[3]}",
        ),
        size.width,
    )


@lru_cache(maxsize=1024)
def titled(title: str, picture: Block) -> Block:
    """Return a picture under its title, both centred."""
    size = max(display_width(title), picture.width)
    return Block((centred(title, size), *[centred(line, size) for line in picture.lines]), size)


@lru_cache(maxsize=4096)
def under(heading: tuple[str, ...], picture: Block) -> Block:
    """Return a picture under heading lines."""
    return stacked([block(heading), picture])


@lru_cache(maxsize=4096)
def small_layout(
    slots: tuple[str, ...],
    shape: Shape,
    look: Settings,
    *,
    letter: str | None = None,
    width: int = 0,
    sign: int = 0,
) -> Block:
    """Return a layout as rows of short signs; if ``letter`` is given, each sign follows its position: ``B3`` or ``3``.

    ``sign`` is the minimum width of a sign, ``width`` the maximum width of the layout, 0 for no maximum.
    """
    signs = [slot_sign(slot, look) for slot in slots]
    size = max([2, sign, *[each.width for each in signs]])
    gap, label = (1, 0) if letter is None else (2, len(f"{letter}{len(signs)} "))
    numbers = range(1, len(signs) + 1) if label else ()
    labels = [f"{f'{letter}{number} ':>{label}}" for number in numbers] or [""] * len(signs)
    across = max(1, (width + gap) // (label + size + gap)) if width else 99
    rows, widths = [], []
    for row in _rows(shape, len(signs), min(across, 6)):
        *others, last = range(row.start - 1, row.stop - 1)
        cells = [f"{labels[at]}{signs[at].lines[0]}{' ' * (size + gap - signs[at].width)}" for at in others]
        rows.append(f"{''.join(cells)}{labels[last]}{signs[last].lines[0]}")
        widths.append(len(others) * (label + size + gap) + label + signs[last].width)
    most = max(widths, default=0)
    return Block(tuple([row + " " * (most - size) for row, size in zip(rows, widths, strict=True)]), most)


@lru_cache(maxsize=2048)
def slot_sign(slot: str, look: Settings) -> Block:
    """Return the short sign of a slot, with a mark before a face-down card that the viewer knows."""
    if slot == EMPTY:
        return block(["--"])
    if slot == HIDDEN:
        return block([_back(look) * 2])
    known = HIDDEN if slot[0] == HIDDEN else ""
    return block([known + card_sign(slot.removeprefix(HIDDEN), look.cards, color=look.color)])


def _back(look: Settings) -> str:
    return HIDDEN if look.style is Style.PLAIN else "░" if look.cards is Cards.SYMBOLS else "#"


def _face(slot: str, look: Settings, width: int, height: int) -> list[str]:
    if slot in (EMPTY, HIDDEN):
        return [(" " if slot == EMPTY else _back(look)) * width] * height
    (sign,) = slot_sign(slot, look).lines
    card = slot.removeprefix(HIDDEN)
    shown = [sign] if height <= _DIGIT_LINES or card == JOKER else [*_large(card, look), sign]
    blanks = height - len(shown)
    return [centred(line, width) for line in [*[""] * (blanks // 2), *shown, *[""] * -(-blanks // 2)]]


def _large(card: str, look: Settings) -> list[str]:
    ink = "\u2588" if look.cards is Cards.SYMBOLS else "#"
    digits = [_DIGITS[char].split("/") for char in card[:-1]]
    rows = [" ".join([digit[at] for digit in digits]).replace("#", ink) for at in range(_DIGIT_LINES)]
    return [red(row, on=look.color and card[-1] in "HD") for row in rows]


_LINES: Final = {"card": ("╭╮╰╯", "─", "│"), "held": ("╔╗╚╝", "═", "║"), "empty": ("····", "·", "·")}
_ASCII_LINES: Final = {"card": ("++++", "-", "|"), "held": ("++++", "=", "|"), "empty": ("....", ".", ".")}
"""The corners, the upper and lower edge, and the sides of frames."""

_DIGIT_LINES: Final = 5
_DIGITS: Final = {
    "A": " # /# #/###/# #/# #",
    "0": "###/# #/# #/# #/###",
    "1": " # /## / # / # /###",
    "2": "## /  #/ # /#  /###",
    "3": "###/  #/ ##/  #/###",
    "4": "# #/# #/###/  #/  #",
    "5": "###/#  /## /  #/## ",
    "6": "###/#  /###/# #/###",
    "7": "###/  #/ # / # / # ",
    "8": "###/# #/###/# #/###",
    "9": "###/# #/###/  #/###",
    "J": "  #/  #/  #/# #/###",
    "Q": "###/# #/# #/###/  #",
    "K": "# #/# #/## /# #/# #",
}
"""Three columns and five lines for each character of a rank."""
