"""The table: opponents above, piles and the own layout in the middle, what can be done and what happened below.

Pure: a model, a size and a time give a picture. Everything scales: cards take the largest size at which the log
keeps its lines, and what does not fit is left out in a fixed order (chat, card by holes, pictures of others).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from golfnet.protocol.text.typeset import display_width, wrapped
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.choices import choices, free_seats, is_host
from golfnet_client.screens.faces import MEDIUM, SMALL, TOKEN, Look, Manner, Size, draw_card, draw_pile
from golfnet_client.screens.headline import headline
from golfnet_client.screens.panels import draw_actions, draw_header, draw_log, draw_scores
from golfnet_client.screens.plan import UNSEEN, Plan, grid_of, others_of, own_seat, plan_of, tile_width

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import SeatView, TableView
    from golfnet_client.model.model import Model
    from golfnet_client.model.moments import Timed

LEAST_LOG: Final = 3
"""Lines of the log that no card may take away."""

SIDEBAR_FROM: Final = 104
"""Columns from which on scores and log stand beside the table."""

WAITING_WIDTH: Final = 30
"""Columns of what is said before the first deal."""


def draw_table(model: Model, width: int, height: int, look: Look, now: float) -> Canvas:
    """Return the picture of the table that is looked at."""
    canvas = Canvas(width, height, "class:felt")
    view = model.table
    if view is None:
        return canvas
    draw_header(canvas, model, _title(view, look), look)
    side = min(52, width * 2 // 5 - 4) if width >= SIDEBAR_FROM else 0
    main = width - side
    actions = draw_actions(canvas, 1, height - 1, main - 2, choices(model, look), look)
    bottom = height - actions
    plan = plan_of(view, main, bottom - 1, 0 if side else LEAST_LOG)
    # With the log beside the table there are lines to spare: they go between its parts.
    spare = bottom - 2 - plan.others_height - plan.own_height if side else 0
    y = 1 + max(plan.gap, min(4, spare // 5))
    y = _draw_others(canvas, model, y, main, plan, look)
    y += max(plan.gap, min(6, spare // 4))
    _draw_middle(canvas, model, y, main, plan, look, now, with_scores=not side)
    y += plan.own_height
    line = y + max(1, min(3, spare // 5)) if bottom - y > 1 else y
    line += _draw_headline(canvas, model, 2, line, main - 4, look, now)
    if side:
        _draw_sidebar(canvas, model, main, 1, side, height - 1, look)
    elif bottom - line > 0:
        draw_log(canvas, model, 2, line, main - 4, bottom - line, look)
    return canvas


def _title(view: TableView, look: Look) -> str:
    holes = f" of {view.holes}" if view.holes else ""
    target = f" to {view.target} points" if view.target and not view.holes else ""
    hole = f" {look.dot} hole {view.hole}{holes}{target}" if view.hole else ""
    name = f" {look.dot} {view.name}" if view.name else ""
    return f"{view.table} {look.dot} {view.variant}{hole}{name}"


def _draw_others(canvas: Canvas, model: Model, y: int, width: int, plan: Plan, look: Look) -> int:
    view = model.table
    if view is None:
        return y
    others = others_of(view)
    tall = 1 + int(view.options["rows"]) * plan.others.height
    each = tile_width(view, others, plan.others, width)
    across = min(plan.tiles, len(others)) or 1
    spare = max(0, width - 2 - across * each) // (across + 1)
    for number, seat in enumerate(others):
        x = 1 + spare + (number % across) * (each + spare)
        top = y + (number // across) * tall
        _draw_caption(canvas, model, seat, x, top, each - 1, look)
        if plan.others is UNSEEN:
            continue
        grid = grid_of(view, len(seat.slots))
        gap = 1 if plan.others is TOKEN else 0
        for slot, (column, row) in enumerate(grid.places, 1):
            left = x + 2 + column * (plan.others.width + gap)
            _draw_slot(canvas, model, seat, slot, left, top + 1 + row * plan.others.height, plan.others, look)
    return y + -(-len(others) // across) * tall if others else y


def _draw_caption(
    canvas: Canvas, model: Model, seat: SeatView, x: int, y: int, width: int, look: Look
) -> None:
    """Draw who sits somewhere, whether it is their turn, and what is to be known of them."""
    view = model.table
    if view is None:
        return
    has_turn = seat.seat in _awaited(view)
    style = "class:felt class:turn" if has_turn else "class:felt class:name"
    total = f" {seat.total:+d}" if seat.total < 0 else f" {seat.total}"
    state = _state(view, seat)
    right = f"{state}{total}" if view.hole else state
    closed = view.closer == seat.seat and view.state == "playing"
    canvas.put(x, y, look.pointer if has_turn else look.flag if closed else " ", style)
    room = width - 2 - len(right) - 1
    # The flag says that a seat has closed; the word for it is worth less than a name.
    if state and (room < 5 or (closed and room < display_width(f"{seat.seat} {seat.name}"))):
        right = total if view.hole else ""
        room = width - 2 - len(right) - 1
    you = " (you)" if seat.seat == view.you and room > len(seat.name) + 8 else ""
    end = canvas.put(x + 2, y, f"{seat.seat} {seat.name}{you}", style, width=room)
    canvas.put(end + 1, y, right.strip(), "class:felt class:dim")
    canvas.zone(x, y, width, 1, f"seat {seat.seat}")


def _state(view: TableView, seat: SeatView) -> str:
    if view.closer == seat.seat and view.state == "playing":
        return "closed"
    if not seat.present:
        return "house" if seat.kind == "house" else "away"
    if view.state in ("open", "between") and seat.kind == "human":
        return "ready" if seat.ready else "host" if seat.host else ""
    return "" if seat.kind == "human" or "bot" in seat.name else seat.kind


def _awaited(view: TableView) -> set[str]:
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


def _draw_slot(
    canvas: Canvas, model: Model, seat: SeatView, slot: int, x: int, y: int, size: Size, look: Look
) -> None:
    view = model.table
    at = f"{seat.seat}{slot}"
    shown = seat.slots[slot - 1]
    glimpse = model.glimpses.get(at)
    if glimpse is not None and shown.startswith("?"):
        shown = glimpse.what
    own = view is not None and seat.seat == view.you
    manner = Manner(
        label=str(slot) if own else at,
        chosen=model.cursor == at,
        marked=at in model.marks,
        fresh=glimpse is not None,
    )
    draw_card(canvas, x, y, shown, size, look, manner)
    canvas.zone(x, y, size.width, size.height, f"card {at}")


def _draw_middle(
    canvas: Canvas, model: Model, y: int, width: int, plan: Plan, look: Look, now: float, *, with_scores: bool
) -> None:
    """Draw piles and the own layout side by side, and the score card where there is room."""
    view = model.table
    own = own_seat(view) if view is not None else None
    if view is None or own is None:
        return
    pile = min(plan.own, MEDIUM)
    grid = grid_of(view, len(own.slots))
    own_width = max(grid.columns * (plan.own.width + 1), 20 if own.slots else WAITING_WIDTH)
    piles_width = 3 * (pile.width + 1) + 2
    room = width - piles_width - own_width - 4
    scores = min(32, room - 2) if with_scores and room >= 24 else 0
    apart = min(7, max(1, (room - scores) // 3))
    left = max(2, (width - scores - piles_width - apart - own_width) // 2)
    _draw_piles(canvas, model, left, y, pile, plan.own_height, look)
    x = left + piles_width + apart
    _draw_caption(canvas, model, own, x - 1, y, own_width + 1, look)
    for slot, (column, row) in enumerate(grid.places, 1):
        where = x + column * (plan.own.width + 1), y + 1 + row * plan.own.height
        _draw_slot(canvas, model, own, slot, *where, plan.own, look)
    if not own.slots:
        _draw_waiting(canvas, model, x, y + 2, now)
    if scores:
        draw_scores(canvas, view, width - scores - 1, y, scores, plan.own_height, look)


def _draw_waiting(canvas: Canvas, model: Model, x: int, y: int, now: float) -> None:
    """Say who is missing before the first deal, and when bots come in their place."""
    view = model.table
    if view is None:
        return
    taken, free = len(view.seats), free_seats(view)
    rows = [f"{taken} of {taken + free} seats taken", ""]
    if free:
        rows.append(f"join {view.table} brings others here.")
    keys = [
        *(["b adds a bot"] if free and is_host(view) else []),
        *(["o starts"] if "start" in view.actions else []),
    ]
    if keys:
        rows.append(f"{', '.join(keys)}.")
    if model.filling is not None:
        rows.append(f"Bots ({model.filling.what}) come in {model.filling.seconds_left(now)} s.")
    for number, text in enumerate(rows):
        canvas.put(x, y + number, text, "class:felt class:dim")


def _draw_piles(canvas: Canvas, model: Model, x: int, y: int, size: Size, height: int, look: Look) -> None:
    view = model.table
    if view is None or view.phase is None:
        return
    step = size.width + 1
    lying = "?" if view.holding is not None and view.drawn is None else view.drawn
    top = y + max(0, (height - size.height - 1) // 3)
    labels = ("stock", "pile" if size == SMALL else "discard", "held")
    label_style = "class:felt class:dim"
    canvas.put_middle(x, top, size.width, labels[0], label_style)
    draw_pile(canvas, x, top + 1, view.stock, size, look)
    canvas.zone(x, top, size.width, size.height + 1, "pile stock")
    canvas.put_middle(x + step, top, size.width, labels[1], label_style)
    draw_card(canvas, x + step, top + 1, view.discard or "-", size, look)
    canvas.zone(x + step, top, size.width, size.height + 1, "pile discard")
    if lying is not None and view.holding is not None:
        mine = view.holding == view.you
        label = "you hold" if mine and size != SMALL else f"{view.holding} holds" if size != SMALL else "held"
        canvas.put_middle(x + 2 * step + 1, top, size.width + 1, label, "class:felt class:turn")
        draw_card(canvas, x + 2 * step + 2, top + 1, lying, size, look, Manner(chosen=mine))
        canvas.zone(x + 2 * step + 2, top, size.width, size.height + 1, "pile held")


def _draw_headline(canvas: Canvas, model: Model, x: int, y: int, width: int, look: Look, now: float) -> int:
    """Draw the sentence that matters now, and the bar of what runs out; return the lines used, two at the most."""
    text, style = headline(model, look)
    timed = model.window or model.clock or model.pause or model.filling
    room = width
    if timed is not None and timed.ends > now and timed.lasts > 0:
        room -= _draw_bar(canvas, x + width, y, timed, model.window is not None, width, look, now) + 2
    lines = wrapped(text, max(room, 12))[:2] if text else [""]
    for number, line in enumerate(lines):
        canvas.put(x, y + number, line.strip(), f"class:felt {style}", width=room)
    return len(lines)


def _draw_bar(
    canvas: Canvas, right: int, y: int, timed: Timed, is_window: bool, width: int, look: Look, now: float
) -> int:
    """Draw what a window or clock has left, as a bar and in seconds; return the columns used."""
    left = timed.ends - now
    size = min(24, max(8, width // 5))
    filled = min(size, max(1, round(size * left / timed.lasts)))
    seconds = f" {left:4.1f} s" if is_window else f" {timed.seconds_left(now):3} s"
    style = "class:felt class:urgent" if left < 5 else "class:felt class:bar"
    start = right - size - len(seconds)
    canvas.put(start, y, look.full * filled, style)
    canvas.put(start + filled, y, look.rest * (size - filled), "class:felt class:dim")
    canvas.put(start + size, y, seconds, style)
    return size + len(seconds)


def _draw_sidebar(canvas: Canvas, model: Model, x: int, y: int, width: int, height: int, look: Look) -> None:
    view = model.table
    if view is None:
        return
    canvas.box(x, y, width, height, "class:panel", look.frame)
    used = draw_scores(canvas, view, x + 2, y + 1, width - 4, max(4, height // 2 - 2), look)
    rule = y + 1 + used
    canvas.put(x + 2, rule, look.line * (width - 4), "class:panel class:dim")
    draw_log(canvas, model, x + 2, rule + 1, width - 4, y + height - 1 - rule - 1, look, style="class:panel")
