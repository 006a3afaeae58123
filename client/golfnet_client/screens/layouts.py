"""The cards of a seat in their slots, and the caption over them: who sits there, and what they did last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.notation import EMPTY, HIDDEN
from golfnet.protocol.text.typeset import clipped, display_width, wrapped
from golfnet_client.screens.choices import choices, pickable
from golfnet_client.screens.count import cancelled, points, preview, showing
from golfnet_client.screens.faces import (
    SMALL,
    Look,
    Manner,
    Size,
    card_text,
    draw_card,
    draw_frame,
    draw_pile,
)
from golfnet_client.screens.headline import knocked
from golfnet_client.screens.lobby_screen import draw_waiting
from golfnet_client.screens.panels import draw_log, seat_style
from golfnet_client.screens.plan import BESIDE_FROM, Plan, grid_of, own_seat, step_of

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import SeatView, TableView
    from golfnet_client.model.model import Model
    from golfnet_client.model.motion import Timed
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
    # The flag says that a seat has ended the hole; the word for it is worth less than a name.
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
        return "knocked" if knocked(view) else "all face up"
    if not seat.present:
        return "bot" if seat.kind == "house" else "away"
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
    return glimpse.what if glimpse is not None and shown == HIDDEN else shown


def draw_own(
    canvas: Canvas,
    model: Model,
    plan: Plan,
    width: int,
    bottom: int,
    look: Look,
    now: float,
    covers: dict[str, str],
    *,
    has_log: bool,
) -> None:
    """Draw the own cards, who one is to their left, and to their right what a swap would do and what happened."""
    view = model.table
    own = own_seat(view) if view is not None else None
    if view is None or own is None:
        return
    height = int(view.options["rows"]) * plan.own.height
    if own.slots:
        draw_layout(canvas, model, own, plan.own_x, plan.own_y, plan.own, step_of(plan.own), look, covers)
    else:
        x = 2 if plan.is_beside else max(2, plan.axis - 16)
        draw_waiting(
            canvas, model, x, plan.own_y if plan.is_beside else plan.piles_y, width - x - 1, now, look
        )
    if plan.has_caption:
        draw_caption(canvas, model, own, plan.own_x - 2, plan.own_y - 1, width - plan.own_x + 2, look)
    else:
        _draw_standing(canvas, model, own, plan, height, look)
    right, room = plan.right + 2, width - plan.right - 4
    if room >= BESIDE_FROM and not plan.is_beside and own.slots:
        room = min(room, 48)
        used = _draw_preview(canvas, model, right, plan.own_y, room, look)
        if not has_log:
            draw_log(canvas, model, right, plan.own_y + used, room, bottom - plan.own_y - used, look)
    elif not has_log:
        draw_log(canvas, model, 2, bottom - plan.log, width - 4, plan.log, look)


def _draw_standing(canvas: Canvas, model: Model, own: SeatView, plan: Plan, height: int, look: Look) -> None:
    """Write to the left of the own cards whose they are and what they count."""
    view = model.table
    if view is None:
        return
    room = min(24, plan.own_x - 6)
    x = plan.own_x - 3 - room
    rows = _standing(view, own, look)
    y = plan.own_y + max(0, (height - len(rows) - 1) // 2)
    draw_caption(canvas, model, own, x - 2, y, room + 2, look)
    for number, (text, style) in enumerate(rows, 1):
        for line in wrapped(text, room)[:2]:
            canvas.put(x, y + number, line.strip(), f"class:felt {style}", width=room)


def _standing(view: TableView, own: SeatView, look: Look) -> list[tuple[str, str]]:
    """Return what is to be said of the own cards: what those that show count."""
    shown = showing(view, own.slots)
    if shown is None or view.state != "playing":
        return []
    free = {slot for group in cancelled(view, own.slots) for slot in group}
    parts = [
        str(each)
        for slot, each in enumerate(points(view, own.slots), 1)
        if each is not None and slot not in free
    ]
    sums = [(" + ".join(parts).replace("+ -", "- "), "class:dim")] if len(parts) > 1 else []
    return [(f"showing {shown}", "class:name"), *sums]


def _draw_preview(canvas: Canvas, model: Model, x: int, y: int, width: int, look: Look) -> int:
    """Write what the held card would change in the chosen slot; return the lines used."""
    view = model.table
    if view is None or view.you is None or view.drawn is None or (model.cursor or "?")[0] != view.you:
        return 0
    slot = int((model.cursor or "?0")[1:])
    seen = preview(view, slot)
    if seen is None:
        return 0
    arrow = "->" if look.ascii else "→"
    style = (
        "class:best"
        if seen.after < seen.before
        else "class:urgent"
        if seen.after > seen.before
        else "class:dim"
    )
    canvas.put(x, y, f"{card_text(view.drawn, look)} in slot {slot}:", "class:felt class:dim", width=width)
    tied = "cancels, " if seen.cancels else ""
    canvas.put(x, y + 1, f"{tied}{seen.before} {arrow} {seen.after}", f"class:felt {style}", width=width)
    return 3


def draw_piles(
    canvas: Canvas, model: Model, plan: Plan, look: Look, now: float, covers: dict[str, str]
) -> None:
    """Draw stock, discard pile and the card that somebody holds; ``covers`` are cards still on their way."""
    view = model.table
    if view is None or view.phase is None:
        return
    size, y = plan.piles, plan.piles_y
    offers = {choice.key: choice.label for choice in choices(model, look) if choice.line is not None}
    draw_pile(canvas, plan.stock_x, y, view.stock, size, look)
    canvas.zone(plan.stock_x, y, size.width, size.height, "pile stock")
    draw_card(canvas, plan.discard_x, y, covers.get("discard", view.discard or EMPTY), size, look)
    canvas.zone(plan.discard_x, y, size.width, size.height, "pile discard")
    held = "?" if view.holding is not None and view.drawn is None else view.drawn
    if held is not None and view.holding is not None and "held" not in covers:
        _draw_held(canvas, model, plan, held, offers, look)
    if model.window is not None and model.window.ends > now:
        _draw_window(canvas, model.window, plan, look, now)
    elif plan.has_labels:
        below = y + size.height
        _draw_label(canvas, plan.stock_x, below, size.width, "d", offers, "stock", -1)
        _draw_label(canvas, plan.discard_x, below, size.width, "t", offers, "discard", 1)
    elif not plan.is_beside:
        middle = y + size.height // 2
        if "d" in offers:
            start = plan.stock_x - 3 - len("d draw") - 2
            _put_key(canvas, start, middle, "d", offers["d"])
        if "t" in offers and view.holding is None:
            _put_key(canvas, plan.discard_x + size.width + 3, middle, "t", offers["t"])


def _draw_held(
    canvas: Canvas, model: Model, plan: Plan, held: str, offers: dict[str, str], look: Look
) -> None:
    """Draw the card that somebody holds beside the discard pile, and whose it is."""
    view = model.table
    if view is None:
        return
    size, x, y = plan.piles, plan.held_x, plan.piles_y
    mine = view.holding == view.you
    who = next((seat.name for seat in view.seats if seat.seat == view.holding), "")
    style = "class:felt class:turn" if mine else f"class:felt {seat_style(view.holding or 'A')}"
    if plan.is_beside:
        text = "you hold" if mine else f"{who} holds"
        canvas.put(plan.stock_x, y - 1, text, style, width=3 * size.width + 2)
    else:
        middle = y + (size.height - 1) // 2
        for line, text in enumerate(["you hold"] if mine else [who, "holds"]):
            text = clipped(text, plan.held_room)
            canvas.put_right(x - 2, middle + line, text, style)
        if "x" in offers and mine and plan.has_labels:
            _draw_label(canvas, x, y + size.height, size.width, "x", offers, "", 0)
        elif "x" in offers and mine:
            _put_key(canvas, x + size.width + 1, middle, "x", offers["x"])
    draw_card(canvas, x, y, held, size, look)
    if mine:
        draw_frame(canvas, x, y, size, look)
    canvas.zone(x, y, size.width, size.height, "pile held")


def _draw_label(
    canvas: Canvas, x: int, y: int, width: int, key: str, offers: dict[str, str], plain: str, side: int
) -> None:
    """Write under a pile what its key does, or in small what it is.

    What is too wide goes beyond the pile to its left for a ``side`` of -1, to its right for 1.
    """
    if key not in offers:
        canvas.put_middle(x, y, width, plain[:width], "class:felt class:dim")
        return
    text = offers[key]
    over = display_width(text) + 4 - width
    _put_key(canvas, x - (over // 2 if over <= 0 or not side else over if side < 0 else 0), y, key, text)


def _put_key(canvas: Canvas, x: int, y: int, key: str, label: str) -> None:
    end = canvas.put(x, y, f" {key} ", "class:key")
    canvas.put(end + 1, y, label, "class:felt class:turn")
    canvas.zone(x, y, end + 1 + display_width(label) - x, 1, f"key {key}")


def _draw_window(canvas: Canvas, window: Timed, plan: Plan, look: Look, now: float) -> None:
    """Draw that the discard can be slammed: a pulse around it, and beneath it what time is left."""
    size, x, y = plan.piles, plan.discard_x, plan.piles_y
    pulse = "class:glow" if int(now * 4) % 2 else "class:chosen"
    draw_frame(canvas, x, y, size, look, pulse)
    left = window.ends - now
    below = y + size.height if plan.has_labels else y + size.height - 1
    wide = size.width + 4
    filled = max(1, min(wide, round(wide * left / max(window.lasts, 0.1))))
    start = x - 2
    canvas.put(start, below, look.full * filled, "class:felt class:glow")
    canvas.put(start + filled, below, look.rest * (wide - filled), "class:felt class:dim")
    canvas.put(start + wide + 1, below, f"{left:.1f} s", "class:felt class:urgent")
