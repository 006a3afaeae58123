"""The cards of a seat in their slots, and the caption over them: who sits there, and what they did last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.notation import HIDDEN
from golfnet.protocol.text.typeset import display_width
from golfnet_client.model.counting import cancelled
from golfnet_client.screens.choices import pickable
from golfnet_client.screens.faces import (
    SMALL,
    Look,
    Manner,
    Size,
    card_text,
    draw_card,
    draw_frame,
)
from golfnet_client.screens.panels import seat_style
from golfnet_client.screens.plan import grid_of

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import SeatView, TableView
    from golfnet_client.model.model import Model
    from golfnet_client.screens.canvas import Canvas


def draw_caption(
    canvas: Canvas, model: Model, seat: SeatView, x: int, y: int, width: int, look: Look
) -> None:
    """Draw who sits somewhere, whether it is their turn, what is to be known of them, and what they did last."""
    view = model.table
    if view is None:
        return
    has_turn = seat.seat in awaited(view)
    closed = view.closer == seat.seat and view.state == "playing"
    sign = look.pointer if has_turn else look.flag if closed else ""
    canvas.put(x, y, sign, "class:felt class:turn")
    total = f"{seat.total:+d}" if seat.total < 0 else f"{seat.total}"
    state = _state(view, seat)
    words = [word for word in (total if view.hole else "", state) if word]
    name = f"{seat.seat} {seat.name}{' (you)' if seat.seat == view.you else ''}"
    room = width - 2
    # The flag says that a seat has closed; the word for it is worth less than a name.
    while words and display_width(name) + 1 + display_width(" ".join(words)) > room and len(words) > 1:
        words.pop()
    right = " ".join(words)
    end = canvas.put(
        x + 2, y, name, f"class:felt {seat_style(seat.seat)} class:total", width=room - len(right) - 1
    )
    end = canvas.put(end + 1, y, right, "class:felt class:dim")
    move = model.moves.get(seat.seat)
    if move is not None and not has_turn:
        text = move.words.format(card_text(move.card, look) if move.card else "")
        if end + 2 + display_width(text) <= x + width:
            canvas.put(end + 2, y, text, f"class:felt {seat_style(seat.seat)}")
    canvas.zone(x, y, width, 1, f"seat {seat.seat}")


def _state(view: TableView, seat: SeatView) -> str:
    if view.closer == seat.seat and view.state == "playing":
        return "closed"
    if not seat.present:
        return "house" if seat.kind == "house" else "away"
    if view.state in ("open", "between") and seat.kind == "human":
        return "ready" if seat.ready else "host" if seat.host else ""
    return "" if seat.kind == "human" or "bot" in seat.name else seat.kind


def awaited(view: TableView) -> set[str]:
    """Return the seats that are waited for."""
    if view.state != "playing":
        return set()
    match view.phase:
        case "start":
            return {seat.seat for seat, owed in zip(view.seats, view.owed, strict=False) if owed}
        case "give":
            return {view.owes or ""}
        case _:
            return {view.turn or ""}


def draw_layout(
    canvas: Canvas,
    model: Model,
    seat: SeatView,
    x: int,
    y: int,
    size: Size,
    step: int,
    look: Look,
    covers: dict[str, str],
) -> None:
    """Draw the cards of a seat, those that cancel each other tied together."""
    view = model.table
    if view is None:
        return
    grid = grid_of(view, len(seat.slots))
    slots = [_shown(model, seat, slot, covers) for slot in range(1, len(seat.slots) + 1)]
    groups = cancelled(view, slots)
    spent = {slot for group in groups for slot in group}
    tied = {slot for group in groups for slot in group if slot + int(view.options["columns"]) in group}
    is_column = view.options.get("cancel") == "column"
    asked = set(pickable(view))
    for slot, (column, row) in enumerate(grid.places, 1):
        at = f"{seat.seat}{slot}"
        left, top = x + column * step, y + row * size.height
        own = seat.seat == view.you
        is_target = at in asked
        manner = Manner(
            label=(str(slot) if own else at) if own or (is_target and size.width > SMALL.width) else "",
            asks=is_target and own,
            marked=at in model.marks,
            fresh=at in model.glimpses and slots[slot - 1] != seat.slots[slot - 1],
            spent=slot in spent,
            tied=is_column and slot in tied,
            odd=size.height == 1 and row % 2 == 1,
            under=is_column and slot - int(view.options["columns"]) in tied,
            changed=seat_style(model.changed[at]) if at in model.changed and at not in covers else "",
        )
        if slots[slot - 1]:
            draw_card(canvas, left, top, slots[slot - 1], size, look, manner)
        canvas.zone(left, top, size.width, size.height, f"card {at}")
    if (
        model.cursor is not None
        and model.cursor[:1] == seat.seat
        and int(model.cursor[1:]) <= len(grid.places)
    ):
        column, row = grid.places[int(model.cursor[1:]) - 1]
        is_asked = model.cursor in asked
        style = "class:chosen" if is_asked else "class:dim"
        draw_frame(canvas, x + column * step, y + row * size.height, size, look, style)


def _shown(model: Model, seat: SeatView, slot: int, covers: dict[str, str]) -> str:
    """Return what is to be seen in a slot now: what lies there, a glimpse, or what lay there till a card lands."""
    at = f"{seat.seat}{slot}"
    shown = seat.slots[slot - 1]
    if at in covers:
        return covers[at]
    glimpse = model.glimpses.get(at)
    return glimpse.what if glimpse is not None and shown.startswith(HIDDEN) else shown
