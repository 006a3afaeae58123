"""The piles in the middle of the table, the card that somebody holds, and the keys for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.engine.notation import EMPTY
from golfnet.protocol.text.typeset import clipped, display_width
from golfnet_client.screens.choices import choices
from golfnet_client.screens.faces import Look, draw_card, draw_frame, draw_pile
from golfnet_client.screens.panels import seat_style

if TYPE_CHECKING:
    from golfnet_client.model.model import Model
    from golfnet_client.model.moments import Timed
    from golfnet_client.screens.canvas import Canvas
    from golfnet_client.screens.plan import Plan


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
