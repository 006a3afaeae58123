"""The waiting room: who sits where before the first deal, and what fills the empty chairs.

It says what to type, whole: a private table is joined with its password, and nobody joins one who plays alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.protocol.text.typeset import wrapped
from golfnet_client.screens.choices import free_seats, is_host

if TYPE_CHECKING:
    from golfnet.protocol.replies.replies import TableView
    from golfnet_client.model.model import Model
    from golfnet_client.screens.canvas import Canvas
    from golfnet_client.screens.faces import Look


def draw_waiting(canvas: Canvas, model: Model, x: int, y: int, width: int, now: float, look: Look) -> None:
    """Draw the chairs of the table that is looked at, and below them what to do."""
    view = model.table
    if view is None or view.state != "open":
        return
    row = 0
    for text, style in waiting_lines(model, view, now, look):
        for part in wrapped(text, max(width, 12)):
            canvas.put(x, y + row, part.strip() if row else part, f"class:felt {style}", width=width)
            row += 1


def waiting_lines(model: Model, view: TableView, now: float, look: Look) -> list[tuple[str, str]]:
    """Return what the waiting room says, each line with its style."""
    free = free_seats(view)
    taken = len(view.seats)
    lines = [(f"{taken} of {taken + free} chairs taken", "class:name")]
    if free:
        chair = "o" if look.ascii else "○"
        bots = "b adds a bot" if is_host(view) else "the host can add a bot"
        lines.append((f"{chair} {free} empty: {bots}", "class:dim"))
    if free and not model.is_solo:
        lines.append((f"Others can join with: {join_line(model, view)}", "class:dim"))
    if model.filling is not None:
        seconds = model.filling.seconds_left(now)
        lines.append((f"Bots ({model.filling.what}) come in {seconds} s.", "class:dim"))
    if "start" in view.offer:
        lines.append(("Press o to start.", "class:turn"))
    elif "ready" in view.offer:
        lines.append(("Press r when you are ready.", "class:turn"))
    return lines


def join_line(model: Model, view: TableView) -> str:
    """Return the line that brings somebody to the table."""
    listed = next((row for row in model.lobby.tables if row.get("table") == view.table), {})
    return f"join {view.table}{' password=...' if listed.get('private') else ''}"
