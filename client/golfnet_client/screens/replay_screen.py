"""A match looked at again: the table as it was, what happened, and a bar that tells where in the match one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet.protocol.text.typeset import display_width
from golfnet_client.screens.canvas import Canvas
from golfnet_client.screens.choices import Choice
from golfnet_client.screens.table_screen import draw_table

if TYPE_CHECKING:
    from golfnet_client.model.model import Model
    from golfnet_client.model.replay import Replay
    from golfnet_client.screens.faces import Look


def draw_replay(replay: Replay, model: Model, width: int, height: int, look: Look, now: float) -> Canvas:
    """Return the picture of a moment of a match."""
    canvas = Canvas(width, height, "class:felt")
    table = draw_table(model, width, height - 1, look, now, replay_keys(replay))
    canvas.stamp(0, 0, table)
    canvas.zones += table.zones
    _draw_place(canvas, replay, height - 1, width, look)
    return canvas


def replay_keys(replay: Replay) -> list[Choice]:
    """Return what can be done in a replay now."""
    at_start, at_end = replay.at == 0, replay.at == len(replay.views) - 1
    found = [Choice("space", "stop" if replay.is_playing else "play", "")]
    found += [Choice("right", "next", "")] * (not at_end)
    found += [Choice("left", "back", "")] * (not at_start)
    found += [Choice("up", "faster", ""), Choice("down", "slower", "")]
    found += [Choice("n", "next hole", "")] * (not at_end)
    found += [Choice("p", "hole before", "")] * (not at_start)
    return [*found, Choice("v", "scores", ""), Choice("esc", "back", "")]


def _draw_place(canvas: Canvas, replay: Replay, y: int, width: int, look: Look) -> None:
    """Draw the bar of the match, with a mark where each hole begins."""
    canvas.fill(0, y, width, 1, "class:header")
    speed = f"{replay.speed:g}x"
    state = f"{look.pointer} {speed}" if replay.is_playing else f"{'=' if look.ascii else '⏸'} {speed}"
    view = replay.views[replay.at]
    where = f"hole {view.hole}, {replay.at + 1} of {len(replay.views)}"
    canvas.put(1, y, state, "class:header class:brand")
    right = canvas.put_right(width - 1, y, where, "class:header")
    left = 1 + max(8, display_width(state) + 2)
    size = right - left - 2
    if size < 8:
        return
    last = max(1, len(replay.views) - 1)
    filled = round((size - 1) * replay.at / last) + 1
    canvas.put(left, y, look.full * filled, "class:header class:bar")
    canvas.put(left + filled, y, look.rest * (size - filled), "class:header class:dim")
    for begins in replay.holes[1:]:
        canvas.put(left + round((size - 1) * begins / last), y, "|" if look.ascii else "┃", "class:header")
    for cell in range(size):
        canvas.zone(left + cell, y, 1, 1, f"moment {round(last * cell / max(1, size - 1))}")
