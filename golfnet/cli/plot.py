"""Bar charts with standard errors as SVG text: without other libraries, for any browser."""

from collections.abc import Sequence
from html import escape
from math import isfinite
from typing import Final, NamedTuple

WIDTH: Final = 640
ROW: Final = 36
LEFT: Final = 90
RIGHT: Final = 120
TOP: Final = 48


class Bar(NamedTuple):
    """A named value with its standard error."""

    name: str
    value: float
    error: float


def bars(title: str, values: Sequence[Bar]) -> str:
    """Return a picture of the values as horizontal bars from zero, whiskers two standard errors long each way."""
    reach = [value.error * 2 if isfinite(value.error) else 0.0 for value in values]
    low = min([0.0, *(bar.value - whisker for bar, whisker in zip(values, reach, strict=True))])
    high = max([0.0, *(bar.value + whisker for bar, whisker in zip(values, reach, strict=True))])
    scale = (WIDTH - LEFT - RIGHT) / ((high - low) or 1.0)

    def at(points: float) -> float:
        return LEFT + (points - low) * scale

    height = TOP + ROW * len(values) + 16
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="14">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="16" y="28" font-size="16">{escape(title)}</text>',
    ]
    for row, (bar, whisker) in enumerate(zip(values, reach, strict=True)):
        top = TOP + ROW * row
        middle = top + ROW / 2
        left, right = sorted((at(0.0), at(bar.value)))
        label = f"{bar.value:.2f}" + (f" ± {bar.error:.2f}" if isfinite(bar.error) else "")
        lines += [
            f'<text x="{LEFT - 8}" y="{middle + 5:.1f}" text-anchor="end">{escape(bar.name)}</text>',
            f'<rect x="{left:.1f}" y="{top + 6}" width="{right - left:.1f}" height="{ROW - 12}" fill="#5b8c5a"/>',
            f'<path d="M{at(bar.value - whisker):.1f} {middle:.1f}H{at(bar.value + whisker):.1f}" stroke="black"/>',
            f'<text x="{max(right, at(bar.value + whisker)) + 8:.1f}" y="{middle + 5:.1f}">{label}</text>',
        ]
    bottom = TOP + ROW * len(values)
    lines.append(f'<path d="M{at(0.0):.1f} {TOP}V{bottom}" stroke="black"/>')
    return "\n".join([*lines, "</svg>", ""])
