"""The end of a hole, counted card by card with a row for each seat, and the podium at the end of a match.

The points come from the engine; any difference between a seat's score and its cards is the penalty for closing.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final

from msgspec import Struct, structs

from golfnet.engine.cards import CARDS, EMPTY, HIDDEN, Card, column_slots
from golfnet.engine.rules import Placed, Recall
from golfnet.engine.scoring import cancelled_slots, layout_score, places, slot_points
from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet.protocol.text.typeset import display_width
from golfnet.protocol.text.words import ordinal
from golfnet_client.model.model import Model
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.faces import LARGE, MEDIUM, SMALL, TOKEN, Manner, Size, draw_card, draw_shadow
from golfnet_client.screens.panels import score_in, seat_style


class Preview(Struct, frozen=True):
    """What the visible cards score before and after a swap, and whether the new card is cancelled."""

    before: int
    after: int
    cancels: bool


def visible(slots: Sequence[str]) -> tuple[Card | None, ...]:
    """Return the cards in slots of a view, with None for an empty or unknown slot."""
    return tuple([CARDS.get(slot.removeprefix(HIDDEN)) for slot in slots])


def showing(view: TableView, slots: Sequence[str]) -> int | None:
    """Return the score of the visible cards of a layout, or None if none is visible."""
    cards = visible(slots)
    return layout_score(view.rules, cards) if any(cards) else None


def cancelled(view: TableView, slots: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the slots whose visible cards cancel each other, by group."""
    return cancelled_slots(view.rules, visible(slots))


def points(view: TableView, slots: Sequence[str]) -> tuple[int | None, ...]:
    """Return the score of the visible card in each slot, with None for an empty or unknown slot."""
    return slot_points(view.rules, visible(slots))


def preview(view: TableView, slot: int) -> Preview | None:
    """Return the effect of swapping the held card into one of the viewer's slots, or None if it is unknown."""
    own, rules = view.own, view.rules
    is_from_memory = rules.placed is Placed.DOWN and rules.recall is Recall.ONCE
    if own is None or view.drawn is None or is_from_memory or f"swap {slot}" not in view.actions:
        return None
    after = (*own.slots[: slot - 1], view.drawn, *own.slots[slot:])
    cancels = any(slot in group for group in cancelled(view, after))
    return Preview(layout_score(rules, visible(own.slots)), layout_score(rules, visible(after)), cancels)


_NAME: Final = 18
"""Maximum number of columns for a name, with two blanks after it."""
_POINTS: Final = 7
"""Width in columns of the score of the cards, which is right-aligned."""
_SUMS: Final = 15
"""Width in columns of the score of the cards and the total."""
_NOTE: Final = 6
"""Width in columns of a word after the total."""
_PODIUM: Final = 7
"""Height of the podium in lines, including an empty line below it."""
_BLOCK: Final = 18


class _CountRows(Struct, frozen=True):
    """How the rows are drawn: the size of the cards, and whether points are written below them."""

    size: Size
    has_points: bool
    name: int
    sums: int
    """Width in columns of what follows the cards: the points, and the total if there is room."""
    group: int
    """Number of cards in a group, after which there is a gap; 1 if columns do not matter."""

    def left(self, place: int) -> int:
        """Return the number of columns before a card."""
        return self.name + place * (self.size.width + 1) + (place // self.group if self.group > 1 else 0)

    def wide(self, slots: int) -> int:
        """Return the width in columns of a row with this many cards."""
        return self.left(slots - 1) + self.size.width + 1

    @property
    def has_totals(self) -> bool:
        """Whether the total follows the points."""
        return self.sums == _SUMS

    @property
    def points(self) -> int:
        """Width in columns of the points."""
        return min(self.sums, _POINTS)

    @property
    def tall(self) -> int:
        """The number of lines of a row."""
        return self.size.height + self.has_points


def is_counted(view: TableView) -> bool:
    """Return whether a hole has ended and its cards are face up, so that they can be counted."""
    is_over = view.state in ("between", "finished") and bool(view.scores)
    return is_over and any(slot not in (EMPTY, HIDDEN) for seat in view.seats for slot in seat.slots)


def draw_count(canvas: Canvas, model: Model, top: int, bottom: int, width: int, now: float) -> None:
    """Draw the result of the last hole and, after the match, the winner."""
    view = model.shown
    is_over = view.state == "finished"
    ranks = dict(zip([seat.seat for seat in view.seats], places(view.totals), strict=True))
    # The viewer comes first; at the end of the match, the seats are in the order of the result.
    seats = sorted(
        view.seats, key=lambda seat: (ranks[seat.seat] if is_over else seat.seat != view.you, seat.seat)
    )
    if is_over and bottom - top >= _PODIUM + 2 + 2 * len(seats):
        _draw_podium(canvas, seats, ranks, top, width)
        top += _PODIUM
    rows = _rows(view, seats, width, bottom - top - 2)
    shown = (bottom - top - 2) // rows.tall
    spare = bottom - top - 2 - rows.tall * min(shown, len(seats))
    step = rows.tall + (spare > len(seats))
    spare -= (step - rows.tall) * len(seats)
    slots = max(len(seat.slots) for seat in seats)
    x, y = max(1, (width - rows.wide(slots) - rows.sums - _NOTE) // 2), top + spare // 2
    sums = x + rows.wide(slots)
    canvas.put(x, y, f"Hole {len(view.scores)}", "felt title")
    canvas.put_right(sums + rows.points, y, "points", "felt dim")
    canvas.put_right(sums + _SUMS, y, "total" if rows.has_totals else "", "felt dim")
    left = 0.0 if model.count is None else max(0.0, (model.count.ends - now) / model.count.lasts)
    counted = int(slots * (1 - left))
    for number, seat in enumerate(seats[:shown]):
        rank = ordinal(ranks[seat.seat]) if is_over else ""
        _draw_row(canvas, view, seat, x, y + 1 + number * step, sums, rows, counted, rank, width - 1)


def _rows(view: TableView, seats: Sequence[SeatView], width: int, height: int) -> _CountRows:
    """Return the largest rows that fit, without totals if there is no room for them."""
    slots = max(len(seat.slots) for seat in seats)
    group = int(view.options["rows"]) if view.options.get("cancel") == "column" else 1
    name = min(_NAME, max(display_width(seat.name) for seat in seats) + 4)
    sizes = (LARGE, True), (MEDIUM, True), (SMALL, True), (TOKEN, True), (TOKEN, False)
    for sums, (size, has_points) in product((_SUMS, _POINTS), sizes):
        rows = _CountRows(size, has_points, name, sums, group)
        if rows.tall * len(seats) <= height and rows.wide(slots) + sums <= width - 2:
            return rows
    rows = _CountRows(TOKEN, 2 * len(seats) <= height, 0, _POINTS - 3, group)
    return structs.replace(rows, name=max(6, min(name, width - 3 - rows.wide(slots) - rows.sums)))


def _draw_row(
    canvas: Canvas,
    view: TableView,
    seat: SeatView,
    x: int,
    y: int,
    sums: int,
    rows: _CountRows,
    counted: int,
    rank: str,
    edge: int,
) -> None:
    size = rows.size
    middle = y + (size.height - 1) // 2
    canvas.put(
        x, middle, f"{seat.seat} {seat.name}", f"felt {seat_style(seat.seat)} total", width=rows.name - 1
    )
    each, groups = points(view, seat.slots), cancelled(view, seat.slots)
    order = by_column(view, len(seat.slots))
    # Cards that cancel are dimmed once all cards of their group are turned up.
    seen = {number + 1 for number in order[:counted]}
    free = {slot for group in groups for slot in group if seen.issuperset(group)}
    for place, number in enumerate(order):
        slot = seat.slots[number]
        left = x + rows.left(place)
        is_counted_yet = place < counted
        face = slot if is_counted_yet or slot == EMPTY else HIDDEN
        draw_card(
            canvas, left, y, face, size, Manner(spent=is_counted_yet and number + 1 in free, counted=True)
        )
        if face != EMPTY:
            draw_shadow(canvas, left, y, size)
        if rows.has_points and is_counted_yet and each[number] is not None:
            style = "felt dim" if number + 1 in free else "felt name"
            canvas.put_middle(left, y + size.height, size.width, str(each[number]), style)
    score = score_in(view.scores[-1], view.seats.index(seat))
    is_done = counted >= len(seat.slots)
    known = [each[number] or 0 for number in order]
    so_far = score if is_done else sum(known[:counted])
    best = is_done and score == min(view.scores[-1])
    canvas.put_right(sums + rows.points, middle, f"{so_far}", "felt turn" if best else "felt total")
    if not is_done:
        return
    canvas.put_right(sums + _SUMS, middle, f"{seat.total}" if rows.has_totals else "", "felt dim")
    price = score - sum(known)
    note, style = rank or ("best" if best else ""), "felt best"
    if price:
        said, red = f"{price:+d} for closing", "felt urgent"
        if not rows.has_points:
            note, style = said, red
        elif sums + 1 + len(said) < edge:
            canvas.put(sums + 1, middle + 1, said, red)
        else:
            canvas.put_right(sums + rows.points, middle + 1, f"{price:+d}", red)
    if rows.has_totals and sums + _SUMS + 2 + len(note) < edge:
        canvas.put(sums + _SUMS + 2, middle, note, style)


def by_column(view: TableView, slots: int) -> list[int]:
    """Return the slot indexes column by column if columns cancel, so that cards that cancel lie side by side."""
    if view.options.get("cancel") != "column":
        return list(range(slots))
    columns = column_slots(int(view.options["rows"]), int(view.options["columns"]))
    dealt = [slot - 1 for column in columns for slot in column if slot <= slots]
    return [*dealt, *range(len(dealt), slots)]


def _draw_podium(
    canvas: Canvas, seats: Sequence[SeatView], ranks: dict[str, int], y: int, width: int
) -> None:
    blocks = [*seats[1:2], *seats[:1], *seats[2:3]]
    x = (width - len(blocks) * (_BLOCK + 1)) // 2
    base = y + _PODIUM - 1
    for number, seat in enumerate(blocks):
        left = x + number * (_BLOCK + 1)
        rank = ranks[seat.seat]
        high = 5 - min(rank, 3)
        style = {1: "key", 2: "spent"}.get(rank, "actions")
        canvas.fill(left, base - high, _BLOCK, high, style)
        if not canvas.look.ascii:
            canvas.fill(left + _BLOCK, base - high + 1, 1, high - 1, "felt shadow")
        canvas.put_middle(left, base - high, _BLOCK, ordinal(rank), style)
        canvas.put_middle(left, base - high - 2, _BLOCK, seat.name, f"felt {seat_style(seat.seat)} total")
        canvas.put_middle(left, base - high - 1, _BLOCK, str(seat.total), "felt name")
