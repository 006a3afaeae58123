"""The own cards, what they count, and what a swap would change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.protocol.text.typeset import wrapped
from golfnet_client.model.counting import cancelled, points, preview, showing
from golfnet_client.screens.faces import Look, card_text
from golfnet_client.screens.layouts import draw_caption, draw_layout
from golfnet_client.screens.panels import draw_log
from golfnet_client.screens.plan import BESIDE_FROM, Plan, own_seat, step_of
from golfnet_client.screens.waiting import draw_waiting

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import SeatView, TableView
    from golfnet_client.model.model import Model
    from golfnet_client.screens.canvas import Canvas


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
