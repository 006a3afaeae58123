"""The plan of a table in a window: which card sizes fit best, and where everything lies.

Opponents are in an arc at the top, the piles in the middle, the viewer's cards below on the same axis; if that would
make cards small, the piles are beside the viewer's cards. The viewer's cards are the largest, then the piles, then the
opponents' cards; if there is no room for whole cards, each opponent gets one line. So that nothing jumps, the plan
depends only on the rules, the number of seats and the window, not on the cards there now, and leaves room for cards
that may be added. If a layout outgrows that room, the cards of its player, or of all opponents, are drawn smaller.
"""

from itertools import product
from typing import Final

from msgspec import Struct

from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet_client.screens.faces import GRAND, LARGE, LOW, MEDIUM, MINI, SMALL, THIN, TOKEN, Size

BESIDE_FROM: Final = 16
"""Minimum number of columns beside the viewer's cards for something to be written there."""

WHOLE_LINE: Final = 32
"""Width in columns in which most log entries fit on one line; a narrower log gets at least two lines."""

VALUED_LOG: Final = 2
"""Maximum number of log lines that add to the value of a plan."""

ROOM_FOR: Final = 10
"""The number of cards in a layout for which room is kept if cards may be added."""

NAME: Final = 10
"""Columns for the name of an opponent drawn in one line, if there is room for that many."""

BESIDE_CARDS: Final = 15
"""The minimum number of columns beside the cards of an opponent drawn in one line; six of them are for the name."""

STACKED_BELOW: Final = 60
"""In windows with fewer columns, a drawn card lies on the stock if cards may be added to a layout."""

_OWN: Final = {GRAND: 9.5, LARGE: 8.5, MEDIUM: 7.0, LOW: 5.0, SMALL: 3.0, TOKEN: -3.0}
_OTHERS: Final = {LARGE: 8.0, MEDIUM: 6.5, LOW: 5.0, SMALL: 4.0, TOKEN: -3.0, MINI: -4.0}
_PILES: Final = {GRAND: 5.5, LARGE: 5.0, MEDIUM: 3.5, LOW: 2.5, SMALL: 0.0}
"""The value of each card size. The smallest that is easy to read is worth much; larger ones add only a little."""

_SIZES: Final = [
    (own, piles, others)
    for own, others, piles in product(_OWN, _OTHERS, _PILES)
    if (others.height < own.height or others.height == 1)
    and others.height <= piles.height <= max(own.height, 3)
]
"""The sizes of the viewer's cards, of the piles and of the opponents' cards that go together."""


class Plan(Struct, frozen=True, kw_only=True):
    """The sizes and positions of everything on the table, in columns and lines of the window."""

    own: Size
    piles: Size
    others: Size
    is_beside: bool
    """Whether the piles lie to the left of the viewer's cards instead of above them."""
    is_stacked: bool
    """Whether the drawn card lies on the stock, to leave room for cards that may be added."""
    has_caption: bool
    """Whether the viewer's name plate is above their cards instead of to the left of them."""
    log: tuple[int, int, int, int] | None
    """Column, line, width and height of the log, or None if it is drawn elsewhere."""
    axis: int
    """The middle column of the window, and of the piles and the viewer's cards unless they lie side by side."""
    middle: float
    """The middle column of the opponents."""
    across: int
    """How many opponents lie in a row."""
    pitch: int
    """The distance in columns from one opponent to the next."""
    arc: int
    """The number of lines by which the outermost opponents are lower than the middle one."""
    lines: int
    """The number of lines for opponents if each has only one, or 0 if their cards are drawn in blocks."""
    others_y: int
    stock_x: int
    piles_y: int
    own_x: int
    own_y: int
    step: int
    """The distance in columns from one of the viewer's cards to the next."""
    right: int
    """The first free column to the right of the viewer's cards, including cards that may be added."""

    @property
    def is_narrow(self) -> bool:
        """Whether the piles lie so close to the viewer's cards that there is no room for a wide gap between them."""
        return self.is_beside and self.stock_x < WIDE_FROM

    @property
    def discard_x(self) -> int:
        """The column of the discard pile."""
        return self.stock_x + self.piles.width + (1 if self.is_narrow else 2)

    @property
    def held_room(self) -> int:
        """The number of columns beside the discard pile for the name of the player who holds a card."""
        return 0 if self.is_beside else 10 if self.axis < 50 else 14

    @property
    def held_x(self) -> int:
        """The column of the drawn card: beside the discard pile, or on the stock."""
        if self.is_stacked:
            return self.stock_x
        return self.discard_x + self.piles.width + (1 if self.is_narrow else 3 + self.held_room)


WIDE_FROM: Final = 3
"""There is room for a wide gap between the piles if the stock begins at this column or further right."""


def grid_of(view: TableView, slots: int) -> list[tuple[int, int]]:
    """Return the column and row of each slot: as dealt, with added cards in further columns."""
    rows, columns = int(view.options["rows"]), int(view.options["columns"])
    dealt = rows * columns
    places = [(slot % columns, slot // columns) for slot in range(min(slots, dealt))]
    more = [divmod(slot - dealt, rows) for slot in range(dealt, slots)]
    return [*places, *[(columns + column, row) for column, row in more]]


def columns_of(view: TableView, slots: int) -> int:
    """Return the number of columns of a layout."""
    return 1 + max([column for column, _ in grid_of(view, slots)], default=int(view.options["columns"]) - 1)


def own_seat(view: TableView) -> SeatView | None:
    """Return the seat that is drawn large: the viewer's, or the first for a watcher, so that it never changes."""
    return view.own or next(iter(view.seats), None)


def others_of(view: TableView) -> list[SeatView]:
    """Return the other seats, clockwise from the viewer's left."""
    own = own_seat(view)
    at = 0 if own is None else view.seats.index(own)
    return [*view.seats[at + 1 :], *view.seats[:at]]


def step_of(size: Size, columns: int, room: int) -> int:
    """Return the distance in columns from one card of a layout to the next; added cards narrow the gaps."""
    usual = size.width + (2 if size.width >= MEDIUM.width else 1)
    return usual if columns < 2 else min(usual, (room - size.width) // (columns - 1))


def whole(size: Size, columns: int, room: int) -> Size:
    """Return the largest size, at most ``size``, in which this many cards fit side by side in ``room``."""
    return next((each for each in (*_OWN, MINI) if each <= size and columns * each.width <= room), THIN)


def plan_of(view: TableView, width: int, top: int, bottom: int, *, no_log: bool) -> Plan:
    """Return the best plan for the lines ``top`` to ``bottom``; ``no_log`` if the log is drawn elsewhere."""

    def worth(plan: Plan) -> float:
        """Return the value of a plan: large cards and log lines add to it, and missing opponents reduce it."""
        cards = _OWN[plan.own] + _OTHERS[plan.others] + _PILES[plan.piles]
        log = VALUED_LOG if plan.log is None else min(plan.log[3], VALUED_LOG)
        missing = max(0, len(others_of(view)) - plan.lines * plan.across) if plan.lines else 0
        return cards + (0 if plan.is_beside else 2.5) + log * 1.5 - 6 * missing

    def plans(lowest: int) -> list[Plan]:
        """Return every plan that fits between ``top`` and ``lowest``."""
        fitted = [
            _fitted(view, width, top, lowest, *sizes, is_beside=is_beside, no_log=no_log)
            for sizes, is_beside in product(_SIZES, (False, True))
        ]
        return [plan for plan in fitted if plan is not None]

    # If nothing fits, a plan that is too tall is cut off at the edge of the window.
    return max(plans(bottom) or plans(bottom + 12), key=worth)


def _fitted(
    view: TableView,
    width: int,
    top: int,
    bottom: int,
    own: Size,
    piles: Size,
    others: Size,
    *,
    is_beside: bool,
    no_log: bool,
) -> Plan | None:
    columns, rows = int(view.options["columns"]), int(view.options["rows"])
    more = kept_columns(view) - columns
    axis, gap = width // 2, 2 if width >= 72 else 1
    is_stacked = is_beside and more > 0 and width < STACKED_BELOW
    stock_x = 1 if is_stacked else 1 + gap if is_beside else axis - piles.width - 1
    usual = step_of(own, 2, width)
    own_width = columns * usual - usual + own.width
    own_x = max(1, axis - own_width // 2)
    if is_beside:
        own_x = stock_x + (2 if is_stacked else 3) * (piles.width + gap) + 3 * gap - 2
    # If there is too little room for cards that may be added, the gaps between cards are narrower.
    right = min(own_x + own_width + more * usual, width - 1)
    least = own.width + (own.width > SMALL.width)
    if right < own_x + (columns + more) * least and own != TOKEN:
        return None
    across, pitch, tall = _blocks(view, others, width)
    has_caption = is_beside or own_x - 5 < 16
    below = max(rows * own.height, piles.height + 1) if is_beside else rows * own.height + piles.height + 1
    spare = bottom - top - below - has_caption
    shown = min(tall, spare) if others.height == 1 else 0
    spare -= shown or tall
    if spare < 0 or (tall and not (shown or others.height > 1)) or not across:
        return None
    beside = width - right - 4
    if no_log:
        log = None
    elif beside >= BESIDE_FROM:
        log = right + 2, 0, min(beside, 48), below if is_beside else rows * own.height
    elif is_beside and below - piles.height - 5 > spare:
        log = stock_x, 0, own_x - stock_x - 3, below - piles.height - 2
    else:
        log = 2, bottom - min(spare, 6), width - 4, min(spare, 6)
        spare -= log[3]
    arc = min(spare // 4, 3) if across > 2 and not shown and len(others_of(view)) <= across else 0
    spare -= arc
    first = min(1, spare // 2)
    gaps = [spare // 4 + first * (spare < 4), (spare + 1) // 3, (spare + 2) // 3]
    while sum(gaps) > spare:
        gaps[gaps.index(max(gaps))] -= 1
    others_y = top + gaps[0]
    piles_y = others_y + (shown or tall) + arc + (has_caption if is_beside else 0) + gaps[1]
    own_y = piles_y if is_beside else piles_y + piles.height + 1 + gaps[2] + has_caption
    if log is not None and not log[1]:
        log = log[0], own_y + (piles.height + 2 if log[0] == stock_x else 0), log[2], log[3]
    half = across * pitch / 2
    return Plan(
        own=own,
        piles=piles,
        others=others,
        is_beside=is_beside,
        is_stacked=is_stacked,
        has_caption=has_caption,
        log=log,
        axis=axis,
        middle=min(max(own_x + own_width / 2, 1 + half), width - 1 - half),
        across=across,
        pitch=pitch,
        arc=arc,
        lines=shown,
        others_y=others_y,
        stock_x=stock_x,
        piles_y=piles_y,
        own_x=own_x,
        own_y=own_y,
        # The last column is rarely needed. Until then, its space is a gap for the frame around a chosen card.
        step=max(own.width, step_of(own, columns + more - is_stacked, right - own_x)),
        right=right,
    )


def kept_columns(view: TableView) -> int:
    """Return the number of columns of a layout, including those kept free for cards that may be added."""
    rows, columns = int(view.options["rows"]), int(view.options["columns"])
    return columns if view.options.get("slam", "off") == "off" else max(columns + 1, -(-ROOM_FOR // rows))


def tile_columns(view: TableView, size: Size) -> int:
    """Return the width in columns of an opponent's dealt cards."""
    return int(view.options["columns"]) * (size.width + 1) - 1


def block_columns(view: TableView, size: Size) -> int:
    """Return the width in columns of an opponent's cards, including those that may be added."""
    columns = kept_columns(view)
    if size.height == 1:
        return line_columns(view, size, columns * int(view.options["rows"]))
    return max(tile_columns(view, size), columns * size.width)


def line_columns(view: TableView, size: Size, slots: int) -> int:
    """Return the width of cards drawn in one line, with gaps between the layout's columns if columns cancel."""
    gaps = (slots - 1) // int(view.options["rows"]) if view.options.get("cancel") == "column" else 0
    return slots * size.width + gaps


def _blocks(view: TableView, size: Size, width: int) -> tuple[int, int, int]:
    """Return how many opponents fit in a row, their distance, and the lines of all rows; zeros if there is no room."""
    count = len(others_of(view))
    if not count:
        return 1, width - 2, 0
    wide = block_columns(view, size)
    is_line = size.height == 1
    least = wide + (NAME + 8 if size == TOKEN else BESIDE_CARDS) if is_line else max(wide + 1, 14)
    across = min(count, (width - 2) // least)
    if not across and size != MINI:
        return 0, 0, 0
    lines = -(-count // max(1, across))
    across = -(-count // lines)
    pitch = (width - 2) // across
    if is_line:
        return across, pitch, lines
    return across, min(pitch, max(wide + 20, 36)), lines * (1 + int(view.options["rows"]) * size.height)
