"""The waiting room: the table before a match, with empty chairs, and what everybody is waiting for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from golfnet.engine.notation import EMPTY, HIDDEN
from golfnet.protocol.replies.replies import SeatView, TableView
from golfnet.protocol.text.typeset import wrapped
from golfnet_client.screens.choices import free_seats, is_host
from golfnet_client.screens.faces import draw_card, draw_shadow
from golfnet_client.screens.plan import WIDE_FROM

if TYPE_CHECKING:
    from golfnet_client.model.model import Model
    from golfnet_client.screens.canvas import Canvas
    from golfnet_client.screens.faces import Look
    from golfnet_client.screens.plan import Plan

CHAIRS: Final = 4
"""Minimum number of chairs drawn, if there are that many; beyond it only taken ones and the next free one."""


def with_chairs(view: TableView) -> TableView:
    """Return an open table with places for its cards and with empty chairs, any other table unchanged."""
    if view.state != "open":
        return view
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


def draw_waiting(canvas: Canvas, model: Model, plan: Plan, width: int, look: Look, now: float) -> None:
    """Draw the undealt pack, and beside or below it what to do."""
    view = model.table
    if view is None:
        return
    size = plan.piles
    left = 4 if not plan.is_beside else plan.own_x if plan.stock_x >= WIDE_FROM else plan.stock_x
    if left != plan.stock_x:
        x = plan.stock_x if plan.is_beside else plan.axis - size.width // 2
        draw_card(canvas, x, plan.piles_y, HIDDEN, size, look)
        draw_shadow(canvas, x, plan.piles_y, size, look)
    room, y = max(width - left - 2, 12), plan.own_y + (0 if plan.is_beside else 1)
    for text, style in waiting_lines(model, view, now, look):
        for part in wrapped(text, room):
            if plan.is_beside:
                canvas.put(left, y, part.strip(), f"class:felt {style}", width=room)
            else:
                canvas.put_middle(0, y, width, part.strip(), f"class:felt {style}")
            y += 1


def waiting_lines(model: Model, view: TableView, now: float, look: Look) -> list[tuple[str, str]]:
    """Return the lines of the waiting room, each with its style."""
    free, taken = free_seats(view), len(view.seats)
    host = next((seat.name for seat in view.seats if seat.host), "")
    lines = [(f"{taken} of {taken + free} chairs taken", "class:name")]
    if free:
        chair = "o" if look.ascii else "○"
        bots = "b adds a bot" if is_host(view) else f"{host or 'the host'} can add bots: b"
        lines.append((f"{chair} {free} empty: {bots}", "class:dim"))
    if free and not model.is_solo:
        lines.append((f"Others can join with: {join_line(model, view)}", "class:dim"))
    if model.filling is not None:
        seconds = model.filling.seconds_left(now)
        lines.append((f"Bots ({model.filling.what}) come in {seconds} s.", "class:dim"))
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
