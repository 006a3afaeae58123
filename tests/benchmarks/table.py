"""The table of costs: those of golfnet, of a baseline, and the minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

HEADING = (
    f"{'':<64} {'':<6} {'ours':>9} {'baseline':>9} {'floor':>9} {'ours/baseline':>13} {'ours/floor':>11}"
)


class Row(NamedTuple):
    """A cost: golfnet's, the baseline's, and the possible minimum; lower is better.

    ``baseline`` is a bare trio server unless the row names something else.
    """

    what: str
    unit: str
    ours: float
    baseline: float
    floor: float | None = None

    def __str__(self) -> str:
        """Return the line of this row in the table."""
        costs = [f"{each:9.2f}" if each else f"{'–':>9}" for each in (self.ours, self.baseline, self.floor)]
        ratios = [f"{self.ours / each:.2f}" if each else "–" for each in (self.baseline, self.floor)]
        return f"{self.what:<64} {self.unit:<6} {' '.join(costs)} {ratios[0]:>13} {ratios[1]:>11}"


if TYPE_CHECKING:
    Subject = Callable[[argparse.Namespace], Iterator[Row]]
    """A function that measures the rows of one subject."""


def least(measure: Callable[[], float], rounds: int) -> float:
    """Return the lowest cost of several rounds, since other work on the machine only adds to it."""
    return min([measure() for _ in range(rounds)])
