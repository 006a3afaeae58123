"""The score card of a match: places, scores by hole and totals, as on the golf course."""

from collections.abc import Sequence

from golfnet.engine.layout import Seat
from golfnet.engine.scoring import places
from golfnet.protocol.text.typeset import bold, display_width, padded
from golfnet.protocol.text.words import Voice, number, ordinal, points

Scores = Sequence[Sequence[int]]
"""Scores by hole, in seat order."""


def score_card(scores: Scores, totals: Sequence[int], voice: Voice, width: int) -> list[str]:
    """Return the card as aligned lines, best seat first, in several parts where the holes do not fit side by side."""
    order = _ordered(totals)
    place = places(totals)
    names = {seat: voice.label(seat, max(12, width // 3)) for seat in order}
    head_width = max(map(display_width, names.values()), default=0) + 1
    cells = [str(score) for hole in scores for score in hole]
    cell = max([2, *map(len, cells), len(str(len(scores)))]) + 1
    total_width = max(5, *(len(str(total)) for total in totals)) + 2 if totals else 0
    across = max(1, (width - 6 - head_width - total_width) // cell)
    parts = max(1, -(-len(scores) // across))
    across = -(-len(scores) // parts) if scores else 0
    lines: list[str] = []
    for part in range(parts):
        holes = range(part * across, min((part + 1) * across, len(scores)))
        is_last = part == parts - 1
        heading = "".join([padded(str(hole + 1), cell, right=True) for hole in holes])
        lines.append(
            f"      {padded('hole', head_width)}{heading}{padded('total', total_width, right=True) if is_last else ''}"
        )
        for seat in order:
            row = "".join([padded(str(scores[hole][seat]), cell, right=True) for hole in holes])
            total = padded(str(totals[seat]), total_width, right=True) if is_last else ""
            is_bold = voice.settings.color and voice.is_you(seat)
            name = bold(padded(names[seat], head_width), on=is_bold)
            lines.append(f"{ordinal(place[seat]):<5} {name}{row}{total}")
    return [line.rstrip() for line in lines]


def spoken_score_card(scores: Scores, totals: Sequence[int], voice: Voice) -> list[str]:
    """Return the card as sentences, one seat each, best first."""
    place = places(totals)
    lines = []
    for seat in _ordered(totals):
        holes = [number(hole[seat], voice.settings) for hole in scores]
        by_hole = f" Holes: {', '.join(holes)}." if len(holes) > 1 else ""
        who = "You" if voice.is_you(seat) else voice.name(seat)
        lines.append(f"{ordinal(place[seat])}: {who}, {points(totals[seat], voice.settings)}.{by_hole}")
    return lines


def _ordered(totals: Sequence[int]) -> list[Seat]:
    return sorted([Seat(seat) for seat in range(len(totals))], key=lambda seat: totals[seat])
