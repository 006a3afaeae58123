"""The waiting room: the table before a match, with empty chairs, and what everybody is waiting for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from golfnet.engine.notation import EMPTY, HIDDEN
from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet.protocol.text.typeset import wrapped
from golfnet_client.screens.choices import free_seats, is_host
from golfnet_client.screens.faces import draw_card, draw_shadow
from golfnet_client.screens.layouts import draw_layout
from golfnet_client.screens.plan import WIDE_FROM, own_seat

if TYPE_CHECKING:
    from golfnet_client.model.model import Model
    from golfnet_client.screens.canvas import Canvas
    from golfnet_client.screens.faces import Look
    from golfnet_client.screens.plan import Plan

CHAIRS: Final = 4
"""Minimum number of chairs drawn, if there are that many; beyond it, only taken ones and the next free one."""


def with_chairs(view: TableView, *, is_low: bool = False) -> TableView:
    """Return an open table with places for its cards and with empty chairs, any other table unchanged.

    If it ``is_low``, each seat has only one row of places.
    """
    if view.state != "open":
        return view
    if is_low:
        view = replace(view, options=view.options | {"rows": 1})
    places = (EMPTY,) * (int(view.options["rows"]) * int(view.options["columns"]))
    empty = SeatView(
        seat="",
        name="empty chair",
        kind="human",
        present=False,
        slots=places,
        total=0,
        turns=0,
        ready=False,
        host=False,
    )
    free = free_seats(view)
    chairs = (empty,) * min(free, max(1, CHAIRS - len(view.seats)))
    return replace(view, seats=(*[replace(seat, slots=places) for seat in view.seats], *chairs))


def draw_waiting(
    canvas: Canvas, model: Model, view: TableView, plan: Plan, width: int, bottom: int, look: Look
) -> None:
    """Draw the undealt pack and the viewer's place; say what to do beside the pack, or else in that place."""
    size, own = plan.piles, own_seat(view)
    lines = waiting_lines(model, look)
    is_narrow = plan.is_beside and plan.stock_x < WIDE_FROM
    if not is_narrow:
        draw_card(canvas, plan.stock_x, plan.piles_y, HIDDEN, size, look)
        draw_shadow(canvas, plan.stock_x, plan.piles_y, size, look)
    x, y, room = plan.own_x, plan.own_y, width - plan.own_x - 2
    has_place = False
    if is_narrow:
        x, room = plan.stock_x, plan.own_x - plan.stock_x - 2
        has_place = not plan.lines and len(_wrapped(lines, room)) <= bottom - y
        room = room if has_place else width - x - 2
    elif not plan.is_beside:
        x, y, room = plan.discard_x + 1, plan.piles_y, width - plan.discard_x - 3
        has_place = len(_wrapped(lines, room)) <= plan.own_y - plan.has_caption - y
        if not has_place:
            x, y, room = 4, plan.own_y + 1, width - 8
    if own is not None and has_place:
        draw_layout(canvas, model, own, plan.own_x, plan.own_y, plan.own, plan.step, look)
    for number, (text, style) in enumerate(_wrapped(lines, room)):
        canvas.put(x, y + number, text, f"class:felt {style}", width=room)


def _wrapped(lines: list[tuple[str, str]], room: int) -> list[tuple[str, str]]:
    return [(part.strip(), style) for text, style in lines for part in wrapped(text, max(room, 12))]


def waiting_lines(model: Model, look: Look) -> list[tuple[str, str]]:
    """Return the lines of the waiting room, each with its style."""
    view = model.shown
    free, taken = free_seats(view), len(view.seats)
    host = next((seat.name for seat in view.seats if seat.host), "")
    lines = [(f"{taken} of {taken + free} chairs taken", "class:name")]
    if free:
        chair = "o" if look.ascii else "○"
        bots = "b adds a bot" if is_host(view) else f"{host or 'the host'} can add bots: b"
        lines.append((f"{chair} {free} empty: {bots}", "class:dim"))
    if free and not model.is_solo:
        lines.append((f"Others can join with: {join_line(model, view)}", "class:dim"))
    unready = [seat.name for seat in view.seats if seat.kind == "human" and not seat.ready]
    if "start" in view.offer:
        lines.append(("Press o to start.", "class:turn"))
    elif "ready" in view.offer:
        lines.append(("Press r when you are ready.", "class:turn"))
    elif host and not is_host(view):
        lines.append((f"{host} can start: o", "class:name"))
    others = [name for name in unready if name != model.name]
    if others:
        lines.append((f"Not ready yet: {', '.join(others)}", "class:dim"))
    return lines


def join_line(model: Model, view: TableView) -> str:
    """Return the line that others type to join the table."""
    listed = next((row for row in model.lobby.tables if row.get("table") == view.table), {})
    return f"join {view.table}{' password=...' if listed.get('private') else ''}"
