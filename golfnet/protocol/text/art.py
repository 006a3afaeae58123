"""Pictures of cards and layouts.

Cards are drawn with lines or, in ASCII, with ``+-|``; each has its slot number on its upper edge. They are six
columns wide, so that five fit side by side in the narrowest window.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from golfnet.engine.layout import EMPTY, HIDDEN
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.text.typeset import (
    Block,
    block,
    centred,
    display_width,
    in_row,
    stacked,
)
from golfnet.protocol.text.words import card_sign

CARD_WIDTH: Final = 6
"""The width of a card with its frame, in columns: enough for a ten that the viewer knows although it is face down."""


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


def guessed_shape(slots: int) -> Shape:
    """Return the most likely shape of a layout with unknown rules."""
    return Shape(2, max(1, -(-slots // 2)))


def layout_picture(slots: Sequence[str], shape: Shape, settings: Settings, width: int) -> Block:
    """Return a layout as cards with their slot numbers, with a space between cards if the width allows it."""
    columns = max([len(row) for row in _rows(shape, len(slots), 99)], default=1)
    gap = 1 if columns * (CARD_WIDTH + 1) - 1 <= width else 0
    across = max(1, (width + gap) // (CARD_WIDTH + gap))
    look = (settings.cards, settings.style, settings.color)
    cards = [_card(slot, str(number), False, *look) for number, slot in enumerate(slots, 1)]
    rows = _rows(shape, len(slots), across)
    return stacked([in_row(cards[row.start - 1 : row.stop - 1], gap=gap) for row in rows])


def card_picture(slot: str, settings: Settings, *, label: str = "", held: bool = False) -> Block:
    """Return one card in three lines; ``held`` gives it a double frame, ``label`` is written on its upper edge."""
    return _card(slot, label, held, settings.cards, settings.style, settings.color)


def pile_picture(count: int, settings: Settings) -> Block:
    """Return the stock as a card that shows how many cards are left; if there are none, its frame is dotted."""
    return _pile(count, settings.cards)


@lru_cache(maxsize=1024)
def titled(title: str, picture: Block) -> Block:
    """Return a picture under its title, both centred."""
    size = max(display_width(title), picture.width)
    return Block((centred(title, size), *[centred(line, size) for line in picture.lines]), size)


def small_layout(
    slots: Sequence[str],
    shape: Shape,
    settings: Settings,
    *,
    letter: str | None = None,
    width: int = 0,
    sign: int = 0,
) -> Block:
    """Return a layout as rows of short signs; if ``letter`` is given, each sign follows its position: ``B3`` or ``3``.

    ``sign`` is the minimum width of a sign, ``width`` the maximum width of the layout, 0 for no maximum.
    """
    return _small_layout(
        tuple(slots), shape, letter, width, sign, settings.cards, settings.style, settings.color
    )


def sign_width(slots: Sequence[str], settings: Settings) -> int:
    """Return the width of the widest sign of a small layout."""
    return _sign_width(tuple(slots), settings.cards, settings.style, settings.color)


@lru_cache(maxsize=4096)
def under(heading: tuple[str, ...], picture: Block) -> Block:
    """Return a picture under heading lines."""
    return stacked([block(heading), picture])


class _Frame(Struct, frozen=True):
    corners: str
    edge: str
    side: str


_LINES: Final = {
    "card": _Frame("╭╮╰╯", "─", "│"),
    "held": _Frame("╔╗╚╝", "═", "║"),
    "empty": _Frame("····", "·", "·"),
}
_ASCII_LINES: Final = {
    "card": _Frame("++++", "-", "|"),
    "held": _Frame("++++", "=", "|"),
    "empty": _Frame("....", ".", "."),
}


def frame_of(slot: str, cards: Cards, *, held: bool = False) -> _Frame:
    """Return the frame of a card, a double one if it is ``held``."""
    kind = "held" if held else "empty" if slot == EMPTY else "card"
    return (_LINES if cards is Cards.SYMBOLS else _ASCII_LINES)[kind]


def framed(face: Iterable[str], frame: _Frame, width: int, label: str = "") -> Block:
    """Return a face in a frame, with ``label`` on the upper edge; ``width`` includes the frame."""
    inner = width - 2
    top = f"{frame.edge}{label}{frame.edge * inner}"[:inner]
    return Block(
        (
            f"{frame.corners[0]}{top}{frame.corners[1]}",
            *[f"{frame.side}{line}{frame.side}" for line in face],
            f"{frame.corners[2]}{frame.edge * inner}{frame.corners[3]}",
        ),
        width,
    )


def back(cards: Cards, style: Style) -> str:
    """Return the character that fills the back of a card."""
    if style is Style.PLAIN:
        return HIDDEN
    return "░" if cards is Cards.SYMBOLS else "#"


@lru_cache(maxsize=4096)
def _small_layout(
    slots: tuple[str, ...],
    shape: Shape,
    letter: str | None,
    width: int,
    sign: int,
    cards: Cards,
    style: Style,
    color: bool,
) -> Block:
    signs = [_sign(slot, cards, style, color) for slot in slots]
    size = max([2, sign, *[each.width for each in signs]])
    labels = [""] * len(signs)
    gap, label = 1, 0
    if letter is not None:
        gap, label = 2, len(f"{letter}{len(signs)} ")
        labels = [f"{f'{letter}{slot} ':>{label}}" for slot in range(1, len(signs) + 1)]
    across = max(1, (width + gap) // (label + size + gap)) if width else 99
    rows, widths = [], []
    for row in _rows(shape, len(signs), min(across, 6)):
        *others, last = range(row.start - 1, row.stop - 1)
        cells = [f"{labels[at]}{signs[at].text}{_BLANKS[size + gap - signs[at].width]}" for at in others]
        rows.append(f"{''.join(cells)}{labels[last]}{signs[last].text}")
        widths.append(len(others) * (label + size + gap) + label + signs[last].width)
    most = max(widths, default=0)
    return Block(tuple([row + " " * (most - size) for row, size in zip(rows, widths, strict=True)]), most)


# The parts of pictures are cached: there are only a few, however many tables and viewers there are.


@lru_cache(maxsize=4096)
def _card(slot: str, label: str, held: bool, cards: Cards, style: Style, color: bool) -> Block:
    inner = CARD_WIDTH - 2
    if slot == EMPTY:
        face = ""
    elif slot == HIDDEN:
        face = back(cards, style) * inner
    else:
        face = _sign(slot, cards, style, color).text
    return framed([centred(face, inner)], frame_of(slot, cards, held=held), CARD_WIDTH, label)


@lru_cache(maxsize=1024)
def _pile(count: int, cards: Cards) -> Block:
    frame = frame_of(HIDDEN if count else EMPTY, cards)
    return framed([centred(str(count), CARD_WIDTH - 2)], frame, CARD_WIDTH)


class _Sign(Struct, frozen=True):
    """The sign of a slot, two to four columns wide."""

    text: str
    width: int


@lru_cache(maxsize=2048)
def _sign(slot: str, cards: Cards, style: Style, color: bool) -> _Sign:
    """Return the sign of a slot, with a mark before a face-down card that the viewer knows."""
    if slot == EMPTY:
        text = "--"
    elif slot == HIDDEN:
        text = back(cards, style) * 2
    elif slot[0] == HIDDEN:
        text = HIDDEN + card_sign(slot[1:], cards, color=color)
    else:
        text = card_sign(slot, cards, color=color)
    return _Sign(text, display_width(text))


@lru_cache(maxsize=4096)
def _sign_width(slots: tuple[str, ...], cards: Cards, style: Style, color: bool) -> int:
    return max([2, *[_sign(slot, cards, style, color).width for slot in slots]])


_BLANKS: Final = [" " * width for width in range(16)]
