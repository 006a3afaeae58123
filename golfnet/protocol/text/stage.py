"""A table on a big screen for many viewers: how to join, then all cards as large as possible, and the last moves.

Invariants: the picture is no wider or higher than the window in the settings, and leaves the last line free for typing;
it shows only what any watcher may see. Where cards are shown depends only on the window, the rules and the number of
players, so that nothing moves during a hole.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from msgspec import Struct

from golfnet.engine.cards import EMPTY, HIDDEN
from golfnet.engine.rules import SlamMode
from golfnet.protocol.commands.settings import Cards, Mark, Settings
from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet.protocol.text.art import SMALL, CardSize, Shape, card_picture, slot_sign, small_layout
from golfnet.protocol.text.scene import aligned_score_card
from golfnet.protocol.text.status import TURNS, notes, seat_of, status, title, voice_for
from golfnet.protocol.text.typeset import (
    TextLine,
    bold,
    centred,
    clipped,
    display_width,
    padded,
    white_on_black,
    wrapped,
)
from golfnet.protocol.text.words import Voice, points

MOVES_KEPT: Final = 12
"""How many moves are kept for the bottom of the screen: usually more than fit there."""


class Joining(Struct, frozen=True, kw_only=True):
    """How to join a table: the ``ways`` to connect, each for a kind of device, and the ``command`` to sit down.

    ``code`` has the rows of a QR code, if there is one.
    """

    ways: tuple[tuple[str, str], ...] = ()
    code: tuple[str, ...] = ()
    command: str = ""


NO_JOINING: Final = Joining()


def stage_lines(
    view: TableView, moves: Sequence[str], settings: Settings, joining: Joining = NO_JOINING
) -> list[TextLine]:
    """Return a table and its last moves, oldest first, for a window of the settings' width and height."""
    voice, rules = voice_for(view, settings), view.rules
    width, height = settings.width - _INDENT, settings.height - 1
    head = _head(view, voice, width)
    room = height - len(head)
    if view.state == "finished" and view.scores:
        picture = aligned_score_card(view.scores, view.totals, voice, width)
    elif not view.seats or not view.seats[0].slots:
        picture = _waiting(view, voice, joining, width, room)
    else:
        grows = rules.slam is not SlamMode.OFF  # Wrong slams may add cards.
        plan = _plan(Shape(rules.rows, rules.columns), len(view.seats), grows, width, room - _LEAST_MOVES)
        picture = _scene(view, voice, plan, width)
    room -= len(picture)
    last = [line for move in moves for line in wrapped(f"- {move}", width)]
    lines = [*[bold(line, on=settings.color) for line in head], *picture, *(last[-room:] if room > 0 else [])]
    return [TextLine(Mark.MORE, line) for line in lines[:height]]


def _head(view: TableView, voice: Voice, width: int) -> list[str]:
    """Return the title and status of a table, always in the same number of lines."""
    what, waits = f"{title(view)}.", status(view, voice)
    fits = display_width(what) <= width and display_width(waits) <= width
    lines = [what, waits] if fits else wrapped(f"{what} {waits}", width)
    most = 2 if width >= _WIDE else 3
    if len(lines) > most:
        lines = [*lines[: most - 1], clipped(" ".join(line.strip() for line in lines[most - 1 :]), width)]
    return [*lines, *[""] * (most - len(lines))]


_WIDE: Final = 70
"""The minimum width in columns for nearly every status to fit in two lines."""


# --- before the cards


def _waiting(view: TableView, voice: Voice, joining: Joining, width: int, height: int) -> list[str]:
    is_open = view.state == "open"
    code = joining.code if is_open and voice.settings.cards is Cards.SYMBOLS else ()
    beside = width - len(code[0]) - _GAP if code else width
    if code and (len(code) > height or beside < _LEAST_BESIDE):
        code, beside = (), width
    command = joining.command or f"join {view.table}"
    then = ["Then type a name, and where to sit:", "  name YOURNAME", f"  {command}"]
    groups = [_ways(joining, beside), then] if is_open else []
    seats = _chairs(view, voice, beside)
    blank = [""] if height >= sum(map(len, groups)) + len(seats) + len(groups) + 1 else []
    if sum(map(len, groups)) + len(seats) > height:
        seats = wrapped("; ".join([line.strip() for line in seats]), beside)
    left = [clipped(line, beside) for group in (*groups, seats) if group for line in (*blank, *group)]
    return [
        f"{padded(line, beside)}{' ' * _GAP}{white_on_black(row, on=voice.settings.color)}" if row else line
        for line, row in zip_longest(left, code, fillvalue="")
    ]


_LEAST_BESIDE: Final = 44
"""The minimum width of the text beside a QR code, in columns."""


def _ways(joining: Joining, width: int) -> list[str]:
    if not joining.ways:
        return []
    label = max([display_width(what) + 2 * bool(what) for what, _ in joining.ways])
    rows = [f"  {padded(what, label)}{way}" for what, way in joining.ways]
    if max(map(display_width, rows)) > width:  # Omit the labels: the commands are clear without them.
        rows = [line for _, way in joining.ways for line in wrapped(f"  {way}", width)]
    return ["To play, connect:", *rows]


def _chairs(view: TableView, voice: Voice, width: int) -> list[str]:
    widest = max([display_width(voice.label(seat_of(seat))) for seat in view.seats], default=0)
    size = min(widest, max(12, width - 24))
    labels = [padded(voice.label(seat_of(seat), size), size) for seat in view.seats]
    remarks = [", ".join([*notes(seat, view), *_awaited(seat, view)]) for seat in view.seats]
    lines = [f"  {label}  {remark}".rstrip() for label, remark in zip(labels, remarks, strict=True)]
    return ["At the table:", *lines] if lines else []


def _awaited(seat: SeatView, view: TableView) -> list[str]:
    """Return what a player still has to do before a match: get ready or, as host when all are ready, type start."""
    if view.state != "open" or seat.kind != "human" or not seat.present:
        return []
    are_ready = all([other.ready for other in view.seats if other.kind == "human"])
    is_enough = len(view.seats) >= view.rules.seats.low
    can_start = seat.host and is_enough and are_ready and view.starts_ms is None
    return ["to type start"] if can_start else [] if seat.ready else ["not ready yet"]


# --- the cards


_INDENT: Final = 2
_GAP: Final = 3
_LEAST_MOVES: Final = 3
_SIZES: Final = (CardSize(15, 9), CardSize(13, 8), CardSize(9, 5), CardSize(8, 4), SMALL)
"""Largest first; the first two have room for large digits."""
_HEADING: Final = 22
"""The minimum width of a layout in columns, to fit its heading."""
_LONG_HEADING: Final = 36
"""The minimum width in columns for a name and its remarks on one line."""
_PILES: Final = 3
"""The number of piles: stock, discard pile, and the card that somebody holds."""
_PILE: Final = 9
"""The minimum width of a pile in columns, to fit its title: ``stock 100``."""


_LEFT, _FIRST, _ABOVE = "left", "first", "above"
"""The place of the piles: left of the layouts, before the first of them, or above them."""


class _Candidate(Struct, frozen=True):
    """A way to draw a table, with ``abreast`` piles per row.

    If ``size`` is None, cards are drawn as signs; if ``piles`` is None, piles are words.
    """

    size: CardSize | None
    piles: CardSize | None
    place: str = _ABOVE
    abreast: int = 3
    headings: int = 0
    """The number of lines above a layout, 0 to choose it by width."""


_CANDIDATES: Final = (
    *[
        _Candidate(size, size or _SIZES[-1], place, abreast)
        for size in (*_SIZES, None)
        for place in (_LEFT, _FIRST, _ABOVE)
        for abreast in ((3, 2, 1) if place != _ABOVE else (3,))
    ],
    _Candidate(None, None, headings=2),
    _Candidate(None, None, headings=1),
)
"""Best first."""


class _Arrangement(Struct, frozen=True):
    """Where everything is drawn: rows of ``across`` cells, each ``cell`` columns wide and ``lines`` lines high.

    ``piles`` is the width of the piles. ``width`` and ``height`` are the size of the whole picture.
    """

    look: _Candidate
    shape: Shape
    headings: int
    piles: int
    cell: int
    lines: int
    across: int
    width: int
    height: int


@lru_cache(maxsize=256)
def _plan(shape: Shape, seats: int, grows: bool, width: int, height: int) -> _Arrangement:
    """Return the arrangement with the largest cards that fits; if none fits, the last one, which will be cut."""
    plans = [_planned(look, shape, seats, grows=grows, width=width) for look in _CANDIDATES]
    return next((plan for plan in plans if plan.width <= width and plan.height <= height), plans[-1])


def _planned(look: _Candidate, shape: Shape, seats: int, *, grows: bool, width: int) -> _Arrangement:
    size, place = look.size, look.place
    cards = 4 * shape.columns if size is None else shape.columns * (size.width + 1)
    cell = max(cards - 1, _HEADING)
    headings = look.headings or (1 if cell >= _LONG_HEADING else 2)
    lines = headings + (shape.rows if size is None else shape.rows * size.height + grows)
    pile = _PILE if look.piles is None else max(look.piles.width, _PILE)
    piles = look.abreast * (pile + 1) - 1
    deep = -(-_PILES // look.abreast) * (1 if look.piles is None else look.piles.height + 1)
    if place == _FIRST:
        cell, lines = max(cell, piles), max(lines, deep)
    left = piles + _GAP if place == _LEFT else 0
    cells = seats + (place == _FIRST)
    rows = -(-cells // max(1, (width - left + _GAP) // (cell + _GAP)))
    across = -(-cells // rows)  # Rows of equal length look better than full rows and a short one.
    height = max(rows * lines, deep) if left else rows * lines + deep * (place == _ABOVE)
    wide = max(left + across * (cell + _GAP) - _GAP, piles)
    return _Arrangement(look, shape, headings, piles, min(cell, width), lines, across, wide, height)


def _scene(view: TableView, voice: Voice, plan: _Arrangement, width: int) -> list[str]:
    gap, place = " " * _GAP, plan.look.place
    piles = _piles(view, voice.look, plan)
    cells: list[Sequence[str]] = [_seat(seat, view, voice, plan) for seat in view.seats]
    if place == _FIRST:
        lines = [*piles, *[" " * plan.piles] * (plan.lines - len(piles))]
        cells.insert(0, [line + " " * (plan.cell - plan.piles) for line in lines])
    layouts = [
        gap.join(line)
        for start in range(0, len(cells), plan.across)
        for line in zip(*cells[start : start + plan.across], strict=True)
    ]
    if place == _LEFT:
        blank = " " * plan.piles
        return [f"{pile}{gap}{line}" for pile, line in zip_longest(piles, layouts, fillvalue=blank)]
    return [*[clipped(line, width) for line in piles if place == _ABOVE], *layouts]


def _seat(seat: SeatView, view: TableView, voice: Voice, plan: _Arrangement) -> tuple[str, ...]:
    is_turn, cell = seat.seat == view.turn and view.state == "playing" and view.phase in TURNS, plan.cell
    ending = ": to play" if is_turn else ""
    label = voice.label(seat_of(seat), cell - len(ending)) + ending
    remarks = ", ".join([points(seat.total, voice.settings), *notes(seat, view)])
    heading = (f"{label}{', ' if is_turn else ': '}{remarks}",) if plan.headings == 1 else (label, remarks)
    lines = _heading(heading, cell, strong=is_turn and voice.settings.color)
    return *lines, *_layout(seat.slots, plan, voice.look)


@lru_cache(maxsize=256)
def _heading(heading: tuple[str, ...], cell: int, *, strong: bool) -> tuple[str, ...]:
    return tuple([bold(padded(clipped(line, cell), cell), on=strong) for line in heading])


@lru_cache(maxsize=256)
def _layout(slots: tuple[str, ...], plan: _Arrangement, look: Settings) -> tuple[str, ...]:
    """Return the cards of a layout in lines as wide as its cell; added cards are signs at the end."""
    shape, size = plan.shape, plan.look.size
    dealt = shape.rows * shape.columns
    added = small_layout(slots[dealt : dealt + _ADDED], Shape(1, _ADDED), look).lines
    more = f"+ {added[0]}{' ~' if len(slots) > dealt + _ADDED else ''}" if added else ""
    lines: list[str] = []
    if size is None:
        lines += small_layout(slots[:dealt], shape, look, width=plan.cell, sign=3).lines
        lines[-1] += f"  {more}"
    else:
        cards = [card_picture(slot, look, str(at), size).lines for at, slot in enumerate(slots[:dealt], 1)]
        for first in range(0, dealt, shape.columns):
            lines += map(" ".join, zip(*cards[first : first + shape.columns], strict=True))
        lines.append(more)
    room = plan.lines - plan.headings
    return tuple([padded(clipped(line, plan.cell), plan.cell) for line in [*lines, *[""] * room][:room]])


_ADDED: Final = 6
"""The maximum number of added cards that are shown in a layout."""


def _piles(view: TableView, look: Settings, plan: _Arrangement) -> list[str]:
    """Return the stock, the discard pile and the card that somebody holds, or a blank if nobody holds a card."""
    shown = [
        (f"stock {view.stock}", HIDDEN if view.stock else EMPTY, False),
        ("discard", view.discard or EMPTY, False),
        *([(f"{view.holding} holds", view.drawn or HIDDEN, True)] if view.holding is not None else []),
    ]
    if (size := plan.look.piles) is None:
        return ["   ".join([f"{name} {slot_sign(slot, look).lines[0]}" for name, slot, _ in shown])]
    width = max(size.width, _PILE)
    drawn = [_pile(name, slot, look, size, width, held=held) for name, slot, held in shown]
    drawn += [(" " * width,) * (size.height + 1)] * (-len(drawn) % plan.look.abreast)
    return [
        " ".join(line)
        for first in range(0, len(drawn), plan.look.abreast)
        for line in zip(*drawn[first : first + plan.look.abreast], strict=True)
    ]


@lru_cache(maxsize=512)
def _pile(name: str, slot: str, look: Settings, size: CardSize, width: int, *, held: bool) -> tuple[str, ...]:
    lines = (name, *card_picture(slot, look, size=size, held=held).lines)
    return tuple([centred(line, width) for line in lines])
