"""Cards as they lie on the screen, in four sizes, drawn with Unicode or with ASCII alone.

No information is by colour alone: a red suit has its sign, a chosen card a double frame, a marked one a sign on its
lower edge, a face-down one a pattern.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import Struct

from golfnet.engine.notation import EMPTY, HIDDEN
from golfnet.protocol.text.words import JOKER_SIGN, SUIT_SIGNS
from golfnet_client.screens.canvas import Canvas


class Size(NamedTuple):
    """Columns and lines of a card."""

    width: int
    height: int


TOKEN: Final = Size(3, 1)
SMALL: Final = Size(5, 3)
MEDIUM: Final = Size(7, 5)
LARGE: Final = Size(9, 7)


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
    def line(self) -> str:
        """A rule across a panel."""
        return "-" if self.ascii else "─"


class Manner(Struct, frozen=True, kw_only=True):
    """What is to be shown of one card beside its face; ``label`` stands on its upper edge."""

    label: str = ""
    chosen: bool = False
    marked: bool = False
    fresh: bool = False
    """Shown for a moment only, or just changed."""


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


def draw_pile(canvas: Canvas, x: int, y: int, count: int, size: Size, look: Look) -> None:
    """Draw the stock: a back with the number of cards on it."""
    if not count:
        draw_card(canvas, x, y, EMPTY, size, look)
        canvas.put_middle(x, y + size.height // 2, size.width, "0", "class:dim")
        return
    draw_card(canvas, x, y, HIDDEN, size, look)
    canvas.put_middle(x, y + size.height // 2, size.width, f"{count:^3}", "class:back class:known")


@lru_cache(maxsize=2048)
def _card(slot: str, size: Size, look: Look, manner: Manner) -> Canvas:
    """Return the picture of a card; there are few of them, and a table shows dozens."""
    canvas = Canvas(size.width, size.height, "class:felt")
    if size == TOKEN:
        _token(canvas, slot, look, manner)
        return canvas
    style = _style(slot, manner)
    # The frame lies on the table, so that cards which touch stay apart.
    edge = f"class:felt class:{'chosen' if manner.chosen else _edge_style(slot)}"
    canvas.box(0, 0, size.width, size.height, edge, _edges(slot, look, manner))
    canvas.fill(1, 1, size.width - 2, size.height - 2, style)
    _face(canvas, slot, size, look, style)
    if manner.label:
        canvas.put(1, 0, manner.label, edge)
    if manner.marked:
        mark = "*" if look.ascii else "◆"
        canvas.put_middle(0, size.height - 1, size.width, mark, edge + " class:mark")
    return canvas


def _face(canvas: Canvas, slot: str, size: Size, look: Look, style: str) -> None:
    inner = size.width - 2
    middle = size.height // 2
    if slot == EMPTY:
        return
    if slot.startswith(HIDDEN):
        pattern = "#" if look.ascii else "░"
        canvas.fill(1, 1, inner, size.height - 2, style, pattern)
        if len(slot) > 1:
            known = f"{card_text(slot[1:], look)}?"
            canvas.put_middle(0, middle, size.width, known, style + " class:known")
        return
    text = card_text(slot, look)
    if size == SMALL:
        canvas.put_middle(0, middle, size.width, text, style)
        return
    canvas.put(1, 1, text, style)
    canvas.put_right(size.width - 1, size.height - 2, text, style)
    centre = text[-1] if len(text) > 1 and not look.ascii else text if slot == "*" else ""
    if look.ascii and slot != "*":
        centre = slot[-1]
    canvas.put_middle(0, middle, size.width, centre, style)


def _token(canvas: Canvas, slot: str, look: Look, manner: Manner) -> None:
    style = _style(slot, manner)
    if slot == EMPTY:
        text = " . " if look.ascii else " · "
        style = "class:dim"
    elif slot == HIDDEN:
        text = "###" if look.ascii else "░░░"
    elif slot.startswith(HIDDEN):
        text = f"{card_text(slot[1:], look)}?"[:3]
    else:
        text = f"{card_text(slot, look):>3}"
    if manner.chosen:
        style += " class:chosen"
        text = f"[{text.strip()[:1]}]" if slot in (HIDDEN, EMPTY) else text
    if manner.marked:
        style += " class:mark"
    canvas.put(0, 0, text, style)


def _style(slot: str, manner: Manner) -> str:
    if slot == EMPTY:
        style = "class:felt class:vacant"
    elif slot.startswith(HIDDEN):
        style = "class:back"
    else:
        style = "class:card class:suit-red" if is_red(slot) else "class:card"
    if manner.fresh:
        style += " class:fresh"
    return style


def _edge_style(slot: str) -> str:
    return "vacant" if slot == EMPTY else "rim" if slot.startswith(HIDDEN) else "paper-edge"


def _edges(slot: str, look: Look, manner: Manner) -> str:
    if manner.chosen:
        return "####=#" if look.ascii else "╔╗╝╚═║"
    if slot == EMPTY:
        return "......" if look.ascii else "╭╮╯╰┄┊"
    return "++++-|" if look.ascii else "╭╮╯╰─│"
