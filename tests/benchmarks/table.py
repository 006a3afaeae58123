"""The one table: what something costs here, in a server written the usual way, and at the least."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

HEADING = f"{'':<64} {'':<6} {'ours':>9} {'beside':>9} {'floor':>9} {'ours/beside':>12} {'ours/floor':>11}"


class Row(NamedTuple):
    """A cost: ours, that of what we compare with, and the least there can be; lower is better.

    ``beside`` is a bare trio server unless the row names something else.
    """

    what: str
    unit: str
    ours: float
    beside: float
    floor: float | None = None

    def __str__(self) -> str:
        """Return its line of the table."""
        floor = f"{'–':>9} {self._ratio(self.beside)} {'–':>11}"
        if self.floor is not None:
            floor = f"{self.floor:9.2f} {self._ratio(self.beside)} {self.ours / self.floor:11.2f}"
        return f"{self.what:<64} {self.unit:<6} {self.ours:9.2f} {self.beside:9.2f} {floor}"

    def _ratio(self, to: float) -> str:
        return f"{self.ours / to:12.2f}"


if TYPE_CHECKING:
    Subject = Callable[[argparse.Namespace], Iterator[Row]]
    """Measures the rows of one subject."""


def least(measure: Callable[[], float], rounds: int) -> float:
    """Return the least cost of several rounds: other work on the machine only adds to it."""
    return min([measure() for _ in range(rounds)])


def quantile(times: list[float], part: float) -> float:
    """Return a quantile of times in milliseconds."""
    return sorted(times)[min(len(times) - 1, int(part * len(times)))] * 1000
