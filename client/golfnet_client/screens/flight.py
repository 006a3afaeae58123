"""Cards on their way, drawn over the table between the places that the picture knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golfnet_client.screens.canvas import Canvas, Zone
from golfnet_client.screens.faces import SMALL, Look, Size, draw_card

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golfnet_client.model.motion import Motion
    from golfnet_client.screens.plan import Plan


def draw_motions(canvas: Canvas, motions: Sequence[Motion], plan: Plan, look: Look, now: float) -> None:
    """Draw every card that is on its way now."""
    if not motions:
        return
    zones = {
        zone.target.partition(" ")[2]: zone for zone in canvas.zones if zone.target[:4] in ("card", "pile")
    }
    held = plan.held_x, plan.piles_y, plan.piles.width, plan.piles.height
    zones["held"] = Zone(*held, "pile held")
    for motion in motions:
        if motion.begins <= now < motion.ends and motion.source in zones and motion.target in zones:
            if motion.source == motion.target:
                _draw_turning(canvas, motion, zones[motion.target], look, now)
            else:
                _draw_sliding(canvas, motion, zones[motion.source], zones[motion.target], look, now)


def _draw_sliding(canvas: Canvas, motion: Motion, source: Zone, target: Zone, look: Look, now: float) -> None:
    """Draw a card between two places; it has the size of the nearer one."""
    part = motion.progress(now)
    near = source if part < 0.5 else target
    middle = [
        start + (end - start) * part
        for start, end in zip(
            (source.x + source.width / 2, source.y + source.height / 2),
            (target.x + target.width / 2, target.y + target.height / 2),
            strict=True,
        )
    ]
    size = Size(near.width, near.height)
    draw_card(
        canvas, round(middle[0] - size.width / 2), round(middle[1] - size.height / 2), motion.card, size, look
    )


def _draw_turning(canvas: Canvas, motion: Motion, zone: Zone, look: Look, now: float) -> None:
    """Draw a card that is being turned over: it gets narrow, and wide again with its other side up."""
    part = (now - motion.begins) / motion.lasts
    side = motion.before if part < 0.5 else motion.card
    size = Size(zone.width, zone.height)
    card = Canvas(*size, "class:felt")
    draw_card(card, 0, 0, side, size, look)
    gone = round((size.width // 2 - (size.width > SMALL.width)) * (1 - abs(2 * part - 1)))
    canvas.fill(zone.x, zone.y, size.width, size.height, "class:felt")
    for row in range(size.height):
        for column in range(gone, size.width - gone):
            canvas.put(zone.x + column, zone.y + row, card.chars[row][column], card.styles[row][column])
