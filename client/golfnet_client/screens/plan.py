"""How a table is laid out in a window: the largest cards that leave the log its lines, and where each slot lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from golfnet_client.screens.faces import LARGE, MEDIUM, SMALL, TOKEN, Size

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import SeatView, TableView

UNSEEN: Final = Size(0, 0)
"""For the others' cards where there is no room for any."""


class Plan(NamedTuple):
    """The sizes of everything on the table, in cards, columns and lines."""

    own: Size
    others: Size
    tiles: int
    """Tiles in a row of others."""
    others_height: int
    own_height: int
    gap: int


class Grid(NamedTuple):
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


def plan_of(view: TableView, width: int, height: int, log: int) -> Plan:
    """Return the largest sizes that fit: first one's own cards, then those of the others."""
    own = own_seat(view)
    grid = grid_of(view, len(own.slots) if own is not None else 0)
    others = others_of(view)
    choices_of_sizes = [
        (mine, theirs, log)
        for mine in (LARGE, MEDIUM, SMALL)
        for theirs in (MEDIUM, SMALL, TOKEN)
        if theirs.height < mine.height
    ]
    for mine, theirs, lines in (*choices_of_sizes, (SMALL, TOKEN, 0), (SMALL, UNSEEN, 0)):
        piles = 3 * (min(mine, MEDIUM).width + 1) + 2
        if 4 + piles + grid.columns * (mine.width + 1) > width and mine is not SMALL:
            continue
        own_height = 1 + grid.rows * mine.height
        tiles, tall = _tiles(view, others, theirs, width)
        for gap in (1, 0):
            plan = Plan(mine, theirs, tiles, tall, own_height, gap)
            if tall + own_height + 2 * gap + (lines and lines + 1) <= height:
                return plan
    return plan


def tile_width(view: TableView, seats: list[SeatView], size: Size, width: int) -> int:
    """Return how many columns each of the others takes."""
    gap = 0 if size is not TOKEN else 1
    widest = max([grid_of(view, len(seat.slots)).columns for seat in seats], default=1)
    named = min(28, (width - 2) // max(1, len(seats)))
    return max(14, named, widest * (size.width + gap) + 2)


def _tiles(view: TableView, seats: list[SeatView], size: Size, width: int) -> tuple[int, int]:
    """Return how many others stand in a row, and how many lines all of them take."""
    if not seats:
        return 1, 0
    across = max(1, (width - 2) // tile_width(view, seats, size, width))
    across = -(-len(seats) // -(-len(seats) // across))
    rows = -(-len(seats) // across)
    tall = 1 + int(view.options["rows"]) * size.height
    return across, rows * tall
