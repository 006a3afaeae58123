"""The choice of a slam: only cards that the seat knows, and of these the one that gains most.

A slammed own card leaves the layout; for a card of another seat, the slammer gives away its own worst card (C13, C14).
"""

from collections.abc import Callable

from golfnet.bots.knowledge.seat_knowledge import EMPTY, SeatKnowledge, Symbols, replaced
from golfnet.bots.values.unit_values import UnitValues
from golfnet.bots.values.units import LayoutPartition
from golfnet.engine.actions import Slam


def best_slam(
    knowledge: SeatKnowledge, unit_values: UnitValues, partition: LayoutPartition, rivalry: float
) -> Slam | None:
    """Return the slam that lowers the own points most, None if no slam is known or gains anything.

    ``rivalry`` is the value of a point of one other seat in own points.
    """
    window = knowledge.view.window
    if window is None or window.won:
        return None
    rank = knowledge.pack.numbers[window.card.rank]
    targets = [
        at for at in knowledge.view.choices.slammable if knowledge.layouts[at.seat][at.slot - 1] == rank
    ]
    if not targets:
        return None

    def points(symbols: Symbols) -> float:
        return sum([unit_values.value(unit, 0) for unit in partition.units(symbols)])

    own = points(knowledge.own)
    best, choice = -1e-9, None
    for at in targets:
        if at.seat == knowledge.seat:
            gain = own - points(replaced(knowledge.own, at.slot - 1, EMPTY))
        else:
            gain = _gift(knowledge, points, own, at.seat, at.slot - 1, rivalry)
        if gain > best:
            best, choice = gain, at
    return None if choice is None else Slam(choice, window.discard_no)


def _gift(
    knowledge: SeatKnowledge,
    points: Callable[[Symbols], float],
    own: float,
    seat: int,
    index: int,
    rivalry: float,
) -> float:
    """Return the gain from slamming another seat's card and giving it the worst own one."""
    theirs = points(knowledge.layouts[seat])
    return max(
        (own - points(replaced(knowledge.own, mine, EMPTY)))
        + rivalry * (points(replaced(knowledge.layouts[seat], index, symbol)) - theirs)
        for mine, symbol in enumerate(knowledge.own)
        if symbol != EMPTY
    )
