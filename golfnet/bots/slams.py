"""Which slam to claim: only cards that the seat knows, and of these the one that gains most.

An own card goes away; for another seat's the slammer gets rid of the worst of its own (C13, C14).
"""

from collections.abc import Callable

from golfnet.bots.outlook import Outlook
from golfnet.bots.reading import EMPTY, Reading, Symbols, replaced
from golfnet.bots.units import LayoutPartition
from golfnet.engine.actions import Slam


def best_slam(reading: Reading, outlook: Outlook, cut: LayoutPartition, rivalry: float) -> Slam | None:
    """Return the slam that lowers the own points most, None where none is known or worth it.

    ``rivalry`` is what a point of one other seat is worth in own points.
    """
    window = reading.view.window
    if window is None or window.won:
        return None
    rank = reading.pack.numbers[window.card.rank]
    targets = [at for at in reading.view.choices.slammable if reading.layouts[at.seat][at.slot - 1] == rank]
    if not targets:
        return None

    def points(symbols: Symbols) -> float:
        return sum([outlook.value(unit, 0) for unit in cut.units(symbols)])

    own = points(reading.own)
    best, choice = -1e-9, None
    for at in targets:
        if at.seat == reading.seat:
            gain = own - points(replaced(reading.own, at.slot - 1, EMPTY))
        else:
            gain = _gift(reading, points, own, at.seat, at.slot - 1, rivalry)
        if gain > best:
            best, choice = gain, at
    return None if choice is None else Slam(choice, window.discard_no)


def _gift(
    reading: Reading, points: Callable[[Symbols], float], own: float, seat: int, index: int, rivalry: float
) -> float:
    """Return what it gains to slam another seat's card and give the worst own one for it."""
    theirs = points(reading.layouts[seat])
    return max(
        (own - points(replaced(reading.own, mine, EMPTY)))
        + rivalry * (points(replaced(reading.layouts[seat], index, symbol)) - theirs)
        for mine, symbol in enumerate(reading.own)
        if symbol != EMPTY
    )
