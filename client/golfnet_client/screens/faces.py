"""Cards as they lie on the screen: solid paper up to an edge of half blocks, patterned backs, or frames of ASCII.

No information is by colour alone: a red suit has its sign, a chosen card bars at its sides, a marked or changed one a
sign on its edge, a face-down one a pattern, one that counts nothing "=0".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import Struct

from golfnet.engine.notation import EMPTY, HIDDEN
from golfnet.protocol.text.words import JOKER_SIGN, SUIT_SIGNS
from golfnet_client.screens.canvas import Canvas

_LEFT, _MIDDLE, _RIGHT = 4, 6, 8
_SIDES: Final = {
    0: (),
    1: (1, 7),
    2: (1, 4, 7),
    3: (1, 3, 5, 7),
}
"""The lines of the pips at both sides, by how many pairs of them there are beyond the first."""

_PLACES: Final = {
    "0": (0, ()),
    "2": (0, (1, 7)),
    "3": (0, (1, 4, 7)),
    "4": (1, ()),
    "5": (1, (4,)),
    "6": (2, ()),
    "7": (2, (2,)),
    "8": (2, (2, 6)),
    "9": (3, (4,)),
    "10": (3, (2, 6)),
}
"""For each rank which lines at the sides, and which in the middle."""


def pips(rank: str) -> tuple[tuple[int, int], ...]:
    """Return the places of the pips of a rank, one in the middle for a rank without."""
    sides, middle = _PLACES.get(rank, (0, (4,)))
    beside = [(column, line) for line in _SIDES[sides] for column in (_LEFT, _RIGHT)]
    return (*beside, *((_MIDDLE, line) for line in middle))


ART: Final = {
    "J": ("  ▀█▀", "   █ ", "   █ ", "█  █ ", "▀▄▄▀ "),
    "Q": ("▄▀▀▀▄", "█   █", "█   █", "█ ▀▄█", "▀▄▄▀▄"),
    "K": ("█  ▄▀", "█▄▀  ", "██▄  ", "█ ▀▄ ", "█   █"),
    "S": ("   ▄   ", " ▄███▄ ", "███████", "▀▀▄█▄▀▀", "  ▄█▄  "),
    "H": ("▄██▄██▄", "███████", " ▀███▀ ", "   ▀   "),
    "D": ("   ▄   ", " ▄███▄ ", "███████", " ▀███▀ ", "   ▀   "),
    "C": ("  ▄█▄  ", "  ▀█▀  ", "▄█▄█▄█▄", "▀█▀█▀█▀", "  ▄█▄  "),
}
"""Court letters by rank, large suits for the aces by suit."""


class Size(NamedTuple):
    """Columns and lines of a card."""

    width: int
    height: int


TOKEN: Final = Size(3, 1)
TILE: Final = Size(5, 2)
SMALL: Final = Size(5, 3)
LOW: Final = Size(7, 4)
MEDIUM: Final = Size(7, 5)
LARGE: Final = Size(9, 7)
GRAND: Final = Size(13, 9)


class Look(Struct, frozen=True, kw_only=True):
    """How things are drawn: ``ascii`` for terminals without box-drawing characters."""

    ascii: bool = False

    @property
    def frame(self) -> str:
        """The edges of a panel."""
        return "++++-|" if self.ascii else "╭╮╯╰─│"

    @property
    def pointer(self) -> str:
        """What stands before the seat whose turn it is, and before a chosen row."""
        return ">" if self.ascii else "▶"

    @property
    def flag(self) -> str:
        """What stands before the seat that has brought on the end of the hole."""
        return "!" if self.ascii else "⚑"

    @property
    def dot(self) -> str:
        """What parts words in a line."""
        return "-" if self.ascii else "·"

    @property
    def full(self) -> str:
        """The filled part of a bar."""
        return "#" if self.ascii else "█"

    @property
    def rest(self) -> str:
        """The empty part of a bar."""
        return "." if self.ascii else "░"

    @property
    def changed(self) -> str:
        """What marks a card that has just changed."""
        return "*" if self.ascii else "●"

    def pattern(self, row: int, width: int) -> str:
        """Return a row of what is on the backs of cards: lozenges."""
        cells = "##" if self.ascii else ("╱╲", "╲╱")[row % 2]  # noqa: RUF001 - drawn, not read
        return (cells * width)[:width]

    @property
    def line(self) -> str:
        """A rule across a panel."""
        return "-" if self.ascii else "─"


class Manner(Struct, frozen=True, kw_only=True):
    """What is to be shown of one card beside its face."""

    label: str = ""
    """The key or position of the slot."""
    asks: bool = False
    """Whether pressing the label does something now."""
    marked: bool = False
    fresh: bool = False
    """Shown for a moment only."""
    spent: bool = False
    """Counts nothing, because it is cancelled."""
    counted: bool = False
    """What it counts stands beside it, so that the card need not say so."""
    tied: bool = False
    """Joined to the card below it, with which it is cancelled."""
    under: bool = False
    """Joined to the card above it."""
    odd: bool = False
    """Whether it lies in every other row, where the smallest backs are drawn lighter to stay apart."""
    changed: str = ""
    """The style of who changed the card last, empty where it is as it was."""


_PLAIN: Final = Manner()


def card_text(card: str, look: Look) -> str:
    """Return a card in at most three columns: ``7♥``, ``10♦``, ``★``."""
    if card == "*":
        return "*" if look.ascii else JOKER_SIGN
    return card if look.ascii else card[:-1] + SUIT_SIGNS[card[-1]]


def is_red(card: str) -> bool:
    """Tell whether a card is of a red suit."""
    return card[-1:] in ("H", "D")


def draw_card(
    canvas: Canvas, x: int, y: int, slot: str, size: Size, look: Look, manner: Manner | None = None
) -> None:
    """Draw what is in a slot: a face, a back, a known back or an empty place."""
    canvas.stamp(x, y, _card(slot, size, look, manner or _PLAIN))


def draw_frame(canvas: Canvas, x: int, y: int, size: Size, look: Look, style: str = "class:chosen") -> None:
    """Draw bars at the sides of a card, and light above and below it: the columns beside it have to be free."""
    left, right = ("[", "]") if look.ascii or size.height == 1 else ("▐", "▌")
    for row in range(size.height):
        canvas.put(x - 1, y + row, left, f"class:felt {style}")
        canvas.put(x + size.width, y + row, right, f"class:felt {style}")


def draw_pile(canvas: Canvas, x: int, y: int, count: int, size: Size, look: Look) -> None:
    """Draw the stock: a back with the number of cards on it."""
    if not count:
        draw_card(canvas, x, y, EMPTY, size, look)
        canvas.put_middle(x, y + size.height // 2, size.width, "0", "class:felt class:dim")
        return
    draw_card(canvas, x, y, HIDDEN, size, look)
    canvas.put_middle(x, y + size.height // 2, size.width, f" {count} ", "class:back class:known")


@lru_cache(maxsize=4096)
def _card(slot: str, size: Size, look: Look, manner: Manner) -> Canvas:
    """Return the picture of a card; there are few of them, and a table shows dozens."""
    canvas = Canvas(size.width, size.height, "class:felt")
    if size == TOKEN:
        _token(canvas, slot, look, manner)
    elif slot == EMPTY:
        _draw_vacant(canvas, size, look, manner)
    elif slot.startswith(HIDDEN):
        _draw_back(canvas, slot, size, look, manner)
    else:
        _draw_face(canvas, slot, size, look, manner)
    if size != TOKEN:
        _draw_signs(canvas, size, look, manner)
    return canvas


def _draw_face(canvas: Canvas, slot: str, size: Size, look: Look, manner: Manner) -> None:
    paper = "spent" if manner.spent else "fresh" if manner.fresh else "card"
    edge = {"card": "paper-edge"}.get(paper, f"{paper}-edge")
    style = f"class:{paper} class:suit-red" if is_red(slot) else f"class:{paper}"
    first, last = _sheet(canvas, size, look, f"class:{paper}", f"class:felt class:{edge}")
    text = card_text(slot, look)
    if size.width <= SMALL.width:
        canvas.put(1 if len(text) > 1 else 2, first, text, style)
        _put_label(canvas, manner, size.width - 2, _edge(size), "class:felt class:dim")
    elif size == GRAND and slot != "*":
        _draw_grand(canvas, slot, look, style)
        _put_label(canvas, manner, size.width - 2, 1, f"class:{paper} class:faint")
    else:
        canvas.put(1, first, text, style)
        canvas.put_right(size.width - 1, last, text, style)
        centre = slot[-1] if look.ascii else text[-1]
        if last - first > 1:
            canvas.put_middle(0, size.height // 2, size.width, centre, style)
        _put_label(canvas, manner, size.width - 2, first, f"class:{paper} class:faint")
    if manner.tied and not look.ascii:
        canvas.fill(0, size.height - 1, size.width, 1, f"class:{paper}")
    if manner.under and not look.ascii:
        canvas.fill(0, 0, size.width, 1, f"class:{paper}")
    if manner.spent and not manner.under and not manner.counted:
        canvas.put_middle(0, size.height - 1, size.width, "=0", f"class:{paper}")


def _draw_grand(canvas: Canvas, slot: str, look: Look, style: str) -> None:
    """Draw a face with rank and suit in two corners, and its pips or its court letter between them."""
    rank, sign = slot[:-1], slot[-1] if look.ascii else SUIT_SIGNS[slot[-1]]
    canvas.put(1, 1, rank, style)
    canvas.put(1, 2, sign, style)
    canvas.put_right(GRAND.width - 1, GRAND.height - 2, rank, style)
    canvas.put(GRAND.width - 2, GRAND.height - 3, sign, style)
    picture = ART.get(slot[-1] if rank == "A" else rank)
    if picture is not None and not look.ascii:
        top = (GRAND.height - len(picture)) // 2
        for row, line in enumerate(picture):
            canvas.put_middle(0, top + row, GRAND.width, line, style)
        return
    for column, row in pips(rank):
        canvas.put(column, row, sign if rank.isdigit() or rank == "A" else rank, style)


def _draw_back(canvas: Canvas, slot: str, size: Size, look: Look, manner: Manner) -> None:
    first, last = _sheet(canvas, size, look, "class:back", "class:felt class:rim")
    for row in range(first, last + 1):
        canvas.put(1, row, look.pattern(row, size.width - 2), "class:back")
        if not look.ascii:
            canvas.put(0, row, "▌", "class:back class:rim")
            canvas.put(size.width - 1, row, "▐", "class:back class:rim")
    middle = (first + last) // 2
    if len(slot) > 1:
        known = f"{card_text(slot[1:], look)}?"
        # A narrow back shows its pattern beside the card, and has no room for more.
        text = known if len(known) <= size.width - 2 else known[:-1]
        canvas.put_middle(0, middle, size.width, text, "class:back class:known")
        _put_label(canvas, manner, size.width - 2, _edge(size), "class:felt class:dim")
        return
    if manner.label:
        style = "class:ask" if manner.asks else "class:back class:known"
        canvas.put_middle(0, middle, size.width, f" {manner.label} ", style)


def _draw_vacant(canvas: Canvas, size: Size, look: Look, manner: Manner) -> None:
    edges = "......" if look.ascii else "╭╮╯╰┄┊"
    if size.height > 2:
        canvas.box(0, 0, size.width, size.height, "class:felt class:vacant", edges)
    else:
        canvas.put_middle(0, 0, size.width, ". ." if look.ascii else "┄ ┄", "class:felt class:vacant")
    if manner.label and size.height > 2:
        canvas.put_middle(0, size.height // 2, size.width, manner.label, "class:felt class:vacant")


def _sheet(canvas: Canvas, size: Size, look: Look, style: str, edge: str) -> tuple[int, int]:
    """Draw paper up to half a line above and below; return its first and last whole line."""
    width, height = size
    first = 1 if height > 2 else 0
    if look.ascii:
        if height > 2:
            canvas.box(0, 0, width, height, edge, "++++-|")
            canvas.fill(1, 1, width - 2, height - 2, style)
        else:
            canvas.put(0, 0, f"|{' ' * (width - 2)}|", edge)
            canvas.put(0, height - 1, f"+{'-' * (width - 2)}+", edge)
        return first, height - 2
    canvas.fill(0, first, width, height - 1 - first, style)
    if first:
        canvas.put(0, 0, f"▗{'▄' * (width - 2)}▖", edge)
    canvas.put(0, height - 1, f"▝{'▀' * (width - 2)}▘", edge)
    return first, height - 2


def _edge(size: Size) -> int:
    """Return the line of the edge that small signs are put on: the upper one where there is one."""
    return 0 if size.height > TILE.height else size.height - 1


def _put_label(canvas: Canvas, manner: Manner, x: int, y: int, style: str) -> None:
    """Write the number of a slot so that it ends at a column, as a key where it is one now."""
    if manner.label:
        start = x - len(manner.label) + 1
        canvas.put(start, y, manner.label, "class:ask" if manner.asks else style)


def _draw_signs(canvas: Canvas, size: Size, look: Look, manner: Manner) -> None:
    """Draw what lies on the edges of a card: that it is marked, and that it has just changed."""
    if manner.marked:
        canvas.put_middle(0, size.height - 1, size.width, "*" if look.ascii else "◆", "class:felt class:mark")
    if manner.changed:
        at = 1 if size.height > TILE.height else 0
        canvas.put(
            at, size.height - 1 if manner.under else _edge(size), look.changed, f"class:felt {manner.changed}"
        )


def _token(canvas: Canvas, slot: str, look: Look, manner: Manner) -> None:
    if slot == EMPTY:
        text, style = " . " if look.ascii else " · ", "class:felt class:vacant"
    elif slot == HIDDEN:
        text, style = look.pattern(0, 3), "class:back class:odd" if manner.odd else "class:back"
    elif slot.startswith(HIDDEN):
        # Ten is one letter here, so that the sign for a known back has room.
        text, style = f"{card_text(slot[1:], look).replace('10', 'T')}?".ljust(3), "class:back class:known"
    else:
        paper = "spent" if manner.spent else "fresh" if manner.fresh else "card"
        text = f"{card_text(slot, look):>3}"
        style = f"class:{paper} class:suit-red" if is_red(slot) else f"class:{paper}"
    if manner.marked:
        style += " class:mark"
    canvas.put(0, 0, text, style)
