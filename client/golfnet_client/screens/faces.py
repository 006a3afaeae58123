"""Cards, drawn as solid paper with an edge of half blocks and a patterned back, or as ASCII frames.

A card is always drawn whole; if there is no room, in a smaller size. Nothing is shown by colour alone: a red suit has
its symbol, a selected card has bars at its sides, a marked or changed one a sign, a face-down one a pattern, and one
that scores nothing shows "=0".
"""

from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import Struct

from golfnet.engine.cards import EMPTY, HIDDEN, JOKER
from golfnet.protocol.text.words import JOKER_SIGN, SUIT_SIGNS
from golfnet_client.screens.canvas import Canvas, Look

_PIPS: Final = {
    "0": ((), ()),
    "2": ((), (2, 6)),
    "3": ((), (2, 4, 6)),
    "4": ((2, 6), ()),
    "5": ((2, 6), (4,)),
    "6": ((2, 4, 6), ()),
    "7": ((2, 4, 6), (3,)),
    "8": ((2, 3, 5, 6), ()),
    "9": ((2, 3, 5, 6), (4,)),
    "10": ((2, 3, 4, 5, 6), ()),
}
"""For each rank, the lines of the pips in the side columns and in the middle column."""

ART: Final = {
    "J": ("  ▀█▀", "   █ ", "   █ ", "█  █ ", "▀▄▄▀ "),
    "Q": ("▄▀▀▀▄", "█   █", "█   █", "█ ▀▄█", "▀▄▄▀▄"),
    "K": ("█  ▄▀", "█▄▀  ", "██▄  ", "█ ▀▄ ", "█   █"),
    "S": ("   ▄   ", " ▄███▄ ", "███████", "▀▀▄█▄▀▀", "  ▄█▄  "),
    "H": ("▄██▄██▄", "███████", " ▀███▀ ", "   ▀   "),
    "D": ("   ▄   ", " ▄███▄ ", "███████", " ▀███▀ ", "   ▀   "),
    "C": ("  ▄█▄  ", "  ▀█▀  ", "▄█▄█▄█▄", "▀█▀█▀█▀", "  ▄█▄  "),
}
"""The court letter of each rank, and the large symbol of each suit for its ace."""


class Size(NamedTuple):
    """The size of a card in columns and lines."""

    width: int
    height: int


THIN: Final = Size(1, 1)
"""Shows only the rank; used if there is no room for anything larger."""

MINI: Final = Size(2, 1)
TOKEN: Final = Size(3, 1)
SMALL: Final = Size(5, 3)
LOW: Final = Size(7, 4)
MEDIUM: Final = Size(7, 5)
LARGE: Final = Size(9, 7)
GRAND: Final = Size(13, 9)


class Manner(Struct, frozen=True, kw_only=True):
    """How one card is drawn, apart from its face."""

    label: str = ""
    """The key or position of the slot."""
    asks: bool = False
    """Whether the key on the label has an effect now."""
    marked: bool = False
    fresh: bool = False
    """Whether the card is shown for a limited time only."""
    spent: bool = False
    """Whether the card scores nothing, because it is cancelled."""
    counted: bool = False
    """Whether the card's score is written beside it, so that the card need not show it."""
    tied: bool = False
    """Whether the card is joined to the card below, with which it cancels."""
    under: bool = False
    """Whether the card is joined to the card above."""
    odd: bool = False
    """Whether the card is in an odd row or column, where the smallest backs are lighter to tell neighbours apart."""
    changed: str = ""
    """The style of the seat that changed the card last, or ``""`` if nobody did."""

    @property
    def paper(self) -> str:
        """The style of the card's paper if it is face up."""
        return "spent" if self.spent else "fresh" if self.fresh else "card"


_PLAIN: Final = Manner()


def card_text(card: str) -> str:
    """Return a card in at most three columns: ``7♥``, ``10♦``, ``★``."""
    return JOKER_SIGN if card == JOKER else card[:-1] + SUIT_SIGNS[card[-1]]


def pattern(row: int, width: int) -> str:
    """Return a row of the lozenges on the backs of cards."""
    return (("╱╲", "╲╱")[row % 2] * width)[:width]  # noqa: RUF001 - drawn, not read


def printed(card: str, paper: str) -> str:
    """Return the style of a card's rank and suit on its paper."""
    return f"{paper} suit-{card[-1].lower()}" if card != JOKER else paper


def draw_card(canvas: Canvas, x: int, y: int, slot: str, size: Size, manner: Manner | None = None) -> None:
    """Draw what is in a slot: a face, a back, a known back or an empty place."""
    canvas.stamp(x, y, _card(slot, size, canvas.look, manner or _PLAIN))


def draw_shadow(canvas: Canvas, x: int, y: int, size: Size, *, is_tied: bool = False) -> None:
    """Draw the shadow of a card to its right and below; only to its right if it ``is_tied`` to the next card."""
    if canvas.look.ascii or size.height == 1:
        return
    canvas.fill(x + size.width, y + 1, 1, size.height - 1, "felt shadow")
    if not is_tied and 0 <= y + size.height - 1 < canvas.height:
        styles = canvas.styles[y + size.height - 1]
        for column in range(max(x + 1, 0), min(x + size.width, canvas.width)):
            styles[column] += " shadow"


def draw_frame(canvas: Canvas, x: int, y: int, size: Size, style: str = "chosen") -> None:
    """Draw bars at both sides of a card, in the columns beside it, which must be free."""
    left, right = ("[", "]") if size.height == 1 else ("▐", "▌")
    for row in range(size.height):
        canvas.put(x - 1, y + row, left, f"felt {style}")
        canvas.put(x + size.width, y + row, right, f"felt {style}")


def draw_pile(canvas: Canvas, x: int, y: int, count: int, size: Size) -> None:
    """Draw the stock: a card back with the number of cards left, or an empty place."""
    slot, style = (HIDDEN, "back known") if count else (EMPTY, "felt dim")
    text = f" {count} " if count and size != SMALL else f"{count}"
    draw_card(canvas, x, y, slot, size)
    canvas.put_middle(x, y + size.height // 2, size.width, text, style)


@lru_cache(maxsize=4096)
def _card(slot: str, size: Size, look: Look, manner: Manner) -> Canvas:
    """Return the picture of a card; cached, since a table shows dozens of cards but few different pictures."""
    canvas = Canvas(size.width, size.height, "felt", look)
    if size.height == 1:
        _token(canvas, slot, manner)
    elif slot == EMPTY:
        canvas.box(0, 0, size.width, size.height, "felt vacant", "......" if look.ascii else "╭╮╯╰┄┊")
        canvas.put_middle(0, size.height // 2, size.width, manner.label, "felt vacant")
    elif slot.startswith(HIDDEN):
        _draw_back(canvas, slot, size, manner)
    else:
        _draw_face(canvas, slot, size, manner)
    if size.height > 1:
        _draw_signs(canvas, size, manner)
    return canvas


def _draw_face(canvas: Canvas, slot: str, size: Size, manner: Manner) -> None:
    paper = manner.paper
    style = printed(slot, paper)
    _draw_sheet(canvas, size, paper, f"felt {paper}-edge")
    text = card_text(slot)
    if size.width <= SMALL.width:
        canvas.put(1 if len(text) > 1 else 2, 1, text, style)
        if canvas.look.ascii:
            _put_label(canvas, manner, size.width - 2, 0, "felt dim")
        elif 1 + len(text) + len(manner.label) <= size.width:
            _put_label(canvas, manner, size.width - 1, 1, f"{paper} faint")
    elif size == GRAND and slot != JOKER:
        _draw_grand(canvas, slot, style)
        _put_label(canvas, manner, size.width - 2, 1, f"{paper} faint")
    else:
        canvas.put(1, 1, text, style)
        canvas.put_right(size.width - 1, size.height - 2, text, style)
        if size.height > 4:
            canvas.put_middle(0, size.height // 2, size.width, text[-1], style)
        _put_label(canvas, manner, size.width - 2, 1, f"{paper} faint")
    if manner.tied and not canvas.look.ascii:
        canvas.fill(0, size.height - 1, size.width, 1, paper)
    if manner.under and not canvas.look.ascii:
        canvas.fill(0, 0, size.width, 1, paper)
    if manner.spent and not manner.under and not manner.counted:
        canvas.put_middle(0, size.height - 1, size.width, "=0", paper)


def _draw_grand(canvas: Canvas, slot: str, style: str) -> None:
    """Draw a face with rank and suit in two corners, and pips or a court letter in the middle."""
    rank, sign = slot[:-1], SUIT_SIGNS[slot[-1]]
    canvas.put(1, 1, f"{rank}{sign}", style)
    canvas.put_right(GRAND.width - 1, GRAND.height - 2, f"{rank}{sign}", style)
    picture = ART.get(slot[-1] if rank == "A" else rank)
    if picture is not None and not canvas.look.ascii:
        top = (GRAND.height - len(picture)) // 2
        for row, line in enumerate(picture):
            canvas.put_middle(0, top + row, GRAND.width, line, style)
        return
    sides, middle = _PIPS.get(rank, ((), (4,)))
    for column, rows in ((4, sides), (6, middle), (8, sides)):
        for row in rows:
            canvas.put(column, row, sign if rank.isdigit() or rank == "A" else rank, style)


def _draw_back(canvas: Canvas, slot: str, size: Size, manner: Manner) -> None:
    _draw_sheet(canvas, size, "back", "felt rim")
    for row in range(1, size.height - 1):
        canvas.put(1, row, pattern(row, size.width - 2), "back")
        if not canvas.look.ascii:
            canvas.put(0, row, "▌", "back rim")
            canvas.put(size.width - 1, row, "▐", "back rim")
    middle = (size.height - 1) // 2
    if len(slot) > 1:
        # A narrow back has no room for the question mark.
        canvas.put_middle(0, middle, size.width, f"{card_text(slot[1:])}?"[: size.width - 2], "back known")
        edge = size.width - (2 if size.height > SMALL.height else 1)
        _put_label(canvas, manner, edge, size.height - 2, "back known")
    elif manner.label:
        label = manner.label if size == SMALL and len(manner.label) > 1 else f" {manner.label} "
        canvas.put_middle(0, middle, size.width, label, "ask" if manner.asks else "back known")


def _draw_sheet(canvas: Canvas, size: Size, style: str, edge: str) -> None:
    """Draw the paper, with half a line above and below."""
    width, height = size
    if canvas.look.ascii:
        canvas.box(0, 0, width, height, edge)
        canvas.fill(1, 1, width - 2, height - 2, style)
        return
    canvas.fill(0, 1, width, height - 2, style)
    canvas.put(0, 0, f"▗{'▄' * (width - 2)}▖", edge)
    canvas.put(0, height - 1, f"▝{'▀' * (width - 2)}▘", edge)


def _put_label(canvas: Canvas, manner: Manner, x: int, y: int, style: str) -> None:
    """Write the label of a slot, right-aligned, styled as a key if that key has an effect now."""
    canvas.put(x - len(manner.label) + 1, y, manner.label, "ask" if manner.asks else style)


def _draw_signs(canvas: Canvas, size: Size, manner: Manner) -> None:
    canvas.put_middle(0, size.height - 1, size.width, "◆" if manner.marked else "", "felt mark")
    if manner.changed:
        x, y = (1, size.height - 1) if canvas.look.ascii else (int(size != SMALL), size.height - 2)
        ground = canvas.styles[y][x].partition(" ")[0]
        canvas.put(x, y, "●", f"{ground} {manner.changed}")


def _token(canvas: Canvas, slot: str, manner: Manner) -> None:
    width = canvas.width
    if slot == EMPTY:
        text, style = ("." if canvas.look.ascii else "·").center(width), "felt vacant"
    elif slot == HIDDEN:
        text, style = pattern(0, width), "back odd" if manner.odd else "back"
    elif slot.startswith(HIDDEN):
        # Ten is written T, to leave room for the question mark of a known back.
        text, style = f"{card_text(slot[1:]).replace('10', 'T')}?"[:width].ljust(width), "back known"
    else:
        text = card_text(slot)
        text = (text if width > MINI.width else text.replace("10", "T")).rjust(width)
        style = printed(slot, manner.paper)
    if manner.marked or manner.changed:
        style += " mark" if manner.marked else " changed"
    canvas.put(0, 0, text, style)
