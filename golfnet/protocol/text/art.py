"""Pictures of cards and layouts.

Cards are drawn with lines, or with ``+-|`` where only ASCII is wanted; each shows its slot number on its upper edge.
Cards are six columns wide, so that six stand side by side in the narrowest window.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from golfnet.engine.notation import EMPTY, HIDDEN
from golfnet.protocol.commands.settings import Cards, Settings, Style
from golfnet.protocol.text.typeset import Block, beside, block, bold, centred, clipped, display_width, padded
from golfnet.protocol.text.words import card_sign

CARD_WIDTH: Final = 6
"""Columns of a card with its frame: enough for a ten that is known and lies face down."""


class Shape(NamedTuple):
    """How a layout lies: the rows and columns that were dealt; higher slots follow in rows of their own."""

    rows: int
    columns: int

    def lines(self, slots: int, across: int) -> list[range]:
        """Return the slot numbers in each row of a picture that has room for ``across`` cards."""
        dealt = min(self.rows * self.columns, slots)
        rows = [range(first, first + self.columns) for first in range(1, dealt + 1, self.columns)]
        more = max(self.columns, min(across, 6))
        rows += [range(first, first + more) for first in range(dealt + 1, slots + 1, more)]
        return [
            range(start, min(start + across, row.stop, slots + 1))
            for row in rows
            for start in range(row.start, min(row.stop, slots + 1), across)
        ]


def guessed_shape(slots: int) -> Shape:
    """Return the most likely shape of a layout whose rules are not known."""
    return Shape(2, max(1, -(-slots // 2)))


def layout_picture(slots: Sequence[str], shape: Shape, settings: Settings, width: int) -> Block:
    """Return a layout as cards with their slot numbers, parted by a blank where the width allows it."""
    columns = max([len(row) for row in shape.lines(len(slots), 99)], default=1)
    gap = 1 if columns * (CARD_WIDTH + 1) - 1 <= width else 0
    across = max(1, (width + gap) // (CARD_WIDTH + gap))
    lines: list[str] = []
    for row in shape.lines(len(slots), across):
        cards = [card_picture(slots[slot - 1], settings, label=str(slot)) for slot in row]
        lines += beside(cards, width, gap=gap)
    return block(lines)


def card_picture(slot: str, settings: Settings, *, label: str = "", held: bool = False) -> Block:
    """Return one card of three lines; ``held`` frames it double, ``label`` stands on its upper edge."""
    frame = frame_of(slot, settings, held=held)
    inner = CARD_WIDTH - 2
    top = f"{frame.edge}{label}{frame.edge * inner}"[:inner] if label else frame.edge * inner
    return Block(
        [
            f"{frame.corners[0]}{top}{frame.corners[1]}",
            f"{frame.side}{centred(_face(slot, settings), inner)}{frame.side}",
            f"{frame.corners[2]}{frame.edge * inner}{frame.corners[3]}",
        ],
        CARD_WIDTH,
    )


def pile_picture(count: int, settings: Settings) -> Block:
    """Return the stock: a card with the number of cards on it."""
    shown = EMPTY if not count else HIDDEN
    top, _, bottom = card_picture(shown, settings).lines
    frame = frame_of(shown, settings, held=False)
    return Block([top, f"{frame.side}{centred(str(count), CARD_WIDTH - 2)}{frame.side}", bottom], CARD_WIDTH)


def titled(title: str, picture: Block, width: int = 0) -> Block:
    """Return a picture in the middle under its title, cut to ``width`` columns where that is given."""
    text = clipped(title, width) if width else title
    size = max(display_width(text), picture.width)
    return Block([centred(text, size), *[centred(line, size) for line in picture.lines]], size)


def small_layout(
    slots: Sequence[str],
    shape: Shape,
    settings: Settings,
    *,
    letter: str | None = None,
    width: int = 0,
    sign: int = 0,
) -> Block:
    """Return a layout as plain signs in rows, each after its position (``B3``, or ``3``) if a ``letter`` is given.

    ``sign`` is how wide signs are at the least, ``width`` how wide the layout may be.
    """
    signs = [_small(slot, settings) for slot in slots]
    size = max(sign, sign_width(slots, settings))
    labels = ["" if letter is None else f"{letter}{slot} " for slot in range(1, len(slots) + 1)]
    label, gap = max(map(len, labels), default=0), 2 if letter is not None else 1
    across = max(1, (width + gap) // (label + size + gap)) if width else 99
    return block(
        (" " * gap)
        .join([padded(labels[slot - 1], label, right=True) + padded(signs[slot - 1], size) for slot in row])
        .rstrip()
        for row in shape.lines(len(slots), min(across, 6))
    )


def sign_width(slots: Sequence[str], settings: Settings) -> int:
    """Return how wide the signs of a small layout are."""
    return max([2, *[display_width(_small(slot, settings)) for slot in slots]])


def under(heading: Iterable[str], picture: Block, *, strong: bool = False) -> Block:
    """Return a picture with heading lines over it, bold where ``strong``."""
    return block([*(bold(line) if strong else line for line in heading), *picture.lines])


class _Frame(NamedTuple):
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


def frame_of(slot: str, settings: Settings, *, held: bool) -> _Frame:
    """Return what a card is framed with; ``held`` frames it double."""
    kind = "held" if held else "empty" if slot == EMPTY else "card"
    return (_LINES if settings.cards is Cards.SYMBOLS else _ASCII_LINES)[kind]


def back(settings: Settings) -> str:
    """Return what the back of a card is filled with."""
    if settings.style is Style.PLAIN:
        return HIDDEN
    return "░" if settings.cards is Cards.SYMBOLS else "#"


def _face(slot: str, settings: Settings) -> str:
    """Return what stands within a card's frame."""
    if slot == EMPTY:
        return ""
    if slot == HIDDEN:
        return back(settings) * (CARD_WIDTH - 2)
    return (
        HIDDEN + card_sign(slot[1:], settings.cards) if slot[0] == HIDDEN else card_sign(slot, settings.cards)
    )


def _small(slot: str, settings: Settings) -> str:
    if slot == EMPTY:
        return "--"
    if slot == HIDDEN:
        return back(settings) * 2
    return _face(slot, settings)
