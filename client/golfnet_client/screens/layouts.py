"""What lies on the table: each seat's cards and name plate, the piles, and the slam window."""

from golfnet.engine.cards import EMPTY, HIDDEN
from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet.protocol.text.typeset import clipped, display_width, wrapped
from golfnet_client.model.model import Model
from golfnet_client.model.story import Timed
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.choices import can_slam, choices, pickable
from golfnet_client.screens.count import by_column, cancelled, points, preview, showing
from golfnet_client.screens.faces import (
    SMALL,
    Manner,
    Size,
    card_text,
    draw_card,
    draw_frame,
    draw_pile,
    draw_shadow,
)
from golfnet_client.screens.headline import knocked
from golfnet_client.screens.panels import draw_log, seat_style
from golfnet_client.screens.plan import (
    BESIDE_FROM,
    WHOLE_LINE,
    Plan,
    columns_of,
    grid_of,
    own_seat,
    step_of,
    whole,
)


def draw_caption(canvas: Canvas, model: Model, seat: SeatView, x: int, y: int, width: int, room: int) -> None:
    """Draw a seat's name plate with its state, and beside it what the seat did last.

    The plate of the seat that has to act is lit. Plates have their own background, so that neighbours stay distinct.
    """
    view = model.shown
    style, ink = _draw_plate(canvas, model, seat, x, y, width)
    right = " ".join(_states(view, seat))
    total = f"{seat.total}" if view.hole else ""
    name = _name(view, seat)
    if 3 + display_width(f"{name} {right} {total}") > width:
        right = ""
    end = canvas.put_right(x + width - 1, y, f"{right} {total}".strip(), style) - 1
    canvas.put(x + 2, y, name, ink, width=end - x - 2)
    move = f"· {model.moves.get(seat.seat, '')}"
    if (
        seat.seat in model.moves.keys() - awaited(view) - {view.you}
        and width + 1 + display_width(move) < room
    ):
        canvas.put(x + width + 1, y, move, f"felt {seat_style(seat.seat)}")


def _draw_plate(canvas: Canvas, model: Model, seat: SeatView, x: int, y: int, width: int) -> tuple[str, str]:
    """Draw the plate of a seat with a sign for its turn or knock; return the styles of its text and its name."""
    view = model.shown
    has_turn = bool(seat.seat) and seat.seat in awaited(view)
    style = "key" if has_turn else "panel"
    ended = seat.seat == view.closer and view.state == "playing"
    canvas.fill(x, y, width, 1, style)
    canvas.put(x, y, "▶" if has_turn else "⚑" if ended else "", style)
    canvas.zone(x, y, width, 1, f"seat {seat.seat}")
    return style, style if has_turn or not seat.seat else f"panel {seat_style(seat.seat)} total"


def _name(view: TableView, seat: SeatView) -> str:
    you = " (you)" if seat.seat == view.you else ""
    return f"{seat.seat} {seat.name}{you}".strip()


def _states(view: TableView, seat: SeatView) -> list[str]:
    """Return words for the state of a seat apart from its total, such as ``power``, ``ready`` or ``away``."""
    if view.state == "playing":
        power = ["power"] if view.power and seat.seat == view.turn else []
        ended = (["knocked"] if knocked(view) else ["all up"]) if view.closer == seat.seat else []
        return [*power, *ended, *([] if seat.present else ["bot" if seat.kind == "house" else "away"])]
    if not seat.present:
        return ["" if not seat.seat else "bot" if seat.kind == "house" else "away"]
    if view.state in ("open", "between") and seat.kind == "human":
        return ["ready"] if seat.ready else ["host"] if seat.host else ["not ready"]
    return [] if seat.kind == "human" or "bot" in seat.name else [seat.kind]


def awaited(view: TableView) -> set[str]:
    """Return the seats that the table is waiting for."""
    if view.state != "playing":
        return set()
    match view.phase:
        case "start":
            return {seat.seat for seat, owed in zip(view.seats, view.owed, strict=False) if owed}
        case "give":
            return {view.owes or ""}
        case _:
            return {view.turn or ""}


def draw_line(
    canvas: Canvas, model: Model, seat: SeatView, x: int, y: int, width: int, size: Size, block: int
) -> None:
    """Draw an opponent in one line: name, cards (by columns if those cancel), and total."""
    view = model.shown
    style, ink = _draw_plate(canvas, model, seat, x, y, width)
    total = " ".join(_states(view, seat)) if view.state == "open" else f"{seat.total}" if view.hole else ""
    order = by_column(view, len(seat.slots)) if view.hole else []
    group = int(view.options["rows"]) if view.options.get("cancel") == "column" else len(order)
    at = x + width - (5 + block if view.hole else 12)
    canvas.put(x + 2, y, _name(view, seat), ink, width=at - x - 3)
    canvas.put_right(x + width - 1, y, total, style)
    covers = covered(model)
    asked = set(pickable(view))
    for number, index in enumerate(order):
        place = f"{seat.seat}{index + 1}"
        left = at + number * size.width + number // max(1, group)
        changed = "changed" if place in model.changed and place not in covers else ""
        manner = Manner(marked=place in model.marks, changed=changed, odd=number % 2 == 1)
        draw_card(canvas, left, y, _shown(model, seat, index + 1, covers) or EMPTY, size, manner)
        if place == model.cursor:
            canvas.put(left, y, canvas.chars[y][left], "ask" if place in asked else "row")
        canvas.zone(left, y, size.width, 1, f"card {place}")


def covered(model: Model) -> dict[str, str]:
    """Return what is drawn at positions whose cards are still in motion."""
    return {motion.target: motion.before for motion in model.motions}


def draw_layout(canvas: Canvas, model: Model, seat: SeatView, x: int, y: int, size: Size, step: int) -> None:
    """Draw the cards of a seat, ``step`` columns apart; cards that cancel are joined."""
    view = model.shown
    grid = grid_of(view, len(seat.slots))
    covers = covered(model)
    slots = [_shown(model, seat, slot, covers) for slot in range(1, len(seat.slots) + 1)]
    groups = cancelled(view, slots)
    spent = {slot for group in groups for slot in group}
    tied = {slot for group in groups for slot in group if slot + int(view.options["columns"]) in group}
    is_column = view.options.get("cancel") == "column"
    asked = set(pickable(view))
    own = seat.seat == view.you
    for slot, (card, (column, row)) in enumerate(zip(slots, grid, strict=True), 1):
        at = f"{seat.seat}{slot}"
        left, top = x + column * step, y + row * size.height
        is_target = at in asked
        manner = Manner(
            label=str(slot) if own else at if is_target and size.width > SMALL.width else "",
            asks=is_target and own,
            marked=at in model.marks,
            fresh=at in model.glimpses and card != seat.slots[slot - 1],
            spent=slot in spent,
            tied=is_column and slot in tied,
            odd=size.height == 1 and row % 2 == 1,
            under=is_column and slot - int(view.options["columns"]) in tied,
            changed=seat_style(model.changed[at]) if at in model.changed and at not in covers else "",
        )
        if card:
            draw_card(canvas, left, top, card, size, manner)
            if card != EMPTY:
                draw_shadow(canvas, left, top, size, is_tied=manner.tied)
        canvas.zone(left, top, size.width, size.height, f"card {at}")
    cursor = model.cursor or ""
    if cursor and cursor[0] == seat.seat and int(cursor[1:]) <= len(grid) and cursor not in covers:
        column, row = grid[int(cursor[1:]) - 1]
        draw_frame(
            canvas, x + column * step, y + row * size.height, size, "chosen" if cursor in asked else "dim"
        )


def _shown(model: Model, seat: SeatView, slot: int, covers: dict[str, str]) -> str:
    """Return what is drawn in a slot: its card, a glimpse, or its old card until a new one lands."""
    at, shown = f"{seat.seat}{slot}", seat.slots[slot - 1]
    if shown == HIDDEN and at in model.glimpses:
        shown = model.glimpses[at].what
    return covers.get(at, shown)


def draw_own(canvas: Canvas, model: Model, plan: Plan, width: int) -> None:
    """Draw the viewer's cards and name plate, the preview of a swap, and the latest events."""
    view = model.shown
    own = own_seat(view)
    if own is None:
        return
    rows, columns = int(view.options["rows"]), int(view.options["columns"])
    more, room = columns_of(view, len(own.slots)), plan.right - plan.own_x
    size = whole(plan.own, more, room)
    draw_layout(canvas, model, own, plan.own_x, plan.own_y, size, min(plan.step, step_of(size, more, room)))
    standing = _standing(view, own)
    if plan.has_caption:
        plate = max((columns - 1) * plan.step + plan.own.width, min(26, width - plan.own_x - 2))
        draw_caption(canvas, model, own, plan.own_x, plan.own_y - 1, plate, width - plan.own_x)
        if standing and plan.own_x + plate + 2 + len(standing[0][0]) < width - 1:
            text, style = standing[0]
            canvas.put(plan.own_x + plate + 2, plan.own_y - 1, text, f"felt {style}")
    else:
        room = min(24, plan.own_x - 6)
        lines = [(part.strip(), style) for text, style in standing for part in wrapped(text, room - 2)[:2]]
        x, y = plan.own_x - 3 - room, plan.own_y + max(0, (rows * plan.own.height - len(lines) - 1) // 2)
        draw_caption(canvas, model, own, x, y, room, room)
        for number, (text, style) in enumerate(lines, 1):
            canvas.put(x + 2, y + number, text, f"felt {style}", width=room - 2)
    used = 0
    if plan.is_beside:
        used = _draw_preview(canvas, model, plan.stock_x, plan.own_y + plan.piles.height + 2, plan.own_x - 6)
    elif width - plan.right - 4 >= BESIDE_FROM:
        used = _draw_preview(canvas, model, plan.right + 2, plan.own_y, width - plan.right - 4)
    if plan.log is not None:
        x, y, wide, tall = plan.log
        used = used if (x > plan.own_x) is not plan.is_beside else 0
        if tall - used > 1 or wide >= WHOLE_LINE:
            draw_log(canvas, model, x, y + used, wide, tall - used)


def _standing(view: TableView, own: SeatView) -> list[tuple[str, str]]:
    shown = showing(view, own.slots)
    if shown is None or view.state != "playing":
        return []
    free = {slot for group in cancelled(view, own.slots) for slot in group}
    parts = [
        str(each)
        for slot, each in enumerate(points(view, own.slots), 1)
        if each is not None and slot not in free
    ]
    sums = [(" + ".join(parts).replace("+ -", "- "), "dim")] if len(parts) > 1 else []
    return [(f"showing {shown}", "name"), *sums]


def _draw_preview(canvas: Canvas, model: Model, x: int, y: int, width: int) -> int:
    """Write the effect of swapping the held card into the selected slot; return the number of lines."""
    view, cursor = model.shown, model.cursor or ""
    slot = int(cursor[1:]) if cursor and cursor[0] == view.you else 0
    seen = preview(view, slot)
    if seen is None or view.drawn is None:
        return 0
    arrow = "->" if canvas.look.ascii else "→"
    style = "best" if seen.after < seen.before else "urgent" if seen.after > seen.before else "dim"
    canvas.put(x, y, f"{card_text(view.drawn)} in slot {slot}:", "felt dim", width=width)
    tied = "cancels, " if seen.cancels else ""
    canvas.put(x, y + 1, f"{tied}{seen.before} {arrow} {seen.after}", f"felt {style}", width=width)
    return 3


def draw_piles(canvas: Canvas, model: Model, plan: Plan, now: float) -> None:
    """Draw the stock, the discard pile and the drawn card."""
    view = model.shown
    if view.phase is None:
        return
    size, y, covers = plan.piles, plan.piles_y, covered(model)
    offers = {choice.key: choice.label for choice in choices(model) if choice.line is not None}
    draw_pile(canvas, plan.stock_x, y, view.stock, size)
    draw_card(canvas, plan.discard_x, y, covers.get("discard", view.discard or EMPTY), size)
    for name, x in (("stock", plan.stock_x), ("discard", plan.discard_x)):
        draw_shadow(canvas, x, y, size)
        canvas.zone(x, y, size.width, size.height, f"pile {name}")
    below = y + size.height
    if view.holding is not None and "held" not in covers:
        _draw_held(canvas, model, plan, view.drawn or HIDDEN)
    if "x" in offers and view.holding == view.you:
        side = 1 if plan.is_stacked else -1 if plan.is_narrow else 0
        _draw_label(canvas, plan.held_x, below, size.width, "x", offers, "", side)
    if model.window is not None and model.window.ends > now:
        _draw_window(canvas, model.window, plan, now, is_landed="discard" not in covers)
    elif not plan.is_narrow:
        side = 0 if plan.is_beside else 1
        _draw_label(canvas, plan.stock_x, below, size.width, "d", offers, "stock", -side)
        _draw_label(canvas, plan.discard_x, below, size.width, "t", offers, "discard", side)


def _draw_held(canvas: Canvas, model: Model, plan: Plan, held: str) -> None:
    view = model.shown
    size, x, y = plan.piles, plan.held_x, plan.piles_y
    mine = view.holding == view.you
    who = next((seat.name for seat in view.seats if seat.seat == view.holding), "")
    ink = "turn" if mine else seat_style(view.holding or "A")
    if plan.is_beside:
        text = "you hold" if mine else f"{clipped(who, plan.own_x - plan.stock_x - 8)} holds"
        # The text ends above the card, so that it does not run into the name plate.
        left = max(plan.stock_x, x + size.width - display_width(text))
        canvas.put(left, y - 1, text, f"felt {ink}")
    else:
        for line, text in enumerate(["you hold"] if mine else [who, "holds"]):
            text = clipped(text, plan.held_room)
            canvas.put_right(x - 2, y + (size.height - 1) // 2 + line, text, f"felt {ink}")
    draw_card(canvas, x, y, held, size)
    draw_shadow(canvas, x, y, size)
    draw_frame(canvas, x, y, size, "chosen" if mine else ink)
    canvas.zone(x, y, size.width, size.height, "pile held")


def _draw_label(
    canvas: Canvas, x: int, y: int, width: int, key: str, offers: dict[str, str], plain: str, side: int
) -> None:
    """Write under a pile what its key does, or in dim text what the pile is.

    A label that is too wide extends to the left if ``side`` is -1, to the right if 1, and to both sides if 0.
    """
    if key not in offers:
        canvas.put_middle(x - 1, y, width + 2, "" if "x" in offers else plain, "felt dim")
        return
    text = offers[key] if side or display_width(offers[key]) + 4 <= width + 2 else offers[key].split()[0]
    over = display_width(text) + 4 - width
    start = x - (over // 2 if over <= 0 or not side else over if side < 0 else 0)
    end = canvas.put(start, y, f" {key} ", "key")
    canvas.put(end + 1, y, text, "felt turn")
    canvas.zone(start, y, end + 1 + display_width(text) - start, 1, f"key {key}")


def _draw_window(canvas: Canvas, window: Timed, plan: Plan, now: float, *, is_landed: bool) -> None:
    """Show that the discard can be slammed: a pulsing frame once it has landed, and below it the time left."""
    size, x, y = plan.piles, plan.discard_x, plan.piles_y
    if is_landed:
        draw_frame(canvas, x, y, size, "glow" if int(now * 4) % 2 else "chosen")
    left = window.ends - now
    below, wide = y + size.height, size.width + 2
    filled = max(1, min(wide, round(wide * left / max(window.lasts, 0.1))))
    at, text = (plan.stock_x, f"{left:.1f}s") if plan.is_stacked else (x + wide, f"{left:.1f} s")
    canvas.fill(min(x - 1, at), below, wide + 7, 1, "felt")
    canvas.put(x - 1, below, "█" * filled, "felt glow")
    canvas.put(x - 1 + filled, below, "░" * (wide - filled), "felt dim")
    canvas.put(at, below, text, "felt urgent")


def dim_the_rest(canvas: Canvas, model: Model, now: float) -> None:
    """While a slam is possible, dim everything except the discard and the cards that can be slammed."""
    view = model.shown
    if model.window is None or model.window.ends <= now or not can_slam(view):
        return
    lit = {"pile discard", *(f"card {at}" for at in view.targets)}
    kept = {
        (x, y)
        for zone in canvas.zones
        if zone.target in lit
        for y in range(zone.y, zone.y + zone.height)
        for x in range(zone.x, zone.x + zone.width)
    }
    for y, styles in enumerate(canvas.styles):
        for x, style in enumerate(styles):
            if (x, y) not in kept and not any(word in style for word in ("chosen", "glow", "urgent")):
                styles[x] = f"{style} shade"
            elif style.startswith("felt"):
                styles[x] = f"{style} dusk"  # at the edge of a lit card, the felt is dimmed
