"""How a table is laid out in a window: which sizes fit best, and where everything lies.

Opponents lie in an arc above, the piles in the middle, the own cards below them on the same axis; where a window is too
low for that, the piles lie beside the own cards. What is there now and what is held changes nothing about the plan: it
follows from the rules, the number of seats and the window alone, so that nothing jumps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from golfnet_client.screens.faces import GRAND, LARGE, LOW, MEDIUM, SMALL, TILE, TOKEN, Size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from golfnet.protocol.replies.replies import SeatView, TableView

UNSEEN: Final = Size(0, 0)
"""For the others' cards where there is no room for any."""

BESIDE_FROM: Final = 18
"""Columns beside the own cards from which on something can be written there."""

LEAST_LOG: Final = 2
"""Lines of the log that are worth as much as the next size of cards."""

_OWN: Final = {GRAND: 9.5, LARGE: 8.5, MEDIUM: 7.0, LOW: 5.0, SMALL: 3.0, TILE: 0.0}
_OTHERS: Final = {LARGE: 8.5, MEDIUM: 7.0, SMALL: 4.5, TILE: 2.5, TOKEN: 0.0, UNSEEN: -4.0}
_PILES: Final = {GRAND: 5.5, LARGE: 5.0, MEDIUM: 3.5, LOW: 2.5, SMALL: 0.0}
"""What each size is worth: much for the step to one that can be read at a glance, less beyond."""


class Plan(Struct, frozen=True):
    """The sizes of everything on the table, and where it lies, in columns and lines of the window."""

    own: Size
    piles: Size
    others: Size
    is_beside: bool
    """Whether the piles lie to the left of the own cards instead of above them."""
    has_caption: bool
    """Whether the own caption stands above the own cards instead of to their left."""
    has_labels: bool
    """Whether the keys of the piles stand under them instead of beside."""
    log: int
    """Lines below the cards that are left for the log."""
    axis: int
    across: int
    """How many of the others lie in a row."""
    pitch: int
    """Columns from one of the others to the next."""
    arc: int
    """Lines by which the outermost of the others lie lower than the middle one."""
    others_y: int
    piles_y: int
    own_x: int
    own_y: int
    right: int
    """The first free column right of the own cards and of those that may come to them."""

    @property
    def stock_x(self) -> int:
        """The column of the stock; the discard pile lies beside it."""
        return 3 if self.is_beside else self.axis - self.piles.width - 1

    @property
    def discard_x(self) -> int:
        """The column of the discard pile."""
        return self.stock_x + self.piles.width + (1 if self.is_beside else 2)

    @property
    def held_room(self) -> int:
        """Columns for the name of who holds a card."""
        return 10 if self.axis < 50 else 14

    @property
    def held_x(self) -> int:
        """The column of the card that somebody holds, always beside the discard pile."""
        return self.discard_x + self.piles.width + (1 if self.is_beside else 3 + self.held_room)


class Grid(Struct, frozen=True):
    """How a layout lies: where each slot is drawn, in cards from its left upper corner."""

    columns: int
    rows: int
    places: tuple[tuple[int, int], ...]


def grid_of(view: TableView, slots: int) -> Grid:
    """Return the places of a layout: as dealt, cards added later in further columns beside."""
    rows, columns = int(view.options["rows"]), int(view.options["columns"])
    dealt = rows * columns
    places = [((slot - 1) % columns, (slot - 1) // columns) for slot in range(1, min(slots, dealt) + 1)]
    places += [(columns + (slot - dealt) // rows, (slot - dealt) % rows) for slot in range(dealt, slots)]
    return Grid(max([x for x, _ in places], default=columns - 1) + 1, rows, tuple(places))


def own_seat(view: TableView) -> SeatView | None:
    """Return the seat that is drawn large: one's own, or for a watcher the one whose turn it is."""
    wanted = view.you or view.turn or (view.seats[0].seat if view.seats else None)
    return next((seat for seat in view.seats if seat.seat == wanted), view.seats[0] if view.seats else None)


def others_of(view: TableView) -> list[SeatView]:
    """Return the other seats clockwise from one's own left."""
    own = own_seat(view)
    if own is None:
        return []
    at = view.seats.index(own)
    return [*view.seats[at + 1 :], *view.seats[:at]]


def step_of(size: Size) -> int:
    """Return the columns from one card of a layout to the next."""
    return size.width + (2 if size.width >= MEDIUM.width else 1)


def plan_of(view: TableView, width: int, top: int, bottom: int, *, has_log: bool) -> Plan:
    """Return the best plan for the lines from ``top`` to before ``bottom``; ``has_log``: the log stands elsewhere."""
    plans = list(_plans(view, width, top, bottom, has_log=has_log))
    return max(plans, key=_worth) if plans else _least(view, width, top)


def _worth(plan: Plan) -> float:
    """Return how good a plan is: large own cards first, then what everybody looks at, then order."""
    return (
        _OWN[plan.own]
        + _OTHERS[plan.others]
        + _PILES[plan.piles]
        + (0 if plan.is_beside else 4)
        + (0.5 if plan.has_labels else 0)
        + min(plan.log, LEAST_LOG) * 1.5
    )


def _plans(view: TableView, width: int, top: int, bottom: int, *, has_log: bool) -> Iterator[Plan]:
    """Yield every plan that fits."""
    for own in _OWN:
        for others in [size for size in _OTHERS if size.height <= own.height]:
            for piles in [size for size in _PILES if size.height <= max(own.height, SMALL.height)]:
                for is_beside, has_labels in ((False, True), (False, False), (True, False)):
                    plan = _fitted(
                        view,
                        width,
                        (top, bottom),
                        (own, piles, others),
                        is_beside=is_beside,
                        has_labels=has_labels,
                        has_log=has_log,
                    )
                    if plan is not None:
                        yield plan


def _fitted(
    view: TableView,
    width: int,
    lines: tuple[int, int],
    sizes: tuple[Size, Size, Size],
    *,
    is_beside: bool,
    has_labels: bool,
    has_log: bool,
) -> Plan | None:
    """Return the plan with these sizes, None where they do not fit."""
    own, piles, others = sizes
    top, bottom = lines
    columns, rows = int(view.options["columns"]), int(view.options["rows"])
    more = _more_columns(view)
    axis = width // 2
    step = step_of(own)
    own_width = columns * step - (step - own.width)
    own_x = 3 + 3 * (piles.width + 1) + 1 if is_beside else axis - own_width // 2
    right = own_x + own_width + more * step + 1
    if right > width or (has_labels and piles.width < MEDIUM.width):
        return None
    if not is_beside and piles.width * 2 + 2 > width - 4:
        return None
    tiles = _tiles(view, others, width)
    if tiles is None:
        return None
    across, pitch, tall = tiles
    has_caption = is_beside or own_x - 5 < 16
    own_height = rows * own.height + has_caption
    piles_height = 0 if is_beside else piles.height + has_labels
    needed = tall + max(own_height, piles.height + 1 if is_beside else 0) + piles_height
    spare = bottom - top - needed
    if spare < 0:
        return None
    is_roomy = width - right - 4 >= BESIDE_FROM and not is_beside
    log = 0 if has_log else LEAST_LOG if is_roomy else min(spare, 6)
    if not (has_log or is_roomy):
        spare -= log
    arc = min(spare // 4, 3) if across > 2 and len(others_of(view)) <= across else 0
    spare -= arc
    first = min(1, spare)
    gaps = [spare // 4 + first * (spare < 4), (spare + 1) // 3, (spare + 2) // 3]
    while sum(gaps) > spare:
        gaps[gaps.index(max(gaps))] -= 1
    others_y = top + gaps[0]
    piles_y = others_y + tall + arc + (0 if is_beside else gaps[1])
    own_y = piles_y + (gaps[1] if is_beside else piles_height + gaps[2]) + has_caption
    if is_beside:
        piles_y = own_y
    return Plan(
        own,
        piles,
        others,
        is_beside,
        has_caption,
        has_labels,
        log,
        axis,
        across,
        pitch,
        arc,
        others_y,
        piles_y,
        own_x,
        own_y,
        right,
    )


def _least(view: TableView, width: int, top: int) -> Plan:
    """Return a plan for where nothing fits: what is too much is cut at the edge."""
    return Plan(
        SMALL,
        SMALL,
        UNSEEN,
        True,
        True,
        False,
        0,
        width // 2,
        1,
        width,
        0,
        top,
        top + 1 + len(others_of(view)),
        22,
        top + 1 + len(others_of(view)),
        width,
    )


def _more_columns(view: TableView) -> int:
    """Return the columns to keep free for cards that may come to a layout: none, or as many as lie there and one."""
    rows, columns = int(view.options["rows"]), int(view.options["columns"])
    if view.options.get("slam", "off") == "off":
        return 0
    most = max([len(seat.slots) for seat in view.seats], default=0)
    return max(1, -(-(most - rows * columns) // rows))


def tile_columns(view: TableView, size: Size) -> int:
    """Return the columns that the dealt cards of one of the others take."""
    columns = int(view.options["columns"])
    return columns * (size.width + 1) - 1 if size is not UNSEEN else 10


def _tiles(view: TableView, size: Size, width: int) -> tuple[int, int, int] | None:
    """Return how many others lie in a row, how far apart, and the lines that all take; None where they do not fit."""
    count = len(others_of(view))
    if not count:
        return 1, width, 0
    wide = tile_columns(view, size) + _more_columns(view) * (size.width + 1)
    across = min(count, (width - 2) // (max(wide, 10) + (1 if size in (TOKEN, UNSEEN) else 4)))
    if across < 1:
        return None
    lines = -(-count // across)
    across = -(-count // lines)
    pitch = min((width - 2) // across, max(wide + 26, 36))
    return across, pitch, lines * (1 + int(view.options["rows"]) * size.height)
