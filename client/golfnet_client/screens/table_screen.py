"""The table: opponents in an arc at the top, piles in the middle, the viewer's cards below, and the keys.

Before a match, it shows empty chairs and says what everybody is waiting for.

The picture depends only on a model, a size and a time. ``plan`` decides where everything is, once per match and
terminal size; this module puts the picture together from ``layouts`` and ``panels``. What does not fit is left out: the
log, and text beside cards.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from golfnet.engine.cards import EMPTY, HIDDEN
from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet.protocol.replies.view_codec import NEWCOMER
from golfnet.protocol.text.typeset import display_width, wrapped
from golfnet_client.model.model import Model
from golfnet_client.model.replay import Replay
from golfnet_client.model.story import Motion
from golfnet_client.screens.canvas import Canvas, Zone
from golfnet_client.screens.choices import Choice, choices, free_seats, is_host, keys_of
from golfnet_client.screens.count import draw_count, is_counted
from golfnet_client.screens.faces import MINI, SMALL, THIN, Size, draw_card, draw_shadow
from golfnet_client.screens.headline import headline
from golfnet_client.screens.layouts import (
    dim_the_rest,
    draw_caption,
    draw_layout,
    draw_line,
    draw_own,
    draw_piles,
)
from golfnet_client.screens.panels import NARROW, draw_actions, draw_header, draw_log, draw_rules, draw_scores
from golfnet_client.screens.plan import (
    BESIDE_CARDS,
    Plan,
    block_columns,
    columns_of,
    kept_columns,
    line_columns,
    others_of,
    own_seat,
    plan_of,
    step_of,
    tile_columns,
    whole,
)

CHAIRS: Final = 4
"""If there are more chairs than this, only the taken ones and the next free one are drawn."""


def with_chairs(view: TableView, *, is_low: bool = False) -> TableView:
    """Return an open table with places for its cards and with empty chairs; return any other table unchanged.

    With ``is_low``, each seat has only one row of places.
    """
    if view.state != "open":
        return view
    if is_low:
        view = structs.replace(view, options=view.options | {"rows": 1})
    places = (EMPTY,) * (int(view.options["rows"]) * int(view.options["columns"]))
    empty = SeatView(**NEWCOMER | {"seat": "", "name": "empty chair", "present": False, "slots": places})
    chairs = (empty,) * min(free_seats(view), max(1, CHAIRS - len(view.seats)))
    return structs.replace(
        view, seats=(*[structs.replace(seat, slots=places) for seat in view.seats], *chairs)
    )


def draw_waiting(canvas: Canvas, model: Model, view: TableView, plan: Plan, width: int, bottom: int) -> None:
    """Draw the undealt pack and the viewer's place; say what to do, beside the pack or where there is room."""
    size, own = plan.piles, own_seat(view)
    lines = waiting_lines(model)
    if not plan.is_narrow:
        draw_card(canvas, plan.stock_x, plan.piles_y, HIDDEN, size)
        draw_shadow(canvas, plan.stock_x, plan.piles_y, size)
    x, y, room = plan.own_x, plan.own_y, width - plan.own_x - 2
    has_place = False
    if plan.is_narrow:
        x, room = plan.stock_x, plan.own_x - plan.stock_x - 2
        has_place = not plan.lines and len(_wrapped(lines, room)) <= bottom - y
        room = room if has_place else width - x - 2
    elif not plan.is_beside:
        x, y, room = plan.discard_x + 1, plan.piles_y, width - plan.discard_x - 3
        has_place = len(_wrapped(lines, room)) <= plan.own_y - plan.has_caption - y
        if not has_place:
            x, y, room = 4, plan.own_y + 1, width - 8
    if own is not None and has_place:
        draw_layout(canvas, model, own, plan.own_x, plan.own_y, plan.own, plan.step)
    for number, (text, style) in enumerate(_wrapped(lines, room)):
        canvas.put(x, y + number, text, f"felt {style}", width=room)


def _wrapped(lines: list[tuple[str, str]], room: int) -> list[tuple[str, str]]:
    return [(part.strip(), style) for text, style in lines for part in wrapped(text, max(room, 12))]


def waiting_lines(model: Model) -> list[tuple[str, str]]:
    """Return the lines of the waiting room, each with its style."""
    view = model.shown
    free, taken = free_seats(view), len(view.seats)
    host = next((seat.name for seat in view.seats if seat.host), "")
    bots = "b adds a bot" if is_host(view) else f"{host or 'the host'} can add bots: b"
    listed = next((row for row in model.lobby.tables if row.get("table") == view.table), {})
    password = " password=..." if listed.get("private") else ""
    if "start" in view.offer:
        start = "Press o to start.", "turn"
    elif "ready" in view.offer:
        start = "Press r when you are ready.", "turn"
    else:
        start = f"{host} can start: o" if host and not is_host(view) else "", "name"
    others = [seat for seat in view.seats if seat.kind == "human" and seat.name != model.name]
    unready = ", ".join([seat.name for seat in others if not seat.ready])
    lines = (
        (f"{taken} of {taken + free} chairs taken", "name"),
        (f"○ {free} empty: {bots}" if free else "", "dim"),
        (f"Others can join with: join {view.table}{password}" if free and not model.is_solo else "", "dim"),
        start,
        (f"Not ready yet: {unready}" if unready else "", "dim"),
    )
    return [(text, style) for text, style in lines if text]


def draw_motions(canvas: Canvas, motions: Sequence[Motion], plan: Plan, now: float) -> None:
    """Draw all cards in motion."""
    zones = {
        zone.target.partition(" ")[2]: zone for zone in canvas.zones if zone.target[:4] in ("card", "pile")
    }
    zones["held"] = Zone(plan.held_x, plan.piles_y, *plan.piles, "pile held")
    for motion in motions:
        if motion.begins <= now < motion.ends and motion.source in zones and motion.target in zones:
            if motion.source == motion.target:
                _draw_turning(canvas, motion, zones[motion.target], now)
            else:
                _draw_sliding(canvas, motion, zones[motion.source], zones[motion.target], now)


def _draw_sliding(canvas: Canvas, motion: Motion, source: Zone, target: Zone, now: float) -> None:
    """Draw a card between two places, in the size of the nearer one."""
    part = motion.progress(now)
    near = source if part < 0.5 else target
    (x0, y0), (x1, y1) = source.middle, target.middle
    x, y = x0 + (x1 - x0) * part, (y0 + (y1 - y0) * part) / 2
    size = Size(near.width, near.height)
    draw_card(canvas, round(x - size.width / 2), round(y - size.height / 2), motion.card, size)


def _draw_turning(canvas: Canvas, motion: Motion, zone: Zone, now: float) -> None:
    """Draw a card that is turned over: it becomes narrow, then wide again with its other side up."""
    part = (now - motion.begins) / motion.lasts
    side = motion.before if part < 0.5 else motion.card
    size = Size(zone.width, zone.height)
    gone = round((size.width // 2 - (size.width > SMALL.width)) * (1 - abs(2 * part - 1)))
    draw_card(canvas, zone.x, zone.y, side, size)
    canvas.fill(zone.x, zone.y, gone, size.height, "felt")
    canvas.fill(zone.x + size.width - gone, zone.y, gone, size.height, "felt")


SIDEBAR_FROM: Final = 112
"""Minimum number of window columns for scores and log to be beside the table."""

WIDE_KEYS: Final = 100
"""Minimum number of window columns for which one line of keys is enough."""


def draw_table(canvas: Canvas, model: Model, now: float, offers: Sequence[Choice] | None = None) -> None:
    """Draw the shown table; ``offers`` are drawn below it instead of the table's own keys."""
    width, height, table = canvas.width, canvas.height, model.shown
    view = with_chairs(table)
    side = max(34, min(52, width - 108)) if width >= SIDEBAR_FROM else 0
    main = width - side
    # The headline and the keys share these lines, so that everything above stays where it is.
    is_open = view.state == "open" and main < WIDE_KEYS
    below = 3 if main < NARROW or is_open or model.lesson or offers is not None else 2
    plan = _planned(view, main, height - below, no_log=bool(side))
    if below == 2 and main < WIDE_KEYS and _top(height - 3) == _top(height - 2):
        # Use a second line for keys if that makes no card smaller.
        taller = _planned(view, main, height - 3, no_log=bool(side))
        if (taller.own, taller.others, taller.piles) == (plan.own, plan.others, plan.piles):
            below, plan = 3, taller
    bottom = height - below
    if view.state == "open" and plan.lines:
        # It is better to draw fewer rows for each seat than to list the seats.
        low = with_chairs(table, is_low=True)
        smaller = _planned(low, main, bottom, no_log=bool(side))
        view, plan = (view, plan) if smaller.lines else (low, smaller)
    _draw_rail(canvas, _top(bottom) - 1, bottom, main)
    if is_counted(view):
        draw_count(canvas, model, _top(bottom), bottom, main, now)
    else:
        _draw_others(canvas, model, view, plan, main)
        draw_piles(canvas, model, plan, now)
        draw_own(canvas, model, plan, main)
        dim_the_rest(canvas, model, now)
        draw_motions(canvas, model.motions, plan, now)
    if view.state == "open":
        draw_waiting(canvas, model, view, plan, main, bottom)
    # Header, keys and sidebar are drawn last, so that a table that does not fit cannot cover them.
    draw_header(canvas, model, _title(view))
    _draw_below(canvas, model, bottom, main, offers, now)
    if side:
        _draw_sidebar(canvas, model, main, 1, side, height - 1)


def _planned(view: TableView, width: int, bottom: int, *, no_log: bool) -> Plan:
    return plan_of(view, width, _top(bottom), bottom, no_log=no_log or view.state == "open")


def _top(bottom: int) -> int:
    """Return the first line of the table: in a tall window, one line below the header stays free."""
    return 2 if bottom >= 20 else 1


def _draw_rail(canvas: Canvas, top: int, bottom: int, width: int) -> None:
    if canvas.look.ascii:
        return
    canvas.fill(0, 1, 1, bottom - 1, "felt rail", "▌")
    canvas.fill(width - 1, 1, 1, bottom - 1, "felt rail", "▐")
    if top > 0:
        canvas.put(0, top, f"▛{'▀' * (width - 2)}▜", "felt rail")


def _draw_others(canvas: Canvas, model: Model, view: TableView, plan: Plan, width: int) -> None:
    """Draw the opponents, each as a plate above cards or as one line; say how many had no room."""
    others = others_of(view)
    tall = 1 + int(view.options["rows"]) * plan.others.height
    size, block = plan.others, block_columns(view, plan.others)
    most = max([len(seat.slots) for seat in others], default=0)
    if plan.lines:
        wide, room = plan.pitch - 1, plan.pitch - BESIDE_CARDS
        size = next((each for each in (size, MINI) if line_columns(view, each, most) <= room), THIN)
        block = max(min(block_columns(view, size), room), line_columns(view, size, most))
    names = max([display_width(seat.name) for seat in others], default=0)
    for number, seat in enumerate(others):
        line, place = divmod(number, plan.across)
        here = min(plan.across, len(others) - line * plan.across)
        offset = place - (here - 1) / 2
        if plan.lines:
            x = 1 + place * plan.pitch
            missing = len(others) - plan.lines * plan.across + 1
            if missing > 1 and number == plan.lines * plan.across - 1:
                text = f"and {missing} more: v shows all"
                canvas.put(x + 2, plan.others_y + line, text, "felt dim", width=plan.pitch - 2)
                break
            draw_line(canvas, model, seat, x, plan.others_y + line, wide, size, block)
            continue
        x = max(1, round(plan.middle + offset * plan.pitch - block / 2))
        lower = round(plan.arc * (2 * offset / (here - 1)) ** 2) if plan.arc and here > 1 else 0
        y = plan.others_y + line * tall + lower
        room = min(plan.pitch - 1, width - 1 - x)
        plate = min(room, max(min(block, tile_columns(view, plan.others)), min(names + 13, 24)))
        draw_caption(canvas, model, seat, x, y, plate, room)
        columns = max(kept_columns(view), columns_of(view, most))
        fitting = whole(size, columns, room)
        draw_layout(canvas, model, seat, x, y + 1, fitting, step_of(fitting, columns, room))


def _title(view: TableView) -> str:
    holes = f" of {view.holes}" if view.holes else ""
    target = f", playing to {view.target} points" if view.target and not view.holes else ""
    hole = f" · hole {view.hole}{holes}{target}" if view.hole else ""
    name = f" · {view.name}" if view.name else ""
    return f"{view.table} · {view.variant}{hole}{name}"


def _draw_below(
    canvas: Canvas, model: Model, top: int, width: int, offers: Sequence[Choice] | None, now: float
) -> None:
    """Draw the keys on the last lines, and above them the headline and the running clock."""
    lines = canvas.height - top
    canvas.fill(0, top, width, lines, "actions")
    text, ink = headline(model)
    # A slam window has a clock of its own, drawn elsewhere.
    has_window = model.window is not None and model.window.ends > now
    timed = None if has_window else model.clock or model.pause or model.filling
    if timed is not None and (timed.ends <= now or timed.lasts <= 0):
        timed = None
    bar = min(24, max(6, width // 6))
    room = width - 4 - (0 if timed is None else bar + 8)
    if timed is not None and len(wrapped(text, max(room, 12))) >= lines:
        bar, room = 0, width - 12  # the sentence is more important than the bar
    broken = _broken_to(text, max(room, 12), lines - 1)
    keys = choices(model) if offers is None else offers
    used = draw_actions(canvas, 1, canvas.height - 1, width - 2, keys, most=lines - max(1, len(broken)))
    y = canvas.height - used - max(1, len(broken))
    for number, line in enumerate(broken):
        canvas.put(2, y + number, line, f"actions {ink}", width=room)
    if timed is not None:
        left = timed.ends - now
        style = "actions urgent" if left < 5 else "actions bar"
        filled = min(bar, max(1, round(bar * left / timed.lasts)))
        end = canvas.put(width - bar - 8, y, "█" * filled, style)
        end = canvas.put(end, y, "░" * (bar - filled), "actions dim")
        canvas.put(end, y, f" {timed.seconds_left(now):3} s", style)


def _broken_to(text: str, room: int, lines: int) -> list[str]:
    """Return a text wrapped to ``lines`` lines at most; if it is too long, cut off its last sentences or its end."""
    while len(broken := [line.strip() for line in wrapped(text, room)]) > lines and ". " in text:
        text = text[: text.rindex(". ") + 1]
    return [*broken[: lines - 1], " ".join(broken[lines - 1 :])] if len(broken) > lines else broken


def _draw_sidebar(canvas: Canvas, model: Model, x: int, y: int, width: int, height: int) -> None:
    view = model.shown
    canvas.box(x, y, width, height, "panel")
    left, wide, bottom = x + 2, width - 4, y + height - 1
    top = y + 1
    if view.hole:
        top += draw_scores(canvas, view, left, top, wide, max(4, height // 2 - 2))
        canvas.put(left, top, "─" * wide, "panel dim")
        top += 1
    used = draw_log(canvas, model, left, top, wide, bottom - top, style="panel")
    draw_rules(canvas, view.rules, view.variant, left, top + used + 1, bottom, wide, "panel")


def draw_replay(canvas: Canvas, replay: Replay, model: Model, now: float) -> None:
    """Draw the current moment in a replay."""
    table = Canvas(canvas.width, canvas.height - 1, "felt", canvas.look)
    draw_table(table, model, now, replay_keys(replay))
    canvas.stamp(0, 0, table)
    canvas.zones += table.zones
    _draw_place(canvas, replay, canvas.height - 1, canvas.width)


def replay_keys(replay: Replay) -> list[Choice]:
    """Return the choices in a replay."""
    at_start, at_end = replay.at == 0, replay.at == len(replay.views) - 1
    return keys_of(
        ("space", "stop" if replay.is_playing else "play", True),
        ("right", "next", not at_end),
        ("left", "back", not at_start),
        ("up", "faster", True),
        ("down", "slower", True),
        ("n", "next hole", not at_end),
        ("p", "previous hole", not at_start),
        ("v", "scores", True),
        ("esc", "back", True),
    )


def _draw_place(canvas: Canvas, replay: Replay, y: int, width: int) -> None:
    """Draw the progress bar of the match, with a mark at each deal."""
    canvas.fill(0, y, width, 1, "header")
    state = f"{'▶' if replay.is_playing else '⏸'} {replay.speed:g}x"
    where = f"hole {replay.views[replay.at].hole}, {replay.at + 1} of {len(replay.views)}"
    canvas.put(1, y, state, "header brand")
    right = canvas.put_right(width - 1, y, where, "header")
    left = 1 + max(8, display_width(state) + 2)
    size = right - left - 2
    if size < 8:
        return
    last = max(1, len(replay.views) - 1)
    filled = round((size - 1) * replay.at / last) + 1
    canvas.put(left, y, "█" * filled, "header bar")
    canvas.put(left + filled, y, "░" * (size - filled), "header dim")
    for begins in replay.holes[1:]:
        canvas.put(left + round((size - 1) * begins / last), y, "┃", "header")
    for cell in range(size):
        canvas.zone(left + cell, y, 1, 1, f"moment {round(last * cell / max(1, size - 1))}")
