"""A table on a big screen, for a room full of people: all cards as large as they fit, the scores, the last moves.

What stays true: it is no wider and no higher than the window of the settings, and leaves its last line free for what is
typed; it shows what any watcher may see.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from golfnet.engine.cards import JOKER
from golfnet.engine.notation import EMPTY, HIDDEN
from golfnet.protocol.commands.settings import Cards, Settings
from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet.protocol.text.art import Shape, back, frame_of, small_layout, titled, under
from golfnet.protocol.text.lists import score_card
from golfnet.protocol.text.status import marks, own_points, seat_of, shape_of, status, title, voice_for
from golfnet.protocol.text.typeset import (
    Block,
    Mark,
    TextLine,
    beside,
    block,
    bold,
    centred,
    clipped,
    display_width,
    red,
    wrapped,
)
from golfnet.protocol.text.words import Voice, card_sign

MOVES_KEPT: Final = 12
"""Moves that are kept for the bottom of the screen: more than there is room for, mostly."""


def stage_lines(view: TableView, moves: Sequence[str], settings: Settings) -> list[TextLine]:
    """Return a table and what happened last at it, oldest first, for a window of the settings' width and height."""
    voice = voice_for(view, settings)
    width, height = settings.width - _INDENT, settings.height - 1
    head = wrapped(f"{title(view)}. {status(view, voice)}", width)
    picture = _picture(view, voice, settings, width, height - len(head) - _LEAST_MOVES)
    told = [line for move in moves for line in wrapped(f"- {move}", width)]
    room = max(0, height - len(head) - len(picture))
    lines = [*[bold(line, on=settings.color) for line in head], *picture, *(told[-room:] if room else [])][
        :height
    ]
    return [TextLine(Mark.MORE, line or ".") for line in lines]


class CardSize(Struct, frozen=True):
    """How large cards are drawn: columns and lines with their frame."""

    width: int
    height: int


_INDENT: Final = 2
_GAP: Final = 3
_LEAST_MOVES: Final = 3
_SIZES: Final = (CardSize(15, 9), CardSize(13, 8), CardSize(9, 5), CardSize(8, 4), CardSize(6, 3))
"""Largest first; the first two have room for digits that are made of blocks."""


def _picture(view: TableView, voice: Voice, settings: Settings, width: int, height: int) -> list[str]:
    """Return the score card of a match that is over, else all layouts and piles, as large as they fit."""
    if view.state == "finished" and view.scores:
        return score_card(view.scores, [seat.total for seat in view.seats], voice, width)
    sizes = [size for size in _SIZES if _may_fit(view, size, width, height)]
    for size in (*sizes, None):
        lines = [line for line in _scene(view, voice, settings, width, size) if line]
        if len(lines) <= height and all(display_width(line) <= width for line in lines):
            break
    return [clipped(line, width) for line in lines]


def _may_fit(view: TableView, size: CardSize, width: int, height: int) -> bool:
    """Tell whether cards of a size may fit, by their area alone, which is quicker than to draw them."""
    slots = sum([len(seat.slots) for seat in view.seats])
    return slots * (size.width + 1) * size.height <= (width + 1) * height


def _scene(view: TableView, voice: Voice, settings: Settings, width: int, size: CardSize | None) -> list[str]:
    seats = [_seat(seat, view, voice, settings, width, size) for seat in view.seats]
    piles = [] if view.phase is None else _piles(view, settings, size or _SIZES[-1])
    return beside([block(beside(piles, width, gap=_GAP)), *seats] if piles else seats, width, gap=_GAP)


def _seat(
    seat: SeatView, view: TableView, voice: Voice, settings: Settings, width: int, size: CardSize | None
) -> Block:
    """Return a layout under whose it is, the total and remarks."""
    shape = shape_of(view)
    if size is None:
        picture = small_layout(seat.slots, shape, settings, width=width, sign=3)
    else:
        picture = _layout(seat.slots, shape, settings, width, size)
    remarks = ", ".join([*own_points(seat, view, settings), *marks(seat, view)])
    widest = max(picture.width, _HEADING)
    heading = (voice.label(seat_of(seat), widest), clipped(remarks, widest))
    return under(heading, picture, strong=settings.color and seat.seat == view.turn)


_HEADING: Final = 22


def _layout(slots: Sequence[str], shape: Shape, settings: Settings, width: int, size: CardSize) -> Block:
    across = max(1, (width + 1) // (size.width + 1))
    lines: list[str] = []
    for row in shape.lines(len(slots), across):
        cards = [_card(slots[slot - 1], settings, size, str(slot)).lines for slot in row]
        lines += map(" ".join, zip(*cards, strict=True))
    return block(lines)


def _piles(view: TableView, settings: Settings, size: CardSize) -> list[Block]:
    stock = HIDDEN if view.stock else EMPTY
    piles = [
        titled(f"stock {view.stock}", _card(stock, settings, size)),
        titled("discard", _card(view.discard or EMPTY, settings, size)),
    ]
    if view.holding is not None:
        held = _card(view.drawn or HIDDEN, settings, size, held=True)
        piles.append(titled(f"{view.holding} holds", held))
    return piles


@lru_cache(maxsize=1024)
def _card(slot: str, settings: Settings, size: CardSize, label: str = "", *, held: bool = False) -> Block:
    """Return one card of a size; its slot number stands on its upper edge."""
    frame = frame_of(slot, settings.cards, held=held)
    wide = size.width - 2
    top = f"{frame.edge}{label}{frame.edge * wide}"[:wide] if label else frame.edge * wide
    face = _face(slot, settings, wide, size.height - 2)
    return Block(
        (
            f"{frame.corners[0]}{top}{frame.corners[1]}",
            *[f"{frame.side}{line}{frame.side}" for line in face],
            f"{frame.corners[2]}{frame.edge * wide}{frame.corners[3]}",
        ),
        size.width,
    )


def _face(slot: str, settings: Settings, width: int, height: int) -> list[str]:
    if slot == EMPTY:
        return [" " * width] * height
    if slot == HIDDEN:
        return [back(settings.cards, settings.style) * width] * height
    sign = card_sign(slot.removeprefix(HIDDEN), settings.cards, color=settings.color)
    shown = [sign] if height < _DIGIT_LINES + 1 else _large(slot.removeprefix(HIDDEN), sign, settings)
    above = (height - len(shown)) // 2
    lines = [*[""] * above, *shown, *[""] * (height - len(shown) - above)]
    return [centred(line, width) for line in lines]


def _large(card: str, sign: str, settings: Settings) -> list[str]:
    """Return a rank in digits made of blocks, with the whole sign below them."""
    if card == JOKER:
        return [sign]
    ink = "\u2588" if settings.cards is Cards.SYMBOLS else "#"
    digits = [_DIGITS[char].split("/") for char in card[:-1]]
    rows = [" ".join([digit[at] for digit in digits]).replace("#", ink) for at in range(_DIGIT_LINES)]
    is_red = settings.color and card[-1] in "HD"
    return [*[red(row, on=is_red) for row in rows], sign]


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
